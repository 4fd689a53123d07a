"""Data laid out for counting, and the scratch arrays of one thread.

Packed rows: equal rows of the data are counted once per binary digit of their multiplicity, so that all rows of a
word have the same weight 2**shift (see `stages.scoring.dataset_layout`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class PackedData(NamedTuple):
    """A data set laid out for counting.

    Attributes
    ----------
    bits : ndarray of uint64, shape (total number of states, n_words)
        One bitmap over the packed rows per variable and state.
    state_offsets : ndarray of int32, shape (n_variables + 1,)
        Bitmaps of variable i are ``bits[state_offsets[i]:state_offsets[i + 1]]``.
    codes : ndarray of uint8, shape (n_variables, 64 * n_words) or (n_variables, n_rows)
        States of the packed rows; padding rows hold 0. Where no rows are merged these are the codes of the table
        itself, without padding.
    weights : ndarray of int32, shape (64 * n_words,)
        Weight of every packed row, 0 for padding.
    valid : ndarray of uint64, shape (n_words,)
        Bitmap of the rows that are no padding.
    word_shifts : ndarray of uint64, shape (n_words,)
        Rows in a word have weight ``2**word_shifts[w]``; ascending.
    minority_offsets : ndarray of int64, shape (n_variables + 1,)
        Variable i has ``minority_rows[minority_offsets[i]:minority_offsets[i + 1]]``.
    minority_rows : ndarray of int32
        Packed rows in which variable i is not in its most frequent state, kept where that is rare.
    majority : ndarray of int32, shape (n_variables,)
        Most frequent state of every variable.
    is_sparse : ndarray of bool, shape (n_variables,)
        Whether minority rows are kept.
    """

    bits: np.ndarray
    state_offsets: np.ndarray
    codes: np.ndarray
    weights: np.ndarray
    valid: np.ndarray
    word_shifts: np.ndarray
    minority_offsets: np.ndarray
    minority_rows: np.ndarray
    majority: np.ndarray
    is_sparse: np.ndarray


class Workspace(NamedTuple):
    """Scratch arrays of one thread, allocated once; see `new_workspace`."""

    wide: np.ndarray  # uint64 (2, max_wide, n_words): bitmaps of wide configurations, two levels
    rows: np.ndarray  # int32 (2, n_packed): rows of narrow configurations, one after the other
    starts: np.ndarray  # int32 (2, n_packed + 2): where each narrow configuration starts in rows
    cells: np.ndarray  # uint64 (max_cells, n_words): per wide configuration the total and child states 1..r-1
    cell_counts: np.ndarray  # int32: weighted counts per configuration and child state
    listed: np.ndarray  # int32 (2, n_packed): of the rows of narrow configurations the cell and the weight
    cell_of_row: np.ndarray  # int32 (n_packed,): configuration * r + child state, -1 if dropped
    histogram: np.ndarray  # int32: counts per cell and state of the new parent; all zero between calls
    small: np.ndarray  # int64 (512,): counters per state
    rest: np.ndarray  # int64 (256,): rows left over per child state
    overlaps: np.ndarray  # int32: rows that cells share with the bitmaps of a block of candidates
    bitmaps: np.ndarray  # int32 (n_states,): the bitmaps of a block of candidates
    plan: np.ndarray  # int64 (6,): the fields of `counting_plan.CountingPlan` for the parent set at hand
    # The last four serve `inclusion_exclusion`.
    state_rows: np.ndarray  # int32 (n_states,): rows in every state
    pairs: np.ndarray  # int32 (n_free, n_free): rows that two free states share
    requests: np.ndarray  # int64 (n_variables,): candidates of each variable so far; -1 once its pairs are known
    sources: np.ndarray  # int64 (3, MOST_CELLS): where the count of a cell comes from


MOST_BITMAPS = 64
"""Bitmaps of candidates counted together; a single candidate may have more."""

MOST_PAIRS = 1 << 23
"""Pairs of states whose counts are kept: 32 MB."""

MOST_CELLS = 64
"""Cells of a child and its parents up to which inclusion and exclusion is considered."""


def new_workspace(
    n_words: int, most_wide: int, most_cells: int, most_states: int, state_rows: np.ndarray, n_variables: int
) -> Workspace:
    """Scratch for data of `n_words` words of packed rows.

    Parameters
    ----------
    most_wide, most_cells : int
        Largest number of wide configurations of a parent set, and of their cells with the child's states.
    most_states : int
        Largest number of states of a variable.
    state_rows : ndarray of int32, shape (n_states,)
        Rows in every state.
    """
    n_packed = 64 * n_words
    n_free = len(state_rows) - n_variables
    n_known = n_variables if n_free * n_free <= MOST_PAIRS else 0
    most_bitmaps = max(MOST_BITMAPS, most_states)
    return Workspace(
        wide=np.empty((2, most_wide, n_words), dtype=np.uint64),
        rows=np.empty((2, n_packed), dtype=np.int32),
        starts=np.empty((2, n_packed + 2), dtype=np.int32),
        cells=np.empty((most_cells, n_words), dtype=np.uint64),
        cell_counts=np.empty((n_packed + 2) * most_states, dtype=np.int32),
        listed=np.empty((2, n_packed), dtype=np.int32),
        cell_of_row=np.empty(n_packed, dtype=np.int32),
        histogram=np.zeros(max(4 * n_packed, most_states * (most_states + 1), 4096), dtype=np.int32),
        small=np.empty(512, dtype=np.int64),
        rest=np.empty(256, dtype=np.int64),
        overlaps=np.empty(most_bitmaps * most_cells, dtype=np.int32),
        bitmaps=np.empty(most_bitmaps, dtype=np.int32),
        plan=np.zeros(6, dtype=np.int64),
        state_rows=state_rows,
        pairs=np.empty((n_free, n_free) if n_known else (0, 0), dtype=np.int32),
        requests=np.zeros(n_known, dtype=np.int64),
        sources=np.empty((3, MOST_CELLS), dtype=np.int64),
    )
