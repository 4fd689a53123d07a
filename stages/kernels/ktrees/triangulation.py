"""Triangulations of bounded width of a network's moral graph, and the further families that fit them.

An elimination order turns the moral graph into a chordal graph, its triangulation, whose largest clique decides the
width. Vertices are numbered by their rank in that order, so that the first later neighbour of a vertex is the lowest
bit of a row. A family fits within the bound at no cost if it is a clique of the triangulation. Further families are
joined as long as the width allows. A search among the families that are cliques then cannot exceed the bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..bits import clear_bit, empty_bit_matrix, has_bit, lowest_bit, popcount, set_bit
from ..jit import borrowing, njit


class Triangulation(NamedTuple):
    """A graph, an elimination order, and scratch space; rows and bits are ranks in the order.

    Attributes
    ----------
    ranks : ndarray of int64, shape (n_variables,)
        Rank of each variable in the elimination order, 0 for the first one eliminated.
    states : ndarray of float64, shape (n_variables,)
        Numbers of states, by rank; ones if tables are not bounded.
    edges : ndarray of uint64, shape (n_variables, words)
        Neighbours in the graph; symmetric.
    later : ndarray of uint64, shape (n_variables, words)
        Neighbours in the triangulation that are eliminated later.
    trial, rest : ndarray of uint64, shape (n_variables, words)
        Scratch.
    order, degrees : ndarray of int64, shape (n_variables,)
        Scratch; after `eliminate_least` the ranks in the new order, and degrees, -1 for eliminated vertices.
    joined : ndarray of int64, shape (pairs, 2)
        Scratch: the edges that the latest family added.
    """

    ranks: np.ndarray
    states: np.ndarray
    edges: np.ndarray
    later: np.ndarray
    trial: np.ndarray
    rest: np.ndarray
    order: np.ndarray
    degrees: np.ndarray
    joined: np.ndarray


def new_triangulation(n_states: np.ndarray, largest: int) -> Triangulation:
    """The graph without edges, eliminated by number; `largest` is the size of the largest family with its child."""
    n = len(n_states)
    return Triangulation(
        ranks=np.arange(n),
        states=np.array(n_states, dtype=np.float64),
        edges=empty_bit_matrix(n, n),
        later=empty_bit_matrix(n, n),
        trial=empty_bit_matrix(n, n),
        rest=empty_bit_matrix(n, n),
        order=np.zeros(n, dtype=np.int64),
        degrees=np.zeros(n, dtype=np.int64),
        joined=np.zeros((largest * (largest - 1) // 2 + 1, 2), dtype=np.int64),
    )


@borrowing
def table_cells(row, states, cells):
    """`cells` times the states of the vertices in a row of bits."""
    for w in range(len(row)):
        bits = row[w]
        while bits:
            cells *= states[(w << 6) + np.int64(lowest_bit(bits))]
            bits &= bits - np.uint64(1)
    return cells


@borrowing
def fill_in(edges, later, states, width, most_cells):
    """Fill `later` by elimination in the order of the ranks; returns whether all cliques are within the bounds.

    A vertex passes its later neighbours to the first of them only, which gives the same cliques as joining all of
    them (elimination tree of sparse Cholesky factorisation).
    """
    n, words = edges.shape
    later[:] = np.uint64(0)
    for v in range(n):
        low = v >> 6
        # Shifted twice, as a shift by 64 is undefined.
        after = (~np.uint64(0) << np.uint64(v & 63)) << np.uint64(1)
        size, first = np.int64(0), np.int64(-1)
        for w in range(low, words):
            later[v, w] |= edges[v, w] & after
            after = ~np.uint64(0)
            if later[v, w]:
                if first < 0:
                    first = (w << 6) + np.int64(lowest_bit(later[v, w]))
                size += np.int64(popcount(later[v, w]))
        if size > width or (most_cells < np.inf and table_cells(later[v], states, states[v]) > most_cells):
            return False
        if first >= 0:
            for w in range(first >> 6, words):
                later[first, w] |= later[v, w]
            clear_bit(later[first], first)
    return True


@borrowing
def eliminate_least(graph, rng, width, most_cells):
    """Eliminate a vertex of least degree (a random one among equals) repeatedly; fills ``graph.order``.

    Returns
    -------
    bool False when no vertex fits the bounds; then the remaining vertices have their degrees in ``graph.degrees``.
    """
    rest, degrees, states = graph.rest, graph.degrees, graph.states
    n, words = rest.shape
    for v in range(n):
        copy_into(rest[v], graph.edges[v])
        degrees[v] = 0
        for w in range(words):
            degrees[v] += np.int64(popcount(rest[v, w]))
    for t in range(n):
        best, n_equal = -1, 0
        for v in range(n):
            if degrees[v] < 0 or (best >= 0 and degrees[v] > degrees[best]):
                continue
            if best < 0 or degrees[v] < degrees[best]:
                best, n_equal = v, 1
            else:
                n_equal += 1
                if rng.random() * n_equal < 1.0:
                    best = v
        if degrees[best] > width or (
            most_cells < np.inf and table_cells(rest[best], states, states[best]) > most_cells
        ):
            return False
        graph.order[t] = best
        degrees[best] = -1
        for w in range(words):
            bits = rest[best, w]
            while bits:
                u = (w << 6) + np.int64(lowest_bit(bits))
                bits &= bits - np.uint64(1)
                for x in range(words):
                    rest[u, x] |= rest[best, x]
                clear_bit(rest[u], u)
                clear_bit(rest[u], best)
                degrees[u] = 0
                for x in range(words):
                    degrees[u] += np.int64(popcount(rest[u, x]))
    return True


@njit
def adopt_order(graph):
    """Number the vertices by their ranks in ``graph.order``, which holds present ranks."""
    edges, moved, order = graph.edges, graph.rest, graph.order
    n, words = edges.shape
    rank = graph.degrees
    states = graph.states.copy()
    for t in range(n):
        rank[order[t]] = t
        graph.states[t] = states[order[t]]
    moved[:] = np.uint64(0)
    for v in range(n):
        for w in range(words):
            bits = edges[v, w]
            while bits:
                set_bit(moved[rank[v]], rank[(w << 6) + np.int64(lowest_bit(bits))])
                bits &= bits - np.uint64(1)
    for v in range(n):
        copy_into(edges[v], moved[v])
    for variable in range(n):
        graph.ranks[variable] = rank[graph.ranks[variable]]


@borrowing
def join_family(lists, graph, child, s):
    """Make the family of set `s` a clique; returns the number of edges added, which ``graph.joined`` lists."""
    ranks, edges = graph.ranks, graph.edges
    first, end = lists.parent_offsets[s], lists.parent_offsets[s + 1]
    n_joined = 0
    for i in range(first, end + 1):
        a = ranks[child] if i == end else ranks[lists.parents[i]]
        for j in range(first, i):
            b = ranks[lists.parents[j]]
            if not has_bit(edges[a], b):
                set_bit(edges[a], b)
                set_bit(edges[b], a)
                graph.joined[n_joined, 0] = a
                graph.joined[n_joined, 1] = b
                n_joined += 1
    return n_joined


@borrowing
def is_family_within(lists, graph, child, s):
    """Whether the family of set `s` is a clique of the triangulation."""
    ranks, later = graph.ranks, graph.later
    first, end = lists.parent_offsets[s], lists.parent_offsets[s + 1]
    for i in range(first, end + 1):
        a = ranks[child] if i == end else ranks[lists.parents[i]]
        for j in range(first, i):
            b = ranks[lists.parents[j]]
            if not has_bit(later[min(a, b)], max(a, b)):
                return False
    return True


@borrowing
def moralise(lists, graph, chosen):
    """Make ``graph.edges`` the moral graph of the sets `chosen`."""
    graph.edges[:] = np.uint64(0)
    for child in range(len(chosen)):
        join_family(lists, graph, child, chosen[child])


@borrowing
def triangulate(lists, graph, chosen, width, most_cells):
    """Triangulate the moral graph of the sets `chosen` in the present order; returns whether it fits the bounds."""
    moralise(lists, graph, chosen)
    return fill_in(graph.edges, graph.later, graph.states, width, most_cells)


@borrowing
def widen(lists, graph, rng, chosen, width, most_cells, n_tries, n_orders):
    """Triangulate the moral graph of a network within the bounds, with random better families as further cliques.

    Parameters
    ----------
    graph : Triangulation
        Its order must eliminate the moral graph within the bounds.
    chosen : ndarray of int64, shape (n_variables,)
        Index of the set of each variable.
    n_tries : int
        Better families tried.
    n_orders : int
        New elimination orders tried at most for families that the present order does not admit.
    """
    edges, joined = graph.edges, graph.joined
    moralise(lists, graph, chosen)
    # A new order, with random choices among equal vertices, allows other pairs to be joined.
    if eliminate_least(graph, rng, width, most_cells):
        adopt_order(graph)
    fill_in(edges, graph.later, graph.states, width, most_cells)
    for _ in range(n_tries):
        child = int(rng.random() * len(chosen))
        best = lists.set_offsets[child]
        # Half of the draws prefer the best sets of the list.
        place = rng.random()
        if rng.random() < 0.5:
            place *= rng.random() * rng.random()
        s = best + int(place * (chosen[child] - best))
        if s == chosen[child] or is_family_within(lists, graph, child, s):
            continue
        n_joined = join_family(lists, graph, child, s)
        if fill_in(edges, graph.trial, graph.states, width, most_cells):
            for v in range(len(edges)):
                copy_into(graph.later[v], graph.trial[v])
            continue
        if n_orders > 0 and rng.random() < 0.3:
            n_orders -= 1
            if eliminate_least(graph, rng, width, most_cells):
                adopt_order(graph)
                fill_in(edges, graph.later, graph.states, width, most_cells)
                continue
        for k in range(n_joined):
            clear_bit(edges[joined[k, 0]], joined[k, 1])
            clear_bit(edges[joined[k, 1]], joined[k, 0])


@borrowing
def mark_within(lists, graph, within):
    """Mark all listed sets whose families are cliques of the triangulation."""
    for child in range(len(lists.set_offsets) - 1):
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            within[s] = is_family_within(lists, graph, child, s)


@njit
def bags_of(graph, bags):
    """Fill the row of each variable with its clique in the triangulation, padded with the variable itself."""
    n, words = graph.later.shape
    variables = np.empty(n, dtype=np.int32)
    for variable in range(n):
        variables[graph.ranks[variable]] = variable
    for v in range(n):
        row = bags[variables[v]]
        row[:] = variables[v]
        k = 0
        for w in range(words):
            bits = graph.later[v, w]
            while bits:
                row[k] = variables[(w << 6) + np.int64(lowest_bit(bits))]
                bits &= bits - np.uint64(1)
                k += 1
