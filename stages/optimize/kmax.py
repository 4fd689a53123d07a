"""k-MAX: k-trees grown by least regret from random start cliques (Scanagatta et al., IJAR 2018)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import SearchResult
from .bounded_lists import prepare_bounded
from .companion import CompanionBound
from .order_batches import OrderStream, best_of_batches

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.budgets import Budget
    from stages.kernels.ktrees import KTree
    from stages.kernels.start_cliques import CliqueTables
    from stages.reporting import Reporter

    from . import OptimizeOptions


class RegretOrders(OrderStream):
    """k-MAX's orders."""

    work_per_variable = 200

    def next_order(
        self, tree: KTree, clique: CliqueTables, rng: np.random.Generator, floor: float, is_first: bool
    ) -> float:
        from stages.kernels.regret_orders import place_by_regret

        return place_by_regret(self.problem.lists, tree, clique, self.problem.precedences, rng)


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best of k-MAX's networks."""
    orders = RegretOrders(prepare_bounded(table, options.treewidth), options.seed)
    companion = CompanionBound(table, options.seed, budget, options.treewidth)
    return best_of_batches(orders, options, budget, reporter, companion)
