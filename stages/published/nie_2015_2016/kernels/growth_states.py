"""Partial k-trees of S2+'s best-first searches: a tree of decisions and a binary heap of the open ones.

A state is a k-tree on the variables placed so far; a successor joins one more variable to one of its K-cliques.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.bits import set_bit
from stages.kernels.heap import pop, push
from stages.kernels.jit import borrowing, njit
from stages.kernels.ktrees.ktree import join_host, join_start_clique

STATES, OPEN = 0, 1
"""Entries of `GrowthStates.counts`: number of states, number of open states."""


class GrowthStates(NamedTuple):
    """All states met, and the open ones."""

    parents: np.ndarray  # int32, shape (capacity,): the preceding state; state 0 is the start clique
    depths: np.ndarray  # int32: variables placed
    # `variables`, `hosts`, `left_out` (int32): the variable placed last, the variable whose bag it joined, and the
    # member of this bag that it left out.
    variables: np.ndarray
    hosts: np.ndarray
    left_out: np.ndarray
    # float64: value of a state in nats: along one order the value of the steps so far; in the search of all k-trees
    # an upper bound on S_mi.
    values: np.ndarray
    scores: np.ndarray  # float64: upper bound on S_l in nats; only in the search of all k-trees
    refined: np.ndarray  # bool: whether `scores` was computed for this state; else copied from the parent
    estimates: np.ndarray  # float64: upper bound on the value of all k-trees that continue the state
    heap: np.ndarray  # int32: open states, the next to expand first
    counts: np.ndarray  # int64, shape (2,): see `STATES` and `OPEN`


def new_growth_states(capacity: int) -> GrowthStates:
    """No states; `begin_growth` makes the first one."""
    return GrowthStates(
        parents=np.zeros(capacity, dtype=np.int32),
        depths=np.zeros(capacity, dtype=np.int32),
        variables=np.zeros(capacity, dtype=np.int32),
        hosts=np.zeros(capacity, dtype=np.int32),
        left_out=np.zeros(capacity, dtype=np.int32),
        values=np.zeros(capacity),
        scores=np.zeros(capacity),
        refined=np.zeros(capacity, dtype=np.bool_),
        estimates=np.zeros(capacity),
        heap=np.zeros(capacity, dtype=np.int32),
        counts=np.zeros(2, dtype=np.int64),
    )


@borrowing
def begin_growth(states, size, value, score, estimate):
    """Make the start clique of `size` variables the only state, and open it."""
    states.counts[STATES], states.counts[OPEN] = 1, 0
    states.parents[0], states.depths[0], states.variables[0] = -1, size, -1
    states.values[0], states.scores[0], states.refined[0] = value, score, False
    states.estimates[0] = estimate
    push_state(states, 0)


@borrowing
def add_state(states, parent, variable, host, left_out, value, score, estimate):
    """Append a state with one more variable placed, and open it."""
    state = states.counts[STATES]
    states.counts[STATES] += 1
    states.parents[state], states.depths[state] = parent, states.depths[parent] + 1
    states.variables[state], states.hosts[state], states.left_out[state] = variable, host, left_out
    states.values[state], states.scores[state], states.refined[state] = value, score, False
    states.estimates[state] = estimate
    push_state(states, state)


@njit
def rebuild(tree, states, state):
    """Set the placed part of the order, bags and edges of `tree` to the given state."""
    order, bags, edges = tree.order, tree.bags, tree.edges
    n, size, depth = len(order), bags.shape[1], np.int64(states.depths[state])
    edges[:] = np.uint64(0)
    # The bit after all pairs is the key of the empty sets: it is always set.
    set_bit(edges, np.int64(n) * (n + 1) >> 1)
    join_start_clique(order, bags, edges, size)
    # States are linked from the last to the first; a variable joins the bag of an earlier one.
    steps = np.empty(depth, dtype=np.int64)
    for t in range(depth - 1, size - 1, -1):
        steps[t] = state
        state = np.int64(states.parents[state])
    for t in range(size, depth):
        order[t] = states.variables[steps[t]]
        join_host(bags, edges, states.hosts[steps[t]], states.left_out[steps[t]], order[t])


@borrowing
def is_deeper(depths, a, b):
    """Whether state `a` is expanded before `b` if their estimates are equal: deeper first, then older."""
    if depths[a] != depths[b]:
        return depths[a] > depths[b]
    return a < b


@borrowing
def push_state(states, state):
    """Open a state."""
    push(states.heap, states.counts[OPEN], np.int32(state), states.estimates, is_deeper, states.depths)
    states.counts[OPEN] += 1


@borrowing
def pop_state(states):
    """Take the first open state."""
    state = pop(states.heap, states.counts[OPEN], states.estimates, is_deeper, states.depths)
    states.counts[OPEN] -= 1
    return np.int64(state)
