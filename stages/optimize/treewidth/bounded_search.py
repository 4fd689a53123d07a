"""Annealing and iterated local search for networks of bounded treewidth on given lists (a method of this project).

Each restart begins with simulated annealing (Kirkpatrick et al. 1983) over orders and over the bag that each variable
joins. It starts from the best of some k-MAX networks, the first one from the best forest where that is better. It
takes most of the time or moves available. Then iterated local search continues from the best network visited and
solves small groups of its cliques exactly; it can reverse arcs against every order along which the k-tree can be
built. Under a bound on tables, a climb by moves without loss replaces this. A time limit is divided among several
long restarts if it allows them: chance decides in which basin annealing ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.ktrees.kmax import place_by_regret
from stages.lists.set_lists import lists_in
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

from .. import OptimizeOptions
from ..bounds.anytime_bound import IDLE_SHARE, AnytimeBound
from ..bounds.width import triangle_prices
from ..restarts import DEFAULT_LOCAL_SEARCHES, Attempt, local_search_rules, run_restarts
from ..result import SearchResult
from .annealing import OrderSearch
from .forest import forest_within, order_of_forest
from .problem import BoundedProblem, bounded_result, prepare_both, prepare_bounded, start_order
from .slim import GroupSearch

FIRST_ORDERS = 10
"""Number of k-MAX networks; a restart begins with the best of them."""

HEAT, COOLING = 0.1, 0.01
"""Initial temperature relative to `mean_gain`, and final temperature relative to the initial one; by experiment."""

WARMTH = 0.1
"""Factor on the initial temperature for a given start network, so that the search stays near it."""

COOLING_SHARE = 0.8
"""Share of a restart's time or moves for annealing."""

MOST_MOVES = 1000
"""Annealing moves per variable if neither time nor moves are limited."""

RESTART_MOVES = 5000
"""Annealing moves per variable after which a restart leaves the time to further restarts; by experiment."""

PATIENCE = 10
"""Disturbances per variable without improvement after which an unlimited restart ends."""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best network found in the budget, which is divided among the restarts; solving a group is an evaluation.

    Without a given number of restarts or start network, `restarts_within` decides how many share a time limit.
    """
    problem, within = _prepare(table, options)
    given, start = options.start, start_order(problem, options)
    forest = forest_within(table, options) if start is None else None
    anytime_bound = AnytimeBound(table, options, budget, IDLE_SHARE)
    restarts = 1 if problem.is_one_clique() else options.restarts
    if restarts is None and budget.seconds is not None and budget.evaluations is None:
        restarts = options.jobs * (restarts_within(problem, budget) if start is None else 1)

    def restart(index: int, limit: int | None) -> Attempt | None:
        search = OrderSearch(problem, task_generator(options.seed, index))
        moves = None if limit is None else max(1, limit // (restarts or 1))
        first = start if index == 0 else None
        is_warm = first is not None
        tried = 1 if is_warm else FIRST_ORDERS if moves is None else min(FIRST_ORDERS, moves)
        search.start(best_regret_order(problem, search.rng, tried) if first is None else first)
        tried += 0 if index or moves == tried else _start_better(search, forest)
        groups = GroupSearch(within, search.rng)

        def watch() -> bool:
            if index == 0:
                # Only in the first restart, so the bound does not depend on the schedule of the threads.
                score = max(problem.score(search.best.chosen), groups.score)
                anytime_bound.keep_pace(search.work + groups.work, score)
                so_far = anytime_bound.so_far(score, partial(_better, search), groups)
                reporter.progress(0, restarts, "restarts", **so_far)
            return anytime_bound.is_closed

        # An equal share for each restart that still follows in this thread; without a limit their number may exceed
        # `restarts`.
        share = budget.part(1.0 / max(1, math.ceil(((restarts or 1) - index) / options.jobs)))
        if not problem.is_one_clique():
            heat = HEAT * (WARMTH if is_warm else 1.0) * mean_gain(problem)
            walked = share if problem.tables.is_given else share.part(COOLING_SHARE)
            cool(search, heat, walked, None if moves is None else moves - tried, watch)
        if problem.tables.is_given:
            rest = None if moves is None else max(0, moves - tried - search.moves)
            search.climb(PATIENCE * problem.n_variables, share, rest)
            return search.outcome(tried)
        tried += search.moves
        if index == 0 and given is not None and (order := given.order_within(options.given_treewidth)) is not None:
            groups.start(order, given.parents)
        if groups.score < problem.score(search.best.chosen):
            groups.start(search.best.order, problem.parents(search.best.chosen))
        is_limited = moves is not None or share.seconds is not None
        if not problem.is_one_clique():
            patience = None if is_limited else PATIENCE * problem.n_variables
            tried += groups.improve(patience, share, None if moves is None else moves - tried, watch)
        work = search.work + groups.work
        return Attempt(groups.kept.chosen, groups.score, tried, work, groups.kept.order)

    rules = local_search_rules(restarts, budget)
    network_of = partial(bounded_result, within)
    report = run_restarts(restart, rules, budget, options, reporter, anytime_bound, network_of)
    found = anytime_bound.with_bound(network_of, report.best)
    return replace(found, facts=report.facts, nodes=[anytime_bound.search.wide.root_node()])


def _start_better(search: OrderSearch, forest: SearchResult | None) -> int:
    """Start from a forest, if there is one and it is better than the best network; returns the number of orders."""
    if forest is None or forest.score <= search.problem.score(search.best.chosen):
        return 0
    search.start(order_of_forest(search.problem, forest))
    return 1


def _better(search: OrderSearch, groups: GroupSearch) -> SearchResult:
    """The better network of the two searches of a restart."""
    if groups.score < search.problem.score(search.best.chosen):
        return bounded_result(search.problem, search.outcome(1))
    kept = groups.kept
    return bounded_result(groups.problem, Attempt(kept.chosen, groups.score, 1, 0.0, kept.order))


def _prepare(table: ParentSetTable, options: OptimizeOptions) -> tuple[BoundedProblem, BoundedProblem]:
    """As `prepare_both`; under a bound on tables only `prepare_bounded`, as groups of cliques do not support it."""
    if options.max_table is None:
        return prepare_both(table, options.given_treewidth)
    problem = prepare_bounded(table, options.given_treewidth, options.max_table)
    return problem, problem


def warm_up(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile everything that `search` may need, even if a search on a tiny table ends early because the bound is
    met.
    """
    search(table, options, budget, reporter)
    triangle_prices.warm_up(lists_in(table))
    problem, within = prepare_both(table, options.given_treewidth)
    walk = OrderSearch(problem, task_generator(options.seed))
    walk.start(best_regret_order(problem, walk.rng, n_orders=1))
    walk.anneal(1, (0.0, 0.0))
    groups = GroupSearch(within, walk.rng)
    groups.start(walk.best.order, problem.parents(walk.best.chosen))
    groups.improve(patience=1, budget=None, limit=1)


def restarts_within(problem: BoundedProblem, budget: Budget) -> int:
    """Number of restarts of `RESTART_MOVES` moves per variable that fit into the time one after another, estimated
    from the time of some moves: 1 to `DEFAULT_LOCAL_SEARCHES`.
    """
    search = OrderSearch(problem, np.random.default_rng(0))
    search.start(problem.respect(search.tree.order.copy()))
    began = budget.elapsed()
    search.anneal(search.slice_moves, (0.0, 0.0))
    pace = max(1e-9, budget.elapsed() - began) / search.slice_moves
    seconds = pace * RESTART_MOVES * problem.n_variables / COOLING_SHARE
    return max(1, min(DEFAULT_LOCAL_SEARCHES, int(budget.time_left() / seconds)))


def cool(search: OrderSearch, heat: float, budget: Budget, moves: int | None, watch: Callable[[], bool]) -> None:
    """Anneal from the present order, then return to the best order visited.

    `heat` is the initial temperature in nats; the final one is reached at the time limit of `budget`. Annealing takes
    `COOLING_SHARE` of the `moves` of the restart; None for no limit. `watch` is called between kernel calls;
    annealing ends when it returns true.
    """
    if moves is not None:
        moves = int(COOLING_SHARE * moves)
    elif budget.seconds is None:
        moves = MOST_MOVES * search.problem.n_variables
    done = 0
    while not budget.is_spent() and (moves is None or done < moves) and not watch():
        share = 0.0 if budget.seconds is None else budget.elapsed() / budget.seconds
        n_moves = search.slice_moves
        if moves is not None:
            share = max(share, done / moves)
            n_moves = min(n_moves, moves - done)
        temperature = heat * COOLING**share
        search.anneal(n_moves, (temperature, temperature))
        done += n_moves
    search.start(search.best.order, search.best.left_out, search.best.hosts)


def mean_gain(problem: BoundedProblem) -> float:
    """Mean gain of a variable's best set over its last one; in nats."""
    lists = problem.lists
    return -float(lists.scores[lists.set_offsets[1:] - 1].mean())


def best_regret_order(problem: BoundedProblem, rng: np.random.Generator, n_orders: int) -> np.ndarray:
    """Order of the best of `n_orders` k-MAX networks."""
    tree, clique = problem.new_tree(), problem.new_clique_tables()
    best, order = -np.inf, tree.order.copy()
    for _ in range(n_orders):
        relative_score = place_by_regret(
            problem.lists, problem.index, problem.filters, tree, clique, problem.precedences, rng
        )
        if relative_score > best:
            best, order = relative_score, tree.order.copy()
    return order
