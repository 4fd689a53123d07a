"""Informative k-trees along one order, by best-first search (Nie, de Campos, Ji 2016; Scanagatta et al. 2016, 3.4).

From a start clique on, the next variable is always the one that shares most information with the variables before. A
step joins the next variable to a K-clique. The value of a step is the mutual information of variable and clique plus
`weight` times the relative score of the variable's best set there. These are the two parts of the informative score
S_mi / abs(S_l). If `weight` is the largest quotient, the same k-trees maximise S_mi - weight abs(S_l) (Dinkelbach
1967).
"""

from __future__ import annotations

import numpy as np

from stages.kernels.bits import has_bit
from stages.kernels.jit import borrowing, njit
from stages.kernels.ktrees.ktree import is_among, is_clique, is_in_bag, stands_before

from .growth_states import OPEN, STATES, add_state, pop_state, rebuild
from .informative_score import information_between


@borrowing
def estimate_rest(lists, tree, rest):
    """Fill ``rest[t]`` with the relative score of the best sets among predecessors, from position t on.

    `rest` has n_variables + 1 entries; ``tree.position`` must hold the order.
    """
    n = len(tree.order)
    rest[n] = 0.0
    for t in range(n - 1, -1, -1):
        s = lists.set_offsets[tree.order[t]]
        # The first consistent set ignores the treewidth, so the estimate is an upper bound.
        while not stands_before(lists.parent_offsets, lists.parents, tree.position, s, t):
            s += 1
        rest[t] = rest[t + 1] + lists.scores[s]


@njit
def grow_order(information, precedences, order, size, rest):
    """Order the variables after the first `size` ones: the next one is always the one that shares most information
    with K variables before it.

    Candidates are those whose predecessors are all placed. ``rest[t]`` (n_variables + 1 entries) becomes an upper
    bound on the information gained by joins from position t on.
    """
    n, width = len(order), size - 1
    largest = np.zeros((n, width))
    shared = np.zeros(n)
    placed = np.zeros(n, dtype=np.bool_)
    missing = np.empty(n, dtype=np.int64)
    for v in range(n):
        missing[v] = precedences.before_offsets[v + 1] - precedences.before_offsets[v]
    rest[:] = 0.0
    for t in range(n):
        variable = order[t]
        if t >= size:
            variable = -1
            for v in range(n):
                if not placed[v] and missing[v] == 0 and (variable < 0 or shared[v] > shared[variable]):
                    variable = v
            order[t] = variable
            # `shared` is the sum of its K largest entries with placed variables, at least the sum with any K-clique
            # of them.
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


@borrowing
def add_joins(lists, tree, states, state, rest, weight, only_best, fitting, shared, position):
    """Add the states described in `expand_next`: the joins of the next variable to K-cliques.

    `fitting` (int64): the sets of this variable that are cliques, best first. ``shared[p]``: its mutual information
    in nats with the variable at place p. ``position[v]``: the place of v.
    """
    offsets, parents, order, bags = lists.parent_offsets, lists.parents, tree.order, tree.bags
    size = bags.shape[1]
    t = states.depths[state]
    variable = order[t]
    best, best_host, best_left_out = -np.inf, np.int32(-1), np.int32(-1)
    for place in range(size - 1, t):
        host = order[place]
        whole = 0.0
        for j in range(size):
            whole += shared[position[bags[host, j]]]
        for j in range(size):
            left_out = bags[host, j]
            # A later bag without its own variable is the K-clique that the variable joined, already considered with
            # its host.
            if place >= size and left_out == host:
                continue
            # Relative scores are at most 0, so this is an upper bound on the value of the step.
            most = states.values[state] + whole - shared[position[left_out]]
            if only_best and most <= best:
                continue
            taken = np.int64(-1)
            for k in range(len(fitting)):
                first, end = offsets[fitting[k]], offsets[fitting[k] + 1]
                # The first set that fits is the best one.
                if not is_among(parents, first, end, left_out) and is_in_bag(parents, first, end, bags[host]):
                    taken = fitting[k]
                    break
            if taken < 0:
                # The clique lacks a variable that this one must join because of fixed records.
                continue
            value = most + weight * lists.scores[taken]
            if not only_best:
                add_state(states, state, variable, host, left_out, value, 0.0, value + rest[t + 1])
            elif value > best:
                best, best_host, best_left_out = value, host, left_out
    if only_best:
        add_state(states, state, variable, best_host, best_left_out, best, 0.0, best + rest[t + 1])


@njit
def expand_next(lists, filters, information, tree, states, state, rest, weight, only_best):
    """Add the successors of a state, or only the best one; `tree` is rebuilt to this state."""
    keys, offsets, parents = filters.keys, lists.parent_offsets, lists.parents
    order, edges = tree.order, tree.edges
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
    add_joins(lists, tree, states, state, rest, weight, only_best, fitting[:n_fitting], shared, position)


@borrowing
def search_order(lists, filters, information, tree, states, rest, weight, room, n_expansions):
    """Expand up to `n_expansions` states in best-first order; beyond `room` states, complete the best one greedily.

    Returns the complete state reached, -1 if there is none yet.

    Parameters
    ----------
    tree : KTree
        Its order is the searched one; its other arrays are scratch.
    states : GrowthStates
        With capacity for `room` states and n_variables more.
    rest : ndarray of float64, shape (n_variables + 1,)
        Upper bound on the total value of the steps from each position on.
    """
    n, size = len(tree.order), tree.bags.shape[1]
    for _ in range(n_expansions):
        state = pop_state(states)
        depth = states.depths[state]
        if depth == n:
            return state
        # A k-tree on `depth` variables has at most (K + 1) (depth - K) K-cliques. At the limit of states all other
        # open states are dropped; from then on each step leaves one successor.
        only_best = states.counts[STATES] + size * (depth - size + 1) > room
        if only_best:
            states.counts[OPEN] = 0
        rebuild(tree, states, state)
        expand_next(lists, filters, information, tree, states, state, rest, weight, only_best)
    return -1
