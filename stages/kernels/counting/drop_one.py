"""Local scores of a parent set less each of its members, from one table of joint counts.

The rows are counted once over all configurations of the whole set; leaving a parent out is then a sum along
one axis of that table. It pays where the table is small against the number of rows.
"""

from __future__ import annotations

import numpy as np

from ..jit import borrowing
from .score_tables import held_counts, line_entry


@borrowing
def count_table(data, child, parents, cell_of_row, counts):
    """Weighted counts of all cells into `counts`; the child's state runs fastest, then ``parents[0]``, ...

    Parameters
    ----------
    cell_of_row : ndarray of int32, shape (n_packed,)
        Scratch.
    counts : ndarray of int64
        At least as many entries as the product of all numbers of states; overwritten.
    """
    n_packed = data.codes.shape[1]
    stride = data.state_offsets[child + 1] - data.state_offsets[child]
    for row in range(n_packed):
        cell_of_row[row] = data.codes[child, row]
    for parent in parents:
        codes = data.codes[parent]
        for row in range(n_packed):
            cell_of_row[row] += stride * np.int32(codes[row])
        stride *= data.state_offsets[parent + 1] - data.state_offsets[parent]
    counts[:stride] = 0
    for row in range(n_packed):
        counts[cell_of_row[row]] += data.weights[row]


@borrowing
def score_without(counts, n_child_states, before, states, after, cell, row):
    """Sum of ``cell[N_xp] - row[N_p]`` after summing out one parent.

    Parameters
    ----------
    counts : ndarray of int64
        From `count_table`.
    before, states, after : int
        Configurations of the parents that run faster than the one left out, states of that parent, and configurations
        of the slower ones.
    cell, row : ndarray of float64
        Lines as in `add_one.ScoreTables`.
    """
    n_held = held_counts(cell)
    score = 0.0
    stride = before * n_child_states
    for slow in range(after):
        for fast in range(before):
            # Places are ((slow * states + state) * before + fast) * n_child_states + x.
            first = slow * states * stride + fast * n_child_states
            total = np.int64(0)
            for x in range(n_child_states):
                count = np.int64(0)
                for state in range(states):
                    count += counts[first + state * stride + x]
                total += count
                score += line_entry(cell, n_held, count)
            score -= line_entry(row, n_held, total)
    return score
