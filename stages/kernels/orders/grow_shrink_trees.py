"""Grow-shrink trees: parent sets grown within the predecessors of an order, every step of growth kept.

A set grows by the variable that improves the score most of those that stand before the child, until none does; then
it shrinks. Which variables improve a set, and in what order, does not depend on the order of the variables: it is
kept with the set, as branches to the larger sets, best first. So growing a child's set within other predecessors
walks down from the empty set and takes at every set the first branch whose variable stands before the child, and
costs no score where such a walk has passed before. Moving one variable then tells the score of every slot after a
walk or two for each of the others. (Grow-shrink trees and best moves: Andrews, Ramsey, Sanchez-Romero, Camchong and
Kummerfeld 2023, "Fast scalable and accurate discovery of DAGs using the best order score search and grow-shrink
trees"; here a set is one node, whatever the order in which it was grown.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit


class GrowShrinkTrees(NamedTuple):
    """What is known about the growth of the sets of all children; entries beyond those in use are free.

    Attributes
    ----------
    first, last : ndarray of int64, shape (n_nodes,)
        A node is a child with a parent set; its branches are ``first[node]:last[node]``, -1 while not known. Node i
        stands for child i with the parents that it must have.
    score : ndarray of float64, shape (n_nodes,)
        Score in nats of what is left of the node's set when it shrinks; NaN while not known.
    variable : ndarray of int32, shape (n_branches,)
        The parent that a branch adds.
    target : ndarray of int64, shape (n_branches,)
        The node a branch leads to; -1 while there is none.
    """

    first: np.ndarray
    last: np.ndarray
    score: np.ndarray
    variable: np.ndarray
    target: np.ndarray


@njit
def grow_along(trees, node, position, slot, moved):
    """Grow a set from a node on by variables at positions before `slot`, the variable `moved` left out.

    Parameters
    ----------
    trees : GrowShrinkTrees
    node : int
    position : ndarray of int64, shape (n_variables,)
        Slots of all variables but `moved`.
    slot, moved : int

    Returns
    -------
    node : int
        Where growth ends.
    branch : int
        One without target at which it had to stop; -1 if it came to its end, or to a node of unknown branches.
    met : int
        The first branch passed that would add `moved`; -1 if there was none.
    until : int
        As long as `slot` is no larger than this, `moved` is left out and positions stay, the result remains the same.
    """
    met, until = np.int64(-1), np.int64(len(position))
    while True:
        branch, last = trees.first[node], trees.last[node]
        while branch < last:
            variable = trees.variable[branch]
            if variable == moved:
                if met < 0:
                    met = branch
            elif position[variable] < slot:
                break
            else:
                until = min(until, position[variable])
            branch += 1
        if branch >= last:
            return node, np.int64(-1), met, until
        if trees.target[branch] < 0:
            return node, branch, met, until
        node = trees.target[branch]


@njit
def score_slots(trees, order, position, moved, scores, missing):
    """Scores of an order by the slot that one variable is put into.

    Parameters
    ----------
    trees : GrowShrinkTrees
    order : ndarray of int32, shape (n_variables - 1,)
        The other variables, first to last.
    position : ndarray of int64, shape (n_variables,)
        Its inverse.
    moved : int
        The variable; in slot k it has k others before it.
    scores : ndarray of float64, shape (n_variables,)
        Receives the sum of all variables' scores (nats) by slot, if nothing is missing.
    missing : ndarray of int64, shape (3 * n_variables,)
        Receives what is to be filled in before a new call: nodes without branches or score, and ``-1 - branch`` for
        branches without target, some more than once.

    Returns
    -------
    int : entries of `missing`.
    """
    n, n_missing = len(position), 0
    own_node, own_branch, until = np.int64(moved), np.int64(-1), np.int64(-1)
    before = 0.0  # how much better the variables up to here are without the moved one before them
    behind = 0.0  # the score of all others with it before them
    for slot in range(n):
        if slot > until:
            own_node, own_branch, _, until = grow_along(trees, np.int64(moved), position, slot, moved)
            if own_branch >= 0 or np.isnan(trees.score[own_node]):
                missing[n_missing] = -1 - own_branch if own_branch >= 0 else own_node
                n_missing += 1
        scores[slot] = trees.score[own_node] + before
        if slot == n - 1:
            break
        node, branch, met, _ = grow_along(trees, np.int64(order[slot]), position, slot, moved)
        without = trees.score[node]
        if branch >= 0 or np.isnan(without):
            missing[n_missing] = -1 - branch if branch >= 0 else node
            n_missing += 1
        if met >= 0:
            node, branch = trees.target[met], met
            if node >= 0:
                node, branch, _, _ = grow_along(trees, node, position, slot, moved)
            if branch >= 0 or np.isnan(trees.score[node]):
                missing[n_missing] = -1 - branch if branch >= 0 else node
                n_missing += 1
        with_it = trees.score[node]
        before += without - with_it
        behind += with_it
    if n_missing == 0:
        for slot in range(n):
            scores[slot] += behind
    return n_missing
