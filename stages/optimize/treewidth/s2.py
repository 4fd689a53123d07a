"""S2: uniform k-trees, those of a good informative score solved (Nie, de Campos, Ji 2015).

As Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.4, describe it: k-trees are drawn by Dandelion
codes, accepted with probability min(1, IS / IS*), and the best network within an accepted one is found. Those in
which even a cyclic choice of sets is no better than the best network so far are not looked into.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from .batches import OrderBatch, best_of_batches
from .informative_score import InformedTrees
from .ktree_dp import InsideSolver

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions
    from ..result import SearchResult

SLICE_WORK = 5_000_000
"""Sets looked at per kernel call: some hundredths of a second."""

BATCH_TREES = 4096
"""k-trees of a batch, which begins its own IS* and its own best network: so batches can run side by side."""


class UniformTrees(InformedTrees):
    """S2's k-trees."""

    work_per_variable = 1000

    def batch_size(self, index: int) -> int:
        return min(BATCH_TREES, 1 << min(index, 30))

    def evaluate(self, batch: tuple[int, int]) -> OrderBatch:
        from stages.kernels.ktrees.informative_score import best_within_ktree, sample_ktrees
        from stages.kernels.ktrees.repair import TreeDemands

        index, n_trees = batch
        problem, rng = self.problem, task_generator(self.seed, index)
        per_slice = max(1, SLICE_WORK // (len(problem.scores) + 100 * problem.n_variables))
        tree, solver = problem.new_tree(), InsideSolver(problem)
        demands = TreeDemands(lists=self.growth.lists, precedences=self.growth.precedences)
        best, standing = self.least_network(), np.zeros(1)
        done = unproved = 0
        while done < n_trees and not (done and self.budget.is_spent()):
            wanted = min(per_slice, n_trees - done)
            if index == done == 0 and self.start is not None:
                self.grow_from_start(tree)
                drawn, within = 1, best_within_ktree(problem.lists, tree)
            else:
                drawn, within = sample_ktrees(
                    problem.lists,
                    demands,
                    self.information,
                    self.base,
                    tree,
                    rng,
                    standing,
                    best.relative_score,
                    wanted,
                )
            if not np.isnan(within):
                answer = solver.solve(tree, within, best.relative_score, self.budget)
                if answer is None:
                    # The clock ended the run: this k-tree does not count.
                    done += drawn - 1
                    break
                unproved += not answer.proved
                if answer.relative_score > best.relative_score:
                    best = OrderBatch(answer.relative_score, tree.order.copy(), answer.chosen.copy(), 0)
            done += drawn
        return best._replace(n_orders=done, figures={"unproved": unproved})


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best of the networks within S2's k-trees."""
    trees = UniformTrees(table, options, budget)
    anytime_bound = AnytimeBound(table, options.seed, budget, options.treewidth)
    return best_of_batches(trees, options, budget, reporter, anytime_bound)
