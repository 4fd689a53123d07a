"""Iterated local search over orders on given lists (a method of this project).

From an initial order every variable moves to its best position until none gains. Then a few related variables move to
random positions, the order is repaired by insertion moves, and the result is kept unless it is worse (similar to Lee
and van Beek 2017). A restart ends after a number of such steps without improvement. An upper bound is improved along
with the search, which ends when the two meet.
"""

from __future__ import annotations

from dataclasses import replace

from formats.records import ParentSetTable
from stages.kernels.orders.set_lists import GAIN_TOLERANCE
from stages.lists.set_lists import index_members, lists_in
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

from .. import OptimizeOptions
from ..bounds.anytime_bound import IDLE_SHARE, AnytimeBound
from ..restarts import Attempt, local_search_rules, run_restarts
from ..result import SearchResult, listed_result, total_score
from .initial_orders import make_sampler
from .insertion_ils import OrderShaker

PHASE = 50
"""Profiles per variable in a phase, after which improvement is checked."""

STALL = 20
"""Phases without improvement after which a restart ends."""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best network found in the budget; one evaluation is the profile of one variable."""
    lists = lists_in(table)
    index = index_members(lists)
    sampler = make_sampler(table, options)
    phase = PHASE * table.n_variables
    anytime_bound = AnytimeBound(table, options, budget, IDLE_SHARE)

    def network_of(found: Attempt | OrderShaker) -> SearchResult:
        return listed_result(table, found.chosen, total_score(table.scores, found.chosen))

    def restart(number: int, limit: int | None) -> Attempt | None:
        rng = task_generator(options.seed, number)
        shaker = OrderShaker(lists, index, sampler.draw(rng, number == 0), rng)
        score, idle = shaker.score, 0
        while idle < STALL and not budget.is_spent() and (limit is None or shaker.profiles < limit):
            until = shaker.profiles + phase
            shaker.search(budget, until if limit is None else min(limit, until))
            idle = 0 if shaker.score > score + GAIN_TOLERANCE else idle + 1
            score = max(score, shaker.score)
            if number == 0:
                # Only in the first restart, so the bound does not depend on the schedule of the threads.
                anytime_bound.keep_pace(shaker.work, score)
                so_far = anytime_bound.so_far(score, network_of, shaker)
                reporter.progress(0, options.restarts, "restarts", **so_far)
            if anytime_bound.is_closed:
                break
        return Attempt(shaker.chosen, shaker.score, max(1, shaker.profiles), shaker.work, shaker.order)

    rules = replace(local_search_rules(options.restarts, budget), takes_found=True)
    report = run_restarts(restart, rules, budget, options, reporter, anytime_bound, network_of)
    found = anytime_bound.with_bound(network_of, report.best)
    facts = {**report.facts, "init": options.init}
    return replace(found, facts=facts, nodes=[anytime_bound.search.wide.root_node()])
