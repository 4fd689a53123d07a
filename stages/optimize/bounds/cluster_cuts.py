"""Separation of cluster cuts by local search (kernel: `stages.kernels.bounds.cluster_cuts`)."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from stages.kernels.bounds.cluster_cuts import ClusterRules, new_cluster, search_clusters
from stages.runtime.budgets import Budget, slices

from .cut_pool import CutPool
from .cuts import Origin
from .separators import FractionalChoice

DEMANDS = (1, 2)
"""Demands searched for. Demand two closes some of the gap that demand one leaves on dense data of some 100 columns
(accidents); three was never needed."""

MOST_MEMBERS = 100
"""Variables of a cluster found by search."""

SEEDS = 64
"""Searches per compiled call."""


class ClusterSeparator(NamedTuple):
    """Searches from each variable for the most violated cluster cut."""

    # k of the cut: sets of members with fewer than k parents in the cluster have a total share of at least k.
    demand: int
    steps: int  # changes of the cluster per search
    violation: float  # least violation (missing share) of a cut that is returned
    noise: float = 0.0  # amplitude of the random disturbance of a change, in shares

    def separate(
        self, point: FractionalChoice, pool: CutPool, rng: np.random.Generator, budget: Budget
    ) -> tuple[list[Origin], int]:
        """At most one cluster for each variable, and the variables looked at."""
        support = point.support
        n = len(support.lists.set_offsets) - 1
        cluster = new_cluster(support)
        most = min(MOST_MEMBERS, n)
        rules = ClusterRules(
            demand=self.demand,
            n_steps=self.steps,
            most_members=most,
            least_violation=self.violation,
            noise=self.noise,
        )
        kept, until = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.int64)
        members, offsets = np.empty(SEEDS * most, dtype=np.int32), np.zeros(SEEDS + 1, dtype=np.int64)
        found: list[Origin] = []
        total = 0
        for start, end in slices(n, SEEDS, budget):
            seeds = np.arange(start, end, dtype=np.int32)
            count, work = search_clusters(support, cluster, seeds, rules, rng, kept, until, members, offsets)
            total += work
            found += [(members[a:b].copy(), self.demand) for a, b in pairwise(offsets[: count + 1])]
        return found, total
