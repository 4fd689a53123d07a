"""The best networks of bounded treewidth in a given time, on given lists (a method of this project).

Iterated local search over orders and over how each variable joins the k-tree: from the best of some k-MAX
networks climb, then again and again change a few things at random, climb, and go back unless that was no worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stages.seeding import task_generator

from .bounded_lists import BoundedProblem, bounded_result, prepare_bounded, start_order
from .bounded_search import OrderSearch
from .chains import Chain, run_chains
from .companion import CompanionBound

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.budgets import Budget
    from stages.reporting import Reporter

    from . import OptimizeOptions, SearchResult

FIRST_ORDERS = 10
"""k-MAX networks, of which the best is where a restart begins."""

STALL = 50
"""Rounds without improvement after which a restart ends."""


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best network that the iterated local search finds in the budget."""
    problem = prepare_bounded(table, options.treewidth)
    start = start_order(problem, options)
    companion = CompanionBound(table, options.seed, budget, options.treewidth)
    restarts = 1 if problem.is_one_clique else options.restarts

    def chain(index: int, limit: int | None) -> Chain | None:
        if index and budget.is_spent():
            return None
        rng = task_generator(options.seed, index)
        search = OrderSearch(problem, rng)
        tried = FIRST_ORDERS if limit is None else min(FIRST_ORDERS, limit)
        if index == 0 and start is not None:
            tried = 1
            search.start(start)
        else:
            search.start(best_regret_order(problem, rng, tried))
        left = None if limit is None else limit - tried

        def watch() -> bool:
            if index == 0:
                # Only here, so that the bound does not depend on how restarts are spread over threads.
                score = problem.score(search.best.chosen)
                companion.keep_pace(search.work, score)
                reporter.progress(0, restarts, score=score, **companion.facts)
            return companion.is_closed

        search.improve(STALL, budget, left, watch)
        return search.outcome(tried)

    report = run_chains(chain, restarts, budget, options.jobs, reporter, companion)
    return bounded_result(problem, report.best, {**report.facts, **companion.header_facts(report.best.score)})


def best_regret_order(problem: BoundedProblem, rng: np.random.Generator, n_orders: int) -> np.ndarray:
    """Order of the best of some k-MAX networks."""
    from stages.kernels.regret_orders import place_by_regret

    tree, clique = problem.new_tree(), problem.new_clique_tables()
    best, order = -np.inf, tree.order.copy()
    for _ in range(n_orders):
        loss = place_by_regret(problem.lists, tree, clique, problem.precedences, rng)
        if loss > best:
            best, order = loss, tree.order.copy()
    return order
