"""The most informative k-tree that contains a given clique, by best-first search (Nie, de Campos, Ji 2016).

Scanagatta et al. (2016), section 3.4. Every k-tree that contains a (K + 1)-clique is made from it by joining one
variable after the other to a K-clique. With the quotient IS = S_mi / abs(S_l) of a k-tree as `weight`, the values
S_mi - weight abs(S_l) of more informative k-trees are positive (Dinkelbach 1967): so k-trees of a positive value are
searched for until there is none. A partial k-tree has its value bounded by the largest K entries of each variable
that is still to come, and by the best sets that no pair of variables already apart rules out; for a whole k-tree the
bound is its value.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import has_bit, set_bit
from ..jit import njit
from .best_first import OPEN, STATES, pop_state, push_state, trail_to
from .informative_score import information_between
from .ktree import join_host, join_start_clique, pair_bit

GROWTH_ENDED, GROWTH_FULL, GROWTH_UNFINISHED = -1, -2, -3
"""What `search_growth` returns instead of a state: no k-tree above the floor; no room; called again it goes on."""


class GrowthStates(NamedTuple):
    """Partial k-trees, as a tree of decisions, and the open ones as a heap.

    Attributes
    ----------
    parents : ndarray of int32, shape (capacity,)
        State that this one continues; state 0 is the start clique.
    depths : ndarray of int32
        Variables placed.
    variables, hosts, left_out : ndarray of int32
        The variable placed last, the one whose bag it joined, and the member it did not join.
    shared, scores : ndarray of float64
        What S_mi and S_l of a k-tree made from this one are at most, in nats.
    estimates : ndarray of float64
    refined : ndarray of bool
        Whether `scores` is of this state, not that of its parent.
    heap : ndarray of int32
    counts : ndarray of int64, shape (2,)
        See `best_first.STATES` and `best_first.OPEN`.
    """

    parents: np.ndarray
    depths: np.ndarray
    variables: np.ndarray
    hosts: np.ndarray
    left_out: np.ndarray
    shared: np.ndarray
    scores: np.ndarray
    estimates: np.ndarray
    refined: np.ndarray
    heap: np.ndarray
    counts: np.ndarray


def new_growth_states(capacity: int) -> GrowthStates:
    """Room for so many states, none there."""
    return GrowthStates(
        parents=np.zeros(capacity, dtype=np.int32),
        depths=np.zeros(capacity, dtype=np.int32),
        variables=np.zeros(capacity, dtype=np.int32),
        hosts=np.zeros(capacity, dtype=np.int32),
        left_out=np.zeros(capacity, dtype=np.int32),
        shared=np.zeros(capacity),
        scores=np.zeros(capacity),
        estimates=np.zeros(capacity),
        refined=np.zeros(capacity, dtype=np.bool_),
        heap=np.zeros(capacity, dtype=np.int32),
        counts=np.zeros(2, dtype=np.int64),
    )


@njit
def largest_sums(information, most):
    """Fill ``most[v, r]`` with the sum of the r largest entries of the pairs of variable `v`."""
    n, longest = most.shape
    most[:] = 0.0
    for v in range(n):
        values = np.sort(information.values[information.offsets[v] : information.offsets[v + 1]])[::-1]
        for r in range(1, longest):
            most[v, r] = most[v, r - 1] + (values[r - 1] if r <= len(values) else 0.0)


@njit
def value_of(shared, score, weight):
    """Most that S_mi - weight abs(S_l) can be where neither part is more than this."""
    return shared - weight * max(0.0, -score)


@njit
def begin_growth(information, base, tree, most, states, weight):
    """Make the first clique of ``tree.order`` the only state."""
    n, size = len(tree.order), tree.bags.shape[1]
    shared = 0.0
    for t in range(n):
        if t < size:
            for j in range(t):
                shared += information_between(information, tree.order[j], tree.order[t])
        else:
            shared += most[tree.order[t], size - 1]
    states.parents[0], states.depths[0], states.variables[0] = -1, size, -1
    states.shared[0], states.scores[0], states.refined[0] = shared, base, False
    states.estimates[0] = value_of(shared, base, weight)
    states.counts[STATES], states.counts[OPEN] = 1, 0
    push_state(states, np.int32(0))


@njit
def rebuild_growth(tree, states, state):
    """Bring order, positions, bags and edges of `tree` to those of a state; the first clique stands in its order.

    Variables not placed follow in ascending order, and have no bit set on the diagonal.
    """
    order, position, bags, edges = tree.order, tree.position, tree.bags, tree.edges
    n, size = len(order), bags.shape[1]
    edges[:] = np.uint64(0)
    set_bit(edges, np.int64(n) * (n + 1) >> 1)
    join_start_clique(order, bags, edges, size)
    trail = trail_to(states, state)
    t = np.int64(states.depths[state])
    for place in range(size, t):
        step = trail[place + 1]
        order[place] = states.variables[step]
        join_host(bags, edges, states.hosts[step], states.left_out[step], order[place])
    for v in range(n):
        if not has_bit(edges, pair_bit(v, v)):
            order[t] = v
            t += 1
    for t in range(n):
        position[order[t]] = t


@njit
def score_at_most(lists, tree):
    """Sum of the relative scores of the best sets that no two placed variables without an edge rule out, in nats."""
    offsets, parents, edges = lists.parent_offsets, lists.parents, tree.edges
    total = 0.0
    for child in range(len(tree.order)):
        child_placed = has_bit(edges, pair_bit(child, child))
        s = lists.set_offsets[child]
        while True:
            possible = True
            for i in range(offsets[s], offsets[s + 1]):
                a = parents[i]
                if not has_bit(edges, pair_bit(a, a)):
                    continue
                if child_placed and not has_bit(edges, pair_bit(a, child)):
                    possible = False
                    break
                for j in range(offsets[s], i):
                    b = parents[j]
                    if has_bit(edges, pair_bit(b, b)) and not has_bit(edges, pair_bit(a, b)):
                        possible = False
                        break
                if not possible:
                    break
            if possible:
                break
            s += 1
        total += lists.relative_scores[s]
    return total


@njit
def expand_growth(information, tree, most, states, state, weight, floor):
    """Add the states with one more variable to which `tree` was rebuilt, of a value above `floor`."""
    order, bags = tree.order, tree.bags
    n, size = len(order), bags.shape[1]
    depth = states.depths[state]
    last = states.variables[state]
    for t in range(depth, n):
        variable = order[t]
        for place in range(size - 1, depth):
            host = order[place]
            for j in range(size):
                left_out = bags[host, j]
                # Without its own variable a later bag is the K-clique that this one joined: met before.
                if place >= size and left_out == host:
                    continue
                # Variables that do not depend on each other come in ascending order, so that a k-tree is met less
                # often: each has such an order.
                joins_last, gain = False, 0.0
                for i in range(size):
                    if i != j:
                        joins_last |= bags[host, i] == last
                        gain += information_between(information, variable, bags[host, i])
                if variable < last and not joins_last:
                    continue
                shared = states.shared[state] - most[variable, size - 1] + gain
                estimate = value_of(shared, states.scores[state], weight)
                if estimate <= floor:
                    continue
                added = states.counts[STATES]
                states.counts[STATES] += 1
                states.parents[added], states.depths[added] = state, depth + 1
                states.variables[added], states.hosts[added] = variable, host
                states.left_out[added], states.refined[added] = left_out, False
                states.shared[added], states.scores[added] = shared, states.scores[state]
                states.estimates[added] = estimate
                push_state(states, np.int32(added))


@njit
def search_growth(lists, information, base, tree, most, states, weight, floor, n_steps):
    """Take up to `n_steps` states from the heap.

    Parameters
    ----------
    lists : BoundedLists
        Of problems without fixed arcs.
    information : Information
    base : float
        Sum of the best listed scores of all variables, in nats.
    tree : KTree
        ``order[:K + 1]`` is the first clique; the rest is scratch.
    most : ndarray of float64, shape (n_variables, K + 1)
        See `largest_sums`.
    states : GrowthStates
        As `begin_growth` leaves them.
    weight : float
    floor : float
        k-trees of no larger value are of no use.
    n_steps : int

    Returns
    -------
    int
        The state of the k-tree of largest value, or one of `GROWTH_ENDED`, `GROWTH_FULL`, `GROWTH_UNFINISHED`.
    """
    n, size = len(tree.order), tree.bags.shape[1]
    for _ in range(n_steps):
        if states.counts[OPEN] == 0:
            return GROWTH_ENDED
        state = pop_state(states)
        depth = states.depths[state]
        if depth == n and states.refined[state]:
            return state
        successors = (n - depth) * (1 + (size - 1) * (depth - size + 1)) + size
        if states.refined[state] and states.counts[STATES] + successors > len(states.parents):
            return GROWTH_FULL
        rebuild_growth(tree, states, state)
        if states.refined[state]:
            expand_growth(information, tree, most, states, state, weight, floor)
            continue
        states.scores[state] = base + score_at_most(lists, tree)
        states.refined[state] = True
        states.estimates[state] = value_of(states.shared[state], states.scores[state], weight)
        if states.estimates[state] > floor:
            push_state(states, np.int32(state))
    return GROWTH_UNFINISHED
