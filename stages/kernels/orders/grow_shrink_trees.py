"""Grow-shrink trees: parent sets grown within the predecessors of an order, every step of growth cached.

A set grows by the predecessor of the child that improves the score most, until none does; then it shrinks. The
variables that improve a set do not depend on the order: they are kept with the set as branches to the larger sets,
best first. Growing a child's set within other predecessors is a walk down from the empty set: at every set it takes
the first branch whose variable precedes the child. It computes no score where an earlier walk has passed. When one
variable moves, one or two walks for each of the others give the score of every slot. (Andrews, Ramsey,
Sanchez-Romero, Camchong and Kummerfeld 2023, "Fast scalable and accurate discovery of DAGs using the best order score
search and grow-shrink trees"; here a set is one node, whatever the order in which it was grown.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing


class GrowShrinkTrees(NamedTuple):
    """The cached growth of the sets of all children; entries beyond the used ones are free."""

    # `first`, `last` (int64, shape (n_nodes,)): a node is a child with a parent set; its branches are
    # ``first[node]:last[node]``, -1 while unknown. Node i is child i with its required parents.
    first: np.ndarray
    last: np.ndarray
    score: np.ndarray  # float64, shape (n_nodes,): score in nats of the node's set after shrinking; NaN while unknown
    variable: np.ndarray  # int32, shape (n_branches,): the parent that a branch adds
    target: np.ndarray  # int64, shape (n_branches,): the node a branch leads to; -1 while there is none


@borrowing
def grow_along(trees, node, position, slot, moved):
    """Grow the set of a node by variables at positions before `slot`, without the variable `moved`.

    Parameters
    ----------
    position : ndarray of int64, shape (n_variables,)
        Positions of all variables except `moved`.

    Returns
    -------
    node : int
        The node where growth ends.
    branch : int
        The branch without target that stopped it; -1 if growth is complete, or the node's branches are unknown.
    met : int
        The first branch passed that adds `moved`; -1 if there was none. A walk with `moved` among the predecessors is
        the same up to this branch.
    until : int
        The largest slot with the same result: the least position of a variable whose branch was passed over because
        of its position.
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
                # A better branch than the one taken: the walk changes once the variable of that branch precedes the
                # child.
                until = min(until, position[variable])
            branch += 1
        if branch >= last:
            return node, np.int64(-1), met, until
        if trees.target[branch] < 0:
            return node, branch, met, until
        node = trees.target[branch]


@borrowing
def score_slots(trees, order, position, moved, scores, missing):
    """Scores of an order by the slot of one variable.

    With the variable in slot k, each other variable either has it among its predecessors or not. The total is its own
    score in the slot, plus the scores without it of the variables before, plus the scores with it of the variables
    behind. Returns the number of entries of `missing`.

    Parameters
    ----------
    order : ndarray of int32, shape (n_variables - 1,)
        The other variables, first to last.
    position : ndarray of int64, shape (n_variables,)
        Its inverse.
    moved : int
        The variable; in slot k it has k predecessors.
    scores : ndarray of float64, shape (n_variables,)
        Receives the sum of all variables' scores (nats) by slot, if nothing is missing.
    missing : ndarray of int64, shape (3 * n_variables,)
        Receives what must be computed before a new call: nodes without branches or score, and ``-1 - branch`` for
        branches without target; duplicates occur.
    """
    n, n_missing = len(position), 0
    own_node, own_branch, until = np.int64(moved), np.int64(-1), np.int64(-1)
    before = 0.0  # sum over the variables so far: score without `moved` less score with it
    behind = 0.0  # sum over the variables so far: score with `moved` as a predecessor
    for slot in range(n):
        # The walk of `moved` itself is repeated only behind the slot up to which its result holds.
        if slot > until:
            own_node, own_branch, _, until = grow_along(trees, np.int64(moved), position, slot, moved)
            if own_branch >= 0 or np.isnan(trees.score[own_node]):
                missing[n_missing] = -1 - own_branch if own_branch >= 0 else own_node
                n_missing += 1
        scores[slot] = trees.score[own_node] + before
        if slot == n - 1:
            break
        # Another variable at `slot` has the same other predecessors whichever side `moved` is on.
        node, branch, met, _ = grow_along(trees, np.int64(order[slot]), position, slot, moved)
        without = trees.score[node]
        if branch >= 0 or np.isnan(without):
            missing[n_missing] = -1 - branch if branch >= 0 else node
            n_missing += 1
        # Without such a branch both walks agree; else they part there, where `moved` would be added.
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
