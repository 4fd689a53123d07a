"""Greedy elimination orders, and the cost of an order.

The cells of the cliques' tables bound time and memory of propagation, so the order decides both. Min-fill eliminates
the variable that adds the fewest edges, min-weight the one whose clique has the smallest table (Koller and Friedman
2009, section 9.4.3); neither dominates the other. A graph is an adjacency matrix of bits, in words of 64.
"""

import numpy as np

from ..bits import clear_bit, lowest_bit, popcount, set_bit
from ..dominance import mixed_bits
from ..jit import njit

MANY_CELLS = 1 << 20
"""Tables with this number of cells or more take longer than further orders."""

MAX_ORDERS = 100
CELLS_PER_STEP = 4
MAX_STEPS = 30_000_000
"""Limits of the perturbed orders: their number, the cells for each step of one (k squared steps in an order of k
vertices), all their steps: a tenth of a second."""


@njit
def hidden_graph(network, members, families, is_joined, local):
    """The moral graph of a component, without the observed variables.

    Returns uint64, shape (k, words).

    Parameters
    ----------
    members, families : ndarray of int64
        See `components.Groups`; k members.
    is_joined : ndarray of bool, shape (n,)
        Members made pairwise adjacent, so that one clique contains them all.
    local : ndarray of int64, shape (n,)
        Position of each variable among the members, -1 for others.
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
    """Make the first `size` vertices of `group` pairwise adjacent."""
    for a in range(size):
        for b in range(size):
            if a != b:
                set_bit(graph[group[a]], group[b])


@njit
def list_bits(row, listed):
    """Write the elements of a row of bits to `listed`, ascending; returns their number."""
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
def greedy_order(graph, sizes, by_weight, jitter):
    """The elimination order that always takes a cheapest vertex, ties by index.

    Returns int64, shape (k,).

    Parameters
    ----------
    graph : ndarray of uint64, shape (k, words)
        Adjacency matrix.
    sizes : ndarray of float64, shape (k,)
        Number of states of every vertex.
    by_weight : bool
        Cost is the size of the table (min-weight); otherwise the number of fill edges, then that size (min-fill).
    jitter : ndarray of float64, shape (k,)
        Positive factor of the costs of every vertex; ones for the plain rules.
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
            fills[v] = jitter[v] * _new_edges(graph, v, others)
        weights[v] = jitter[v] * clique_cells(graph, sizes, v, others)
    for step in range(k):
        best = np.int64(-1)
        for v in range(k):
            if is_left[v] and (
                best < 0 or fills[v] < fills[best] or (fills[v] == fills[best] and weights[v] < weights[best])
            ):
                best = np.int64(v)
        order[step] = best
        is_left[best] = False
        # The degree changes for neighbours of the eliminated vertex only, the fill edges for their neighbours too.
        near[:] = graph[best]
        n_neighbours = list_bits(graph[best], listed)
        for i in range(n_neighbours):
            u = listed[i]
            for w in range(n_words):
                # Elimination joins all neighbours.
                graph[u, w] |= graph[best, w]
            clear_bit(graph[u], u)
            clear_bit(graph[u], best)
            if not by_weight:
                for w in range(n_words):
                    near[w] |= graph[u, w]
        for i in range(list_bits(near, listed)):
            u = listed[i]
            weights[u] = jitter[u] * clique_cells(graph, sizes, u, others)
            if not by_weight:
                fills[u] = jitter[u] * _new_edges(graph, u, others)
    return order


@njit
def clique_cells(graph, sizes, vertex, listed):
    """Cells of the table over a vertex and its neighbours; `listed` is scratch, shape (k,)."""
    cells = sizes[vertex]
    for i in range(list_bits(graph[vertex], listed)):
        cells *= sizes[listed[i]]
    return cells


@njit
def _new_edges(graph, vertex, listed):
    """Pairs of neighbours that are not adjacent."""
    degree, linked = list_bits(graph[vertex], listed), np.int64(0)
    for i in range(degree):
        # Each adjacent pair of neighbours is counted from both ends.
        for w in range(graph.shape[1]):
            linked += np.int64(popcount(graph[listed[i], w] & graph[vertex, w]))
    return float((degree * (degree - 1) - linked) // 2)


@njit
def eliminate(graph, order):
    """Later neighbours of each vertex at its elimination, and the elimination tree.

    One pass in elimination order: a vertex passes its later neighbours to the first of them, as in symbolic sparse
    Cholesky factorisation (Liu 1990). `graph` is uint64, shape (k, words). `order` is int64, shape (k,). Returns the
    later neighbours, fill edges included (uint64, shape (k, words)), and for each vertex the later neighbour that is
    eliminated first (int64, shape (k,)); -1 for none.
    """
    later = graph.copy()
    k, n_words = graph.shape
    tree_parents = np.full(k, -1, dtype=np.int64)
    place, listed = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    for step in range(k):
        place[order[step]] = step
    for v in range(k):
        for i in range(list_bits(graph[v], listed)):
            # Only later neighbours stay; fill edges follow in the pass below.
            if place[listed[i]] < place[v]:
                clear_bit(later[v], listed[i])
    for step in range(k):
        v = order[step]
        for i in range(list_bits(later[v], listed)):
            if tree_parents[v] < 0 or place[listed[i]] < place[tree_parents[v]]:
                tree_parents[v] = listed[i]
        parent = tree_parents[v]
        if parent >= 0:
            for w in range(n_words):
                later[parent, w] |= later[v, w]
            clear_bit(later[parent], parent)
    return later, tree_parents


@njit
def end_with(later, vertex):
    """An order that eliminates `vertex` last and adds no further edges: maximum cardinality search backwards from it.

    The search visits next a vertex with the most visited neighbours. With the edges that the first order added, the
    graph is chordal, and elimination in reverse adds none (Tarjan and Yannakakis 1984). `later`: from `eliminate`.
    Returns int64, shape (k,).
    """
    filled = later.copy()
    k = len(later)
    listed, order = np.empty(k, dtype=np.int64), np.empty(k, dtype=np.int64)
    for v in range(k):
        for i in range(list_bits(later[v], listed)):
            set_bit(filled[listed[i]], v)
    n_visited = np.zeros(k, dtype=np.int64)  # visited neighbours; below zero once a vertex is visited itself
    n_visited[vertex] = k
    for place in range(k - 1, -1, -1):
        v = np.argmax(n_visited)
        order[place] = v
        n_visited[v] = -k
        for i in range(list_bits(filled[v], listed)):
            n_visited[listed[i]] += 1
    return order


@njit
def join_chains(order, later, tree_parents):
    """Merge nested cliques into chains, so that only the maximal ones remain.

    The clique of a vertex v contains that of its parent if and only if it has exactly one vertex more, v itself.
    Returns int64, shape (k,), twice: `first`, for the last vertex of each chain the first one, whose clique contains
    the others, and -1 for other vertices; `following`, the next vertex of the chain, and -1 for the last.
    """
    k = len(order)
    first = np.full(k, -1, dtype=np.int64)
    following = np.full(k, -1, dtype=np.int64)
    begins = np.arange(k)
    is_taken = np.zeros(k, dtype=np.bool_)
    for step in range(k):
        v = order[step]
        parent = tree_parents[v]
        # A chain continues through one child only; the cliques of further children are maximal themselves.
        if parent >= 0 and not is_taken[parent] and count_bits(later[v]) == count_bits(later[parent]) + 1:
            is_taken[parent] = True
            following[v] = parent
            begins[parent] = begins[v]
        else:
            first[v] = begins[v]
    return first, following


@njit
def order_cells(graph, sizes, order):
    """Total cells of the tables of an order's maximal cliques."""
    later, tree_parents = eliminate(graph, order)
    first, _ = join_chains(order, later, tree_parents)
    listed = np.empty(len(order), dtype=np.int64)
    total = 0.0
    for v in range(len(order)):
        if first[v] >= 0:
            total += clique_cells(later, sizes, first[v], listed)
    return total


@njit
def best_order(graph, sizes, ranks):
    """The cheapest of a given order, min-fill and min-weight by total cells; ties go to the earlier of these.

    If its tables have `MANY_CELLS`, the two rules are also tried with costs multiplied by random factors, which are
    the same in every run: three times min-fill, with factors of 1 to 2 or to 3, then min-weight, with 1 to 1.5.
    `graph`, `sizes`: see `greedy_order`. `ranks` (int64, shape (k,)): the given order: vertices of small rank are
    eliminated first. Returns int64, shape (k,).
    """
    best = np.argsort(ranks)
    cells = order_cells(graph, sizes, best)
    k = len(sizes)
    jitter = np.ones(k)
    for by_weight in (False, True):
        order = greedy_order(graph, sizes, by_weight, jitter)
        found = order_cells(graph, sizes, order)
        if found < cells:
            best, cells = order, found
    if cells < MANY_CELLS:
        return best
    n_orders = np.int64(min(MAX_ORDERS, cells / (CELLS_PER_STEP * k * k), MAX_STEPS / (k * k)))
    for trial in range(n_orders):
        by_weight = trial % 4 == 3
        spread = 0.5 if by_weight else 1.0 + trial % 2
        for v in range(k):
            # The upper 53 bits of a hash, as a number in [0, 1).
            jitter[v] = 1.0 + spread * 2.0**-53 * np.float64(mixed_bits(trial * k + v) >> np.uint64(11))
        order = greedy_order(graph, sizes, by_weight, jitter)
        found = order_cells(graph, sizes, order)
        if found < cells:
            best, cells = order, found
    return best
