"""Cuts over candidate sets: which sets each counts, which cluster cuts a fractional choice violates."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..lists.set_lists import keep_sets, offsets_of
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


def keep_columns(columns: Columns, kept: np.ndarray) -> Columns:
    """The sets where `kept` is true."""
    sets = np.flatnonzero(kept)
    return columns._replace(costs=columns.costs[sets], **keep_sets(columns, sets)._asdict())


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
        from stages.kernels.bounds.lagrangian import no_cuts

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
        from stages.kernels.bounds.lagrangian import cuts_by_set

        if self._by_set is None:
            self._by_set = cuts_by_set(self.cuts, len(self.columns.costs))
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
                    offsets=np.concatenate((self.cuts.offsets, ends)),
                    sets=np.concatenate((self.cuts.sets, *(row.sets for row in rows))),
                    weights=np.concatenate((self.cuts.weights, *(row.weights for row in rows))),
                    demands=np.concatenate((self.cuts.demands, [float(row.demand) for row in rows])),
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
                offsets=offsets_of(sizes[kept]),
                sets=self.cuts.sets[counted],
                weights=self.cuts.weights[counted],
                demands=self.cuts.demands[kept],
            )
        )

    def keep_columns(self, columns: Columns, kept: np.ndarray) -> None:
        """Go over to `columns`, those where `kept` is true."""
        from stages.kernels.bounds.lagrangian import Cuts

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


def make_support(columns: Columns, shares: np.ndarray, least: float) -> Support:
    """The sets with a share above `least`."""
    from stages.kernels.bounds.cluster_cuts import Support

    n = len(columns.set_offsets) - 1
    sets = np.flatnonzero(shares > least)
    members = keep_sets(columns, sets)
    set_of_entry = np.repeat(np.arange(len(sets), dtype=np.int32), np.diff(members.parent_offsets))
    by_parent = np.argsort(members.parents, kind="stable")
    return Support(
        set_offsets=members.set_offsets,
        shares=shares[sets],
        parent_offsets=members.parent_offsets,
        parents=members.parents,
        child=np.repeat(np.arange(n, dtype=np.int32), np.diff(members.set_offsets)),
        member_offsets=np.searchsorted(members.parents[by_parent], np.arange(n + 1)).astype(np.int64),
        member_sets=set_of_entry[by_parent],
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
    from stages.kernels.bounds.cluster_cuts import ClusterRules, new_cluster, search_clusters

    n = len(support.set_offsets) - 1
    cluster = new_cluster(support)
    most = min(MOST_MEMBERS, n)
    rules = ClusterRules(
        demand=demand, n_steps=steps, most_members=most, least_violation=violation, noise=noise
    )
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
