"""Triangles of a k-tree for the Lagrangian bound under a treewidth bound, and rows about its edges and triangles.

Each triangle lies in one of its edges here: it can be chosen only if that edge is, so its worth adds to the edge's.
That it lies in its two other edges, and what else couples edges and triangles, are rows with a multiplier
(`stages.optimize.bounds.clique_rows`).
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
def shortest_path(lengths, through, first, last, most, path):
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
