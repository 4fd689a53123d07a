"""S2+: k-trees grown by A* on the informative score, the best network within each (Nie, de Campos, Ji 2016).

As Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.4, describe it: the first k-tree starts from an
informative clique, the others from random ones. Along an order given by the start clique, best-first search
chooses the K-clique that each variable joins; when the room for states is full, the most promising state is
completed greedily.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from .batches import OrderBatch, best_of_batches
from .informative_score import InformedTrees, gap_figures
from .ktree_dp import InsideSolver

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.ktrees.ktree import KTree
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions
    from ..result import SearchResult

ROOM = 200_000
"""States kept for one k-tree; some 10 MB."""

SLICE_WORK = 2_000_000
"""Cliques weighed per kernel call: some hundredths of a second."""


class GuidedTrees(InformedTrees):
    """S2+'s k-trees, one a batch."""

    work_per_variable = 100_000

    def batch_size(self, index: int) -> int:
        return 1

    def evaluate(self, batch: tuple[int, int]) -> OrderBatch:
        from stages.kernels.ktrees.informative_score import best_within_ktree, informative_score
        from stages.kernels.ktrees.s2plus import grow_order, grow_start_clique

        index, _ = batch
        problem, size = self.problem, self.problem.treewidth + 1
        tree, nothing = problem.new_tree(), self.least_network()
        if self.start is not None:
            if index == 0:
                self.grow_from_start(tree)
                return self._solve(tree, nothing)
            index -= 1
        rng = task_generator(self.seed, index)
        order = tree.order
        if index:
            order[:] = rng.permutation(problem.n_variables)
        else:
            grow_start_clique(self.information, order, size)
            order[size:] = np.setdiff1d(np.arange(problem.n_variables), order[:size])
        order[:] = problem.respect(order)
        most = np.empty(problem.n_variables + 1)
        grow_order(self.information, problem.precedences, order, size, most)
        tree.position[order] = np.arange(problem.n_variables, dtype=np.int32)
        # A greedy k-tree tells how much a nat of score is worth in nats of information.
        if not self._grow(tree, most, 0.0, 0):
            return nothing
        relative_score = best_within_ktree(problem.lists, tree)
        weight = informative_score(self.information, self.base, tree, relative_score)
        if not self._grow(tree, most, weight, ROOM):
            return nothing
        return self._solve(tree, nothing)

    def _solve(self, tree: KTree, nothing: OrderBatch) -> OrderBatch:
        """The best network within a k-tree."""
        answer = InsideSolver(self.problem).solve(tree, nothing.relative_score, self.budget)
        if answer is None:
            return nothing
        best = nothing
        if answer.relative_score > nothing.relative_score:
            best = OrderBatch(answer.relative_score, tree.order, answer.chosen, 1)
        return best._replace(n_orders=1, figures=gap_figures([answer.gap]))

    def _grow(self, tree: KTree, most: np.ndarray, weight: float, room: int) -> bool:
        """Build the most informative k-tree found along the order, demands of fixed records met; False when
        the budget ran out.
        """
        from stages.kernels.ktrees.clique_paths import estimate_rest, new_path_states, rebuild
        from stages.kernels.ktrees.s2plus import search_informative

        n, lists = self.problem.n_variables, self.growth.lists
        size = self.problem.treewidth + 1
        rest = np.empty(n + 1)
        estimate_rest(lists, tree, rest)
        rest = most + weight * rest
        states = new_path_states(room + n, size, 0.0, rest[size])
        state = -1
        while state < 0:
            if self.budget.is_spent():
                return False
            _, state = search_informative(
                lists, self.information, tree, states, rest, weight, room, max(1, SLICE_WORK // (n * size**2))
            )
        rebuild(tree, states, state)
        tree.position[tree.order] = np.arange(n, dtype=np.int32)
        return True


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best of the networks within S2+'s k-trees."""
    trees = GuidedTrees(table, options, budget)
    anytime_bound = AnytimeBound(table, options.seed, budget, options.treewidth)
    return best_of_batches(trees, options, budget, reporter, anytime_bound)
