"""Configurations of a parent set as groups of data rows, the first half of counting.

A configuration with many rows is kept as a bitmap over the packed rows (*wide*), one with few rows as a list of
row numbers (*narrow*): AND + popcount costs the same however few bits are set, a list costs its length. The
limit between the two is where the costs meet. Configurations without rows never appear, so neither the number of
parents nor the product of their states bounds what can be counted. Scores that do not need them drop *pure*
configurations, those in which the child takes one state only: no further parent can change their likelihood.

Packed rows: equal rows of the data are counted once per binary digit of their multiplicity, so that rows fall
into segments of equal weight 2**shift (see `stages.scoring.dataset_layout`). Without repeated rows there is one
segment.

Loops over the words of a segment run over unsigned indices: a signed one might be negative, and what numba does
about that keeps the loop from being vectorised (a factor of five).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import lowest_bit, popcount
from ..jit import inlined, njit


class PackedData(NamedTuple):
    """A data set laid out for counting.

    Attributes
    ----------
    bits : ndarray of uint64, shape (total number of states, n_words)
        One bitmap over the packed rows per variable and state.
    state_offsets : ndarray of int32, shape (n_variables + 1,)
        Bitmaps of variable i are ``bits[state_offsets[i]:state_offsets[i + 1]]``.
    codes : ndarray of uint8, shape (n_variables, 64 * n_words)
        States of the packed rows; padding rows hold 0.
    weights : ndarray of int32, shape (64 * n_words,)
        Weight of every packed row, 0 for padding.
    valid : ndarray of uint64, shape (n_words,)
        Bitmap of the rows that are no padding.
    segment_words : ndarray of int32, shape (n_segments + 1,)
    segment_shifts : ndarray of int64, shape (n_segments,)
        Rows in words ``segment_words[g]:segment_words[g + 1]`` have weight ``2**segment_shifts[g]``.
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
    segment_words: np.ndarray
    segment_shifts: np.ndarray
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
    cell_counts: (
        np.ndarray
    )  # int32 (n_packed * max_states,): weighted counts per configuration and child state
    cell_of_row: np.ndarray  # int32 (n_packed,): configuration * r + child state, -1 if dropped
    histogram: np.ndarray  # int32: counts per cell and state of the new parent; all zero between calls
    touched: np.ndarray  # int32 (n_packed,): configurations changed by the rows at hand
    stamps: np.ndarray  # int32 (n_packed,): last candidate that touched a configuration
    small: np.ndarray  # int64 (65536 + 512,): counters per state, and per pair of states
    partition: np.ndarray  # int64 (4,): what `add_one.cross_parents` returned for the parents at hand


def new_workspace(n_words: int, most_wide: int, most_cells: int, most_states: int) -> Workspace:
    """Scratch for data of `n_words` words of packed rows.

    Parameters
    ----------
    n_words : int
    most_wide, most_cells : int
        Wide configurations of a parent set, and their cells with the child's states, at most.
    most_states : int
        Of a variable.
    """
    n_packed = 64 * n_words
    return Workspace(
        wide=np.empty((2, most_wide, n_words), dtype=np.uint64),
        rows=np.empty((2, n_packed), dtype=np.int32),
        starts=np.empty((2, n_packed + 2), dtype=np.int32),
        cells=np.empty((most_cells, n_words), dtype=np.uint64),
        cell_counts=np.empty((n_packed + 2) * most_states, dtype=np.int32),
        cell_of_row=np.empty(n_packed, dtype=np.int32),
        histogram=np.zeros(max(n_packed, 1024) * 4, dtype=np.int32),
        touched=np.empty(n_packed, dtype=np.int32),
        stamps=np.empty(n_packed + 2, dtype=np.int32),
        small=np.empty(256 * 256 + 512, dtype=np.int64),
        partition=np.zeros(4, dtype=np.int64),
    )


WORD_PER_ROW = 0.04
"""Cost of AND + popcount on one word over the cost of one listed row; measured, see the benchmarks."""


@njit
def narrow_limit(n_words, n_child_states, n_states, n_variables):
    """Rows up to which a configuration is cheaper as a list than as `n_child_states` bitmaps.

    A list is walked once, bitmaps once per state but one of the new parent: on average ``n_states /
    n_variables - 1`` times.
    """
    return max(8, int(n_words * n_child_states * max(1.0, n_states / n_variables - 1.0) * WORD_PER_ROW))


@njit
def append_rows(bitmaps, level, slot, rows, target, row_end):
    """Append the positions of the set bits of ``bitmaps[level, slot]`` to ``rows[target]``; the new end."""
    for w in range(bitmaps.shape[2]):
        word = bitmaps[level, slot, w]
        while word != np.uint64(0):
            rows[target, row_end] = w * 64 + np.int64(lowest_bit(word))
            row_end += 1
            word &= word - np.uint64(1)
    return row_end


@inlined
def split_wide(data, parent, limit, work, level, n_wide, target):
    """Split every wide configuration of `level` by the states of `parent`; (wide, narrow, rows) of `target`."""
    n_words = data.bits.shape[1]
    wide_end = n_narrow = row_end = np.int64(0)
    work.starts[target, 0] = 0
    for slot in range(n_wide):
        for state_bitmap in range(data.state_offsets[parent], data.state_offsets[parent + 1]):
            count = np.uint64(0)
            for w in range(n_words):
                word = work.wide[level, slot, w] & data.bits[state_bitmap, w]
                work.wide[target, wide_end, w] = word
                count += popcount(word)
            if count == np.uint64(0):
                continue
            if np.int64(count) > limit:
                wide_end += 1
            else:
                row_end = append_rows(work.wide, target, wide_end, work.rows, target, row_end)
                n_narrow += 1
                work.starts[target, n_narrow] = row_end
    return wide_end, n_narrow, row_end


@inlined
def split_narrow(data, parent, work, level, n_narrow, target, target_narrow, row_end):
    """Split every narrow configuration of `level` by the states of `parent`, after those already in `target`."""
    n_states = data.state_offsets[parent + 1] - data.state_offsets[parent]
    for group in range(n_narrow):
        start, end = work.starts[level, group], work.starts[level, group + 1]
        if end - start == 1:
            work.rows[target, row_end] = work.rows[level, start]
            row_end += 1
            target_narrow += 1
            work.starts[target, target_narrow] = row_end
            continue
        for state in range(n_states + 1):
            work.small[state] = 0
        for i in range(start, end):
            work.small[data.codes[parent, work.rows[level, i]] + 1] += 1
        for state in range(n_states):
            if work.small[state + 1] > 0:
                target_narrow += 1
                work.starts[target, target_narrow] = row_end + work.small[state] + work.small[state + 1]
            work.small[state + 1] += work.small[state]
        for i in range(start, end):
            row = work.rows[level, i]
            state = data.codes[parent, row]
            work.rows[target, row_end + work.small[state]] = row
            work.small[state] += 1
        row_end += end - start
    return target_narrow


@inlined
def split_rows(data, parents, limit, work):
    """Group the packed rows by the configuration of `parents`.

    Returns
    -------
    (n_wide, n_narrow, level) : the configurations are ``work.wide[level, :n_wide]`` and the row lists
        ``work.rows[level]`` between ``work.starts[level]``; configurations without rows do not occur.
    """
    n_words = data.bits.shape[1]
    count = np.uint64(0)
    for w in range(n_words):
        work.wide[0, 0, w] = data.valid[w]
        count += popcount(data.valid[w])
    zero = np.int64(0)
    n_wide, n_narrow, level = np.int64(1), zero, zero
    work.starts[0, 0] = 0
    if np.int64(count) <= limit:
        work.starts[0, 1] = append_rows(work.wide, zero, zero, work.rows, zero, zero)
        n_wide, n_narrow = zero, np.int64(1)
    for parent in parents:
        target = 1 - level
        wide_end, target_narrow, row_end = split_wide(data, parent, limit, work, level, n_wide, target)
        n_narrow = split_narrow(data, parent, work, level, n_narrow, target, target_narrow, row_end)
        n_wide = wide_end
        level = target
    return n_wide, n_narrow, level


@inlined
def count_wide_cells(data, child, work, level, n_wide, drops_pure):
    """Cross wide configurations with the child's states into ``work.cells``; the number kept.

    Kept configuration c fills rows ``c * r`` (all its rows) and ``c * r + x`` (child state x >= 1) of
    ``work.cells`` and its weighted counts in ``work.cell_counts``.
    """
    n_words = data.bits.shape[1]
    first = data.state_offsets[child]
    r = data.state_offsets[child + 1] - first
    kept = np.int64(0)
    for slot in range(n_wide):
        base = kept * r
        states_seen = 0
        for state in range(r):
            total = np.int64(0)
            for g in range(len(data.segment_shifts)):
                count = np.uint64(0)
                for w in range(np.uint64(data.segment_words[g]), np.uint64(data.segment_words[g + 1])):
                    count += popcount(work.wide[level, slot, w] & data.bits[first + state, w])
                total += np.int64(count) << data.segment_shifts[g]
            work.cell_counts[base + state] = total
            states_seen += total > 0
        if drops_pure and states_seen < 2:
            continue
        for w in range(n_words):
            work.cells[base, w] = work.wide[level, slot, w]
        for state in range(1, r):
            for w in range(n_words):
                work.cells[base + state, w] = work.wide[level, slot, w] & data.bits[first + state, w]
        kept += 1
    return kept


@inlined
def count_narrow_cells(data, child, work, level, n_narrow, n_wide, drops_pure):
    """Count the child's states in narrow configurations, dropping pure ones in place; the number kept."""
    r = data.state_offsets[child + 1] - data.state_offsets[child]
    kept = row_end = np.int64(0)
    start = work.starts[level, 0]
    for group in range(n_narrow):
        end = work.starts[level, group + 1]
        is_pure = True
        state_of_first = data.codes[child, work.rows[level, start]]
        for i in range(start + 1, end):
            if data.codes[child, work.rows[level, i]] != state_of_first:
                is_pure = False
                break
        if not (drops_pure and is_pure):
            base = (n_wide + kept) * r
            for state in range(r):
                work.cell_counts[base + state] = 0
            for i in range(start, end):
                row = work.rows[level, i]
                work.cell_counts[base + data.codes[child, row]] += data.weights[row]
                work.rows[level, row_end] = row
                row_end += 1
            kept += 1
            work.starts[level, kept] = row_end
        start = end
    return kept
