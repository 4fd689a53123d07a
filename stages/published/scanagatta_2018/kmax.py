"""k-MAX: k-trees grown by least regret from random start cliques (Scanagatta et al., IJAR 2018)."""

from __future__ import annotations

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.ktrees.kmax import place_by_regret
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.ktrees.orders import evaluate_order
from stages.kernels.ktrees.start_clique import CliqueTables
from stages.optimize import OptimizeOptions
from stages.optimize.result import SearchResult
from stages.optimize.treewidth.problem import BoundedProblem, prepare_bounded, start_order
from stages.published.ktree_restarts import OrderStream, best_of_batches
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter


class RegretOrders(OrderStream):
    """k-MAX's orders; before them the order of a start network, evaluated by k-G's rule."""

    work_per_variable = 200

    def __init__(self, problem: BoundedProblem, options: OptimizeOptions):
        super().__init__(problem, options.seed)
        self.start = start_order(problem, options)

    def next_order(
        self, tree: KTree, clique: CliqueTables, rng: np.random.Generator, floor: float, is_first: bool
    ) -> float:
        if is_first and self.start is not None:
            tree.order[:] = self.start
            return evaluate_order(self.problem.lists, self.problem.filters, tree, clique, floor)
        return place_by_regret(
            self.problem.lists, self.problem.index, self.problem.filters, tree, clique, self.problem.precedences, rng
        )


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best of k-MAX's networks."""
    orders = RegretOrders(prepare_bounded(table, options.given_treewidth, options.max_table), options)
    return best_of_batches(orders, table, options, budget, reporter)
