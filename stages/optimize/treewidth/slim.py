"""Exact improvement of small groups of cliques of a network of bounded treewidth (after BN-SLIM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.kernels.ktrees.clique_tree import build_cliques, find_contained, full_cliques, new_clique_tree
from stages.kernels.ktrees.slim import LEVELS, WORK, new_bag_group
from stages.kernels.ktrees.slim_search import (
    KEPT,
    enqueue_groups,
    new_group_queue,
    new_kept_order,
    search_groups,
    settle_network,
)
from stages.kernels.ktrees.start_clique import EXACT_CLIQUE, new_clique_tables
from stages.runtime.budgets import Budget

from .problem import BoundedProblem

SLICE_WORK = 10_000_000
"""Steps per kernel call: some hundredths of a second."""

SLICE_COPIES = 10_000_000
"""Groups per kernel call, times the number of variables: a second limit besides `SLICE_WORK`. Small groups take
almost no work, but every local optimum copies the network.
"""

FOREVER = 2**62
"""A patience that never runs out."""


class GroupSearch:
    """A network and the queue of groups of its cliques, for one thread.

    `problem` is from `prepare_within`.
    """

    def __init__(self, problem: BoundedProblem, rng: np.random.Generator):
        n, width = problem.n_variables, problem.treewidth
        size = min(width + LEVELS, EXACT_CLIQUE, n)
        # For each member: every subset of the others, a kept set with parents outside, and one spare entry.
        n_choices = (size << (size - 1)) + 2 * size
        self.problem = problem
        self.rng = rng
        self.cliques = new_clique_tree(n, width)
        self.group = new_bag_group(n, size, n_choices)
        self.tables = new_clique_tables(size, n_choices)
        self.queue = new_group_queue(n)
        self.kept = new_kept_order(n)

    @property
    def relative_score(self) -> float:
        """Relative score of the kept network, in nats."""
        return float(self.kept.relative_scores[KEPT])

    def start(self, order: np.ndarray, parents: Sequence[Sequence[int]]) -> None:
        """Start from a network; sets that are not listed are replaced by their best listed subsets.

        The reverse of `order` must be an elimination order of the network within the bound.
        """
        lists, kept = self.problem.lists, self.kept
        families = ListedSets.of(parents)
        find_contained(lists, families.offsets, families.members, kept.chosen)
        kept.order[:] = order
        kept.relative_scores[:] = lists.scores[kept.chosen].sum()
        kept.idle[0] = 0
        self.cliques.order[:] = kept.order
        self.cliques.chosen[:] = kept.chosen
        build_cliques(lists, self.cliques, self.rng)
        for variable in range(self.problem.n_variables):
            enqueue_groups(self.queue, np.int32(variable))

    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Parents of each variable in the kept network."""
        lists = self.problem.lists
        return tuple(ListedSets(lists.parent_offsets, lists.parents).take(self.kept.chosen))

    def bags(self) -> np.ndarray:
        """Bags of a k-tree that contains the network, by variable; a bag ends with its variable; int32, shape
        (n_variables, K + 1).
        """
        bags = np.zeros((self.problem.n_variables, self.problem.treewidth + 1), dtype=np.int32)
        full_cliques(self.cliques, bags)
        return bags

    @property
    def score(self) -> float:
        """Score of the kept network, in nats; minus infinity before `start`."""
        return self.problem.score(self.kept.chosen) if self.relative_score > -np.inf else -np.inf

    @property
    def work(self) -> float:
        """Approximate work so far, in sets tested."""
        return 2.0 * self._steps

    @property
    def _steps(self) -> int:
        return int(self.group.counts[WORK])

    def improve(
        self,
        patience: int | None,
        budget: Budget | None,
        limit: int | None = None,
        watch: Callable[[], bool] | None = None,
    ) -> int:
        """Improve the network until `patience` disturbances in a row brought no improvement; None for no such limit.

        Ends early when `budget` runs out, after `limit` groups, or when `watch` returns true; `watch` is called
        between kernel calls. Returns the number of groups solved.
        """
        done, slice_groups = 0, max(1, SLICE_COPIES // self.problem.n_variables)
        while budget is None or not budget.is_spent():
            most = slice_groups if limit is None else min(slice_groups, limit - done)
            if most <= 0:
                break
            work = self._steps + SLICE_WORK
            solved = search_groups(
                self.problem.lists, self.cliques, self.group, self.tables, self.queue, self.kept, self.rng,
                FOREVER if patience is None else patience, (most, work),
            )  # fmt: skip
            done += solved
            lost_patience = solved < most and self._steps < work
            if lost_patience or (watch is not None and watch()):
                break
        settle_network(self.problem.lists, self.cliques, self.kept, self.rng)
        return done
