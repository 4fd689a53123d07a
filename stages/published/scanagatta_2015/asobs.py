"""Acyclic selection OBS (Scanagatta, de Campos, Corani, Zaffalon 2015): greedy search over orders.

Acyclic selection turns each order into a network. It allows arcs against the order as long as no cycle closes, so its
score is at least that of the best network consistent with the order (Theorem 3). From there, each swap of neighbours
in the order is evaluated by acyclic selection of its two variables while the other choices stay (Theorem 4). The best
swap is applied until none gains or the iterations are used up. So a swap selects sets for its two variables anew; a
complete acyclic selection along the changed order could differ in others, too.
"""

from __future__ import annotations

import numpy as np

from formats.records import ParentSetTable
from stages.graphs import positions_of
from stages.kernels.orders.acyclic_selection import best_swap, swap_selection
from stages.kernels.orders.initial_orders import depth_first_order
from stages.kernels.orders.set_lists import GAIN_TOLERANCE, SetLists
from stages.lists.order_decoding import SLICE_WORK, chosen_arcs, select_acyclic, sets_tested
from stages.optimize import OptimizeOptions
from stages.optimize.restarts import Attempt, sampling_rules
from stages.optimize.result import SearchResult, total_score
from stages.published.order_restarts import OrderRestarts
from stages.runtime.budgets import Budget, slices
from stages.runtime.reporting import Reporter

WORK_PER_SET = 4
"""Number of positions and arcs visited in the time of testing one set; measured."""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """Greedy swaps from many initial orders; see `OptimizeOptions` for init, iterations and restarts.

    The statistics hold, per restart, the initial score, the best score and the iterations (improving swaps applied).
    """
    restarts = OrderRestarts(table, options, budget, reporter)

    def restart(index: int, limit: int | None) -> Attempt | None:
        order, _ = restarts.draw(index)
        chosen = select_acyclic(restarts.lists, order, restarts.prescribed, budget if index else None)
        return None if chosen is None else climb(restarts.lists, order, chosen, options.iterations, budget, limit)

    return restarts.best_of(restart, sampling_rules(options.restarts, budget))


def climb(
    lists: SetLists, order: np.ndarray, chosen: np.ndarray, iterations: int, budget: Budget, limit: int | None = None
) -> Attempt:
    """Apply the best swap repeatedly; `chosen`, made from `order`, is changed.

    Each swap evaluated counts as an order. The end of the budget, or `limit` orders in all, ends the climb; then the
    best swap evaluated so far is applied.
    """
    initial = total_score(lists.scores, chosen)
    n_swaps, steps, orders = len(order) - 1, 0, 1
    reached = np.empty(len(order), dtype=np.uint8)
    work = sets_tested(lists, chosen)
    while steps < iterations and orders != limit:
        order = _topological(lists, order, chosen)
        n_arcs = int((lists.parent_offsets[chosen + 1] - lists.parent_offsets[chosen]).sum())
        step = max(1, SLICE_WORK // (len(order) + n_arcs))
        gain, best = GAIN_TOLERANCE, -1
        last = n_swaps if limit is None else min(n_swaps, limit - orders)
        for start, stop in slices(last, step, budget):
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
    """A topological order of the network: variables in the sequence of `order`, each after its parents."""
    offsets, parents = chosen_arcs(lists, chosen)
    sorted_order = np.empty_like(order)
    depth_first_order(offsets, parents, positions_of(order), order, sorted_order, False)
    return sorted_order
