"""Acyclic selection OBS (Scanagatta, de Campos, Corani, Zaffalon 2015): evaluate many initial orders.

Each order is turned into a network by acyclic selection, which allows arcs against the order as long as no
cycle closes, and so never scores below the best network consistent with that order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stages.seeding import task_generator

from . import SearchResult
from .evaluation import select_acyclic
from .initial_orders import make_sampler
from .packing import fixed_first_order, pack_table
from .restarts import Restart, run_restarts, summarise, total_score

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.budgets import Budget
    from stages.reporting import Reporter

    from . import OptimizeOptions


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """Acyclic selection over sampled orders, the best network of all."""
    fixed_first_order(table)
    lists = pack_table(table)
    sampler = make_sampler(table, options, lists)

    def restart(index: int) -> Restart | None:
        order = sampler.draw(task_generator(options.seed, index), index == 0)
        chosen = select_acyclic(lists, order, sampler.prescribed, budget if index else None)
        return None if chosen is None else Restart(chosen, total_score(lists.scores, chosen), 1)

    report = run_restarts(restart, options.restarts, budget, options.jobs, reporter)
    return SearchResult(
        report.best.chosen,
        {"restarts": report.restarts, "orders": report.orders, "init": options.init},
        summarise(report.columns),
    )
