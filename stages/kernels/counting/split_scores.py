"""Contributions of the configurations of a parent set to the score of the set and one more parent.

For each of three ways of counting: from the rows that wide configurations share with the bitmaps of the new parent,
from lists of the rows of narrow ones, and from the rows in which the new parent is out of its most frequent state.
Arrays are handed over one by one and whole, with the numbers of their lines: a tuple of many, or a part of an array,
costs as much as scoring a family.
"""

from __future__ import annotations

import numpy as np

from ..bits import lowest_bit
from ..jit import njit


@njit
def binary_wide_score(overlaps, bitmap, cell_counts, n_wide, cell, row, kind):
    """Contribution of all wide configurations split by a binary candidate, for a binary child.

    Parameters
    ----------
    overlaps : ndarray of int32
        From `overlaps.count_overlaps`: rows that the candidate's second state, the bitmap of this place, shares with
        every cell of `row_groups.Workspace.cells`.
    bitmap : int
    cell_counts : ndarray of int32
    n_wide : int
    cell, row : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    kind : int
    """
    cell_table, row_table = cell[kind], row[kind]
    shared = overlaps[bitmap * 2 * n_wide : (bitmap + 1) * 2 * n_wide]
    score = 0.0
    for c in range(np.uint64(n_wide)):
        in_total, in_one = np.uint64(shared[2 * c]), np.uint64(shared[2 * c + 1])
        # Rows where the candidate is in its first state are the rest: only one of its states is counted.
        zero, one = np.uint64(cell_counts[2 * c]), np.uint64(cell_counts[2 * c + 1])
        in_zero = in_total - in_one
        score += cell_table[in_zero] + cell_table[in_one] - row_table[in_total]
        score += cell_table[zero - in_zero] + cell_table[one - in_one]
        score -= row_table[zero + one - in_total]
    return score


@njit
def wide_score(overlaps, bitmap, s, cell_counts, n_wide, r, cell, row, kind, rest):
    """Contribution of all wide configurations split by the candidate's states, any numbers of states.

    Parameters
    ----------
    overlaps : ndarray of int32
        From `overlaps.count_overlaps`: rows that the candidate's states but the first, the bitmaps from this place
        on, share with every cell of `row_groups.Workspace.cells`.
    bitmap, s : int
    cell_counts : ndarray of int32
    n_wide, r : int
    cell, row : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    kind : int
    rest : ndarray of int64
        Scratch.
    """
    cell_table, row_table = cell[kind], row[kind]
    score = 0.0
    for c in range(n_wide):
        first = c * r
        rest_total = np.int64(0)
        for x in range(r):
            rest[x] = cell_counts[first + x]
            rest_total += rest[x]
        # State 0 of candidate and child is never counted: it is what the others leave over.
        for y in range(bitmap, bitmap + s - 1):
            place = y * n_wide * r + first
            total = np.int64(overlaps[place])
            # A state that does not occur here adds nothing: the tables are 0 at 0.
            if total == 0:
                continue
            in_zero = total
            for x in range(1, r):
                count = np.int64(overlaps[place + x])
                score += cell_table[count]
                rest[x] -= count
                in_zero -= count
            score += cell_table[in_zero] - row_table[total]
            rest[0] -= in_zero
            rest_total -= total
        for x in range(r):
            score += cell_table[rest[x]]
        score -= row_table[rest_total]
    return score


@njit
def binary_narrow_score(
    codes, candidate, rows, level, listed, n_listed, cell_counts, base, n_narrow, cell, row, kind, ones
):
    """Contribution of all narrow configurations split by a binary candidate, for a binary child.

    Parameters
    ----------
    codes : ndarray of uint8
    candidate : int
    rows : ndarray of int32
        Line `level`: rows of narrow configurations.
    level : int
    listed : ndarray of int32
        Their cells and weights, as in `row_groups.Workspace`.
    n_listed : int
    cell_counts : ndarray of int32
        Those of narrow configurations begin at `base`.
    base, n_narrow : int
    cell, row : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    kind : int
    ones : ndarray of int32
        Scratch, all zero before and after.
    """
    states, numbers, cells, weights = codes[candidate], rows[level], listed[0], listed[1]
    # Neighbours in the list are rows of the same cells: far ones in turn, so that no sum waits for the one before.
    quarter = np.uint64(n_listed // 4)
    for i in range(quarter):
        j, k, m = i + quarter, i + 2 * quarter, i + 3 * quarter
        ones[np.uint64(cells[i])] += states[np.uint64(numbers[i])] * weights[i]
        ones[np.uint64(cells[j])] += states[np.uint64(numbers[j])] * weights[j]
        ones[np.uint64(cells[k])] += states[np.uint64(numbers[k])] * weights[k]
        ones[np.uint64(cells[m])] += states[np.uint64(numbers[m])] * weights[m]
    for i in range(4 * (n_listed // 4), n_listed):
        ones[cells[i]] += states[numbers[i]] * weights[i]
    cell_table, row_table = cell[kind], row[kind]
    score = 0.0
    for c in range(np.uint64(n_narrow)):
        in_zero, in_one = np.uint64(ones[2 * c]), np.uint64(ones[2 * c + 1])
        ones[2 * c] = 0
        ones[2 * c + 1] = 0
        first = np.uint64(base) + 2 * c
        zero, one = np.uint64(cell_counts[first]), np.uint64(cell_counts[first + 1])
        in_total = in_zero + in_one
        score += cell_table[in_zero] + cell_table[in_one] - row_table[in_total]
        score += cell_table[zero - in_zero] + cell_table[one - in_one]
        score -= row_table[zero + one - in_total]
    return score


@njit
def narrow_score(codes, candidate, s, r, rows, starts, level, listed, n_narrow, cell, row, kind, counts):
    """Contribution of all narrow configurations split by the candidate's states.

    A configuration with fewer rows than cells is summed row by row, else cell by cell.

    Parameters
    ----------
    codes : ndarray of uint8
    candidate, s, r : int
    rows, starts : ndarray of int32
        Line `level`: rows of narrow configurations, and where each begins.
    level : int
    listed : ndarray of int32
        Cells and weights of the rows, as in `row_groups.Workspace`.
    n_narrow : int
    cell, row : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    kind : int
    counts : ndarray of int32
        Scratch, all zero before and after.
    """
    states, numbers, cells, weights = codes[candidate], rows[level], listed[0], listed[1]
    cell_table, row_table = cell[kind], row[kind]
    totals = counts[r * s :]
    score = 0.0
    for group in range(n_narrow):
        start, end = np.uint64(starts[level, group]), np.uint64(starts[level, group + 1])
        base = group * r
        if end - start < np.uint64(r * s):
            for i in range(start, end):
                y, weight = np.uint64(states[np.uint64(numbers[i])]), weights[i]
                place = np.uint64((cells[i] - base) * s) + y
                before = counts[place]
                counts[place] = before + weight
                score += cell_table[np.uint64(before + weight)] - cell_table[np.uint64(before)]
                before = totals[y]
                totals[y] = before + weight
                score -= row_table[np.uint64(before + weight)] - row_table[np.uint64(before)]
            for i in range(start, end):
                y = np.uint64(states[np.uint64(numbers[i])])
                counts[np.uint64((cells[i] - base) * s) + y] = 0
                totals[y] = 0
        else:
            for i in range(start, end):
                y = np.uint64(states[np.uint64(numbers[i])])
                counts[np.uint64((cells[i] - base) * s) + y] += weights[i]
            for y in range(np.uint64(s)):
                total = np.uint64(0)
                for x in range(np.uint64(r)):
                    place = x * np.uint64(s) + y
                    count = np.uint64(counts[place])
                    counts[place] = 0
                    total += count
                    score += cell_table[count]
                score -= row_table[total]
    return score


@njit
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
    for i in range(n_listed):
        cell_of_row[rows[level, i]] = n_wide * r + listed[0, i]


@njit
def unsplit_score(cell_counts, first, last, r, cell, row, kind):
    """Contribution of the configurations ``first:last``, unsplit."""
    score = 0.0
    for configuration in range(first, last):
        total = np.int64(0)
        for place in range(configuration * r, (configuration + 1) * r):
            total += cell_counts[place]
            score += cell[kind, cell_counts[place]]
        score -= row[kind, total]
    return score


@njit
def sparse_score(
    minority_rows, first, last, codes, candidate, weights, majority, s, r, base, cell_counts, cell_table, row_table,
    kind, cell_of_row, stamps, touched, histogram,
):  # fmt: skip
    """Contribution of all configurations, from a sum over all unsplit ones, by correcting those with minority rows.

    Parameters
    ----------
    minority_rows : ndarray of int32
        The candidate's are ``minority_rows[first:last]``.
    first, last : int
    codes : ndarray of uint8
    candidate : int
        The new parent.
    weights : ndarray of int32
    majority, s : int
        The new parent's most frequent state and its number of states.
    r : int
    base : float
        The `unsplit_score` of all configurations for the same `kind`.
    cell_counts : ndarray of int32
    cell_table, row_table : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    kind : int
    cell_of_row, stamps, touched, histogram : ndarray of int32
        As in `row_groups.Workspace`.
    """
    n_touched = 0
    for i in range(first, last):
        row = minority_rows[i]
        cell = cell_of_row[row]
        if cell < 0:
            continue
        configuration = cell // r
        # The stamp tells whether this candidate met the configuration before, so that nothing needs clearing.
        if stamps[configuration] != candidate:
            stamps[configuration] = candidate
            touched[n_touched] = configuration
            n_touched += 1
        histogram[cell * s + codes[candidate, row]] += weights[row]
    score = base
    for i in range(n_touched):
        configuration = np.int64(touched[i])
        # Take the unsplit configuration out of the base, and put its parts in: first the majority state (the rest).
        score -= unsplit_score(cell_counts, configuration, configuration + 1, r, cell_table, row_table, kind)
        rest_total = np.int64(0)
        for x in range(r):
            rest_total += cell_counts[configuration * r + x]
        for x in range(r):
            rest = np.int64(cell_counts[configuration * r + x])
            for y in range(s):
                rest -= histogram[(configuration * r + x) * s + y]
            score += cell_table[kind, rest]
        for y in range(s):
            if y == majority:
                continue
            total = np.int64(0)
            for x in range(r):
                index = (configuration * r + x) * s + y
                count = np.int64(histogram[index])
                # Leave the histogram empty for the next candidate.
                histogram[index] = 0
                total += count
                score += cell_table[kind, count]
            score -= row_table[kind, total]
            rest_total -= total
        score -= row_table[kind, rest_total]
    return score
