"""Scores of a parent set and a further parent that is rarely out of its most frequent state, computed from the rows
in its other states.
"""

from __future__ import annotations

import numpy as np

from ..bits import lowest_bit
from ..jit import borrowing
from .score_tables import held_counts, line_entry


@borrowing
def label_rows(codes, child, r, cells, n_wide, rows, level, listed, n_listed, cell_of_row):
    """Write the cell (configuration * r + child state) of every packed row, -1 for dropped rows."""
    cell_of_row[:] = -1
    for c in range(n_wide):
        for w in range(cells.shape[1]):
            word = cells[c * r, w]
            while word != np.uint64(0):
                row = w * 64 + np.int64(lowest_bit(word))
                cell_of_row[row] = c * r + codes[child, row]
                word &= word - np.uint64(1)
    # Cells in `listed` are numbered from 0; cells of wide configurations come first.
    for i in range(n_listed):
        cell_of_row[rows[level, i]] = n_wide * r + listed[0, i]


@borrowing
def unsplit_score(cell_counts, first, last, r, cell_line, row_line):
    """Contribution of the configurations ``first:last``, unsplit; from lines of the tables."""
    n_held = held_counts(cell_line)
    score = 0.0
    for configuration in range(first, last):
        total = np.int64(0)
        for place in range(configuration * r, (configuration + 1) * r):
            total += cell_counts[place]
            score += line_entry(cell_line, n_held, np.int64(cell_counts[place]))
        score -= line_entry(row_line, n_held, total)
    return score


@borrowing
def sparse_score(
    minority_rows, first, last, codes, candidate, weights, majority, s, r, base, cell_counts, cell_table, row_table,
    kind, cell_of_row, stamps, touched, histogram,
):  # fmt: skip
    """Contribution of all configurations, as a correction of the sum over the unsplit ones.

    A configuration in which the candidate is in its majority state throughout contributes the same, split or not. So
    only configurations with minority rows of the candidate are corrected.

    Parameters
    ----------
    minority_rows : ndarray of int32
        Rows of the candidate: ``minority_rows[first:last]``.
    candidate : int
        The new parent.
    majority, s : int
        The new parent's most frequent state, and its number of states.
    base : float
        The `unsplit_score` of all configurations for the same `kind`.
    cell_table, row_table : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    cell_of_row, stamps, touched, histogram : ndarray of int32
        As in `packed_data.Workspace`.
    """
    n_touched = 0
    for i in range(first, last):
        row = minority_rows[i]
        cell = cell_of_row[row]
        if cell < 0:
            continue
        configuration = cell // r
        # The stamp is the last candidate that met the configuration; so stamps need no clearing.
        if stamps[configuration] != candidate:
            stamps[configuration] = candidate
            touched[n_touched] = configuration
            n_touched += 1
        histogram[cell * s + codes[candidate, row]] += weights[row]
    cell_line, row_line = cell_table[kind], row_table[kind]
    n_held = held_counts(cell_line)
    score = base
    for i in range(n_touched):
        configuration = np.int64(touched[i])
        # Replace the term of the unsplit configuration by the terms of its parts. The rows of the majority state are
        # not walked: its count is the total less the counts of the other states.
        score -= unsplit_score(cell_counts, configuration, configuration + 1, r, cell_line, row_line)
        rest_total = np.int64(0)
        for x in range(r):
            rest_total += cell_counts[configuration * r + x]
        for x in range(r):
            rest = np.int64(cell_counts[configuration * r + x])
            for y in range(s):
                rest -= histogram[(configuration * r + x) * s + y]
            score += line_entry(cell_line, n_held, rest)
        for y in range(s):
            if y == majority:
                continue
            total = np.int64(0)
            for x in range(r):
                index = (configuration * r + x) * s + y
                count = np.int64(histogram[index])
                # The histogram is all zero again for the next candidate.
                histogram[index] = 0
                total += count
                score += line_entry(cell_line, n_held, count)
            score -= line_entry(row_line, n_held, total)
            rest_total -= total
        score -= line_entry(row_line, n_held, rest_total)
    return score
