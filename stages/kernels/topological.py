"""Topological orders of the network that the chosen sets form, and the gain of re-evaluating one.

Every network is consistent with many orders, and the best network of each of them is at least as good as the
one that the order was drawn from. Drawing another topological order is therefore a move that never loses, and
it frees searches that change one place of an order at a time from the arbitrary order of unrelated variables.
"""

from __future__ import annotations

import heapq

import numpy as np

from .jit import njit
from .orders import first_consistent


@njit
def sort_sources_first(lists, chosen, ranks, order):
    """Fill `order` parents first, the variable of smallest rank first among those that are ready.

    Returns the number of variables placed, fewer than all when the chosen sets close a cycle.
    """
    n = len(chosen)
    waiting = np.zeros(n, dtype=np.int32)
    offsets = np.zeros(n + 1, dtype=np.int64)
    by_rank = np.empty(n, dtype=np.int32)
    for child in range(n):
        by_rank[ranks[child]] = child
        s = chosen[child]
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            waiting[child] += 1
            offsets[lists.parents[k] + 1] += 1
    for v in range(n):
        offsets[v + 1] += offsets[v]
    cursor = offsets[:-1].copy()
    children = np.empty(offsets[n], dtype=np.int32)
    for child in range(n):
        s = chosen[child]
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            children[cursor[lists.parents[k]]] = child
            cursor[lists.parents[k]] += 1
    ready = [np.int64(ranks[v]) for v in range(n) if waiting[v] == 0]
    heapq.heapify(ready)
    placed = 0
    while len(ready) > 0:
        variable = by_rank[heapq.heappop(ready)]
        order[placed] = variable
        placed += 1
        for k in range(offsets[variable], offsets[variable + 1]):
            child = children[k]
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, np.int64(ranks[child]))
    return placed


@njit
def sort_sinks_last(lists, chosen, ranks, order):
    """Fill `order` from its end, children before parents, the variable of smallest rank first among the
    ready.

    Returns the number of variables placed, fewer than all when the chosen sets close a cycle.
    """
    n = len(chosen)
    waiting = np.zeros(n, dtype=np.int32)
    by_rank = np.empty(n, dtype=np.int32)
    for child in range(n):
        by_rank[ranks[child]] = child
        s = chosen[child]
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            waiting[lists.parents[k]] += 1
    ready = [np.int64(ranks[v]) for v in range(n) if waiting[v] == 0]
    heapq.heapify(ready)
    placed = 0
    while len(ready) > 0:
        variable = by_rank[heapq.heappop(ready)]
        placed += 1
        order[n - placed] = variable
        s = chosen[variable]
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            parent = lists.parents[k]
            waiting[parent] -= 1
            if waiting[parent] == 0:
                heapq.heappush(ready, np.int64(ranks[parent]))
    return placed


@njit
def adopt_order(lists, state):
    """Bring positions and choices up to date after `state.order` became another order of the chosen network.

    Returns
    -------
    tuple of (float, int)
        Gain in nats, at least 0, and sets tested.
    """
    order, position, chosen = state
    for i in range(len(order)):
        position[order[i]] = i
    gain = 0.0
    work = 0
    for i in range(len(order)):
        child = order[i]
        first, present = lists.set_offsets[child], chosen[child]
        better = first_consistent(lists, first, present, position, i)
        work += 1 + (present if better < 0 else better) - first
        if better >= 0:
            gain += lists.scores[better] - lists.scores[present]
            chosen[child] = better
    return gain, work


@njit
def reorder(lists, state, rng, from_the_end):
    """Replace the order by a random topological order of its network and re-evaluate: (gain, sets tested)."""
    ranks = rng.permutation(len(state.order))
    if from_the_end:
        sort_sinks_last(lists, state.chosen, ranks, state.order)
    else:
        sort_sources_first(lists, state.chosen, ranks, state.order)
    return adopt_order(lists, state)
