"""k-MAX: a k-tree built greedily; the next variable is always the one of least regret.

Scanagatta, Corani, Zaffalon, Yoo, Kang, "Efficient learning of bounded-treewidth Bayesian networks from
complete and incomplete data sets" (International Journal of Approximate Reasoning, 2018).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import has_bit, set_bit
from ..heap import is_lower, pop, push
from ..jit import borrowing, njit
from .ktree import is_clique, join_bag, join_small_bag, join_start_clique, latest_member
from .start_clique import solve_start_clique

LINK_TRIALS = 50
"""Attempts to draw a linked variable for the start clique before any variable is accepted."""


class OpenSets(NamedTuple):
    """A heap of the sets that were the best fitting ones of placeable variables: the least regret leaves first.

    Among equal regrets the lower variable leaves first, since its sets have lower numbers.
    """

    heap: np.ndarray  # int64, shape (n_sets,): the open sets
    values: np.ndarray  # float64, shape (n_sets,): minus the regret of each opened set
    variables: np.ndarray  # int32, shape (n_sets,): the child of each set
    n_open: np.ndarray  # int64, shape (1,)


@borrowing
def draw_linked(lists, index, rng, member):
    """A random variable that has `member` in one of its sets or occurs in a set of `member`; -1 if the draw fails."""
    if rng.random() < 0.5:
        first, end = index.pair_offsets[member], index.pair_offsets[member + 1]
        return index.pair_children[first + int(rng.random() * (end - first))] if end > first else np.int32(-1)
    first, end = lists.set_offsets[member], lists.set_offsets[member + 1]
    s = first + int(rng.random() * (end - first))
    first, end = lists.parent_offsets[s], lists.parent_offsets[s + 1]
    return lists.parents[first + int(rng.random() * (end - first))] if end > first else np.int32(-1)


@borrowing
def is_ready(precedences, placed, variable):
    """True when `variable` is not placed and all its required predecessors are."""
    ready = not placed[variable]
    for i in range(precedences.before_offsets[variable], precedences.before_offsets[variable + 1]):
        ready &= placed[precedences.before[i]]
    return ready


@borrowing
def draw_start_clique(lists, index, precedences, rng, order, placed, size):
    """Fill ``order[:size]`` with random variables, each linked to an earlier one where possible."""
    n = len(order)
    for t in range(size):
        variable = np.int32(-1)
        for _ in range(LINK_TRIALS if t else 0):
            variable = draw_linked(lists, index, rng, order[int(rng.random() * t)])
            if variable >= 0 and is_ready(precedences, placed, variable):
                break
            variable = np.int32(-1)
        if variable < 0:
            variable = np.int32(rng.random() * n)
            # Precedences have no cycle, so some variable is ready.
            while not is_ready(precedences, placed, variable):
                variable = np.int32((variable + 1) % n)
        order[t] = variable
        placed[variable] = True


@borrowing
def regret(lists, variable, s):
    """Loss of `variable` with set `s` relative to its loss with its last set, from 0 to 1."""
    most = lists.scores[lists.set_offsets[variable + 1] - 1]
    return lists.scores[s] / most if most < 0.0 else 0.0


@borrowing
def open_set(lists, variable, s, opened):
    """Push a set of a variable; it must be better than the sets pushed before, so no set is pushed twice."""
    opened.values[s] = -regret(lists, variable, s)
    opened.variables[s] = variable
    push(opened.heap, opened.n_open[0], s, opened.values, is_lower, lists)
    opened.n_open[0] += 1


@borrowing
def next_variable(opened, placed):
    """The open variable of least regret."""
    # Outdated sets belong to placed variables: a regret only falls, so the current set leaves first.
    while True:
        s = pop(opened.heap, opened.n_open[0], opened.values, is_lower, opened)
        opened.n_open[0] -= 1
        if not placed[opened.variables[s]]:
            return opened.variables[s]


@borrowing
def offer_bag(lists, index, filters, edges, newcomer, placed, fitting, is_open, opened):
    """Find the sets that became cliques when `newcomer` was placed, and push the lower regrets of their children."""
    keys, offsets, parents = filters.keys, lists.parent_offsets, lists.parents
    member_sets = index.member_sets
    for pair in range(index.pair_offsets[newcomer], index.pair_offsets[newcomer + 1]):
        child = index.pair_children[pair]
        if placed[child]:
            continue
        for k in range(index.member_offsets[pair], index.member_offsets[pair + 1]):
            s = member_sets[k]
            if s >= fitting[child]:
                break
            # Edges join placed variables only, so positions need not be compared.
            if has_bit(edges, keys[s]) and is_clique(offsets, parents, edges, s):
                fitting[child] = s
                if is_open[child]:
                    open_set(lists, child, np.int64(s), opened)
                break


@borrowing
def open_variable(lists, precedences, variable, placed, fitting, is_open, opened):
    """Make a variable available for placement if all its required predecessors are placed."""
    if is_ready(precedences, placed, variable) and not is_open[variable]:
        is_open[variable] = True
        open_set(lists, variable, fitting[variable], opened)


@njit
def place_by_regret(lists, index, filters, tree, clique, precedences, rng):
    """Build a k-tree from a random start clique; the next variable is always the one of smallest `regret`.

    The regret is that of the variable's best set that is a clique so far. Fills ``tree.order``; `evaluate_order`
    on this order gives the same k-tree.

    Returns
    -------
    float
        Sum of the chosen sets' relative scores in nats.
    """
    offsets, parents, relative_scores = lists.parent_offsets, lists.parents, lists.scores
    order, position, bags, edges, chosen = tree.order, tree.position, tree.bags, tree.edges, tree.chosen
    n, size = len(order), tree.n_start
    placed = np.zeros(n, dtype=np.bool_)
    is_open = np.zeros(n, dtype=np.bool_)
    # The last set always fits, see `stages.kernels.ktrees.set_filters.SetFilters`.
    fitting = lists.set_offsets[1:] - 1
    n_sets = len(relative_scores)
    opened = OpenSets(
        heap=np.empty(n_sets, dtype=np.int64),
        values=np.empty(n_sets),
        variables=np.empty(n_sets, dtype=np.int32),
        n_open=np.zeros(1, dtype=np.int64),
    )
    edges[:] = np.uint64(0)
    set_bit(edges, np.int64(n) * (n + 1) >> 1)
    draw_start_clique(lists, index, precedences, rng, order, placed, size)
    for t in range(size):
        position[order[t]] = t
    join_start_clique(order, bags, edges, size)
    # Position n marks variables that are not placed, so that `solve_start_clique` does not count them as members.
    for variable in range(n):
        if not placed[variable]:
            position[variable] = n
    total = solve_start_clique(lists, filters, tree, clique)
    for variable in range(n):
        open_variable(lists, precedences, np.int32(variable), placed, fitting, is_open, opened)
    for t in range(size):
        offer_bag(lists, index, filters, edges, order[t], placed, fitting, is_open, opened)
    for t in range(size, n):
        variable = next_variable(opened, placed)
        s = fitting[variable]
        first, end = offsets[s], offsets[s + 1]
        placed[variable] = True
        order[t] = variable
        position[variable] = t
        chosen[variable] = s
        total += relative_scores[s]
        host = order[latest_member(position, parents, first, end)]
        if tree.most_cells < np.inf:
            join_small_bag(bags, edges, host, variable, parents, first, end, tree.n_states, tree.most_cells)
        else:
            join_bag(bags, edges, host, variable, parents, first, end)
        offer_bag(lists, index, filters, edges, variable, placed, fitting, is_open, opened)
        for i in range(precedences.after_offsets[variable], precedences.after_offsets[variable + 1]):
            open_variable(lists, precedences, precedences.after[i], placed, fitting, is_open, opened)
    return total
