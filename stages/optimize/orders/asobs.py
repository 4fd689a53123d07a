"""Acyclic selection OBS (Scanagatta, de Campos, Corani, Zaffalon 2015): greedy search over orders.

Each order is turned into a network by acyclic selection, which allows arcs against the order as long as no cycle
closes, and so never scores below the best network consistent with that order (Theorem 3). From there swaps of
neighbours in the order are evaluated by acyclic selection of the two variables, the others' choices kept (Theorem
4), and the best one is applied until none gains or the iterations are used up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stages.graphs import positions_of
from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from ..lists.set_lists import fixed_first_order, index_table
from ..restarts import Attempt, run_restarts, sampling_rules, summarise
from ..result import SearchResult, listed_result, total_score
from .initial_orders import make_sampler
from .order_decoding import SLICE_WORK, chosen_arcs, select_acyclic, sets_tested

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.orders.set_lists import SetLists
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions

WORK_PER_SET = 4
"""Places of the order walked, and arcs, that take as long as testing one set; measured."""


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """Greedy swaps from many initial orders; see `OptimizeOptions` for init, iterations and restarts.

    The statistics hold, per restart, the initial score, the best score and the iterations (improving swaps applied).
    """
    fixed_first_order(table)
    lists = index_table(table)
    sampler = make_sampler(table, options, lists)
    anytime_bound = AnytimeBound(table, options.seed, budget)

    def restart(index: int, limit: int | None) -> Attempt | None:
        order = sampler.draw(task_generator(options.seed, index), index == 0)
        chosen = select_acyclic(lists, order, sampler.prescribed, budget if index else None)
        return None if chosen is None else climb(lists, order, chosen, options.iterations, budget)

    rules = sampling_rules(options.restarts, budget)
    report = run_restarts(restart, rules, budget, options, reporter, anytime_bound)
    return listed_result(
        table,
        report.best.chosen,
        report.best.score,
        {**report.facts, "init": options.init, **anytime_bound.header_facts(report.best.score)},
        summarise(report.columns),
    )


def climb(lists: SetLists, order: np.ndarray, chosen: np.ndarray, iterations: int, budget: Budget) -> Attempt:
    """Apply the best swap again and again; `chosen`, which comes from `order`, is changed.

    An order counts for each swap evaluated. Time that runs out ends the climb where it is.
    """
    from stages.kernels.orders.acyclic_selection import best_swap, swap_selection

    initial = total_score(lists.scores, chosen)
    n_swaps, steps, orders = len(order) - 1, 0, 1
    reached = np.empty(len(order), dtype=np.uint8)
    work = sets_tested(lists, chosen)
    while steps < iterations:
        order = _topological(lists, order, chosen)
        n_arcs = int((lists.parent_offsets[chosen + 1] - lists.parent_offsets[chosen]).sum())
        step = max(1, SLICE_WORK // (len(order) + n_arcs))
        gain, best = 0.0, -1
        for start in range(0, n_swaps, step):
            if budget.is_spent():
                break
            stop = min(start + step, n_swaps)
            gain, best = best_swap(lists, order, chosen, reached, start, stop, gain, best)
            orders += stop - start
            work += (stop - start) * (len(order) + n_arcs) / WORK_PER_SET
        if best < 0:
            break
        _, later_set, earlier_set = swap_selection(lists, order, chosen, reached, best)
        chosen[order[best]], chosen[order[best + 1]] = later_set, earlier_set
        order[best], order[best + 1] = order[best + 1], order[best]
        steps += 1
    score = total_score(lists.scores, chosen)
    figures = {"initial_score": initial, "iterations": steps}
    return Attempt(chosen, score, orders, work, order, figures=figures)


def _topological(lists: SetLists, order: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """A topological order of the network: variables in `order`, each behind its parents."""
    from stages.kernels.orders.feedback_arcs import depth_first_order

    offsets, parents = chosen_arcs(lists, chosen)
    sorted_order = np.empty_like(order)
    depth_first_order(offsets, parents, positions_of(order), order, sorted_order, False)
    return sorted_order
