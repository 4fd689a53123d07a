"""Configurations of a parent set as groups of data rows, the first half of counting.

A configuration with many rows is kept as a bitmap over the packed rows (*wide*), one with few rows as a list of
row numbers (*narrow*): AND + popcount costs the same however few bits are set, a list costs its length. The
limit between the two is where the costs meet. Configurations without rows never appear, so neither the number of
parents nor the product of their states bounds what can be counted. Scores that do not need them drop *pure*
configurations, those in which the child takes one state only: no further parent can change their likelihood.

Packed rows: equal rows of the data are counted once per binary digit of their multiplicity, so that all rows of a
word have the same weight 2**shift (see `stages.scoring.dataset_layout`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import lowest_bit, popcount
from ..jit import njit


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
    touched: np.ndarray  # int32 (n_packed,): configurations changed by the rows at hand
    stamps: np.ndarray  # int32 (n_packed,): last candidate that touched a configuration
    small: np.ndarray  # int64 (512,): counters per state
    rest: np.ndarray  # int64 (256,): rows left over per child state
    overlaps: np.ndarray  # int32: rows that cells share with the bitmaps of a block of candidates
    bitmaps: np.ndarray  # int32 (n_states,): the bitmaps of a block of candidates
    # int64 (5,): wide and narrow configurations, their level, listed rows, bitmaps counted
    partition: np.ndarray
    state_rows: np.ndarray  # int32 (n_states,): rows in every state; these four serve `free_states`
    pairs: np.ndarray  # int32 (n_free, n_free): rows that two free states share
    # int64 (n_variables,): candidates that asked for a variable's pairs, -1 once they are known
    asked: np.ndarray
    sources: np.ndarray  # int64 (3, MOST_CELLS): where the count of a cell comes from


MOST_BITMAPS = 64
"""Bitmaps of candidates counted together, unless a single candidate has more."""

MOST_PAIRS = 1 << 23
"""Pairs of states whose counts are kept: 32 MB."""

MOST_CELLS = 64
"""Cells of a child and its parents up to which `free_states` is thought of."""


def new_workspace(
    n_words: int, most_wide: int, most_cells: int, most_states: int, state_rows: np.ndarray, n_variables: int
) -> Workspace:
    """Scratch for data of `n_words` words of packed rows.

    Parameters
    ----------
    n_words : int
    most_wide, most_cells : int
        Wide configurations of a parent set, and their cells with the child's states, at most.
    most_states : int
        Of a variable.
    state_rows : ndarray of int32, shape (n_states,)
        Rows in every state.
    n_variables : int
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
        touched=np.empty(n_packed, dtype=np.int32),
        stamps=np.empty(n_packed + 2, dtype=np.int32),
        small=np.empty(512, dtype=np.int64),
        rest=np.empty(256, dtype=np.int64),
        overlaps=np.empty(most_bitmaps * most_cells, dtype=np.int32),
        bitmaps=np.empty(most_bitmaps, dtype=np.int32),
        partition=np.zeros(5, dtype=np.int64),
        state_rows=state_rows,
        pairs=np.empty((n_free, n_free) if n_known else (0, 0), dtype=np.int32),
        asked=np.zeros(n_known, dtype=np.int64),
        sources=np.empty((3, MOST_CELLS), dtype=np.int64),
    )


WORD_PER_ROW = 0.15
"""Cost of AND + popcount on one word over the cost of one listed row; measured, see the benchmarks."""


@njit
def narrow_limit(n_words, n_child_states, n_states, n_variables):
    """Rows up to which a configuration is cheaper as a list than as `n_child_states` bitmaps.

    A list is walked once, bitmaps once per state but one of the new parent: on average ``n_states /
    n_variables - 1`` times.
    """
    return max(8, int(n_words * n_child_states * max(1.0, n_states / n_variables - 1.0) * WORD_PER_ROW))


@njit
def append_rows(wide, level, slot, rows, row_end):
    """Append the rows of a wide configuration to those listed at its level; the new end."""
    for w in range(wide.shape[2]):
        word = wide[level, slot, w]
        while word != np.uint64(0):
            rows[level, row_end] = w * 64 + np.int64(lowest_bit(word))
            row_end += 1
            word &= word - np.uint64(1)
    return row_end


@njit
def intersect(wide, level, slot, bits, bitmap, target, place):
    """Write the rows that a wide configuration shares with a bitmap of the data; the number of packed rows."""
    first, second, common = wide[level, slot], bits[bitmap], wide[target, place]
    count = np.uint64(0)
    for w in range(np.uint64(bits.shape[1])):
        word = first[w] & second[w]
        common[w] = word
        count += popcount(word)
    return np.int64(count)


@njit
def split_narrow(
    codes, parent, n_states, rows, starts, level, n_narrow, target, target_narrow, row_end, small
):
    """Split every narrow configuration of `level` by the states of `parent`, after those already in `target`.

    Parameters
    ----------
    codes : ndarray of uint8
    parent, n_states : int
    rows, starts : ndarray of int32
        As in `Workspace`.
    level, n_narrow : int
        Where the configurations are, and how many.
    target, target_narrow, row_end : int
        Where they go, how many are there, and where their rows end.
    small : ndarray of int64
        Scratch.
    """
    for group in range(n_narrow):
        start, end = starts[level, group], starts[level, group + 1]
        if end - start == 1:
            rows[target, row_end] = rows[level, start]
            row_end += 1
            target_narrow += 1
            starts[target, target_narrow] = row_end
            continue
        for state in range(n_states + 1):
            small[state] = 0
        for i in range(start, end):
            small[codes[parent, rows[level, i]] + 1] += 1
        for state in range(n_states):
            if small[state + 1] > 0:
                target_narrow += 1
                starts[target, target_narrow] = row_end + small[state] + small[state + 1]
            small[state + 1] += small[state]
        for i in range(start, end):
            row = rows[level, i]
            state = codes[parent, row]
            rows[target, row_end + small[state]] = row
            small[state] += 1
        row_end += end - start
    return target_narrow


@njit
def split_rows(bits, valid, codes, offsets, parents, limit, wide, rows, starts, small):
    """Group the packed rows by the configuration of `parents`.

    Parameters
    ----------
    bits, valid, codes, offsets : ndarray
        As in `PackedData`; `offsets` are those of states.
    parents : ndarray of int32
    limit : int
        Rows up to which a configuration is narrow.
    wide, rows, starts, small : ndarray
        As in `Workspace`.

    Returns
    -------
    (n_wide, n_narrow, level) : the configurations are ``wide[level, :n_wide]`` and the row lists ``rows[level]``
        between ``starts[level]``; configurations without rows do not occur.
    """
    zero = np.int64(0)
    count = np.uint64(0)
    all_rows = wide[0, 0]
    for w in range(np.uint64(len(valid))):
        all_rows[w] = valid[w]
        count += popcount(valid[w])
    n_wide, n_narrow, level = np.int64(1), zero, zero
    starts[0, 0] = 0
    if np.int64(count) <= limit:
        starts[0, 1] = append_rows(wide, zero, zero, rows, zero)
        n_wide, n_narrow = zero, np.int64(1)
    for parent in parents:
        target = 1 - level
        wide_end = target_narrow = row_end = np.int64(0)
        starts[target, 0] = 0
        for slot in range(n_wide):
            for bitmap in range(offsets[parent], offsets[parent + 1]):
                n_common = intersect(wide, level, slot, bits, bitmap, target, wide_end)
                if n_common > limit:
                    wide_end += 1
                elif n_common > 0:
                    row_end = append_rows(wide, target, wide_end, rows, row_end)
                    target_narrow += 1
                    starts[target, target_narrow] = row_end
        n_states = np.int64(offsets[parent + 1] - offsets[parent])
        n_narrow = split_narrow(
            codes, parent, n_states, rows, starts, level, n_narrow, target, target_narrow, row_end, small
        )
        n_wide, level = wide_end, target
    return n_wide, n_narrow, level


@njit
def keep_counted(wide, level, slot, bits, bitmap, word_shifts, cells, place):
    """Write the rows that a wide configuration shares with a bitmap of the data as a cell; their weighted number."""
    first, second, cell = wide[level, slot], bits[bitmap], cells[place]
    count = np.uint64(0)
    for w in range(np.uint64(bits.shape[1])):
        word = first[w] & second[w]
        cell[w] = word
        count += popcount(word) << word_shifts[w]
    return np.int64(count)


@njit
def keep_all(wide, level, slot, word_shifts, cells, place):
    """Write the rows of a wide configuration as a cell; their weighted number."""
    first, cell = wide[level, slot], cells[place]
    count = np.uint64(0)
    for w in range(np.uint64(len(cell))):
        word = first[w]
        cell[w] = word
        count += popcount(word) << word_shifts[w]
    return np.int64(count)


@njit
def count_wide_cells(bits, word_shifts, first, r, wide, level, n_wide, drops_pure, cells, cell_counts):
    """Cross wide configurations with the child's states; the number kept.

    Kept configuration c fills rows ``c * r`` (all its rows) and ``c * r + x`` (child state x >= 1) of `cells`, and
    its weighted counts by state ``cell_counts[c * r : (c + 1) * r]``.

    Parameters
    ----------
    bits : ndarray of uint64
    word_shifts : ndarray of uint64
    first, r : int
        Bitmap of the child's first state, and number of its states.
    wide : ndarray of uint64
        As in `Workspace`.
    level, n_wide : int
    drops_pure : bool
    cells : ndarray of uint64
    cell_counts : ndarray of int32
    """
    kept = np.int64(0)
    for slot in range(n_wide):
        base = kept * r
        rest = keep_all(wide, level, slot, word_shifts, cells, base)
        states_seen = 0
        for state in range(1, r):
            total = keep_counted(wide, level, slot, bits, first + state, word_shifts, cells, base + state)
            cell_counts[base + state] = total
            states_seen += total > 0
            rest -= total
        cell_counts[base] = rest
        states_seen += rest > 0
        if not (drops_pure and states_seen < 2):
            kept += 1
    return kept


@njit
def count_narrow_cells(
    codes, child, r, weights, rows, starts, level, n_narrow, drops_pure, base, cell_counts, listed
):
    """Count the child's states in narrow configurations, dropping pure ones in place; the number kept.

    Parameters
    ----------
    codes : ndarray of uint8
    child, r : int
    weights : ndarray of int32
    rows, starts : ndarray of int32
        As in `Workspace`.
    level, n_narrow : int
    drops_pure : bool
    base : int
        Cells of wide configurations: the counts of narrow ones follow theirs.
    cell_counts : ndarray of int32
    listed : ndarray of int32
        Receives the cells of the rows, numbered from 0, and their weights.
    """
    kept = row_end = np.int64(0)
    start = starts[level, 0]
    for group in range(n_narrow):
        end = starts[level, group + 1]
        is_pure = True
        state_of_first = codes[child, rows[level, start]]
        for i in range(start + 1, end):
            if codes[child, rows[level, i]] != state_of_first:
                is_pure = False
                break
        if not (drops_pure and is_pure):
            first = kept * r
            for state in range(r):
                cell_counts[base + first + state] = 0
            for i in range(start, end):
                row = rows[level, i]
                state = codes[child, row]
                cell_counts[base + first + state] += weights[row]
                rows[level, row_end] = row
                listed[0, row_end] = first + state
                listed[1, row_end] = weights[row]
                row_end += 1
            kept += 1
            starts[level, kept] = row_end
        start = end
    return kept
