"""Configurations of a parent set as groups of data rows, the first half of counting by bitmaps and lists.

A configuration with many rows is kept as a bitmap over the packed rows (*wide*), one with few rows as a list of row
numbers (*narrow*): AND + popcount costs the same however few bits are set, a list costs its length. The limit between
the two is where the costs meet. Configurations without rows never appear, so neither the number of parents nor the
product of their numbers of states is limited. Scores that do not need *pure* configurations drop them: in these the
child takes one state only, so no further parent can change their likelihood.
"""

from __future__ import annotations

import numpy as np

from ..bits import lowest_bit, popcount
from ..jit import borrowing

WORD_PER_ROW = 0.15
"""Cost of AND + popcount on one word over that of one listed row; measured (``tests/benchmarks/run.py families``)."""


@borrowing
def narrow_limit(n_words, n_child_states, n_states, n_variables):
    """Rows up to which a configuration is cheaper as a list than as `n_child_states` bitmaps.

    A list is walked once, bitmaps once per state but one of the new parent: on average ``n_states /
    n_variables - 1`` times.
    """
    return max(8, int(n_words * n_child_states * max(1.0, n_states / n_variables - 1.0) * WORD_PER_ROW))


@borrowing
def append_rows(wide, level, slot, rows, row_end):
    """Append the rows of a bitmap to the lists of its level; returns the new end."""
    for w in range(wide.shape[2]):
        word = wide[level, slot, w]
        while word != np.uint64(0):
            rows[level, row_end] = w * 64 + np.int64(lowest_bit(word))
            row_end += 1
            word &= word - np.uint64(1)
    return row_end


@borrowing
def intersect(wide, level, slot, bits, bitmap, target, place):
    """Write the rows that a wide configuration shares with a bitmap of the data; returns how many packed rows."""
    first, second, common = wide[level, slot], bits[bitmap], wide[target, place]
    count = np.uint64(0)
    for w in range(np.uint64(bits.shape[1])):
        word = first[w] & second[w]
        common[w] = word
        count += popcount(word)
    return np.int64(count)


@borrowing
def split_narrow(codes, parent, n_states, rows, starts, level, n_narrow, target, target_narrow, row_end, small):
    """Split every narrow configuration of `level` by the states of `parent`; the parts are appended to level
    `target`.

    Parameters
    ----------
    rows, starts : ndarray of int32
        As in `packed_data.Workspace`.
    level, n_narrow : int
        Level and number of the configurations to split.
    target, target_narrow, row_end : int
        Level of the parts, number of configurations in it so far, and the end of their rows.
    small : ndarray of int64
        Scratch.
    """
    for group in range(n_narrow):
        start, end = starts[level, group], starts[level, group + 1]
        # A single row is in one state and stays a configuration.
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
        # Counting sort: here small[state] is already the first place of the state, small[state + 1] still a number of
        # rows.
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


@borrowing
def split_rows(bits, valid, codes, offsets, parents, limit, wide, rows, starts, small):
    """Group the packed rows by the configuration of `parents`.

    Parameters
    ----------
    bits, valid, codes, offsets : ndarray
        As in `packed_data.PackedData`; `offsets` is its `state_offsets`.
    limit : int
        Rows up to which a configuration is narrow.
    wide, rows, starts, small : ndarray
        As in `packed_data.Workspace`.

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
    # Parent after parent: each splits the groups of one level into groups of the other level.
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
                # Written as the next bitmap; if it has too few rows to stay, its rows are listed instead.
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


@borrowing
def keep_counted(wide, level, slot, bits, bitmap, word_shifts, cells, place):
    """Write the rows that a wide configuration shares with a bitmap of the data as a cell; returns their weighted
    number.
    """
    first, second, cell = wide[level, slot], bits[bitmap], cells[place]
    count = np.uint64(0)
    for w in range(np.uint64(bits.shape[1])):
        word = first[w] & second[w]
        cell[w] = word
        count += popcount(word) << word_shifts[w]
    return np.int64(count)


@borrowing
def keep_all(wide, level, slot, word_shifts, cells, place):
    """Write the rows of a wide configuration as a cell; returns their weighted number."""
    first, cell = wide[level, slot], cells[place]
    count = np.uint64(0)
    for w in range(np.uint64(len(cell))):
        word = first[w]
        cell[w] = word
        count += popcount(word) << word_shifts[w]
    return np.int64(count)


@borrowing
def count_wide_cells(bits, word_shifts, first, r, wide, level, n_wide, drops_pure, cells, cell_counts):
    """Cross wide configurations with the child's states; returns the number of configurations kept.

    Kept configuration c fills rows ``c * r`` (all its rows) and ``c * r + x`` (child state x >= 1) of `cells`, and
    its weighted counts by state ``cell_counts[c * r : (c + 1) * r]``.

    Parameters
    ----------
    first, r : int
        Bitmap of the child's first state, and number of its states.
    wide : ndarray of uint64
        As in `packed_data.Workspace`.
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
        # A dropped configuration is overwritten by the next one.
        if not (drops_pure and states_seen < 2):
            kept += 1
    return kept


@borrowing
def count_narrow_cells(
    codes, child, r, weights, rows, starts, level, n_narrow, drops_pure, base, cell_counts, listed
):
    """Count the child's states in narrow configurations, dropping pure ones in place; returns the number kept.

    Parameters
    ----------
    rows, starts : ndarray of int32
        As in `packed_data.Workspace`.
    base : int
        Cells of wide configurations: the counts of narrow ones follow theirs.
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
        # Kept rows move forward in place: never beyond `start`, so no row is overwritten before it is read.
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
        # `end` was read before ``starts[level, group + 1]`` could be overwritten.
        start = end
    return kept
