"""Paths of clique choices along one order, as S2+ searches them.

A state has the first variables of the order placed; its successors join the next variable to a K-clique of the
k-tree, taking its best set there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import set_bit
from ..jit import njit
from .best_first import STATES, push_state, trail_to
from .ktree import join_host, join_start_clique, stands_before


class PathStates(NamedTuple):
    """All states met for one order, as a tree of decisions, and the open ones as a heap.

    Attributes
    ----------
    parents : ndarray of int32, shape (capacity,)
        State that this one continues; state 0 is the start clique.
    depths : ndarray of int32
        Variables placed.
    hosts, left_out : ndarray of int32
        The variable whose bag the last placed one joined, and the member it did not join.
    taken : ndarray of int64
        The set it took.
    values, estimates : ndarray of float64
        Worth of the steps so far, in nats, and of the best completion at most.
    heap : ndarray of int32
    counts : ndarray of int64, shape (2,)
        See `best_first.STATES` and `best_first.OPEN`.
    """

    parents: np.ndarray
    depths: np.ndarray
    hosts: np.ndarray
    left_out: np.ndarray
    taken: np.ndarray
    values: np.ndarray
    estimates: np.ndarray
    heap: np.ndarray
    counts: np.ndarray


def new_path_states(capacity: int, depth: int, value: float, estimate: float) -> PathStates:
    """Room for `capacity` states, the first one being the start clique of `depth` variables alone."""
    states = PathStates(
        parents=np.empty(capacity, dtype=np.int32),
        depths=np.empty(capacity, dtype=np.int32),
        hosts=np.empty(capacity, dtype=np.int32),
        left_out=np.empty(capacity, dtype=np.int32),
        taken=np.empty(capacity, dtype=np.int64),
        values=np.empty(capacity),
        estimates=np.empty(capacity),
        heap=np.empty(capacity, dtype=np.int32),
        counts=np.array([1, 0], dtype=np.int64),
    )
    states.parents[0], states.depths[0] = -1, depth
    states.values[0], states.estimates[0] = value, estimate
    push_state(states, np.int32(0))
    return states


@njit
def estimate_rest(lists, tree, rest):
    """Fill ``rest[t]`` with the relative score of the best sets among predecessors, from position t on.

    `rest` has n_variables + 1 entries; ``tree.position`` must hold the order.
    """
    n = len(tree.order)
    rest[n] = 0.0
    for t in range(n - 1, -1, -1):
        s = lists.set_offsets[tree.order[t]]
        # The first consistent set ignores the treewidth, so the estimate is never too low.
        while not stands_before(lists.parent_offsets, lists.parents, tree.position, s, t):
            s += 1
        rest[t] = rest[t + 1] + lists.relative_scores[s]


@njit
def rebuild(tree, states, state):
    """Bring the bags, edges and choices of `tree` to those of a state."""
    order, bags, edges = tree.order, tree.bags, tree.edges
    n, size = len(order), bags.shape[1]
    edges[:] = np.uint64(0)
    # The bit after all pairs is the key of the empty sets: it is always set.
    set_bit(edges, np.int64(n) * (n + 1) >> 1)
    join_start_clique(order, bags, edges, size)
    trail = trail_to(states, state)
    for t in range(size, states.depths[state]):
        variable, step = order[t], trail[t + 1]
        tree.chosen[variable] = states.taken[step]
        join_host(bags, edges, states.hosts[step], states.left_out[step], variable)


@njit
def add_state(states, parent, host, left_out, s, relative_score, estimate):
    """Append a state with one more variable placed, and open it."""
    state = states.counts[STATES]
    states.counts[STATES] += 1
    states.parents[state] = parent
    states.depths[state] = states.depths[parent] + 1
    states.hosts[state] = host
    states.left_out[state] = left_out
    states.taken[state] = s
    states.values[state] = relative_score
    states.estimates[state] = estimate
    push_state(states, np.int32(state))
