"""Exact improvement of small groups of cliques of a network of bounded treewidth (after BN-SLIM)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .problem import BoundedProblem

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget

SLICE_WORK = 10_000_000
"""Steps per kernel call: some hundredths of a second."""

SLICE_GROUPS = 100_000
"""Groups per kernel call: most take little work, some next to none."""

FOREVER = 2**62
"""Disturbances that nobody waits for."""


class GroupSearch:
    """A network, and the groups of its cliques still to be solved, for one thread.

    Parameters
    ----------
    problem : BoundedProblem
        Of `prepare_within`.
    rng : Generator
    """

    def __init__(self, problem: BoundedProblem, rng: np.random.Generator):
        from stages.kernels.ktrees.clique_tree import new_clique_tree
        from stages.kernels.ktrees.slim import LEVELS, new_bag_group
        from stages.kernels.ktrees.slim_search import new_group_queue, new_kept_network
        from stages.kernels.ktrees.start_clique import EXACT_CLIQUE, new_clique_tables

        n, width = problem.n_variables, problem.treewidth
        size = min(width + LEVELS, EXACT_CLIQUE, n)
        # Every subset of the others for each member, and for each a set that it keeps and one to spare.
        n_choices = (size << (size - 1)) + 2 * size
        self.problem = problem
        self.rng = rng
        self.cliques = new_clique_tree(n, width)
        self.group = new_bag_group(n, size, n_choices)
        self.tables = new_clique_tables(size, n_choices)
        self.queue = new_group_queue(n)
        self.kept = new_kept_network(n)

    @property
    def relative_score(self) -> float:
        """Of the network kept, in nats."""
        from stages.kernels.ktrees.slim_search import KEPT

        return float(self.kept.relative_scores[KEPT])

    def start(self, order: np.ndarray, parents: Sequence[Sequence[int]]) -> None:
        """Take over a network, or a better one that has some of its arcs if a set is not listed any more.

        The reverse of `order` eliminates it within the bound.
        """
        from stages.kernels.ktrees.clique_tree import build_cliques, find_contained
        from stages.kernels.ktrees.slim_search import enqueue_groups

        lists, kept = self.problem.lists, self.kept
        sizes = np.array([len(family) for family in parents], dtype=np.int64)
        flat = np.array([p for family in parents for p in family], dtype=np.int32)
        find_contained(lists, np.concatenate(([0], np.cumsum(sizes))), flat, kept.chosen)
        kept.order[:] = order
        kept.relative_scores[:] = lists.relative_scores[kept.chosen].sum()
        kept.idle[0] = 0
        self.cliques.order[:] = kept.order
        self.cliques.chosen[:] = kept.chosen
        build_cliques(lists, self.cliques, self.rng)
        for variable in range(self.problem.n_variables):
            enqueue_groups(self.queue, np.int32(variable))

    def parents(self) -> tuple[tuple[int, ...], ...]:
        """Parents of each variable in the network."""
        lists = self.problem.lists
        bounds = lists.parent_offsets
        return tuple(tuple(lists.parents[bounds[s] : bounds[s + 1]].tolist()) for s in self.kept.chosen)

    def bags(self) -> np.ndarray:
        """Cliques of a k-tree that holds the network, by variable, itself last: int32, (n_variables, K + 1)."""
        from stages.kernels.ktrees.clique_tree import full_cliques

        bags = np.zeros((self.problem.n_variables, self.problem.treewidth + 1), dtype=np.int32)
        full_cliques(self.cliques, bags)
        return bags

    @property
    def score(self) -> float:
        """Of the network, in nats; minus infinity before `start`."""
        return self.problem.score(self.kept.chosen) if self.relative_score > -np.inf else -np.inf

    @property
    def work(self) -> float:
        """Work so far in sets looked at, about."""
        return 2.0 * self._steps

    @property
    def _steps(self) -> int:
        from stages.kernels.ktrees.slim import WORK

        return int(self.group.counts[WORK])

    def improve(
        self,
        patience: int | None,
        budget: Budget | None,
        limit: int | None = None,
        watch: Callable[[], bool] | None = None,
    ) -> int:
        """Improve the network until `patience` disturbances in a row led to nothing better; None for ever.

        Ends early when `budget` runs out or after `limit` groups; `watch`, called now and then, ends it by
        returning true. Returns the groups solved.
        """
        from stages.kernels.ktrees.slim_search import search_groups, settle_network

        done = 0
        while budget is None or not budget.is_spent():
            most = SLICE_GROUPS if limit is None else min(SLICE_GROUPS, limit - done)
            if most <= 0:
                break
            work = self._steps + SLICE_WORK
            solved = search_groups(
                self.problem.lists,
                self.cliques,
                self.group,
                self.tables,
                self.queue,
                self.kept,
                self.rng,
                FOREVER if patience is None else patience,
                (most, work),
            )
            done += solved
            lost_patience = solved < most and self._steps < work
            if lost_patience or (watch is not None and watch()):
                break
        settle_network(self.problem.lists, self.cliques, self.kept, self.rng)
        return done
