"""The open states of a best-first search, as a binary heap.

Kernels pass a named tuple with the arrays `parents` (-1 for the first state), `estimates`, `depths`, `heap` and
`counts`.
"""

from __future__ import annotations

import numpy as np

from ..jit import njit

STATES, OPEN = 0, 1
"""Entries of `counts`: number of states, number of open states."""


@njit
def trail_to(states, state):
    """The states on the way to one, by depth: they are linked from the last to the first."""
    trail = np.full(states.depths[state] + 1, -1, dtype=np.int32)
    while state >= 0:
        trail[states.depths[state]] = state
        state = np.int64(states.parents[state])
    return trail


@njit
def comes_first(states, a, b):
    """Whether state `a` is to be expanded before `b`: larger estimate, then deeper, then older."""
    if states.estimates[a] != states.estimates[b]:
        return states.estimates[a] > states.estimates[b]
    if states.depths[a] != states.depths[b]:
        return states.depths[a] > states.depths[b]
    return a < b


@njit
def push_state(states, state):
    """Put a state on the heap."""
    heap = states.heap
    # Binary heap: the new state rises from the end while it comes before the one above.
    place = states.counts[OPEN]
    states.counts[OPEN] += 1
    while place > 0:
        above = (place - 1) >> 1
        if not comes_first(states, state, heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = state


@njit
def pop_state(states):
    """Take the first state from the heap."""
    heap = states.heap
    first = np.int64(heap[0])
    states.counts[OPEN] -= 1
    size = states.counts[OPEN]
    # The last state fills the hole at the top and sinks.
    last = heap[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and comes_first(states, heap[below + 1], heap[below]):
            below += 1
        if not comes_first(states, heap[below], last):
            break
        heap[place] = heap[below]
        place = below
    heap[place] = last
    return first
