"""Methods under a treewidth bound that evaluate one order or k-tree after the other and keep the best."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.ktrees.start_clique import EXACT_CLIQUE, CliqueTables
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.anytime_bound import AnytimeBound
from stages.optimize.restarts import DEFAULT_SAMPLES, Attempt, RestartRules, run_restarts
from stages.optimize.result import SearchResult
from stages.optimize.treewidth.forest import BEGUN_FROM_FOREST, attempt_from_forest
from stages.optimize.treewidth.problem import BoundedProblem, bounded_result
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

BATCH_WORK = 100_000
"""Variables placed per batch of orders: some hundredths of a second."""


class OrderBatch(NamedTuple):
    """A number of orders: the best one, its choices, and their score in nats relative to the best listed
    sets, at most 0; and further `figures` for the statistics.
    """

    relative_score: float
    order: np.ndarray
    chosen: np.ndarray
    n_orders: int
    figures: dict[str, float] | None = None


class BatchStream(ABC):
    """Batches of orders or k-trees; batch k of a seed is always the same."""

    counted = "orders"
    """Key in the header for the number of items evaluated."""

    evaluated = "orders"
    """Name of these items in messages."""

    work_per_variable = 15
    """Cost of one item per variable, in sets visited; a low estimate."""

    exact_clique = EXACT_CLIQUE
    """Largest start clique whose DAG is exact: if all variables are in it, all items are equivalent."""

    def __init__(self, problem: BoundedProblem, seed: int):
        self.problem = problem
        self.seed = seed

    @abstractmethod
    def evaluate(self, batch: Any) -> OrderBatch:
        """Evaluate one of `batches`."""

    def attempt(self, batch: Any, limit: int | None) -> Attempt:
        """Evaluate a batch as a restart."""
        best = self.evaluate(batch)
        return Attempt(
            best.chosen,
            self.problem.score(best.chosen),
            best.n_orders,
            self.work_per_variable * self.problem.n_variables * best.n_orders,
            best.order,
            merit=best.relative_score,
            figures=best.figures or {},
        )

    def facts(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        """Header entries from the figures of all batches, one column per name."""
        return {}

    def stats(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        """Figures for ``--stats`` from the figures of all batches."""
        return {}

    def batch_size(self, index: int) -> int:
        """Number of orders of a batch; the first batches are small, so that a first result comes soon."""
        return max(1, min(BATCH_WORK // self.problem.n_variables, 1 << min(index, 30)))

    def batches(self, limit: int | None) -> Iterator[Any]:
        """Index and number of orders of each batch, `limit` orders in all; endless if it is None."""
        for index in itertools.count():
            size = self.batch_size(index)
            if limit is not None:
                size = min(size, limit)
                limit -= size
            # Orders do not depend on the number of batches: a limit only cuts the last batch short.
            if size == 0:
                return
            yield index, size


class OrderStream(BatchStream):
    """Batches of orders, evaluated one after the other."""

    @abstractmethod
    def next_order(
        self, tree: KTree, clique: CliqueTables, rng: np.random.Generator, floor: float, is_first: bool
    ) -> float:
        """Put an order and its choices into `tree`; returns their relative score, or gives up below `floor`.

        `is_first` marks the first order of all.
        """

    def evaluate(self, batch: tuple[int, int]) -> OrderBatch:
        index, n_orders = batch
        rng = task_generator(self.seed, index)
        tree, clique = self.problem.new_tree(), self.problem.new_clique_tables()
        best = OrderBatch(-np.inf, tree.order, tree.chosen, n_orders)
        for k in range(n_orders):
            relative_score = self.next_order(tree, clique, rng, best.relative_score, index == 0 and k == 0)
            if relative_score > best.relative_score:
                best = OrderBatch(relative_score, tree.order.copy(), tree.chosen.copy(), n_orders)
        return best


def order_limit(orders: BatchStream, options: OptimizeOptions, budget: Budget) -> int | None:
    """Number of orders to evaluate; None if only the clock limits them.

    Orders that differ only within the start clique are equivalent where the DAG on it is exact: if all variables are
    in it, one order is enough.
    """
    if orders.problem.is_one_clique(orders.exact_clique):
        return 1
    limits = [limit for limit in (options.restarts, budget.evaluations) if limit is not None]
    if limits:
        return max(1, min(limits))
    return DEFAULT_SAMPLES if budget.seconds is None else None


def best_of_batches(
    orders: BatchStream, table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """Evaluate batches until the budget is used up; returns the best order of all, the first among equals.

    Unless a number of restarts is given, a network proved optimal also ends the run. The best network so far begins
    with the one along the order of the best forest, unless the published orders alone are wanted (``sampled_only``).
    """
    problem = orders.problem
    limit = order_limit(orders, options, budget)
    rules = RestartRules(limit, ends_when_proved=options.restarts is None, batches_of=orders.evaluated)
    anytime_bound = AnytimeBound(table, options, budget)
    network_of, given = partial(bounded_result, problem), (budget, options, reporter, anytime_bound)
    first = None if options.sampled_only else attempt_from_forest(problem, options)
    report = run_restarts(orders.attempt, rules, *given, network_of, orders.batches(limit), first)
    facts = {orders.counted: report.orders, **orders.facts(report.columns)}
    if report.is_first:
        facts |= BEGUN_FROM_FOREST
    found = anytime_bound.with_bound(network_of, report.best)
    return replace(found, facts=facts, stats=orders.stats(report.columns))
