"""The best networks of bounded treewidth in a given time, on given lists (a method of this project).

A walk over orders, and over how each variable joins the k-tree, that cools down (simulated annealing, Kirkpatrick et
al. 1983): from the best of some k-MAX networks it takes changes for the worse ever more rarely, over most of the time
or the changes there are. Then iterated local search goes on from the best network met, whose cliques are solved
exactly, a few at a time: that can turn arcs against every order along which the k-tree could be built. Under a bound
on tables the walk goes on in its place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from ..restarts import Attempt, local_search_rules, run_restarts
from .annealing import OrderSearch
from .problem import BoundedProblem, bounded_result, prepare_both, prepare_bounded, start_order
from .slim import GroupSearch

if TYPE_CHECKING:
    from collections.abc import Callable

    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions
    from ..result import SearchResult

FIRST_ORDERS = 10
"""k-MAX networks, of which the best is where a restart begins."""

HEAT, COOLING = 0.1, 0.01
"""Temperature at the start as a share of the mean that a variable gains by its best set, and at the end as a share
of that; by experiment.
"""

WARMTH = 0.1
"""Share of the heat where a network to start from is given, so that it is not forgotten."""

COOLING_SHARE = 0.8
"""Share of a restart's time or changes in which the walk cools."""

MOST_MOVES = 1000
"""Changes per variable in which it cools when neither is limited."""

PATIENCE = 10
"""Disturbances per variable without improvement after which an unlimited restart ends."""


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best network met in the budget, of which every restart has its share; groups solved count as orders."""
    problem, within = _prepare(table, options)
    given, start = options.start, start_order(problem, options)
    anytime_bound = AnytimeBound(table, options.seed, budget, options.treewidth)
    restarts = 1 if problem.is_one_clique else options.restarts
    if restarts is None and budget.seconds is not None and budget.evaluations is None:
        restarts = options.jobs

    def restart(index: int, limit: int | None) -> Attempt | None:
        search = OrderSearch(problem, task_generator(options.seed, index))
        moves = None if limit is None else max(1, limit // (restarts or 1))
        first = start if index == 0 else None
        is_warm = first is not None
        tried = 1 if is_warm else FIRST_ORDERS if moves is None else min(FIRST_ORDERS, moves)
        search.start(best_regret_order(problem, search.rng, tried) if first is None else first)
        groups = GroupSearch(within, search.rng)

        def watch() -> bool:
            if index == 0:
                # Only here, so that the bound does not depend on how restarts are spread over threads.
                score = max(problem.score(search.best.chosen), groups.score)
                anytime_bound.keep_pace(search.work + groups.work, score)
                reporter.progress(0, restarts, "restarts", score=score, **anytime_bound.facts)
            return anytime_bound.is_closed

        # Of as many restarts as still follow one another; they may be more than asked for when nothing limits them.
        share = budget.part(1.0 / max(1, math.ceil(((restarts or 1) - index) / options.jobs)))
        if not problem.is_one_clique:
            heat = HEAT * (WARMTH if is_warm else 1.0) * mean_gain(problem)
            walked = share if problem.tables.is_given else share.part(COOLING_SHARE)
            cool(search, heat, walked, None if moves is None else moves - tried, watch)
        if problem.tables.is_given:
            rest = None if moves is None else max(0, moves - tried - search.moves)
            search.climb(PATIENCE * problem.n_variables, share, rest)
            return search.outcome(tried)
        tried += search.moves
        if index == 0 and given is not None and (order := given.order_within(options.width)) is not None:
            groups.start(order, given.parents)
        if groups.score < problem.score(search.best.chosen):
            groups.start(search.best.order, problem.parents(search.best.chosen))
        is_limited = moves is not None or share.seconds is not None
        if not problem.is_one_clique:
            patience = None if is_limited else PATIENCE * problem.n_variables
            tried += groups.improve(patience, share, None if moves is None else moves - tried, watch)
        work = search.work + groups.work
        return Attempt(groups.kept.chosen, groups.score, tried, work, groups.kept.order)

    rules = local_search_rules(restarts, budget)
    report = run_restarts(restart, rules, budget, options, reporter, anytime_bound)
    return bounded_result(
        within, report.best, {**report.facts, **anytime_bound.header_facts(report.best.score)}
    )


def _prepare(table: ParentSetTable, options: OptimizeOptions) -> tuple[BoundedProblem, BoundedProblem]:
    """As `prepare_both`; under a bound on tables just for orders, for groups of cliques know none."""
    if options.max_table is None:
        return prepare_both(table, options.width)
    problem = prepare_bounded(table, options.width, options.max_table)
    return problem, problem


def warm_up(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile all that `search` may need, also where it ends at once because a bound is met."""
    search(table, options, budget, reporter)
    problem, within = prepare_both(table, options.width)
    walk = OrderSearch(problem, task_generator(options.seed))
    walk.start(best_regret_order(problem, walk.rng, n_orders=1))
    walk.anneal(1, (0.0, 0.0))
    groups = GroupSearch(within, walk.rng)
    groups.start(walk.best.order, problem.parents(walk.best.chosen))
    groups.improve(patience=1, budget=None, limit=1)


def cool(
    search: OrderSearch, heat: float, budget: Budget, moves: int | None, watch: Callable[[], bool]
) -> None:
    """Walk from the present order while the temperature falls from `heat`, and go to the best order met.

    Parameters
    ----------
    search : OrderSearch
    heat : float
        In nats.
    budget : Budget
        Its time limit is when the walk is cold.
    moves : int or None
        Changes there are, of which the walk takes `COOLING_SHARE`.
    watch : callable
        Called now and then; ends the walk by returning true.
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
    """What a variable's best set gains over its last one, on average; in nats."""
    lists = problem.lists
    return -float(lists.relative_scores[lists.set_offsets[1:] - 1].mean())


def best_regret_order(problem: BoundedProblem, rng: np.random.Generator, n_orders: int) -> np.ndarray:
    """Order of the best of some k-MAX networks."""
    from stages.kernels.ktrees.kmax import place_by_regret

    tree, clique = problem.new_tree(), problem.new_clique_tables()
    best, order = -np.inf, tree.order.copy()
    for _ in range(n_orders):
        relative_score = place_by_regret(problem.lists, tree, clique, problem.precedences, rng)
        if relative_score > best:
            best, order = relative_score, tree.order.copy()
    return order
