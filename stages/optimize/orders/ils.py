"""The best networks in a given time on given lists: iterated local search over orders (a method of this project).

From an initial order every variable moves to its best place until none gains; then a few related variables move
at random, what they disturbed is repaired, and the result is kept unless it is worse (Lee & van Beek 2017 search
orders in a like manner). A restart ends when shaking has long found nothing. All the while a part of the work goes
into an upper bound, and the search ends when the two meet.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from ..lists.set_lists import fixed_first_order, index_table
from ..restarts import Attempt, local_search_rules, run_restarts
from ..result import SearchResult, listed_result
from .initial_orders import make_sampler
from .insertion_ils import OrderShaker

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions

PHASE = 50
"""Moves per variable between two looks at what was gained."""

STALL = 20
"""Phases without improvement after which a restart ends."""

TOLERANCE = 1e-6
"""Nats; smaller gains do not count as an improvement."""

IDLE_SHARE = 0.8
"""See `AnytimeBound`: when nothing better has long been found, half of the time is the bound's."""


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best network that the search meets in the budget; an order stands for one place-finding move."""
    fixed_first_order(table)
    lists = index_table(table)
    sampler = make_sampler(table, options, lists)
    phase = PHASE * table.n_variables
    anytime_bound = AnytimeBound(table, options.seed, budget, idle_share=IDLE_SHARE)

    def restart(index: int, limit: int | None) -> Attempt | None:
        rng = task_generator(options.seed, index)
        shaker = OrderShaker(lists, sampler.draw(rng, index == 0), rng)
        score, idle = shaker.score, 0
        while idle < STALL and not budget.is_spent() and (limit is None or shaker.profiles < limit):
            until = shaker.profiles + phase
            shaker.search(budget, until if limit is None else min(limit, until))
            idle = 0 if shaker.score > score + TOLERANCE else idle + 1
            score = max(score, shaker.score)
            if index == 0:
                # Only here, so that the bound does not depend on how restarts are spread over threads.
                anytime_bound.keep_pace(shaker.work, score)
                reporter.progress(0, options.restarts, "restarts", score=score, **anytime_bound.facts)
            if anytime_bound.is_closed:
                break
        return Attempt(shaker.chosen, shaker.score, max(1, shaker.profiles), shaker.work, shaker.order)

    rules = replace(local_search_rules(options.restarts, budget), takes_found=True)
    report = run_restarts(restart, rules, budget, options, reporter, anytime_bound)
    facts = {**report.facts, "init": options.init, **anytime_bound.header_facts(report.best.score)}
    return listed_result(table, report.best.chosen, report.best.score, facts)
