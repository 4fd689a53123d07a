"""Clique tree of a network's moral graph along an elimination order.

Variables are eliminated in the reverse of an order. The clique of a variable consists of the variable and its
neighbours at that time, all earlier in the order. Its parent in the tree is an earlier variable whose clique contains
these neighbours, chosen at random if there are several. Elimination adds only the fill-in edges it needs, so cliques
may be smaller than the treewidth bound allows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import borrowing, njit
from .ktree import is_among


class CliqueTree(NamedTuple):
    """A network, an order, and the tree of cliques along the order.

    Attributes
    ----------
    chosen : ndarray of int64, shape (n_variables,)
        Index of the set of each variable.
    order, position : ndarray of int32, shape (n_variables,)
        A permutation and its inverse.
    earlier : ndarray of int32, shape (n_variables, K)
        Clique of each variable without itself.
    sizes : ndarray of int64, shape (n_variables,)
        Number of entries of `earlier`.
    above : ndarray of int32, shape (n_variables,)
        Parent in the tree; -1 for the first variable of the order, the root.
    below, beside : ndarray of int32, shape (n_variables,)
        First child in the tree, and next sibling; -1 for none.
    """

    chosen: np.ndarray
    order: np.ndarray
    position: np.ndarray
    earlier: np.ndarray
    sizes: np.ndarray
    above: np.ndarray
    below: np.ndarray
    beside: np.ndarray


def new_clique_tree(n_variables: int, treewidth: int) -> CliqueTree:
    """Arrays for a network of at most this treewidth; no variable is eliminated yet."""
    return CliqueTree(
        chosen=np.zeros(n_variables, dtype=np.int64),
        order=np.zeros(n_variables, dtype=np.int32),
        position=np.zeros(n_variables, dtype=np.int32),
        earlier=np.zeros((n_variables, treewidth), dtype=np.int32),
        sizes=np.zeros(n_variables, dtype=np.int64),
        above=np.full(n_variables, -1, dtype=np.int32),
        below=np.full(n_variables, -1, dtype=np.int32),
        beside=np.full(n_variables, -1, dtype=np.int32),
    )


@borrowing
def add_earlier(cliques, variable, other):
    """Add `other` to the clique of `variable` if absent; False if the clique is full."""
    size = cliques.sizes[variable]
    if is_among(cliques.earlier[variable], 0, size, other):
        return True
    if size == cliques.earlier.shape[1]:
        return False
    cliques.earlier[variable, size] = other
    cliques.sizes[variable] = size + 1
    return True


@borrowing
def build_cliques(lists, cliques, rng):
    """Eliminate along the reverse of ``cliques.order``, for the sets in ``cliques.chosen``.

    Returns
    -------
    bool
        False when a clique would have more than K + 1 variables.
    """
    order, position, earlier, sizes = cliques.order, cliques.position, cliques.earlier, cliques.sizes
    offsets, parents = lists.parent_offsets, lists.parents
    n = len(order)
    cliques.below[:] = -1
    sizes[:] = 0
    for t in range(n):
        position[order[t]] = t
    # The latest member of a family receives all others. The remaining edges of the family follow by elimination:
    # a variable passes its neighbours to the latest of them only, which yields the same cliques as joining all
    # pairs (elimination tree of sparse Cholesky factorisation).
    for child in range(n):
        first, end = offsets[cliques.chosen[child]], offsets[cliques.chosen[child] + 1]
        latest = np.int32(child)
        for i in range(first, end):
            if position[parents[i]] > position[latest]:
                latest = parents[i]
        if latest != child and not add_earlier(cliques, latest, np.int32(child)):
            return False
        for i in range(first, end):
            if parents[i] != latest and not add_earlier(cliques, latest, parents[i]):
                return False
    # All neighbours that later variables pass on have arrived when a variable's turn comes: its clique is complete.
    for t in range(n - 1, -1, -1):
        variable = order[t]
        above = np.int32(-1)
        for k in range(sizes[variable]):
            if above < 0 or position[earlier[variable, k]] > position[above]:
                above = earlier[variable, k]
        cliques.above[variable] = above
        for k in range(sizes[variable]):
            if earlier[variable, k] != above and not add_earlier(cliques, above, earlier[variable, k]):
                return False
    _hang(cliques, rng)
    return True


@borrowing
def _hang(cliques, rng):
    """Choose the parents in the tree: the latest earlier neighbour, as given in ``cliques.above``, or a random
    descendant of it whose clique contains the same neighbours.
    """
    order = cliques.order
    for t in range(1, len(order)):
        variable = order[t]
        host = cliques.above[variable]
        if host < 0:
            # Without earlier neighbours any earlier variable can be the parent: the separator is empty.
            host = order[int(rng.random() * t)]
        # Any node whose clique holds the separator keeps the running intersection; other trees offer other groups.
        while rng.random() < 0.5:
            other = cliques.below[host]
            if other < 0 or not _is_part(cliques, variable, other):
                break
            host = other
        cliques.above[variable] = host
        cliques.beside[variable] = cliques.below[host]
        cliques.below[host] = variable


@borrowing
def _is_part(cliques, variable, other):
    """Whether all earlier neighbours of `variable` are earlier neighbours of `other`."""
    for k in range(cliques.sizes[variable]):
        if not is_among(cliques.earlier[other], 0, cliques.sizes[other], cliques.earlier[variable, k]):
            return False
    return True


@njit
def put_first(cliques, top, members, n_members, placed):
    """Reorder so that `members` come first, in their given order, and all cliques outside them remain possible.

    Parameters
    ----------
    cliques : CliqueTree
        Its order is changed; `build_cliques` must follow.
    top : int
        Highest of a connected set of tree nodes; the members are these nodes and the clique of `top`.
    placed : ndarray of bool, shape (n_variables,)
        Scratch.

    Notes
    -----
    After the members come the cliques on the path from `top` to the root, each as a whole, then all other variables
    in their former order. The cliques that contain a variable are connected in the tree (running intersection), so
    the earlier neighbours of each of these variables lie in one clique.
    """
    former = cliques.order.copy()
    placed[:] = False
    count = 0
    for k in range(n_members):
        cliques.order[count] = members[k]
        placed[members[k]] = True
        count += 1
    variable = cliques.above[top]
    while variable >= 0:
        if not placed[variable]:
            cliques.order[count] = variable
            placed[variable] = True
            count += 1
        for k in range(cliques.sizes[variable]):
            other = cliques.earlier[variable, k]
            if not placed[other]:
                cliques.order[count] = other
                placed[other] = True
                count += 1
        variable = cliques.above[variable]
    for variable in former:
        if not placed[variable]:
            cliques.order[count] = variable
            count += 1


@borrowing
def full_cliques(cliques, bags):
    """Extend the cliques to K + 1 variables each: the bags of a k-tree along the order.

    Parameters
    ----------
    bags : ndarray of int32, shape (n_variables, K + 1)
        Filled; the row of a variable ends with the variable itself.
    """
    order, size = cliques.order, bags.shape[1]
    for t in range(size):
        variable = order[t]
        k = 0
        for other in order[:size]:
            if other != variable:
                bags[variable, k] = other
                k += 1
        bags[variable, k] = variable
    for t in range(size, len(order)):
        variable = order[t]
        count = cliques.sizes[variable]
        copy_into(bags[variable, :count], cliques.earlier[variable, :count])
        # The parent's bag contains these neighbours; its other members fill the bag up to a K-clique and `variable`.
        for other in bags[cliques.above[variable]]:
            if count == size - 1:
                break
            if not is_among(bags[variable], 0, count, other):
                bags[variable, count] = other
                count += 1
        bags[variable, size - 1] = variable


@borrowing
def find_contained(lists, parent_offsets, parents, chosen):
    """Fill `chosen` with each child's best listed set among its `parents`, delimited by `parent_offsets`."""
    for child in range(len(chosen)):
        first, end = parent_offsets[child], parent_offsets[child + 1]
        # Best first, so the first contained set is the best one; the last of a list ends the search.
        s = lists.set_offsets[child]
        while True:
            found = True
            for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
                if not is_among(parents, first, end, lists.parents[i]):
                    found = False
                    break
            if found:
                break
            s += 1
        chosen[child] = s
