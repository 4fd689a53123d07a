"""Triangles of a k-tree for the Lagrangian bound under a treewidth bound, and rows about its edges and triangles.

Each triangle lies in one of its edges here: it can be chosen only if that edge is, so its worth adds to the edge's.
That it lies in its two other edges, and what else couples edges and triangles, are rows with a multiplier
(`stages.optimize.bounds.width.clique_rows`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, njit


class Triangles(NamedTuple):
    """Triangles and rows over columns: the edges in their order, then the triangles.

    Attributes
    ----------
    within : ndarray of int64, shape (n_triangles,)
        The edge that each triangle lies in, as an index.
    offsets : ndarray of int64, shape (n_rows + 1,)
        Row r has the entries ``offsets[r]:offsets[r + 1]``.
    columns : ndarray of int64
        Column of each entry.
    values : ndarray of float64
        Coefficient of each entry: their sum over the chosen columns is at least the demand of the row.
    column_offsets, rows, column_values : ndarray
        The same by column.
    """

    within: np.ndarray
    offsets: np.ndarray
    columns: np.ndarray
    values: np.ndarray
    column_offsets: np.ndarray
    rows: np.ndarray
    column_values: np.ndarray


def new_triangles(
    n_edges: int, within: np.ndarray, offsets: np.ndarray, columns: np.ndarray, values: np.ndarray
) -> Triangles:
    """Triangles and rows; parameters as the attributes of `Triangles`."""
    n_columns = n_edges + len(within)
    by_column = np.argsort(columns, kind="stable")
    ends = np.cumsum(np.bincount(columns, minlength=n_columns))
    return Triangles(
        within=within,
        offsets=offsets,
        columns=columns,
        values=values,
        column_offsets=np.concatenate((np.zeros(1, dtype=np.int64), ends)),
        rows=np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))[by_column],
        column_values=values[by_column],
    )


def no_triangles(n_edges: int) -> Triangles:
    """No triangles and no rows."""
    none = np.empty(0, dtype=np.int64)
    return new_triangles(n_edges, none, np.zeros(1, dtype=np.int64), none, np.empty(0))


@borrowing
def price_columns(triangles, multipliers, worths):
    """Subtract from `worths`, minus the worth of each column, what the rows of these multipliers add to the worth."""
    for row in range(len(triangles.offsets) - 1):
        if multipliers[row] > 0.0:
            for k in range(triangles.offsets[row], triangles.offsets[row + 1]):
                worths[triangles.columns[k]] -= multipliers[row] * triangles.values[k]


@borrowing
def pass_to_edges(triangles, worths):
    """Add the worth of each triangle, if positive, to its edge's; `worths` are minus the worths of all columns."""
    first = len(worths) - len(triangles.within)
    for k in range(len(triangles.within)):
        if worths[first + k] < 0.0:
            worths[triangles.within[k]] += worths[first + k]


@borrowing
def choose_triangles(triangles, worths, chosen):
    """Choose the triangles of positive worth whose edge is chosen; arrays of all columns."""
    first = len(worths) - len(triangles.within)
    for k in range(len(triangles.within)):
        chosen[first + k] = worths[first + k] < 0.0 and chosen[triangles.within[k]]


@borrowing
def subtract_given(triangles, shares, lacks):
    """Subtract from `lacks`, the demands of the rows, what the columns of these shares give."""
    for column in range(len(triangles.column_offsets) - 1):
        if shares[column] > 0:
            for k in range(triangles.column_offsets[column], triangles.column_offsets[column + 1]):
                lacks[triangles.rows[k]] -= triangles.column_values[k] * shares[column]


@njit
def shortest_detour(lengths, through, first, last, most, path):
    """The shortest path between two variables that is no longer than `most`, other than the edge between them.

    `lengths` (float64, shape (n, n)) has the lengths of edges, `through` (float64, shape (n,)) what each inner
    variable adds; none is negative. Writes the variables of the path into `path` and returns its length and their
    number; 0 for none.
    """
    n = len(through)
    reach, before, is_done = np.full(n, np.inf), np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    reach[first] = 0.0
    while True:
        v = -1
        for w in range(n):
            if not is_done[w] and reach[w] <= most and (v < 0 or reach[w] < reach[v]):
                v = w
        if v < 0:
            return np.inf, 0
        if v == last:
            break
        is_done[v] = True
        for w in range(n):
            length = reach[v] + lengths[v, w] + (0.0 if w == last else through[w])
            if length < reach[w] and not (v == first and w == last):
                reach[w], before[w] = length, v
    size = 1
    while v != first:
        v = before[v]
        size += 1
    v = last
    for k in range(size - 1, -1, -1):
        path[k] = v
        v = before[v]
    return reach[last], size


@njit
def grow_links(triangles, edges, width, starts, orders, lacks):
    """Sets of neighbours of a variable that have too many triangles with it, grown from pairs by the best next one.

    For a set of m members, let the largest `edges` be y_1 >= y_2 >= ...; too many are those beyond
    (K - 1) (y_1 + ... + y_m) - ((K - 1) y_1 + (K - 2) y_2 + ... + y_(K-1)), with K = `width`.

    Parameters
    ----------
    triangles : ndarray of float64, shape (n, n)
        Shares of the triangles of the variable with two neighbours; symmetric, zero on the diagonal.
    edges : ndarray of float64, shape (n,)
        Shares of its edges.
    starts : ndarray of int64, shape (n_starts, 2)
        Pairs of neighbours.
    orders : ndarray of int64, shape (n_starts, n)
        Receives the neighbours in the order in which they are added.
    lacks : ndarray of float64, shape (n_starts,)
        Receives the greatest number that is too many.

    Returns
    -------
    sizes : ndarray of int64, shape (n_starts,)
        How many neighbours, from the first in the order on, have that many too many; at least three and K. 0 if there
        are fewer neighbours.
    """
    n, least = len(edges), max(3, width)
    sizes, gains, largest = np.zeros(len(starts), dtype=np.int64), np.empty(n), np.empty(width)
    for i in range(len(starts)):
        order, lacks[i] = orders[i], -np.inf
        for u in range(n):
            gains[u] = -(width - 1) * edges[u]
        largest[:] = 0.0
        total = 0.0
        for size in range(1, n + 1):
            best = -1
            if size <= 2:
                best = starts[i, size - 1]
            else:
                for u in range(n):
                    if gains[u] > -np.inf and (best < 0 or gains[u] > gains[best]):
                        best = u
            order[size - 1] = best
            total += gains[best]
            gains[best] = -np.inf
            for u in range(n):
                gains[u] += triangles[best, u]
            # The largest edges so far, descending.
            k, edge = width - 1, edges[best]
            while k > 0 and largest[k - 1] < edge:
                largest[k] = largest[k - 1]
                k -= 1
            largest[k] = edge
            if size >= least:
                value = total
                for j in range(width - 1):
                    value += (width - 1 - j) * largest[j]
                if value > lacks[i] + 1e-9:
                    lacks[i], sizes[i] = value, size
    return sizes
