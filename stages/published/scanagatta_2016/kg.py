"""k-G: evaluate many orders, each variable taking its best set that fits the k-tree built so far.

Scanagatta, Corani, de Campos, Zaffalon, "Learning Bounded Treewidth Bayesian Networks with Thousands of
Variables" (NIPS 2016), section 3.2. Orders that differ only within the start clique are equivalent; they are pruned
only where all variables are in it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.ktrees.orders import evaluate_order, sample_orders, shuffle_order
from stages.kernels.ktrees.start_clique import CliqueTables
from stages.optimize import OptimizeOptions
from stages.optimize.orders.initial_orders import OrderSampler, make_sampler
from stages.optimize.result import SearchResult
from stages.optimize.treewidth.problem import BoundedProblem, prepare_bounded
from stages.published.ktree_restarts import OrderBatch, OrderStream, best_of_batches
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

from .start_cliques import StartCliques

BATCH_SUBSETS = 1 << 20
"""Subsets per batch of orders whose start cliques take a dynamic programme: tenths of a second."""


class GreedyOrders(OrderStream):
    """k-G's orders, which k-A* and ASOBS use as well: the same orders for the same seed.

    `sampler` draws the orders. If `is_uniform`, orders are uniform and drawn a batch at a time, except for the order
    of a start network. `cliques` solves start cliques beyond the kernels; without it the kernels' choice stays.
    """

    def __init__(
        self,
        problem: BoundedProblem,
        seed: int,
        sampler: OrderSampler,
        is_uniform: bool,
        cliques: StartCliques | None = None,
    ):
        super().__init__(problem, seed)
        self.sampler = sampler
        self.is_uniform = is_uniform
        self.cliques = cliques if cliques is not None and cliques.is_costly else None
        if self.cliques is not None:
            self.exact_clique = self.cliques.n_exact

    def batch_size(self, index: int) -> int:
        """Fewer orders where each takes a dynamic programme of its own."""
        size = super().batch_size(index)
        return size if self.cliques is None else min(size, max(1, BATCH_SUBSETS >> self.cliques.n_exact))

    def next_order(
        self, tree: KTree, clique: CliqueTables, rng: np.random.Generator, floor: float, is_first: bool
    ) -> float:
        tree.order[:] = self.problem.respect(self.sampler.draw(rng, is_first))
        return self.evaluate_along(tree, clique, floor)

    def evaluate_along(self, tree: KTree, clique: CliqueTables, floor: float) -> float:
        """Build the k-tree along ``tree.order``; returns its relative score in nats, or gives up below `floor`."""
        if self.cliques is None:
            return evaluate_order(self.problem.lists, self.problem.filters, tree, clique, floor)
        relative_score = evaluate_order(self.problem.lists, self.problem.filters, tree, clique, -np.inf)
        return self.cliques.complete(tree, relative_score, floor)[0]

    def drawn(self, index: int) -> Iterator[np.ndarray]:
        """The orders of a batch one after the other, endlessly."""
        rng = task_generator(self.seed, index)
        if not self._is_shuffled(index):
            for k in itertools.count():
                yield self.problem.respect(self.sampler.draw(rng, index == 0 and k == 0))
        # The orders of the kernel `sample_orders`: each is a shuffle of the one before.
        shuffled = np.arange(self.problem.n_variables, dtype=np.int32)
        while True:
            shuffle_order(rng, shuffled)
            yield self.problem.respect(shuffled.copy())

    def _is_shuffled(self, index: int) -> bool:
        """Whether the batch is drawn by the kernel that also evaluates it."""
        return self.is_uniform and (index > 0 or self.sampler.start is None)

    def evaluate(self, batch: tuple[int, int]) -> OrderBatch:
        index, n_orders = batch
        if not self._is_shuffled(index):
            return super().evaluate(batch)
        if self.cliques is not None:
            return self._evaluate_drawn(index, n_orders)
        problem, rng = self.problem, task_generator(self.seed, index)
        tree, clique = problem.new_tree(), problem.new_clique_tables()
        order, chosen = np.empty_like(tree.order), np.empty_like(tree.chosen)
        relative_score = sample_orders(
            problem.lists, problem.filters, tree, clique, problem.precedences, rng, n_orders, order, chosen
        )
        return OrderBatch(relative_score, order, chosen, n_orders)

    def _evaluate_drawn(self, index: int, n_orders: int) -> OrderBatch:
        """Evaluate uniform orders one by one."""
        tree, clique = self.problem.new_tree(), self.problem.new_clique_tables()
        best = OrderBatch(-np.inf, tree.order, tree.chosen, n_orders)
        for order in itertools.islice(self.drawn(index), n_orders):
            tree.order[:] = order
            relative_score = self.evaluate_along(tree, clique, best.relative_score)
            if relative_score > best.relative_score:
                best = OrderBatch(relative_score, tree.order.copy(), tree.chosen.copy(), n_orders)
        return best


def prepare_orders(table: ParentSetTable, options: OptimizeOptions, budget: Budget | None = None) -> GreedyOrders:
    """The stream of k-G's orders for a table, a bound and a seed.

    With a `budget`, start cliques beyond the kernels are solved within it.
    """
    problem = prepare_bounded(table, options.given_treewidth, options.max_table)
    cliques = None if budget is None else StartCliques(problem, budget)
    sampler = make_sampler(table, options)
    return GreedyOrders(problem, options.seed, sampler, options.init == "random", cliques)


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best of k-G's orders."""
    orders = prepare_orders(table, options, budget)
    result = best_of_batches(orders, table, options, budget, reporter)
    result.facts["init"] = options.init
    return result
