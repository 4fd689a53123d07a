"""Best-first search along one order as k-A* runs it, and whether choices fit a k-tree along an order."""

from __future__ import annotations

import numpy as np

from stages.kernels.ktrees.best_first import STATES
from stages.kernels.ktrees.fills import new_scratch, rank_sets
from stages.kernels.ktrees.kastar import DECIDED, NO_ROOM, enlarge, new_fill_states, search_fills
from stages.kernels.ktrees.orders import evaluate_order


def search_best_first(problem, order, floor, n_expansions=10**6, capacity=60):
    """Relative score of the best choices, the choices, that of the start clique, k-G's, and the states met."""
    tree = problem.new_tree()
    tree.order[:] = order
    greedy = evaluate_order(problem.lists, tree, problem.new_clique_tables(), -np.inf)
    ranked = rank_sets(problem.lists, tree.order, problem.treewidth)
    start = float(problem.lists.relative_scores[tree.chosen[tree.order[: problem.treewidth + 1]]].sum())
    most = start + float(ranked.relative_scores[ranked.offsets[:-1]].sum())
    states, scratch = new_fill_states(capacity, start, most), new_scratch(ranked)
    taken, status, found = np.full(len(ranked.offsets) - 1, -1), -1, floor
    while status != DECIDED:
        status, found = search_fills(
            ranked, states, scratch, problem.treewidth, taken, found, 1e-9, n_expansions
        )
        if status == NO_ROOM:
            assert states.estimates[states.heap[0]] >= found
            states = enlarge(states, 2 * len(states.parents))
    if found > floor:
        tree.chosen[tree.order[::-1][: len(taken)]] = ranked.sources[taken]
    return found, tree.chosen, start, greedy, int(states.counts[STATES])


def fits_order(problem, order, chosen):
    """Whether eliminating the variables in reverse meets at most `treewidth` neighbours outside the start clique."""
    offsets, members = problem.lists.parent_offsets, problem.lists.parents
    neighbours = [set(members[offsets[s] : offsets[s + 1]].tolist()) for s in chosen]
    for place in range(len(order) - 1, problem.treewidth, -1):
        fill = neighbours[order[place]]
        if len(fill) > problem.treewidth or not fill <= set(order[:place]):
            return False
        for a in fill:
            neighbours[a] |= {b for b in fill if order.index(b) < order.index(a)}
    return True
