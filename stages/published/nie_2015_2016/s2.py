"""S2: uniform k-trees, accepted by informative score; the best network in each accepted one (Nie, de Campos, Ji
2015).

As described by Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.4: k-trees are drawn by Dandelion codes
and accepted with probability min(1, IS / IS*); then the best network within an accepted one is found. A k-tree is
pruned by a bound, or if even a cyclic choice of sets is no better than the incumbent.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from stages.optimize import OptimizeOptions
from stages.optimize.result import SearchResult
from stages.published.ktree_restarts import OrderBatch, best_of_batches
from stages.published.nie_2015_2016.kernels.repair import TreeDemands
from stages.published.nie_2015_2016.kernels.s2 import ACCEPTED, sample_ktrees
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

from .informative_score import InformedTrees, gap_figures
from .ktree_dp import InsideSolver

SLICE_WORK = 5_000_000
"""Largest number of sets looked at per kernel call: some hundredths of a second."""

BATCH_TREES = 4096
"""k-trees per batch."""


class UniformTrees(InformedTrees):
    """S2's k-trees; IS* and the incumbent pass from batch to batch, so batches must be evaluated in turn."""

    work_per_variable = 300

    tallied = ("sampled", "accepted", "bounded", "solved")

    def __init__(self, table: ParentSetTable, options: OptimizeOptions, budget: Budget):
        super().__init__(table, options, budget)
        self._progress = np.zeros(2)
        self._best = self.least_network()

    def batch_size(self, index: int) -> int:
        return min(BATCH_TREES, 1 << min(index, 30))

    def evaluate(self, batch: tuple[int, int]) -> OrderBatch:
        index, n_trees = batch
        problem, rng = self.problem, task_generator(self.seed, index)
        per_slice = max(1, SLICE_WORK // (len(problem.scores) + 1000 * problem.n_variables))
        tree, solver = problem.new_tree(), InsideSolver(problem)
        demands = TreeDemands(lists=self.growth.lists, precedences=self.growth.precedences)
        best, progress, gaps = self._best, self._progress, []
        accepted_before = progress[ACCEPTED]
        done = bounded = 0
        # At least one k-tree is drawn, however little time is left: the first restart must deliver a network.
        while done < n_trees and not (done and self.budget.is_spent()):
            floor = best.relative_score
            if index == done == 0 and self.start is not None:
                self.grow_from_start(tree)
                drawn = 1
            else:
                n_slice = min(per_slice, n_trees - done)
                drawn, is_promising = sample_ktrees(
                    problem.lists,
                    problem.filters,
                    demands,
                    self.information,
                    self.base,
                    tree,
                    rng,
                    progress,
                    floor,
                    n_slice,
                )
                bounded += is_promising
                if not is_promising:
                    done += drawn
                    continue
            answer = solver.solve(tree, floor, self.budget)
            if answer is None:
                # The clock ended the run: this k-tree does not count.
                done += drawn - 1
                break
            done += drawn
            if answer.is_solved:
                gaps.append(answer.gap)
            if answer.relative_score > floor:
                best = OrderBatch(answer.relative_score, tree.order.copy(), answer.chosen.copy(), 0)
        self._best = best
        figures = {
            "sampled": done,
            "accepted": progress[ACCEPTED] - accepted_before,
            "bounded": bounded,
            "solved": len(gaps),
            **gap_figures(gaps),
        }
        return best._replace(n_orders=done, figures=figures)


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best network within S2's k-trees; they are drawn in one thread, since each depends on the earlier ones."""
    trees = UniformTrees(table, options, budget)
    return best_of_batches(trees, table, replace(options, jobs=1), budget, reporter)


def warm_up(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile all that `search` may need: bounds settle small cliques, a clique of all variables is searched."""
    for treewidth in (options.treewidth, table.n_variables - 1):
        search(table, replace(options, treewidth=treewidth), budget, reporter)
