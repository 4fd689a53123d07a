"""Whole orders under a treewidth bound: evaluation, random sampling, and orders that respect precedences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..bits import has_bit, set_bit
from ..jit import borrowing, njit
from .ktree import is_clique, join_bag, join_small_bag, join_start_clique, latest_member
from .start_clique import solve_start_clique


@borrowing
def place_rest(lists, filters, tree, start, total, floor):
    """Place the variables from position `start` on by the rule of k-G; `total` is the relative score of the variables
    before.

    Returns
    -------
    float
        Relative score of all in nats; placement stops once it is below `floor`.
    """
    keys, offsets, parents = filters.keys, lists.parent_offsets, lists.parents
    set_offsets, relative_scores = lists.set_offsets, lists.scores
    order, position, bags, edges, chosen = tree.order, tree.position, tree.bags, tree.edges, tree.chosen
    n_states, most_cells = tree.n_states, tree.most_cells
    for t in range(start, len(order)):
        variable = np.uint32(order[t])
        s = np.uint64(set_offsets[variable])
        # Edges join placed variables only: a clique needs no test of positions.
        while not (has_bit(edges, keys[s]) and is_clique(offsets, parents, edges, np.int64(s))):
            s += np.uint64(1)
        chosen[variable] = s
        # Relative scores are at most 0, so the total is an upper bound on the final one.
        total += relative_scores[s]
        if total < floor:
            return total
        first, end = offsets[s], offsets[s + np.uint64(1)]
        host = np.uint32(order[latest_member(position, parents, first, end)])
        if most_cells < np.inf:
            join_small_bag(bags, edges, host, variable, parents, first, end, n_states, most_cells)
        else:
            join_bag(bags, edges, host, variable, parents, first, end)
    return total


@borrowing
def evaluate_order(lists, filters, tree, clique, floor):
    """Build the k-tree along ``tree.order`` from scratch by the rule of k-G.

    Preferences are ignored: a variable joins the bag of its set's latest member, less the oldest member outside the
    set.

    Parameters
    ----------
    tree : KTree
        Overwritten except for the order and the preferences.
    floor : float
        The evaluation stops, with an unfinished k-tree, once the sum falls below this.

    Returns
    -------
    float
        Sum of the chosen sets' relative scores in nats; below `floor` if the evaluation stopped.
    """
    order, position, bags, edges = tree.order, tree.position, tree.bags, tree.edges
    n = len(order)
    edges[:] = np.uint64(0)
    set_bit(edges, np.int64(n) * (n + 1) >> 1)
    for t in range(n):
        position[order[t]] = t
    join_start_clique(order, bags, edges, tree.n_start)
    return place_rest(lists, filters, tree, tree.n_start, solve_start_clique(lists, filters, tree, clique), floor)


class Precedences(NamedTuple):
    """Precedences among variables that fixed records require.

    Attributes
    ----------
    before_offsets, after_offsets : ndarray of int64, shape (n_variables + 1,)
    before, after : ndarray of int32
        Immediate predecessors and successors of every variable.
    """

    before_offsets: np.ndarray
    before: np.ndarray
    after_offsets: np.ndarray
    after: np.ndarray


def new_precedences(pairs: list[tuple[int, int]], n_variables: int) -> Precedences:
    """Index (earlier, later) pairs both ways."""
    earlier, later = np.array(pairs, dtype=np.int32).reshape(-1, 2).T
    by_later, by_earlier = np.lexsort((earlier, later)), np.lexsort((later, earlier))
    every = np.arange(n_variables + 1)
    return Precedences(
        before_offsets=np.searchsorted(later[by_later], every).astype(np.int64),
        before=earlier[by_later],
        after_offsets=np.searchsorted(earlier[by_earlier], every).astype(np.int64),
        after=later[by_earlier],
    )


@borrowing
def shuffle_order(rng, order):
    """A uniform permutation in place (Fisher and Yates)."""
    for i in range(len(order) - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        order[i], order[j] = order[j], order[i]


@borrowing
def pull_forward(precedences, order, source, emitted, stack):
    """Copy `source` to `order`; required predecessors that come too late move to just before their successor.

    `emitted` (uint8) and `stack` (int32) are scratch arrays of n_variables entries.
    """
    emitted[:] = 0
    size = 0
    for wanted in source:
        depth = 0
        if not emitted[wanted]:
            stack[0] = wanted
            depth = 1
        while depth > 0:
            variable = stack[depth - 1]
            waiting = False
            # ``stack[:depth]`` is a chain of variables, each required before the one below it; the top is emitted
            # after all its predecessors.
            for i in range(precedences.before_offsets[variable], precedences.before_offsets[variable + 1]):
                if not emitted[precedences.before[i]]:
                    stack[depth] = precedences.before[i]
                    depth += 1
                    waiting = True
                    break
            if not waiting:
                emitted[variable] = 1
                order[size] = variable
                size += 1
                depth -= 1


@njit
def sample_orders(lists, filters, tree, clique, precedences, rng, n_orders, best_order, best_chosen):
    """Evaluate `n_orders` random orders that agree with `precedences`; keep the best, the first among equals.

    The evaluation of an order stops as soon as it cannot be the best.

    Returns
    -------
    float
        Relative score of the best order in nats; `best_order` and `best_chosen` receive the order and its sets.
    """
    n = len(tree.order)
    drawn = np.arange(n, dtype=np.int32)
    emitted = np.empty(n, dtype=np.uint8)
    stack = np.empty(n, dtype=np.int32)
    best = -np.inf
    for _ in range(n_orders):
        shuffle_order(rng, drawn)
        if len(precedences.before):
            pull_forward(precedences, tree.order, drawn, emitted, stack)
        else:
            copy_into(tree.order, drawn)
        relative_score = evaluate_order(lists, filters, tree, clique, best)
        if relative_score > best:
            best = relative_score
            copy_into(best_order, tree.order)
            copy_into(best_chosen, tree.chosen)
    return best
