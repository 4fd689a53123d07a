"""k-A*: best-first search for the best choice of cliques along one order.

Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.1. A state has the first variables of the order
placed; its successors join the next variable to each K-clique of the k-tree, taking its best set there. What
is still to come is estimated by the best sets among all predecessors, which no clique can better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import has_bit, set_bit
from ..jit import njit
from .ktree import bag_contains, is_among, is_clique, join_start_clique, pair_bit, stands_before

STATES, OPEN = 0, 1
"""Entries of `PathStates.counts`: number of states, number of open states."""


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
        Sum of relative scores so far, in nats, and what that of the best completion is at most. For S2+ the worth
        of the steps so far, and of the best completion at most.
    heap : ndarray of int32
    counts : ndarray of int64, shape (2,)
        See `STATES` and `OPEN`.
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


@njit
def estimate_rest(lists, tree, rest):
    """Fill ``rest[t]`` with the relative score of the best sets among predecessors, from position t on.

    `rest` has n_variables + 1 entries; ``tree.position`` must hold the order.
    """
    n = len(tree.order)
    rest[n] = 0.0
    for t in range(n - 1, -1, -1):
        s = lists.set_offsets[tree.order[t]]
        # The first consistent set ignores the treewidth, so the estimate is never too low: A* stays exact.
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
    join_start_clique(order, bags, edges)
    end = states.depths[state]
    # Decisions are stored from the last to the first; the bags need them from the first on.
    trail = np.empty(end, dtype=np.int32)
    while state > 0:
        trail[states.depths[state] - 1] = state
        state = states.parents[state]
    for t in range(size, end):
        variable, step = order[t], trail[t]
        tree.chosen[variable] = states.taken[step]
        k = 0
        for j in range(size):
            member = bags[states.hosts[step], j]
            if member != states.left_out[step]:
                bags[variable, k] = member
                k += 1
        bags[variable, size - 1] = variable
        for j in range(size):
            set_bit(edges, pair_bit(bags[variable, j], variable))


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


@njit
def expand(lists, tree, states, state, rest, floor, fitting):
    """Add the successors of a state, to which `tree` was rebuilt, that may end above `floor`.

    `fitting` is scratch for indices of sets, as long as the longest list.
    """
    keys, offsets, parents = lists.keys, lists.parent_offsets, lists.parents
    order, bags, edges = tree.order, tree.bags, tree.edges
    size = bags.shape[1]
    t = states.depths[state]
    variable = order[t]
    # Sets that are no clique of the k-tree fit no K-clique of it: sort them out once for all hosts.
    n_fitting = 0
    for s in range(lists.set_offsets[variable], lists.set_offsets[variable + 1]):
        if has_bit(edges, keys[s]) and is_clique(offsets, parents, edges, s):
            fitting[n_fitting] = s
            n_fitting += 1
    for place in range(size - 1, t):
        host = order[place]
        for j in range(size):
            left_out = bags[host, j]
            # Without its own variable a later bag is the K-clique that this one joined: met before.
            if place >= size and left_out == host:
                continue
            for k in range(n_fitting):
                s = fitting[k]
                first, end = offsets[s], offsets[s + 1]
                if is_among(parents, first, end, left_out) or not bag_contains(
                    bags, host, parents, first, end
                ):
                    continue
                # The first set that fits this K-clique is its best one: `fitting` is in the order of the list.
                relative_score = states.values[state] + lists.relative_scores[s]
                if relative_score + rest[t + 1] > floor:
                    add_state(states, state, host, left_out, s, relative_score, relative_score + rest[t + 1])
                break


@njit
def search_paths(lists, tree, states, rest, floor, fitting, n_expansions):
    """Expand up to `n_expansions` states in best-first order.

    Parameters
    ----------
    lists : BoundedLists
    tree : KTree
        Its order is the one searched; the rest is scratch.
    states : PathStates
    rest : ndarray of float64
        See `estimate_rest`.
    floor : float
        Only completions with a relative score above this are looked for.
    fitting : ndarray of int64
        Scratch, as long as the longest list.
    n_expansions : int

    Returns
    -------
    tuple of (int, int)
        Expansions done; and the best complete state, -1 when none was reached yet, -2 when there is none
        above `floor`, -3 when there is no room for more states.
    """
    n, size = len(tree.order), tree.bags.shape[1]
    for done in range(n_expansions):
        if states.counts[OPEN] == 0:
            return done, -2
        state = np.int64(states.heap[0])
        # Estimates never rise along a path, so a complete state on top of the heap is the best completion.
        if states.depths[state] == n:
            return done, state
        # A state has at most one successor for each bag and member to leave out.
        if states.counts[STATES] + size * (states.depths[state] - size + 1) > len(states.parents):
            return done, -3
        pop_state(states)
        rebuild(tree, states, state)
        expand(lists, tree, states, state, rest, floor, fitting)
    return n_expansions, -1
