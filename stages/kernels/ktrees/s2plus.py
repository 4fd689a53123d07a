"""Informative k-trees by best-first search, for S2+ (Nie, de Campos, Ji 2016; Scanagatta et al. 2016, section 3.4).

From a start clique on, variables come in the order in which they share most with those before. A step joins the
next one to a K-clique and is worth their mutual information, plus `weight` times the relative score of the
variable's best set there: the two parts of the informative score, whose quotient is largest where S_mi - weight
abs(S_l) is when `weight` is the largest quotient (Dinkelbach 1967). Paths are kept as in `clique_paths`.
"""

from __future__ import annotations

import numpy as np

from ..bits import has_bit
from ..jit import njit
from .best_first import OPEN, STATES, pop_state
from .clique_paths import add_state, rebuild
from .informative_score import information_between
from .ktree import bag_contains, is_among, is_clique


@njit
def grow_order(information, precedences, order, size, rest):
    """Order the variables after the first `size` ones: next comes the one that shares most with K before it.

    Only those are looked at before which no other must stand any more. ``rest[t]`` (n_variables + 1 entries)
    becomes the most information that joins from position t on can give.
    """
    n, width = len(order), size - 1
    largest = np.zeros((n, width))
    shared = np.zeros(n)
    placed = np.zeros(n, dtype=np.bool_)
    missing = precedences.before_offsets[1:] - precedences.before_offsets[:-1]
    rest[:] = 0.0
    for t in range(n):
        variable = order[t]
        if t >= size:
            variable = -1
            for v in range(n):
                if not placed[v] and missing[v] == 0 and (variable < 0 or shared[v] > shared[variable]):
                    variable = v
            order[t] = variable
            rest[t] = shared[variable]
        placed[variable] = True
        for i in range(precedences.after_offsets[variable], precedences.after_offsets[variable + 1]):
            missing[precedences.after[i]] -= 1
        for i in range(information.offsets[variable], information.offsets[variable + 1]):
            other, value = information.neighbours[i], information.values[i]
            # The K largest values of each variable, descending.
            for j in range(width):
                if value > largest[other, j]:
                    value, largest[other, j] = largest[other, j], value
            shared[other] = largest[other].sum()
    for t in range(n - 1, -1, -1):
        rest[t] += rest[t + 1]


@njit
def expand_informative(lists, information, tree, states, state, rest, weight, only_best):
    """Add the successors of a state to which `tree` was rebuilt, or just the best one."""
    keys, offsets, parents = lists.keys, lists.parent_offsets, lists.parents
    order, bags, edges = tree.order, tree.bags, tree.edges
    size = bags.shape[1]
    t = states.depths[state]
    variable = order[t]
    fitting = np.empty(lists.set_offsets[variable + 1] - lists.set_offsets[variable], dtype=np.int64)
    n_fitting = 0
    for s in range(lists.set_offsets[variable], lists.set_offsets[variable + 1]):
        if has_bit(edges, keys[s]) and is_clique(offsets, parents, edges, s):
            fitting[n_fitting] = s
            n_fitting += 1
    shared = np.empty(t)
    position = np.empty(len(order), dtype=np.int64)
    for place in range(t):
        shared[place] = information_between(information, variable, order[place])
        position[order[place]] = place
    best, best_host, best_left_out, best_set = -np.inf, np.int32(-1), np.int32(-1), np.int64(-1)
    for place in range(size - 1, t):
        host = order[place]
        whole = 0.0
        for j in range(size):
            whole += shared[position[bags[host, j]]]
        for j in range(size):
            left_out = bags[host, j]
            # Without its own variable a later bag is the K-clique that this one joined: met before.
            if place >= size and left_out == host:
                continue
            most = states.values[state] + whole - shared[position[left_out]]
            if only_best and most <= best:
                continue
            taken = np.int64(-1)
            for k in range(n_fitting):
                first, end = offsets[fitting[k]], offsets[fitting[k] + 1]
                if not is_among(parents, first, end, left_out) and bag_contains(
                    bags, host, parents, first, end
                ):
                    taken = fitting[k]
                    break
            if taken < 0:
                # The clique lacks a variable that this one must join.
                continue
            worth = most + weight * lists.relative_scores[taken]
            if not only_best:
                add_state(states, state, host, left_out, taken, worth, worth + rest[t + 1])
            elif worth > best:
                best, best_host, best_left_out, best_set = worth, host, left_out, taken
    if only_best:
        add_state(states, state, best_host, best_left_out, best_set, best, best + rest[t + 1])


@njit
def search_informative(lists, information, tree, states, rest, weight, room, n_expansions):
    """Expand up to `n_expansions` states in best-first order; once `room` states are there, the best one greedily.

    Parameters
    ----------
    lists : BoundedLists
    information : Information
    tree : KTree
        Its order is the one searched; the rest is scratch.
    states : PathStates
        With room for `room` states and n_variables more; ``values`` hold the worth of the steps so far.
    rest : ndarray of float64
        What steps from each position on can be worth at most.
    weight : float
    room : int
    n_expansions : int

    Returns
    -------
    tuple of (int, int)
        Expansions done, and the complete state reached, -1 if none was yet.
    """
    n, size = len(tree.order), tree.bags.shape[1]
    for done in range(n_expansions):
        state = pop_state(states)
        depth = states.depths[state]
        if depth == n:
            return done, state
        only_best = states.counts[STATES] + size * (depth - size + 1) > room
        if only_best:
            states.counts[OPEN] = 0
        rebuild(tree, states, state)
        expand_informative(lists, information, tree, states, state, rest, weight, only_best)
    return n_expansions, -1
