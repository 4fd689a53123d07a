"""ASOBS under a treewidth bound: restarts of a local search over orders, evaluated as k-trees by k-G's rule.

No paper has this method. It has ASOBS's restarts, but no acyclic selection: each variable takes its best set that
fits the k-tree of the variables before it, so no arc goes against the order.

A restart draws orders like k-G and climbs from the best of them by moving one variable at a time (insertion, which
includes swaps of neighbours). Batch k of orders equals k-G's batch k with the same seed, so the restarts begin from
the best of k-G's orders (up to K = 11: beyond, k-G solves start cliques that are left greedy here). The network along
the order of the best forest is the first one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from formats.records import ParentSetTable
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.anytime_bound import AnytimeBound
from stages.optimize.restarts import Attempt, local_search_rules, run_restarts
from stages.optimize.result import SearchResult
from stages.optimize.treewidth.annealing import ORDER_MOVES, OrderSearch
from stages.optimize.treewidth.forest import BEGUN_FROM_FOREST, attempt_from_forest
from stages.optimize.treewidth.problem import bounded_result
from stages.published.scanagatta_2016.kg import prepare_orders
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

DECODING = "k-trees along orders, without acyclic selection"
"""How an order becomes a network, for the header."""

PATIENCE = 30
"""A climb ends after this many moves per variable without improvement."""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """Climb from the best of each batch of k-G's orders; the best network of all."""
    orders = prepare_orders(table, options)
    problem = orders.problem
    anytime_bound = AnytimeBound(table, options, budget)

    def climb(index: int, limit: int | None) -> Attempt | None:
        n_orders = orders.batch_size(index)
        batch = orders.evaluate((index, n_orders if limit is None else min(n_orders, limit)))
        search = OrderSearch(problem, task_generator(options.seed, index, 1), ORDER_MOVES)
        search.start(batch.order)
        left = None if limit is None else limit - batch.n_orders
        search.climb(PATIENCE * problem.n_variables, budget, left)
        return search.outcome(batch.n_orders)

    restarts = 1 if problem.is_one_clique() else options.restarts
    rules = local_search_rules(restarts, budget)
    network_of = partial(bounded_result, problem)
    first = attempt_from_forest(problem, options)
    report = run_restarts(climb, rules, budget, options, reporter, anytime_bound, network_of, first=first)
    facts = {
        **report.facts,
        **(BEGUN_FROM_FOREST if report.is_first else {}),
        "decoding": DECODING,
        "init": options.init,
    }
    return replace(anytime_bound.with_bound(network_of, report.best), facts=facts)
