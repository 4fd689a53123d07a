"""The forest of cliques along an elimination order of a sparse graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from .elimination import eliminate_moral, eliminate_vertex, join_families


class CliqueForest(NamedTuple):
    """The forest of cliques along an elimination order: the clique of a variable is it and its later neighbours.

    Attributes
    ----------
    order : ndarray of int32, shape (n_variables,)
        The elimination order.
    later : ndarray of int32, shape (n_variables, K)
        The neighbours of each variable that come later in the order.
    sizes : ndarray of int32, shape (n_variables,)
        Their number.
    above : ndarray of int32, shape (n_variables,)
        The first of them in the order; the next variable of the order if there is none, -1 for the last one.
    below, beside : ndarray of int32, shape (n_variables,)
        A variable below each one, and the next one below the same; -1 for none.
    ranks : ndarray of int32, shape (n_variables,)
        The place of each variable in the order.
    """

    order: np.ndarray
    later: np.ndarray
    sizes: np.ndarray
    above: np.ndarray
    below: np.ndarray
    beside: np.ndarray
    ranks: np.ndarray


def new_clique_forest(n_variables: int, width: int) -> CliqueForest:
    """No cliques yet."""
    return CliqueForest(
        order=np.zeros(n_variables, dtype=np.int32),
        later=np.zeros((n_variables, width), dtype=np.int32),
        sizes=np.zeros(n_variables, dtype=np.int32),
        above=np.zeros(n_variables, dtype=np.int32),
        below=np.zeros(n_variables, dtype=np.int32),
        beside=np.zeros(n_variables, dtype=np.int32),
        ranks=np.zeros(n_variables, dtype=np.int32),
    )


@borrowing
def order_cliques(whole, forest):
    """Take the cliques of a complete elimination."""
    n = len(forest.order)
    for t in range(n):
        v = whole.order[t]
        forest.order[t] = v
        forest.ranks[v] = t
        forest.below[v] = -1
    for t in range(n - 1, -1, -1):
        v = forest.order[t]
        forest.sizes[v] = whole.sizes[v]
        above = np.int32(-1)
        for i in range(whole.sizes[v]):
            u = whole.later[v, i]
            forest.later[v, i] = u
            if above < 0 or forest.ranks[u] < forest.ranks[above]:
                above = u
        if above < 0 and t < n - 1:
            # Components form one tree, with nothing in common.
            above = forest.order[t + 1]
        forest.above[v] = above
        if above >= 0:
            forest.beside[v] = forest.below[above]
            forest.below[above] = v


@borrowing
def eliminate_network(lists, whole, forest, rng, chosen, most_cells):
    """Eliminate the moral graph of a network within the bounds; if that succeeds, `forest` has its cliques."""
    if not eliminate_moral(lists, whole, rng, chosen, most_cells):
        return False
    order_cliques(whole, forest)
    return True


@borrowing
def take_order(lists, whole, forest, chosen, order):
    """Eliminate the moral graph of a network along `order`, whose cliques `forest` takes.

    Returns
    -------
    bool
        Whether all cliques have at most K + 1 members.
    """
    join_families(whole, lists, chosen)
    for t in range(len(order)):
        if not eliminate_vertex(whole, order[t], np.inf):
            return False
    order_cliques(whole, forest)
    return True


@borrowing
def bags_of_forest(forest, bags):
    """Fill the row of each variable with its clique, padded with the variable itself."""
    for v in range(len(bags)):
        for i in range(bags.shape[1]):
            bags[v, i] = forest.later[v, i] if i < forest.sizes[v] else v
