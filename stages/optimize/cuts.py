"""Cluster cuts over candidate sets: which sets each counts, which cuts a fractional choice violates."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from stages.budgets import Budget
    from stages.kernels.cluster_search import Support
    from stages.kernels.dual_ascent import Columns
    from stages.kernels.relaxation import Cuts

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
    from stages.kernels.dual_ascent import Columns

    best = np.repeat(scores[set_offsets[:-1]], np.diff(set_offsets))
    return Columns(set_offsets, best - scores, parent_offsets, parents)


def keep_columns(columns: Columns, kept: np.ndarray) -> Columns:
    """The sets where `kept` is true."""
    from stages.kernels.dual_ascent import Columns

    sizes = np.diff(columns.parent_offsets)
    before = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
    return Columns(
        before[columns.set_offsets],
        columns.losses[kept],
        np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int64),
        columns.parents[np.repeat(kept, sizes)],
    )


class CutPool:
    """Distinct cluster cuts over some columns, in the order in which they came.

    Parameters
    ----------
    columns : Columns

    Attributes
    ----------
    clusters : list of (ndarray of int32, int)
        Members, ascending, and demand.
    cuts : Cuts
        The same as sets counted.
    """

    def __init__(self, columns: Columns):
        from stages.kernels.relaxation import Cuts

        self.columns = columns
        self.clusters: list[tuple[np.ndarray, int]] = []
        self.cuts: Cuts = Cuts(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0))
        self._keys: set[tuple[int, bytes]] = set()

    def __len__(self) -> int:
        return len(self.clusters)

    def add(self, clusters: Iterable[tuple[np.ndarray, int]]) -> int:
        """Add those that are new; how many they are."""
        from stages.kernels.relaxation import Cuts

        fresh = []
        for members, demand in clusters:
            key = (demand, members.tobytes())
            if key not in self._keys:
                self._keys.add(key)
                fresh.append((members, demand))
        if fresh:
            counted = [self.counted(members, demand) for members, demand in fresh]
            ends = self.cuts.offsets[-1] + np.cumsum([len(sets) for sets in counted])
            self.clusters += fresh
            self.cuts = Cuts(
                np.concatenate((self.cuts.offsets, ends)),
                np.concatenate((self.cuts.sets, *counted)),
                np.concatenate((self.cuts.demands, [float(demand) for _, demand in fresh])),
            )
        return len(fresh)

    def counted(self, members: np.ndarray, demand: int) -> np.ndarray:
        """The sets that a cut counts; int32, ascending by member."""
        from stages.kernels.relaxation import counted_sets

        room = int(np.sum(self.columns.set_offsets[members + 1] - self.columns.set_offsets[members]))
        found = np.empty(room, dtype=np.int32)
        inside = np.zeros(len(self.columns.set_offsets) - 1, dtype=np.bool_)
        return found[: counted_sets(self.columns, members, demand, inside, found)]

    def keep_cuts(self, kept: np.ndarray) -> None:
        """Drop the cuts where `kept` is false."""
        from stages.kernels.relaxation import Cuts

        sizes = np.diff(self.cuts.offsets)
        self.clusters = [cluster for cluster, keep in zip(self.clusters, kept) if keep]
        self._keys = {(demand, members.tobytes()) for members, demand in self.clusters}
        self.cuts = Cuts(
            np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int64),
            self.cuts.sets[np.repeat(kept, sizes)],
            self.cuts.demands[kept],
        )

    def keep_columns(self, columns: Columns, kept: np.ndarray) -> None:
        """Go over to `columns`, those where `kept` is true."""
        from stages.kernels.relaxation import Cuts

        new_index = (np.cumsum(kept) - 1).astype(np.int32)
        stays = kept[self.cuts.sets]
        before = np.concatenate(([0], np.cumsum(stays))).astype(np.int64)
        self.columns = columns
        self.cuts = Cuts(before[self.cuts.offsets], new_index[self.cuts.sets[stays]], self.cuts.demands)


def make_support(columns: Columns, shares: np.ndarray, least: float) -> Support:
    """The sets with a share above `least`."""
    from stages.kernels.cluster_search import Support

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
    (clusters, work) : as `CutPool.clusters`, and the variables looked at.
    """
    from stages.kernels.cluster_search import Cluster, search_clusters

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
