"""Greedy elimination of sparse graphs within a width: memory and time grow with the edges, not with all pairs.

A vertex of least degree is eliminated, a random one among equals, and its neighbours are joined. Neighbours are
linked lists that also hold eliminated vertices; a table of pairs (open addressing) holds the pairs joined.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing

PAIRS, GRAPH_STAMP, DONE = 0, 1, 2
"""Entries of `SparseGraph.counts`: ends of pairs in use; stamp of the present graph; eliminated vertices."""

MULTIPLIER = np.int64(-7046029254386353131)
"""Odd, near 2^64 divided by the golden ratio (Knuth, The Art of Computer Programming 3, section 6.4)."""


class SparseGraph(NamedTuple):
    """A moral graph and its elimination; the vertices are the variables.

    Attributes
    ----------
    keys, stamps : ndarray of int64, shape (slots,)
        Table of joined pairs; an entry counts if it has the stamp of the present graph. A power of two.
    heads : ndarray of int32, shape (n_variables,)
        First entry of each vertex in `ends` and `nexts`; -1 for none.
    ends, nexts : ndarray of int32, shape (2 * pairs,)
        Neighbours, and the next entry of the same vertex; -1 after the last.
    degrees : ndarray of int64, shape (n_variables,)
        Neighbours that are not eliminated; -1 for eliminated vertices.
    waiting : ndarray of int32, shape (K + 1, n_variables)
        Vertices of degree 0 to K, by degree, in any order.
    n_waiting : ndarray of int64, shape (K + 1,)
    places : ndarray of int32, shape (n_variables,)
        Place of each vertex in its row of `waiting`.
    order : ndarray of int32, shape (n_variables,)
        Vertices in the order of their elimination.
    later : ndarray of int32, shape (n_variables, K)
        Neighbours of each eliminated vertex that are eliminated later.
    sizes : ndarray of int32, shape (n_variables,)
        Their number.
    cells : ndarray of float64, shape (n_variables,)
        States of each vertex; ones if tables are not bounded.
    counts : ndarray of int64, shape (3,)
        See `PAIRS`, `GRAPH_STAMP`, `DONE`.
    """

    keys: np.ndarray
    stamps: np.ndarray
    heads: np.ndarray
    ends: np.ndarray
    nexts: np.ndarray
    degrees: np.ndarray
    waiting: np.ndarray
    n_waiting: np.ndarray
    places: np.ndarray
    order: np.ndarray
    later: np.ndarray
    sizes: np.ndarray
    cells: np.ndarray
    counts: np.ndarray


def new_sparse_graph(n_variables: int, width: int, n_pairs: int) -> SparseGraph:
    """No graph yet; with room for `n_pairs` edges: those of any moral graph, and the ones that elimination adds."""
    slots = 1 << int(2 * n_pairs).bit_length()
    return SparseGraph(
        keys=np.zeros(slots, dtype=np.int64),
        stamps=np.zeros(slots, dtype=np.int64),
        heads=np.zeros(n_variables, dtype=np.int32),
        ends=np.zeros(2 * n_pairs, dtype=np.int32),
        nexts=np.zeros(2 * n_pairs, dtype=np.int32),
        degrees=np.zeros(n_variables, dtype=np.int64),
        waiting=np.zeros((width + 1, n_variables), dtype=np.int32),
        n_waiting=np.zeros(width + 1, dtype=np.int64),
        places=np.zeros(n_variables, dtype=np.int32),
        order=np.zeros(n_variables, dtype=np.int32),
        later=np.zeros((n_variables, width), dtype=np.int32),
        sizes=np.zeros(n_variables, dtype=np.int32),
        cells=np.ones(n_variables),
        counts=np.zeros(3, dtype=np.int64),
    )


@borrowing
def join_pair(graph, a, b):
    """Join two vertices unless they are joined; the graph must have room."""
    keys, stamps, stamp = graph.keys, graph.stamps, graph.counts[GRAPH_STAMP]
    key = (np.int64(min(a, b)) << 32) | np.int64(max(a, b))
    last = len(keys) - 1
    slot = ((key * MULTIPLIER) >> 24) & last
    while stamps[slot] == stamp:
        if keys[slot] == key:
            return
        slot = (slot + 1) & last
    stamps[slot] = stamp
    keys[slot] = key
    k = graph.counts[PAIRS]
    graph.ends[k] = b
    graph.nexts[k] = graph.heads[a]
    graph.heads[a] = k
    graph.ends[k + 1] = a
    graph.nexts[k + 1] = graph.heads[b]
    graph.heads[b] = k + 1
    graph.degrees[a] += 1
    graph.degrees[b] += 1
    graph.counts[PAIRS] = k + 2


@borrowing
def join_families(graph, lists, chosen):
    """Make the graph the moral graph of the sets `chosen`."""
    graph.counts[PAIRS] = graph.counts[DONE] = 0
    graph.counts[GRAPH_STAMP] += 1
    for v in range(len(chosen)):
        graph.heads[v] = -1
        graph.degrees[v] = 0
    for child in range(len(chosen)):
        first, end = lists.parent_offsets[chosen[child]], lists.parent_offsets[chosen[child] + 1]
        for i in range(first, end):
            join_pair(graph, child, lists.parents[i])
            for j in range(first, i):
                join_pair(graph, lists.parents[i], lists.parents[j])


@borrowing
def enter_waiting(graph, v):
    """Let a vertex wait for its elimination if its degree is at most the width."""
    degree = graph.degrees[v]
    if degree < len(graph.n_waiting):
        place = graph.n_waiting[degree]
        graph.waiting[degree, place] = v
        graph.places[v] = place
        graph.n_waiting[degree] = place + 1


@borrowing
def leave_waiting(graph, v):
    """Take a vertex out of the ones that wait."""
    degree = graph.degrees[v]
    if degree < len(graph.n_waiting):
        place, last = graph.places[v], graph.n_waiting[degree] - 1
        other = graph.waiting[degree, last]
        graph.waiting[degree, place] = other
        graph.places[other] = place
        graph.n_waiting[degree] = last


@borrowing
def eliminate_vertex(graph, v, most_cells):
    """Eliminate a vertex and join its neighbours, unless that exceeds the bounds; returns whether it was done."""
    degrees, later = graph.degrees, graph.later
    size, cells, k = 0, graph.cells[v], graph.heads[v]
    # Joining needs room for all pairs of the neighbours.
    if degrees[v] > later.shape[1] or graph.counts[PAIRS] + degrees[v] * degrees[v] > len(graph.ends):
        return False
    while k >= 0:
        u = graph.ends[k]
        if degrees[u] >= 0:
            later[v, size] = u
            size += 1
            cells *= graph.cells[u]
        k = graph.nexts[k]
    if cells > most_cells:
        return False
    degrees[v] = -1
    graph.sizes[v] = size
    graph.order[graph.counts[DONE]] = v
    graph.counts[DONE] += 1
    for i in range(size):
        degrees[later[v, i]] -= 1
    for i in range(size):
        for j in range(i):
            join_pair(graph, later[v, i], later[v, j])
    return True


@borrowing
def eliminate_moral(lists, graph, rng, chosen, most_cells):
    """Eliminate vertices of least degree in the moral graph of the sets `chosen`, until that exceeds the bounds.

    Returns
    -------
    bool
        Whether all vertices are eliminated. Else the rest have their degrees in ``graph.degrees``.
    """
    degrees, later, n_waiting = graph.degrees, graph.later, graph.n_waiting
    n, width = later.shape
    join_families(graph, lists, chosen)
    for d in range(width + 1):
        n_waiting[d] = 0
    for v in range(n):
        enter_waiting(graph, v)
    least = 0
    while least <= width:
        if n_waiting[least] == 0:
            least += 1
            continue
        v = graph.waiting[least, int(rng.random() * n_waiting[least])]
        # Degrees change: v and its neighbours wait anew.
        leave_waiting(graph, v)
        k = graph.heads[v]
        while k >= 0:
            if degrees[graph.ends[k]] >= 0:
                leave_waiting(graph, graph.ends[k])
            k = graph.nexts[k]
        if not eliminate_vertex(graph, v, most_cells):
            return False
        for i in range(graph.sizes[v]):
            enter_waiting(graph, later[v, i])
            least = min(least, degrees[later[v, i]])
    return graph.counts[DONE] == n
