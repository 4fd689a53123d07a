"""Acyclic selection OBS (Scanagatta, de Campos, Corani, Zaffalon 2015): evaluate many initial orders.

Each order is turned into a network by acyclic selection, which allows arcs against the order as long as no
cycle closes, and so never scores below the best network consistent with that order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from ..lists.set_lists import fixed_first_order, index_table
from ..restarts import Attempt, run_restarts, sampling_rules, summarise
from ..result import SearchResult, listed_result, total_score
from .initial_orders import make_sampler
from .order_decoding import select_acyclic, sets_tested

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """Acyclic selection over sampled orders, the best network of all."""
    fixed_first_order(table)
    lists = index_table(table)
    sampler = make_sampler(table, options, lists)
    anytime_bound = AnytimeBound(table, options.seed, budget)

    def restart(index: int, limit: int | None) -> Attempt | None:
        order = sampler.draw(task_generator(options.seed, index), index == 0)
        chosen = select_acyclic(lists, order, sampler.prescribed, budget if index else None)
        if chosen is None:
            return None
        return Attempt(chosen, total_score(lists.scores, chosen), 1, sets_tested(lists, chosen))

    rules = sampling_rules(options.restarts, budget)
    report = run_restarts(restart, rules, budget, options.jobs, reporter, anytime_bound)
    return listed_result(
        table,
        report.best.chosen,
        report.best.score,
        {**report.facts, "init": options.init, **anytime_bound.header_facts(report.best.score)},
        summarise(report.columns),
    )
