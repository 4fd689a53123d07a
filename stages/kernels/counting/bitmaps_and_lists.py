"""Scores of a parent set and a further parent from bitmaps of wide and lists of narrow configurations.

Wide configurations: count the rows that their cells share with the bitmaps of the new parent. Narrow configurations:
walk over their rows. Both have a version for a binary child with a binary candidate.
"""

from __future__ import annotations

import numpy as np

from ..jit import borrowing
from .score_tables import held_counts, line_entry


@borrowing
def large_binary_score(cell_table, row_table, n_held, zero, one, in_zero, in_one):
    """Contribution of a configuration with more rows than lines hold, split by a binary candidate.

    Parameters
    ----------
    n_held : uint64
        As in `score_tables.line_entry`.
    zero, one : uint64
        Rows in each of the child's states.
    in_zero, in_one : uint64
        The part of these rows in one of the candidate's states.
    """
    score = line_entry(cell_table, n_held, in_zero) + line_entry(cell_table, n_held, in_one)
    score += line_entry(cell_table, n_held, zero - in_zero) + line_entry(cell_table, n_held, one - in_one)
    score -= line_entry(row_table, n_held, in_zero + in_one)
    return score - line_entry(row_table, n_held, zero + one - in_zero - in_one)


@borrowing
def binary_wide_score(overlaps, bitmap, cell_counts, n_wide, cell, row, kind):
    """Contribution of all wide configurations split by a binary candidate, for a binary child.

    Parameters
    ----------
    overlaps : ndarray of int32
        From `overlaps.count_overlaps`: rows that bitmap number `bitmap`, the candidate's second state, shares with
        every cell of `packed_data.Workspace.cells`.
    cell, row : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    """
    cell_table, row_table = cell[kind], row[kind]
    n_held = np.uint64(held_counts(cell_table))
    shared = overlaps[bitmap * 2 * n_wide : (bitmap + 1) * 2 * n_wide]
    score = 0.0
    for c in range(np.uint64(n_wide)):
        in_total, in_one = np.uint64(shared[2 * c]), np.uint64(shared[2 * c + 1])
        # The candidate's first state has the other rows: only one of its states is counted.
        zero, one = np.uint64(cell_counts[2 * c]), np.uint64(cell_counts[2 * c + 1])
        in_zero = in_total - in_one
        if zero + one >= n_held:
            score += large_binary_score(cell_table, row_table, n_held, zero, one, in_zero, in_one)
            continue
        score += cell_table[in_zero] + cell_table[in_one] - row_table[in_total]
        score += cell_table[zero - in_zero] + cell_table[one - in_one]
        score -= row_table[zero + one - in_total]
    return score


@borrowing
def wide_score(overlaps, bitmap, s, cell_counts, n_wide, r, cell, row, kind, rest):
    """Contribution of all wide configurations split by the candidate's states, any numbers of states.

    Parameters
    ----------
    overlaps : ndarray of int32
        From `overlaps.count_overlaps`: rows that the bitmaps from number `bitmap` on, all states of the candidate but
        the first, share with every cell of `packed_data.Workspace.cells`.
    cell, row : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    rest : ndarray of int64
        Scratch.
    """
    cell_table, row_table = cell[kind], row[kind]
    n_held = held_counts(cell_table)
    score = 0.0
    for c in range(n_wide):
        first = c * r
        rest_total = np.int64(0)
        for x in range(r):
            rest[x] = cell_counts[first + x]
            rest_total += rest[x]
        # The first states of candidate and child are never counted: they have the rows that the others leave.
        for y in range(bitmap, bitmap + s - 1):
            place = y * n_wide * r + first
            total = np.int64(overlaps[place])
            # A state without rows here adds nothing: the tables are 0 at 0.
            if total == 0:
                continue
            in_zero = total
            for x in range(1, r):
                count = np.int64(overlaps[place + x])
                score += line_entry(cell_table, n_held, count)
                rest[x] -= count
                in_zero -= count
            score += line_entry(cell_table, n_held, in_zero) - line_entry(row_table, n_held, total)
            rest[0] -= in_zero
            rest_total -= total
        for x in range(r):
            score += line_entry(cell_table, n_held, rest[x])
        score -= line_entry(row_table, n_held, rest_total)
    return score


@borrowing
def binary_narrow_score(
    codes, candidate, rows, level, listed, n_listed, cell_counts, base, n_narrow, cell, row, kind, ones
):
    """Contribution of all narrow configurations split by a binary candidate, for a binary child.

    Parameters
    ----------
    rows : ndarray of int32
        Line `level`: rows of narrow configurations.
    listed : ndarray of int32
        Their cells and weights, as in `packed_data.Workspace`.
    cell_counts : ndarray of int32
        The counts of narrow configurations begin at `base`.
    cell, row : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    ones : ndarray of int32
        Scratch, all zero before and after.
    """
    states, numbers, cells, weights = codes[candidate], rows[level], listed[0], listed[1]
    # Neighbours in the list belong to the same cell. Four distant positions in turn update different counters, so
    # that no addition waits for the one before.
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
    n_held = np.uint64(held_counts(cell_table))
    score = 0.0
    for c in range(np.uint64(n_narrow)):
        in_zero, in_one = np.uint64(ones[2 * c]), np.uint64(ones[2 * c + 1])
        ones[2 * c] = 0
        ones[2 * c + 1] = 0
        first = np.uint64(base) + 2 * c
        zero, one = np.uint64(cell_counts[first]), np.uint64(cell_counts[first + 1])
        in_total = in_zero + in_one
        if zero + one >= n_held:
            score += large_binary_score(cell_table, row_table, n_held, zero, one, in_zero, in_one)
            continue
        score += cell_table[in_zero] + cell_table[in_one] - row_table[in_total]
        score += cell_table[zero - in_zero] + cell_table[one - in_one]
        score -= row_table[zero + one - in_total]
    return score


@borrowing
def narrow_score(codes, candidate, s, r, rows, starts, level, listed, n_narrow, cell, row, kind, counts):
    """Contribution of all narrow configurations split by the candidate's states.

    A configuration with fewer rows than cells is summed row by row. Each row adds the difference between two terms of
    its cell: after and before the row is counted. These differences add up to the terms of the final counts. Any
    other configuration is counted first and summed cell by cell.

    Parameters
    ----------
    rows, starts : ndarray of int32
        Line `level`: rows of narrow configurations, and where each begins.
    listed : ndarray of int32
        Cells and weights of the rows, as in `packed_data.Workspace`.
    cell, row : ndarray of float64
        As in `add_one.ScoreTables`, line `kind`.
    counts : ndarray of int32
        Scratch, all zero before and after.
    """
    states, numbers, cells, weights = codes[candidate], rows[level], listed[0], listed[1]
    cell_table, row_table = cell[kind], row[kind]
    n_held = np.uint64(held_counts(cell_table))
    is_whole = n_held == np.uint64(len(cell_table))
    totals = counts[r * s :]
    score = 0.0
    for group in range(n_narrow):
        start, end = np.uint64(starts[level, group]), np.uint64(starts[level, group + 1])
        base = group * r
        if end - start < np.uint64(r * s):
            if is_whole:  # a test of each count would take a third of the time of so short a list
                for i in range(start, end):
                    y, weight = np.uint64(states[np.uint64(numbers[i])]), weights[i]
                    place = np.uint64((cells[i] - base) * s) + y
                    before = counts[place]
                    after = counts[place] = before + weight
                    score += cell_table[np.uint64(after)] - cell_table[np.uint64(before)]
                    before = totals[y]
                    after = totals[y] = before + weight
                    # The same telescoping for the totals of the candidate's state.
                    score -= row_table[np.uint64(after)] - row_table[np.uint64(before)]
            else:
                for i in range(start, end):
                    y, weight = np.uint64(states[np.uint64(numbers[i])]), weights[i]
                    place = np.uint64((cells[i] - base) * s) + y
                    before = counts[place]
                    after = counts[place] = before + weight
                    score += line_entry(cell_table, n_held, np.uint64(after))
                    score -= line_entry(cell_table, n_held, np.uint64(before))
                    before = totals[y]
                    after = totals[y] = before + weight
                    score -= line_entry(row_table, n_held, np.uint64(after))
                    score += line_entry(row_table, n_held, np.uint64(before))
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
                    score += line_entry(cell_table, n_held, count)
                score -= line_entry(row_table, n_held, total)
    return score


@borrowing
def unsplit_score(cell_counts, n_configurations, r, cell_line, row_line):
    """Contribution of all configurations, unsplit, as a constant candidate leaves them; from lines of the tables."""
    n_held = held_counts(cell_line)
    score = 0.0
    for configuration in range(n_configurations):
        total = np.int64(0)
        for place in range(configuration * r, (configuration + 1) * r):
            total += cell_counts[place]
            score += line_entry(cell_line, n_held, np.int64(cell_counts[place]))
        score -= line_entry(row_line, n_held, total)
    return score
