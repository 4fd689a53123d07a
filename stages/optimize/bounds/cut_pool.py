"""Cuts over candidate sets: which sets each counts, which cluster cuts a fractional choice violates."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from .cuts import CountedSets, HalvedSum, Origin, add_up, key_of, round_half

if TYPE_CHECKING:
    from stages.kernels.bounds.cluster_cuts import Support
    from stages.kernels.bounds.dual_ascent import Columns
    from stages.kernels.bounds.lagrangian import Cuts, SetCuts
    from stages.runtime.budgets import Budget

DEMANDS = (1, 2)
"""Demands searched for. Two closes most of what one leaves open; three was never needed."""

MOST_MEMBERS = 100
"""Variables of a cluster found by search."""

SEEDS = 64
"""Searches per compiled call."""


def make_columns(
    set_offsets: np.ndarray, scores: np.ndarray, parent_offsets: np.ndarray, parents: np.ndarray
) -> Columns:
    """Candidate lists, best first as in `ParentSetTable`, by what their sets lose against the best ones."""
    from stages.kernels.bounds.dual_ascent import Columns

    best = np.repeat(scores[set_offsets[:-1]], np.diff(set_offsets))
    return Columns(set_offsets, best - scores, parent_offsets, parents)


def keep_columns(columns: Columns, kept: np.ndarray) -> Columns:
    """The sets where `kept` is true."""
    from stages.kernels.bounds.dual_ascent import Columns

    sizes = np.diff(columns.parent_offsets)
    before = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    return Columns(
        before[columns.set_offsets],
        columns.losses[kept],
        np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int64),
        columns.parents[np.repeat(kept, sizes)],
    )


class CutPool:
    """Distinct cuts over some columns, in the order in which they came.

    Parameters
    ----------
    columns : Columns

    Attributes
    ----------
    origins : list of Origin
        How they are made: clusters (members, ascending, and demand) and halved sums.
    depths : ndarray of int64, shape (n_cuts,)
        Of halved sums; 0 for clusters.
    cuts : Cuts
        The same as sets counted.
    """

    def __init__(self, columns: Columns):
        from stages.kernels.bounds.lagrangian import Cuts

        self.columns = columns
        self.origins: list[Origin] = []
        self.depths = np.empty(0, dtype=np.int64)
        self._keys: dict[bytes, int] = {}
        self._set(Cuts(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int8), np.empty(0)))

    def _set(self, cuts: Cuts) -> None:
        self.cuts = cuts
        self._by_set: SetCuts | None = None

    def __len__(self) -> int:
        return len(self.origins)

    @property
    def by_set(self) -> SetCuts:
        """The cuts by the sets that they count."""
        from stages.kernels.bounds.lagrangian import cuts_by_set

        if self._by_set is None:
            self._by_set = cuts_by_set(self.cuts, len(self.columns.losses))
        return self._by_set

    def row(self, index: int) -> CountedSets:
        """What one cut counts."""
        a, b = self.cuts.offsets[index], self.cuts.offsets[index + 1]
        return CountedSets(self.cuts.sets[a:b], self.cuts.weights[a:b], int(self.cuts.demands[index]))

    def children(self, sets: np.ndarray) -> np.ndarray:
        """The variables that these sets are of."""
        return np.searchsorted(self.columns.set_offsets, sets, side="right") - 1

    def add(self, origins: Iterable[Origin]) -> int:
        """Add those that are new; how many they are."""
        from stages.kernels.bounds.lagrangian import Cuts

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
                    np.concatenate((self.cuts.offsets, ends)),
                    np.concatenate((self.cuts.sets, *(row.sets for row in rows))),
                    np.concatenate((self.cuts.weights, *(row.weights for row in rows))),
                    np.concatenate((self.cuts.demands, [float(row.demand) for row in rows])),
                )
            )
        return len(rows)

    def _count(self, origin: Origin, memo: dict[bytes, CountedSets]) -> CountedSets:
        """What a cut counts; `memo` holds cuts that are not in the pool yet."""
        key = key_of(origin)
        if key not in memo:
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
        from stages.kernels.bounds.lagrangian import counted_sets

        room = int(np.sum(self.columns.set_offsets[members + 1] - self.columns.set_offsets[members]))
        found = np.empty(room, dtype=np.int32)
        inside = np.zeros(len(self.columns.set_offsets) - 1, dtype=np.bool_)
        return found[: counted_sets(self.columns, members, demand, inside, found)]

    def keep_cuts(self, kept: np.ndarray) -> None:
        """Drop the cuts where `kept` is false."""
        from stages.kernels.bounds.lagrangian import Cuts

        sizes = np.diff(self.cuts.offsets)
        counted = np.repeat(kept, sizes)
        self.origins = [origin for origin, keep in zip(self.origins, kept) if keep]
        self.depths = self.depths[kept]
        self._keys = {key_of(origin): index for index, origin in enumerate(self.origins)}
        self._set(
            Cuts(
                np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int64),
                self.cuts.sets[counted],
                self.cuts.weights[counted],
                self.cuts.demands[kept],
            )
        )

    def keep_columns(self, columns: Columns, kept: np.ndarray) -> None:
        """Go over to `columns`, those where `kept` is true."""
        from stages.kernels.bounds.lagrangian import Cuts

        new_index = (np.cumsum(kept) - 1).astype(np.int32)
        stays = kept[self.cuts.sets]
        before = np.concatenate(([0], np.cumsum(stays))).astype(np.int64)
        self.columns = columns
        self._set(
            Cuts(
                before[self.cuts.offsets],
                new_index[self.cuts.sets[stays]],
                self.cuts.weights[stays],
                self.cuts.demands,
            )
        )


def make_support(columns: Columns, shares: np.ndarray, least: float) -> Support:
    """The sets with a share above `least`."""
    from stages.kernels.bounds.cluster_cuts import Support

    n = len(columns.set_offsets) - 1
    sets = np.flatnonzero(shares > least)
    child = (np.searchsorted(columns.set_offsets, sets, side="right") - 1).astype(np.int32)
    sizes = columns.parent_offsets[sets + 1] - columns.parent_offsets[sets]
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    entries = np.arange(offsets[-1]) + np.repeat(columns.parent_offsets[sets] - offsets[:-1], sizes)
    parents = columns.parents[entries]
    by_parent = np.argsort(parents, kind="stable")
    every = np.arange(n + 1)
    return Support(
        np.searchsorted(child, every).astype(np.int64),
        shares[sets],
        offsets,
        parents,
        child,
        np.searchsorted(parents[by_parent], every).astype(np.int64),
        np.repeat(np.arange(len(sets), dtype=np.int32), sizes)[by_parent],
    )


def find_clusters(
    support: Support,
    demand: int,
    rng: np.random.Generator,
    budget: Budget,
    steps: int,
    violation: float,
    noise: float = 0.0,
) -> tuple[list[tuple[np.ndarray, int]], int]:
    """Clusters whose cuts a fractional choice violates: at most one for every variable to begin with.

    Parameters
    ----------
    support : Support
    demand : int
    rng : numpy.random.Generator
    budget : Budget
        When it runs out the search ends early.
    steps : int
        Changes per search.
    violation : float
        Least share that must be missing.
    noise : float
        Share by which the worth of a change is disturbed at random.

    Returns
    -------
    (clusters, work) : members and demand of each, and the variables looked at.
    """
    from stages.kernels.bounds.cluster_cuts import Cluster, search_clusters

    n = len(support.set_offsets) - 1
    shares = np.bincount(support.child, weights=support.shares, minlength=n)
    cluster = Cluster(
        np.zeros(n, dtype=np.bool_),
        np.zeros(len(support.shares), dtype=np.int32),
        shares,
        np.zeros(n),
        np.zeros(n),
        np.empty(n, dtype=np.int32),
        np.zeros(n, dtype=np.bool_),
    )
    most = min(MOST_MEMBERS, n)
    rules = np.array([demand, steps, most, violation, noise], dtype=np.float64)
    kept, until = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int64)
    pool = np.empty(SEEDS * most, dtype=np.int32)
    pool_offsets = np.zeros(SEEDS + 1, dtype=np.int64)
    found: list[tuple[np.ndarray, int]] = []
    total = 0
    for start in range(0, n, SEEDS):
        if budget.is_spent():
            break
        seeds = np.arange(start, min(n, start + SEEDS), dtype=np.int32)
        count, work = search_clusters(support, cluster, seeds, rules, rng, kept, until, pool, pool_offsets)
        total += work
        found += [(pool[a:b].copy(), demand) for a, b in pairwise(pool_offsets[: count + 1])]
    return found, total
