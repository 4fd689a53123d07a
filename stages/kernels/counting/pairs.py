"""Counts and scores of all pairs of variables, tile by tile.

A tile holds the pairs of some variables with some others. A pair of variables with r and s states takes (r - 1)(s -
1) counts of AND + popcount; the counts of first states follow by subtraction. The sum over the cells is the same
whichever variable is the child, for every score, so one table of counts scores both families.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..heap import pop, push
from ..jit import borrowing
from .score_tables import held_counts, line_entry


class PairTables(NamedTuple):
    """What turns the counts of two variables into two scores.

    Attributes
    ----------
    state_counts : ndarray of int64, shape (total number of states,)
        Rows in every state of every variable.
    cell : ndarray of float64, shape (n_lines, n_entries)
        Contribution in nats of a cell with a given count: lines as in `add_one.ScoreTables`.
    line : ndarray of int32, shape (n_sizes, n_sizes)
        Line of `cell` for the sizes of child and parent; symmetric.
    size : ndarray of int32, shape (n_variables,)
        Index of the variable's number of states among all numbers that occur.
    row_sums : ndarray of float64, shape (n_sizes, n_variables)
        Contribution of the parent's configurations to the score of a child of some size.
    penalty : ndarray of float64, shape (n_sizes,)
        Penalty in nats per configuration for a child of some size.
    quantum : float
        Scores are rounded to multiples of it.
    """

    state_counts: np.ndarray
    cell: np.ndarray
    line: np.ndarray
    size: np.ndarray
    row_sums: np.ndarray
    penalty: np.ndarray
    quantum: float


@borrowing
def score_tile(state_offsets, tables, counts, first, last, other_first, other_last, forward, backward):
    """Scores of every variable of a tile with every other as the only parent, in both directions.

    Parameters
    ----------
    state_offsets : ndarray of int32
        As in `packed_data.PackedData`.
    counts : ndarray of int32
        Rows shared by all states but the first of the others and of the tile's variables, from `count_overlaps`.
    first, last, other_first, other_last : int
        The tile's variables.
    forward : ndarray of float64, shape (last - first, other_last - other_first)
        Receives the scores of ``first:last`` as children of the others; -inf of a variable with itself.
    backward : ndarray of float64, shape (other_last - other_first, last - first)
        Receives the scores of the others as children.
    """
    quantum, n_held = tables.quantum, held_counts(tables.cell[0])
    for x in range(first, last):
        x_bits = state_offsets[x]
        r = state_offsets[x + 1] - x_bits
        # Counts are numbered by free states within the tile, minus one: adding state a >= 1 gives the place.
        x_counts = (x_bits - x) - (state_offsets[first] - first) - 1
        for y in range(other_first, other_last):
            if x == y:
                forward[x - first, y - other_first] = -np.inf
                backward[y - other_first, x - first] = -np.inf
                continue
            y_bits = state_offsets[y]
            s = state_offsets[y + 1] - y_bits
            y_counts = (y_bits - y) - (state_offsets[other_first] - other_first) - 1
            cell = tables.cell[tables.line[tables.size[x], tables.size[y]]]
            score = 0.0
            # Cells with the first state of x: the rows of a state of y less its counted cells.
            for b in range(1, s):
                rest = tables.state_counts[y_bits + b]
                for a in range(1, r):
                    count = np.int64(counts[y_counts + b, x_counts + a])
                    score += line_entry(cell, n_held, count)
                    rest -= count
                score += line_entry(cell, n_held, rest)
            # Both first states: the rows of the first state of y less its cells with other states of x.
            corner = tables.state_counts[y_bits]
            for a in range(1, r):
                rest = tables.state_counts[x_bits + a]
                for b in range(1, s):
                    rest -= counts[y_counts + b, x_counts + a]
                score += line_entry(cell, n_held, rest)
                corner -= rest
            score += line_entry(cell, n_held, corner)
            of_x = score - tables.row_sums[tables.size[x], y] - tables.penalty[tables.size[x]] * s
            of_y = score - tables.row_sums[tables.size[y], x] - tables.penalty[tables.size[y]] * r
            forward[x - first, y - other_first] = np.rint(of_x / quantum) * quantum
            backward[y - other_first, x - first] = np.rint(of_y / quantum) * quantum


@borrowing
def is_later(names, a, b):
    """Whether the parent in slot `a` has the larger number; see `heap`."""
    return names[a] > names[b]


@borrowing
def keep_best_parents(scores, first, other_first, least, parents, losses, heaps, n_kept):
    """Insert the parents of a tile into every child's list of best parents.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_children, n_parents)
        Of a tile.
    first, other_first : int
        The tile's first child and first parent.
    least : ndarray of float64, shape (n_variables,)
        Only parents that score more are kept.
    parents, losses : ndarray of int32 and of float64, shape (n_variables, most)
        The parents kept of every child, and their negated scores.
    heaps : ndarray of int32, shape (n_variables, most)
        Places of these for every child, a heap: the worst on top; among equal scores the larger number.
    n_kept : ndarray of int64, shape (n_variables,)
        Entries of each heap in use.
    """
    most = losses.shape[1]
    for i in range(scores.shape[0]):
        child = first + i
        heap, names, values = heaps[child], parents[child], losses[child]
        for j in range(scores.shape[1]):
            loss, name = -scores[i, j], np.int32(other_first + j)
            if loss >= -least[child]:
                continue
            size = n_kept[child]
            slot = np.int32(size)
            if size == most:
                slot = heap[0]
                # The worst kept parent is better than the new one.
                if values[slot] < loss or (values[slot] == loss and names[slot] < name):
                    continue
                pop(heap, size, values, is_later, names)
                size -= 1
            values[slot], names[slot] = loss, name
            push(heap, size, slot, values, is_later, names)
            n_kept[child] = size + 1
