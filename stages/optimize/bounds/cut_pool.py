"""The cuts known so far, and which candidate sets each of them counts."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.bounds.lagrangian import Cuts, counted_sets, no_cuts, restrict_cuts
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import child_of_sets, keep_sets

from .cuts import Cut, HalvedSum, Origin, add_up, key_of, round_half


def cuts_of_sets(cuts: Cuts, sets: np.ndarray, n_sets: int) -> Cuts:
    """All cuts over some of `n_sets` sets (ascending), numbered by their places among these."""
    place = np.full(n_sets, -1, dtype=np.int32)
    place[sets] = np.arange(len(sets), dtype=np.int32)
    return restricted(cuts, place)


def restricted(cuts: Cuts, place: np.ndarray) -> Cuts:
    """All cuts over the sets that `place` (int32, shape (n_sets,)) numbers; it is -1 for sets left out."""
    offsets, room = np.empty(len(cuts.offsets), dtype=np.int64), len(cuts.sets) // 4
    while True:
        counted, weights = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int8)
        n_kept = restrict_cuts(cuts, place, offsets, counted, weights)
        if n_kept <= room:
            return Cuts(offsets=offsets, sets=counted[:n_kept], weights=weights[:n_kept], demands=cuts.demands)
        room = n_kept


def slacks_of(cuts: Cuts, shares: np.ndarray) -> np.ndarray:
    """The share that each cut counts, less its demand; negative where the cut is violated."""
    with_share = np.flatnonzero(shares)
    few = cuts_of_sets(cuts, with_share, len(shares))
    counted = np.concatenate(([0.0], np.cumsum(shares[with_share][few.sets] * few.weights)))
    return np.diff(counted[few.offsets]) - few.demands


def extended(buffer: np.ndarray, used: int, parts: list[np.ndarray]) -> np.ndarray:
    """`buffer` with `parts` after its first `used` entries; a larger one if they do not fit."""
    end = used + sum(map(len, parts))
    if len(buffer) < end:
        former, buffer = buffer, np.empty(end + end // 2, dtype=buffer.dtype)
        buffer[:used] = former[:used]
    np.concatenate(parts, out=buffer[used:end])
    return buffer


class CutPool:
    """Distinct cuts over some sets, in the order in which they were added.

    `costs` (float64, shape (n_sets,)) are those of the sets of `lists` in nats, non-negative.
    """

    def __init__(self, lists: SetLists, costs: np.ndarray):
        self.lists, self.costs = lists, costs
        self.origins: list[Origin] = []  # clusters (members, ascending, and demand) and halved sums
        self.depths = np.empty(0, dtype=np.int64)  # int64, shape (n_cuts,): nesting of halved sums; 0 for clusters
        self._keys: dict[bytes, int] = {}
        self.child = child_of_sets(lists)
        self.cuts = no_cuts()  # the sets that the cuts count
        self._room: tuple[np.ndarray, np.ndarray] = self.cuts.sets, self.cuts.weights

    def __len__(self) -> int:
        return len(self.origins)

    def copied(self) -> CutPool:
        """A copy that can grow independently of this pool."""
        pool = copy.copy(self)
        pool.origins, pool._keys = self.origins.copy(), self._keys.copy()
        pool._room = self.cuts.sets, self.cuts.weights  # no spare capacity: both pools would write there
        return pool

    def places(self, origins: Iterable[Origin]) -> np.ndarray:
        """The indices of these cuts; -1 for cuts that are not in the pool."""
        return np.array([self._keys.get(key_of(origin), -1) for origin in origins], dtype=np.int64)

    def row(self, index: int) -> Cut:
        """The sets that one cut counts."""
        a, b = self.cuts.offsets[index], self.cuts.offsets[index + 1]
        return Cut(self.cuts.sets[a:b], self.cuts.weights[a:b], int(self.cuts.demands[index]))

    def children(self, sets: np.ndarray) -> np.ndarray:
        """The child of each of these sets."""
        return self.child[sets]

    def add(self, origins: Iterable[Origin]) -> int:
        """Add the cuts that are new; returns their number."""
        first, rows = len(self), []
        memo: dict[bytes, Cut] = {}
        for origin in origins:
            key = key_of(origin)
            if key not in self._keys:
                rows.append(self._count(origin, memo))
                self._keys[key] = len(self)
                self.origins.append(origin)
        if rows:
            depths = [getattr(origin, "depth", 0) for origin in self.origins[first:]]
            self.depths = np.concatenate((self.depths, depths)).astype(np.int64)
            self._append(rows)
        return len(rows)

    def _append(self, rows: list[Cut]) -> None:
        """Append the sets that new cuts count; arrays have spare capacity, so that the others are rarely copied."""
        used = len(self.cuts.sets)
        ends = used + np.cumsum([len(row.sets) for row in rows])
        sets = extended(self._room[0], used, [row.sets for row in rows])
        weights = extended(self._room[1], used, [row.weights for row in rows])
        self._room = sets, weights
        self.cuts = Cuts(
            offsets=np.concatenate((self.cuts.offsets, ends)),
            sets=sets[: ends[-1]],
            weights=weights[: ends[-1]],
            demands=np.concatenate((self.cuts.demands, [float(row.demand) for row in rows])),
        )

    def _count(self, origin: Origin, memo: dict[bytes, Cut]) -> Cut:
        """The sets that a cut counts; `memo` holds cuts that are not in the pool yet."""
        key = key_of(origin)
        if key not in memo:
            # `depths` still has its former length: larger numbers were assigned in this call and have no row yet.
            if self._keys.get(key, len(self.depths)) < len(self.depths):
                return self.row(self._keys[key])
            if isinstance(origin, HalvedSum):
                total = add_up([self._count(part, memo) for part in origin.parts])
                memo[key] = round_half(total, self.children(total.sets), origin.lowered)
            else:
                sets = self._counted_by_cluster(*origin)
                memo[key] = Cut(sets, np.ones(len(sets), dtype=np.int8), origin[1])
        return memo[key]

    def _counted_by_cluster(self, members: np.ndarray, demand: int) -> np.ndarray:
        """The sets that a cluster cut counts; int32, ascending by member."""
        room = int(np.sum(self.lists.set_offsets[members + 1] - self.lists.set_offsets[members]))
        found = np.empty(room, dtype=np.int32)
        inside = np.zeros(len(self.lists.set_offsets) - 1, dtype=np.bool_)
        return found[: counted_sets(self.lists, members, demand, inside, found)]

    def keep_cuts(self, kept: np.ndarray) -> None:
        """Drop the cuts where `kept` is false."""
        sizes = np.diff(self.cuts.offsets)
        counted = np.repeat(kept, sizes)
        self.origins = [origin for origin, keep in zip(self.origins, kept) if keep]
        self.depths = self.depths[kept]
        self._keys = {key_of(origin): index for index, origin in enumerate(self.origins)}
        self._replace(
            offsets=offsets_of(sizes[kept]),
            sets=self.cuts.sets[counted],
            weights=self.cuts.weights[counted],
            demands=self.cuts.demands[kept],
        )

    def restricted(self, sets: np.ndarray) -> CutPool:
        """The same cuts over some of the sets (ascending), as a separate pool that never grows."""
        pool = copy.copy(self)
        pool.lists, pool.costs = keep_sets(self.lists, sets), self.costs[sets]
        pool.cuts = cuts_of_sets(self.cuts, sets, len(self.costs))
        pool.child = self.child[sets]
        return pool

    def keep_sets(self, kept: np.ndarray) -> None:
        """Drop the sets where `kept` is false."""
        new_index = (np.cumsum(kept) - 1).astype(np.int32)
        stays = kept[self.cuts.sets]
        before = offsets_of(stays)
        self.lists = keep_sets(self.lists, np.flatnonzero(kept))
        self.costs, self.child = self.costs[kept], self.child[kept]
        self._replace(
            offsets=before[self.cuts.offsets],
            sets=new_index[self.cuts.sets[stays]],
            weights=self.cuts.weights[stays],
            demands=self.cuts.demands,
        )

    def _replace(self, offsets: np.ndarray, sets: np.ndarray, weights: np.ndarray, demands: np.ndarray) -> None:
        self.cuts = Cuts(offsets=offsets, sets=sets, weights=weights, demands=demands)
        self._room = sets, weights
