"""Order-based greedy search (Perez Urcia and Mauá 2015; Teyssier and Koller 2005).

From an initial order, the best improving swap of neighbours is applied until there is none or the iterations are used
up; then again from another initial order.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.orders.set_lists import MemberIndex, SetLists
from stages.lists.order_decoding import SLICE_WORK, choose_consistent, sets_tested
from stages.lists.set_lists import index_members
from stages.optimize import OptimizeOptions
from stages.optimize.orders.initial_orders import best_parent_density
from stages.optimize.restarts import Attempt, sampling_rules
from stages.optimize.result import SearchResult, total_score
from stages.published.order_restarts import OrderRestarts
from stages.runtime.budgets import Budget, slices
from stages.runtime.reporting import Reporter

from .kernels.swaps import climb_swaps, refresh_swaps

SWAPS_PER_STEP = 3
"""Swaps to evaluate again after one is applied."""

WORK_PER_SWAP = 100
"""Cost of evaluating a swap of neighbours, in sets tested; measured."""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """Greedy adjacent swaps from many initial orders; see `OptimizeOptions` for init, iterations and restarts.

    The statistics hold, per restart, the initial score, the best score and the iterations (improving swaps
    applied), and the density of the best-parent graph: the columns of Perez Urcia and Mauá (2015).
    """
    restarts = OrderRestarts(table, options, budget, reporter)

    index = index_members(restarts.lists)

    def restart(number: int, limit: int | None) -> Attempt | None:
        order, _ = restarts.draw(number)
        decoded = choose_consistent(restarts.lists, order, budget if number else None)
        if decoded is None:
            return None
        return climb(restarts.lists, index, order, *decoded, options.iterations, budget, limit)

    result = restarts.best_of(restart, sampling_rules(options.restarts, budget))
    return replace(result, stats={"density": best_parent_density(table), **result.stats})


def climb(
    lists: SetLists,
    index: MemberIndex,
    order: np.ndarray,
    position: np.ndarray,
    chosen: np.ndarray,
    iterations: int,
    budget: Budget,
    limit: int | None = None,
) -> Attempt:
    """One run of greedy search from `order`; `order` and `chosen` are changed.

    The initial order and each swap count as orders evaluated; an applied swap also adds the three swaps that are
    evaluated again. A spent budget or `limit` orders in all end the run.
    """
    initial = total_score(lists.scores, chosen)
    n_swaps = len(order) - 1 if limit is None else min(len(order) - 1, limit - 1)
    gains = np.empty(n_swaps)
    if limit is not None:
        iterations = min(iterations, (limit - 1 - n_swaps) // SWAPS_PER_STEP)
    mean_list = max(1, len(lists.scores) // len(order))
    step = max(1, SLICE_WORK // mean_list)
    # The gains of all swaps, computed once: applying a swap changes only three gains, which `climb_swaps` recomputes.
    known = 0
    for start, known in slices(n_swaps, step, budget):
        refresh_swaps(lists, index, order, position, chosen, gains, start, known)
    if known < n_swaps:
        iterations = 0
    per_slice = max(1, SLICE_WORK // (SWAPS_PER_STEP * mean_list + n_swaps + 1))
    steps = 0
    while steps < iterations:
        applied = climb_swaps(lists, index, order, position, chosen, gains, min(per_slice, iterations - steps))
        steps += applied
        if applied < per_slice or budget.is_spent():
            break
    orders = 1 + n_swaps + SWAPS_PER_STEP * steps
    work = sets_tested(lists, chosen) + WORK_PER_SWAP * orders
    figures = {"initial_score": initial, "iterations": steps}
    return Attempt(chosen, total_score(lists.scores, chosen), orders, work, figures=figures)
