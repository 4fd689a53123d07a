"""The cuts known so far, and which candidate sets each of them counts."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np

from stages.arrays import offsets_of
from stages.kernels.bounds.dual_ascent import Columns
from stages.kernels.bounds.lagrangian import Cuts, SetCuts, counted_sets, cuts_by_set, no_cuts
from stages.lists.set_lists import keep_sets

from .cuts import CountedSets, HalvedSum, Origin, add_up, key_of, round_half


def keep_columns(columns: Columns, kept: np.ndarray) -> Columns:
    """The sets where `kept` is true."""
    return columns_of(columns, np.flatnonzero(kept))


def columns_of(columns: Columns, sets: np.ndarray) -> Columns:
    """Some of the sets, ascending."""
    return columns._replace(costs=columns.costs[sets], **keep_sets(columns, sets)._asdict())


def cuts_of_sets(cuts: SetCuts, sets: np.ndarray) -> tuple[Cuts, SetCuts]:
    """All cuts over some of the sets (ascending), which are numbered by their places among these."""
    sizes = cuts.offsets[sets + 1] - cuts.offsets[sets]
    offsets = offsets_of(sizes)
    entries = np.repeat(cuts.offsets[sets] - offsets[:-1], sizes) + np.arange(offsets[-1])
    by_set = SetCuts(offsets=offsets, cuts=cuts.cuts[entries], weights=cuts.weights[entries], demands=cuts.demands)
    # Transposed by the kernel for the other direction, to which sets are cuts.
    rows = Cuts(offsets=offsets, sets=by_set.cuts, weights=by_set.weights, demands=np.empty(len(sets)))
    columns = cuts_by_set(rows, len(cuts.demands))
    return Cuts(offsets=columns.offsets, sets=columns.cuts, weights=columns.weights, demands=cuts.demands), by_set


class CutPool:
    """Distinct cuts over some columns, in the order in which they came.

    Attributes
    ----------
    origins : list of Origin
        Clusters (members, ascending, and demand) and halved sums.
    depths : ndarray of int64, shape (n_cuts,)
        Nesting of halved sums; 0 for clusters.
    cuts : Cuts
        The sets that they count.
    """

    def __init__(self, columns: Columns):
        self.columns = columns
        self.origins: list[Origin] = []
        self.depths = np.empty(0, dtype=np.int64)
        self._keys: dict[bytes, int] = {}
        self._set(no_cuts())

    def _set(self, cuts: Cuts) -> None:
        self.cuts = cuts
        self._by_set: SetCuts | None = None

    def __len__(self) -> int:
        return len(self.origins)

    @property
    def by_set(self) -> SetCuts:
        """The cuts by the sets that they count."""
        if self._by_set is None:
            self._by_set = cuts_by_set(self.cuts, len(self.columns.costs))
        return self._by_set

    def copied(self) -> CutPool:
        """A copy to which cuts are added apart."""
        pool = copy.copy(self)
        pool.origins, pool._keys = self.origins.copy(), self._keys.copy()
        return pool

    def places(self, origins: Iterable[Origin]) -> np.ndarray:
        """The indices of these cuts; -1 for those not in the pool."""
        return np.array([self._keys.get(key_of(origin), -1) for origin in origins], dtype=np.int64)

    def row(self, index: int) -> CountedSets:
        """The sets that one cut counts."""
        a, b = self.cuts.offsets[index], self.cuts.offsets[index + 1]
        return CountedSets(self.cuts.sets[a:b], self.cuts.weights[a:b], int(self.cuts.demands[index]))

    def children(self, sets: np.ndarray) -> np.ndarray:
        """The child of each of these sets."""
        return np.searchsorted(self.columns.set_offsets, sets, side="right") - 1

    def add(self, origins: Iterable[Origin]) -> int:
        """Add the cuts that are new; returns their number."""
        first, rows = len(self), []
        memo: dict[bytes, CountedSets] = {}
        for origin in origins:
            key = key_of(origin)
            if key not in self._keys:
                rows.append(self._count(origin, memo))
                self._keys[key] = len(self)
                self.origins.append(origin)
        if rows:
            depths = [getattr(origin, "depth", 0) for origin in self.origins[first:]]
            ends = self.cuts.offsets[-1] + np.cumsum([len(row.sets) for row in rows])
            self.depths = np.concatenate((self.depths, depths)).astype(np.int64)
            self._set(
                Cuts(
                    offsets=np.concatenate((self.cuts.offsets, ends)),
                    sets=np.concatenate((self.cuts.sets, *(row.sets for row in rows))),
                    weights=np.concatenate((self.cuts.weights, *(row.weights for row in rows))),
                    demands=np.concatenate((self.cuts.demands, [float(row.demand) for row in rows])),
                )
            )
        return len(rows)

    def _count(self, origin: Origin, memo: dict[bytes, CountedSets]) -> CountedSets:
        """The sets that a cut counts; `memo` holds cuts that are not in the pool yet."""
        key = key_of(origin)
        if key not in memo:
            # `depths` still has its former length: larger numbers were given in this call and have no row yet.
            if self._keys.get(key, len(self.depths)) < len(self.depths):
                return self.row(self._keys[key])
            if isinstance(origin, HalvedSum):
                total = add_up([self._count(part, memo) for part in origin.parts])
                memo[key] = round_half(total, self.children(total.sets), origin.lowered)
            else:
                sets = self._counted_by_cluster(*origin)
                memo[key] = CountedSets(sets, np.ones(len(sets), dtype=np.int8), origin[1])
        return memo[key]

    def _counted_by_cluster(self, members: np.ndarray, demand: int) -> np.ndarray:
        """The sets that a cluster cut counts; int32, ascending by member."""
        room = int(np.sum(self.columns.set_offsets[members + 1] - self.columns.set_offsets[members]))
        found = np.empty(room, dtype=np.int32)
        inside = np.zeros(len(self.columns.set_offsets) - 1, dtype=np.bool_)
        return found[: counted_sets(self.columns, members, demand, inside, found)]

    def keep_cuts(self, kept: np.ndarray) -> None:
        """Drop the cuts where `kept` is false."""
        sizes = np.diff(self.cuts.offsets)
        counted = np.repeat(kept, sizes)
        self.origins = [origin for origin, keep in zip(self.origins, kept) if keep]
        self.depths = self.depths[kept]
        self._keys = {key_of(origin): index for index, origin in enumerate(self.origins)}
        self._set(
            Cuts(
                offsets=offsets_of(sizes[kept]),
                sets=self.cuts.sets[counted],
                weights=self.cuts.weights[counted],
                demands=self.cuts.demands[kept],
            )
        )

    def restricted(self, sets: np.ndarray) -> CutPool:
        """The same cuts over some of the sets (ascending), as a pool of its own to which nothing is added."""
        pool = copy.copy(self)
        pool.columns = self.columns._replace(
            costs=self.columns.costs[sets], **keep_sets(self.columns, sets)._asdict()
        )
        pool.cuts, pool._by_set = cuts_of_sets(self.by_set, sets)
        return pool

    def keep_columns(self, columns: Columns, kept: np.ndarray) -> None:
        """Replace the columns by `columns`, those where `kept` is true."""
        new_index = (np.cumsum(kept) - 1).astype(np.int32)
        stays = kept[self.cuts.sets]
        before = offsets_of(stays)
        self.columns = columns
        self._set(
            Cuts(
                offsets=before[self.cuts.offsets],
                sets=new_index[self.cuts.sets[stays]],
                weights=self.cuts.weights[stays],
                demands=self.cuts.demands,
            )
        )
