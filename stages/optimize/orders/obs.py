"""Order-based greedy search (Perez Urcia and Mauá 2015; Teyssier and Koller 2005).

From an initial order, the best improving swap of neighbours in the order is applied until there is none or
the iterations are used up; then again from another initial order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from ..lists.set_lists import fixed_first_order, index_table
from ..restarts import Attempt, run_restarts, sampling_rules, summarise
from ..result import SearchResult, listed_result, total_score
from .initial_orders import best_parent_density, make_sampler
from .order_decoding import SLICE_WORK, choose_consistent, sets_tested

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.orders.set_lists import SetLists
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions

WORK_PER_SWAP = 100
"""What evaluating a swap of neighbours costs, in sets tested; measured."""


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """Greedy adjacent swaps from many initial orders; see `OptimizeOptions` for init, iterations and
    restarts.

    The statistics hold, per restart, the initial score, the best score and the iterations (improving swaps
    applied), and the density of the best-parent graph: the columns of Perez Urcia and Mauá (2015).
    """
    fixed_first_order(table)
    lists = index_table(table)
    sampler = make_sampler(table, options, lists)
    anytime_bound = AnytimeBound(table, options.seed, budget)

    def restart(index: int, limit: int | None) -> Attempt | None:
        order = sampler.draw(task_generator(options.seed, index), index == 0)
        return climb(lists, order, options.iterations, budget, must_deliver=index == 0)

    rules = sampling_rules(options.restarts, budget)
    report = run_restarts(restart, rules, budget, options, reporter, anytime_bound)
    return listed_result(
        table,
        report.best.chosen,
        report.best.score,
        {**report.facts, "init": options.init, **anytime_bound.header_facts(report.best.score)},
        {"density": best_parent_density(table), **summarise(report.columns)},
    )


def climb(
    lists: SetLists, order: np.ndarray, iterations: int, budget: Budget, must_deliver: bool = False
) -> Attempt | None:
    """One run of greedy search from `order`, which is changed.

    When time runs out, None, or with `must_deliver` the best order so far.
    """
    from stages.kernels.orders.set_lists import climb_swaps, refresh_swaps

    evaluated = choose_consistent(lists, order, None if must_deliver else budget)
    if evaluated is None:
        return None
    position, chosen = evaluated
    initial = total_score(lists.scores, chosen)
    n_swaps = len(order) - 1
    gains = np.empty(max(n_swaps, 0))
    mean_list = max(1, len(lists.scores) // len(order))
    step = max(1, SLICE_WORK // mean_list)
    steps = 0
    for start in range(0, n_swaps, step):
        if budget.is_spent():
            return Attempt(chosen, initial, 1, 0.0, figures=_figures(initial, 0)) if must_deliver else None
        refresh_swaps(lists, order, position, chosen, gains, start, start + step)
    per_slice = max(1, SLICE_WORK // (3 * mean_list + n_swaps + 1))
    while steps < iterations:
        applied = climb_swaps(lists, order, position, chosen, gains, min(per_slice, iterations - steps))
        steps += applied
        if applied < per_slice:
            break
        if budget.is_spent():
            if not must_deliver:
                return None
            break
    score = total_score(lists.scores, chosen)
    orders = 1 + n_swaps + 3 * steps
    work = sets_tested(lists, chosen) + WORK_PER_SWAP * orders
    return Attempt(chosen, score, orders, work, figures=_figures(initial, steps))


def _figures(initial: float, steps: int) -> dict[str, float]:
    return {"initial_score": initial, "iterations": steps}
