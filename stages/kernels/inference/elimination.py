"""Orders in which hidden variables are summed out: greedy ones, and what an order costs.

Min-fill takes a variable that adds the fewest edges, min-weight one whose clique has the smallest table (Koller and
Friedman 2009, section 9.4.3). A graph is a row of bits for each vertex, in words of 64.
"""

from __future__ import annotations

import numpy as np

from ..bits import clear_bit, lowest_bit, popcount, set_bit
from ..jit import njit


@njit
def hidden_graph(network, members, families, is_joined, local):
    """The moral graph of a component, observed variables left out.

    Parameters
    ----------
    network : NetworkArrays
    members : ndarray of int64, shape (k,)
        Variables of the component, ascending.
    families : ndarray of int64
        Families, by their variable, that have one of them.
    is_joined : ndarray of bool, shape (n,)
        Members that are adjacent whatever the families say.
    local : ndarray of int64, shape (n,)
        Place of each variable among the members, -1 for others.

    Returns
    -------
    ndarray of uint64, shape (k, words)
    """
    k = len(members)
    graph = np.zeros((k, (k + 63) // 64), dtype=np.uint64)
    group = np.empty(k, dtype=np.int64)
    for family in families:
        size = 0
        for m in range(network.family_start[family], network.family_start[family + 1]):
            if local[network.family[m]] >= 0:
                group[size] = local[network.family[m]]
                size += 1
        _join(graph, group, size)
    size = 0
    for i in range(k):
        if is_joined[members[i]]:
            group[size] = i
            size += 1
    _join(graph, group, size)
    return graph


@njit
def _join(graph, group, size):
    for a in range(size):
        for b in range(size):
            if a != b:
                set_bit(graph[group[a]], group[b])


@njit
def list_bits(row, listed):
    """Write the elements of a row of bits into an array, ascending; returns how many there are."""
    count = 0
    for w in range(len(row)):
        word = row[w]
        while word != 0:
            listed[count] = 64 * w + np.int64(lowest_bit(word))
            word &= word - np.uint64(1)
            count += 1
    return count


@njit
def count_bits(row):
    """Number of elements of a row of bits."""
    count = np.int64(0)
    for word in row:
        count += np.int64(popcount(word))
    return count


@njit
def greedy_order(graph, sizes, by_weight):
    """An elimination order that takes the cheapest vertex next, ties by index.

    Parameters
    ----------
    graph : ndarray of uint64, shape (k, words)
    sizes : ndarray of float64, shape (k,)
        States of every vertex.
    by_weight : bool
        Cheapest is the smallest table (min-weight); else the fewest new edges, then the smallest table (min-fill).

    Returns
    -------
    ndarray of int64, shape (k,)
    """
    graph = graph.copy()
    k, n_words = graph.shape
    order = np.empty(k, dtype=np.int64)
    is_left = np.ones(k, dtype=np.bool_)
    fills, weights = np.zeros(k), np.empty(k)
    near = np.zeros(n_words, dtype=np.uint64)
    listed, others = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    for v in range(k):
        if not by_weight:
            fills[v] = _new_edges(graph, v, others)
        weights[v] = clique_cells(graph, sizes, v, others)
    for step in range(k):
        best = np.int64(-1)
        for v in range(k):
            if is_left[v] and (
                best < 0 or fills[v] < fills[best] or (fills[v] == fills[best] and weights[v] < weights[best])
            ):
                best = np.int64(v)
        order[step] = best
        is_left[best] = False
        near[:] = graph[best]
        n_neighbours = list_bits(graph[best], listed)
        for i in range(n_neighbours):
            u = listed[i]
            for w in range(n_words):
                graph[u, w] |= graph[best, w]
            clear_bit(graph[u], u)
            clear_bit(graph[u], best)
            if not by_weight:
                for w in range(n_words):
                    near[w] |= graph[u, w]
        for i in range(list_bits(near, listed)):
            u = listed[i]
            weights[u] = clique_cells(graph, sizes, u, others)
            if not by_weight:
                fills[u] = _new_edges(graph, u, others)
    return order


@njit
def clique_cells(graph, sizes, vertex, listed):
    """Cells of a table over a vertex and its neighbours; `listed` is room for these."""
    cells = sizes[vertex]
    for i in range(list_bits(graph[vertex], listed)):
        cells *= sizes[listed[i]]
    return cells


@njit
def _new_edges(graph, vertex, listed):
    """Pairs of neighbours that are not adjacent."""
    degree, linked = list_bits(graph[vertex], listed), np.int64(0)
    for i in range(degree):
        for w in range(graph.shape[1]):
            linked += np.int64(popcount(graph[listed[i], w] & graph[vertex, w]))
    return float((degree * (degree - 1) - linked) // 2)


@njit
def eliminate(graph, order):
    """Later neighbours of each vertex when it is eliminated, and the first of them to follow.

    Parameters
    ----------
    graph : ndarray of uint64, shape (k, words)
    order : ndarray of int64, shape (k,)

    Returns
    -------
    later : ndarray of uint64, shape (k, words)
        Fill-in counted (the elimination tree of sparse Cholesky factorisation).
    heirs : ndarray of int64, shape (k,)
        The later neighbour that is eliminated first; -1 for none.
    """
    later = graph.copy()
    k, n_words = graph.shape
    heirs = np.full(k, -1, dtype=np.int64)
    place, listed = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    for step in range(k):
        place[order[step]] = step
    for v in range(k):
        for i in range(list_bits(graph[v], listed)):
            if place[listed[i]] < place[v]:
                clear_bit(later[v], listed[i])
    for step in range(k):
        v = order[step]
        for i in range(list_bits(later[v], listed)):
            if heirs[v] < 0 or place[listed[i]] < place[heirs[v]]:
                heirs[v] = listed[i]
        heir = heirs[v]
        if heir >= 0:
            for w in range(n_words):
                later[heir, w] |= later[v, w]
            clear_bit(later[heir], heir)
    return later, heirs


@njit
def join_chains(order, later, heirs):
    """Vertices whose cliques lie within one another become one clique: a junction tree's are maximal.

    Returns
    -------
    first : ndarray of int64, shape (k,)
        For the last vertex of each clique's chain the first one, whose clique is the whole; -1 for others.
    following : ndarray of int64, shape (k,)
        The next vertex of the same chain; -1 for the last.
    """
    k = len(order)
    first = np.full(k, -1, dtype=np.int64)
    following = np.full(k, -1, dtype=np.int64)
    begins = np.arange(k)
    is_taken = np.zeros(k, dtype=np.bool_)
    for step in range(k):
        v = order[step]
        heir = heirs[v]
        if heir >= 0 and not is_taken[heir] and count_bits(later[v]) == count_bits(later[heir]) + 1:
            is_taken[heir] = True
            following[v] = heir
            begins[heir] = begins[v]
        else:
            first[v] = begins[v]
    return first, following


@njit
def order_cells(graph, sizes, order):
    """Cells of the tables of all maximal cliques of an order."""
    later, heirs = eliminate(graph, order)
    first, _ = join_chains(order, later, heirs)
    listed = np.empty(len(order), dtype=np.int64)
    total = 0.0
    for v in range(len(order)):
        if first[v] >= 0:
            total += clique_cells(later, sizes, first[v], listed)
    return total


@njit
def best_order(graph, sizes, ranks):
    """Of min-fill, min-weight and a given order the one with the fewest cells, the given one first in ties.

    Parameters
    ----------
    graph, sizes
        See `greedy_order`.
    ranks : ndarray of int64, shape (k,)
        The given order: vertices with small ranks go first.

    Returns
    -------
    ndarray of int64, shape (k,)
    """
    best = np.argsort(ranks)
    cells = order_cells(graph, sizes, best)
    for by_weight in (False, True):
        order = greedy_order(graph, sizes, by_weight)
        found = order_cells(graph, sizes, order)
        if found < cells:
            best, cells = order, found
    return best
