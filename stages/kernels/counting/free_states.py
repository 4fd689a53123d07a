"""Counts of all cells of a small parent set from the cells in which no variable is in its first state.

Rows in a first state are what the other states leave over. So a binary child with one binary parent, split by a
binary candidate, takes one count of three bitmaps in place of four; the counts of one and of two variables are known
from lines that are filled once and serve every set (Moore and Lee 1998 leave the most common value out of AD-trees
for the same reason). Two parents take 4 in place of 8, one parent of four states and such a child 9 in place of 16.

A cell is a number in mixed radix: the child's state runs fastest, then the last parent's, 0 where a variable may be
in any state. The states but the first of all variables are numbered through as *free states*.
"""

from __future__ import annotations

import numpy as np

from ..bits import popcount
from ..jit import njit
from .overlaps import count_overlaps
from .row_groups import MOST_CELLS

MOST_COUNTED = 11
"""Bitmaps to count for each free state of a candidate; above, wide and narrow configurations are told apart."""


@njit
def count_of_bitmaps(offsets, child, parents, room):
    """Cells of at least two variables in free states; -1 where this way is not to be taken.

    Parameters
    ----------
    offsets : ndarray of int32
        Those of states, as in `row_groups.PackedData`.
    child : int
    parents : ndarray of int32
    room : int
        Bitmaps that can be held.
    """
    cells = np.int64(offsets[child + 1] - offsets[child])
    alone = cells - 1
    for parent in parents:
        q = np.int64(offsets[parent + 1] - offsets[parent])
        cells *= q
        alone += q - 1
        if cells > MOST_CELLS:
            return np.int64(-1)
    counted = cells - 1 - alone
    return counted if counted <= MOST_COUNTED and 3 * cells <= room else np.int64(-1)


@njit
def knows_pairs(bits, offsets, word_shifts, variable, n_candidates, asked, pairs, cells, bitmaps, overlaps):
    """Whether the counts of a variable with every other are known; counted once enough candidates asked for them.

    Parameters
    ----------
    bits, offsets, word_shifts : ndarray
        As in `row_groups.PackedData`.
    variable, n_candidates : int
    asked : ndarray of int64, shape (n_variables,)
        Candidates so far; -1 once the counts are known. Empty where there is no room for them.
    pairs : ndarray of int32, shape (n_free, n_free)
        Rows that two free states share; the lines of the variable are filled.
    cells, bitmaps, overlaps : ndarray
        Scratch, as in `row_groups.Workspace`.
    """
    n_variables = np.int64(len(asked))
    if n_variables == 0:
        return False
    if asked[variable] < 0:
        return True
    asked[variable] += n_candidates
    # What a line costs is spent by then on counting without it.
    if 2 * asked[variable] < n_variables:
        return False
    asked[variable] = -1
    first = np.int64(offsets[variable])
    n_own = np.int64(offsets[variable + 1]) - first - 1
    for a in range(n_own):
        for w in range(np.uint64(bits.shape[1])):
            cells[a, w] = bits[first + 1 + a, w]
    y, bitmap, done = np.int64(0), np.int64(offsets[0]) + 1, np.int64(0)
    while n_own > 0 and done < pairs.shape[1]:
        n = np.int64(0)
        while n < len(bitmaps) and y < n_variables:
            if bitmap < offsets[y + 1]:
                bitmaps[n] = bitmap
                n += 1
                bitmap += 1
            else:
                y += 1
                bitmap = np.int64(offsets[y]) + 1
        count_overlaps(cells, n_own, bits, bitmaps, n, word_shifts, overlaps)
        for a in range(n_own):
            for k in range(n):
                pairs[first - variable + a, done + k] = overlaps[k * n_own + a]
        done += n
    return True


@njit
def plan_free_states(
    bits, offsets, word_shifts, child, parents, n_candidates, asked, pairs, cells, bitmaps, overlaps
):
    """Bitmaps to count for each free state of a candidate; -1 where counts are better made in another way.

    Arguments are those of `count_of_bitmaps` and `knows_pairs`.
    """
    counted = count_of_bitmaps(offsets, child, parents, cells.shape[0])
    for k in range(len(parents) + 1):
        variable = np.int64(child) if k == 0 else np.int64(parents[k - 1])
        if counted < 0 or not knows_pairs(
            bits, offsets, word_shifts, variable, n_candidates, asked, pairs, cells, bitmaps, overlaps
        ):
            return np.int64(-1)
    return counted


@njit
def keep_common(firsts, first, seconds, second, word_shifts, cells, place):
    """Write the rows that two bitmaps share as a cell; their weighted number."""
    one, other, cell = firsts[first], seconds[second], cells[place]
    count = np.uint64(0)
    for w in range(np.uint64(len(word_shifts))):
        word = one[w] & other[w]
        cell[w] = word
        count += popcount(word) << word_shifts[w]
    return np.int64(count)


@njit
def subtract_free(offsets, parents, r, counts, n_lines):
    """Turn counts in which 0 stands for any state of a parent into those of its first state, in place.

    `counts` are of `n_lines` lines: those of the first cell, those of the second, and so on.
    """
    n_cells, stride = len(counts) // n_lines, r
    for k in range(len(parents)):
        parent = parents[len(parents) - 1 - k]
        span = stride * np.int64(offsets[parent + 1] - offsets[parent])
        for high in range(0, n_cells, span):
            for low in range(high, high + stride):
                for other in range(low + stride, high + span, stride):
                    of_first = counts[low * n_lines : (low + 1) * n_lines]
                    of_other = counts[other * n_lines : (other + 1) * n_lines]
                    for line in range(np.uint64(n_lines)):
                        of_first[line] -= of_other[line]
        stride = span


@njit
def keep_free_cells(
    bits, offsets, word_shifts, child, parents, state_rows, cells, sources, cell_counts, overlaps
):
    """Write the bitmaps to count, and the counts of all cells without a candidate.

    Parameters
    ----------
    bits, offsets, word_shifts : ndarray
        As in `row_groups.PackedData`.
    child : int
    parents : ndarray of int32
    state_rows : ndarray of int32
        Rows in every state.
    cells : ndarray of uint64
        Receives the bitmaps of cells of at least two variables in free states.
    sources : ndarray of int64, shape (3, MOST_CELLS)
        Receives for every cell its bitmap's place among those to count, or -1, and for a cell of one variable that
        state's bitmap and number among the free ones.
    cell_counts : ndarray of int32
        Receives the counts of configurations and child states.
    overlaps : ndarray of int32
        Scratch.

    Returns
    -------
    int
        Configurations of the parents.
    """
    first = np.int64(offsets[child])
    r = np.int64(offsets[child + 1]) - first
    n_cells = r
    for parent in parents:
        n_cells *= offsets[parent + 1] - offsets[parent]
    counts = overlaps[:n_cells]
    counts[0] = 0
    for state in range(r):
        counts[0] += state_rows[first + state]
    n = np.int64(0)
    for cell in range(1, n_cells):
        # The slowest variable in a free state, and the cell in which it may be in any.
        variable, stride, span = np.int64(child), np.int64(1), r
        k = len(parents)
        while cell >= span:
            k -= 1
            variable = np.int64(parents[k])
            stride = span
            span *= np.int64(offsets[variable + 1] - offsets[variable])
        state = cell // stride
        rest = cell - state * stride
        bitmap = np.int64(offsets[variable]) + state
        if rest == 0:
            sources[0, cell], sources[1, cell], sources[2, cell] = -1, bitmap, bitmap - variable - 1
            counts[cell] = state_rows[bitmap]
            continue
        if sources[0, rest] < 0:
            counted = keep_common(bits, sources[1, rest], bits, bitmap, word_shifts, cells, n)
        else:
            counted = keep_common(cells, sources[0, rest], bits, bitmap, word_shifts, cells, n)
        counts[cell], sources[0, cell] = counted, n
        n += 1
    subtract_free(offsets, parents, r, counts, np.int64(1))
    for start in range(0, n_cells, r):
        cell_counts[start] = counts[start]
        for state in range(1, r):
            cell_counts[start + state] = counts[start + state]
            cell_counts[start] -= counts[start + state]
    return n_cells // r


@njit
def fill_overlaps(
    offsets, parents, r, n_cells, candidates, first, last, sources, state_rows, pairs, n_counted, counts, by_cell,
    places, overlaps,
):  # fmt: skip
    """Rows that all cells share with the candidates' free states, as `overlaps.count_overlaps` would count them.

    Parameters
    ----------
    offsets : ndarray of int32
        Those of states.
    parents : ndarray of int32
    r, n_cells : int
        States of the child, and cells of child and parents.
    candidates : ndarray of int32
    first, last : int
        The candidates to fill in.
    sources, state_rows, pairs : ndarray
        As of `keep_free_cells` and `knows_pairs`.
    n_counted : int
    counts : ndarray of int32, shape (n_lines * n_counted,)
        Rows that the counted bitmaps share with the candidates' free states.
    by_cell : ndarray of int32, shape (n_lines * n_cells,)
        Scratch.
    places : ndarray of int32, shape (n_lines,)
        Scratch.
    overlaps : ndarray of int32, shape (n_lines * n_cells,)
        Of every free state, for each configuration its rows, and of those the ones in each free state of the child.
    """
    n_lines = np.int64(0)
    for k in range(first, last):
        y = candidates[k]
        for bitmap in range(offsets[y] + 1, offsets[y + 1]):
            by_cell[n_lines] = state_rows[bitmap]
            places[n_lines] = bitmap - y - 1
            n_lines += 1
    for cell in range(1, n_cells):
        own = by_cell[cell * n_lines : (cell + 1) * n_lines]
        if sources[0, cell] >= 0:
            shared = counts[sources[0, cell] :]
            for line in range(np.uint64(n_lines)):
                own[line] = shared[line * np.uint64(n_counted)]
        else:
            known = pairs[sources[2, cell]]
            for line in range(np.uint64(n_lines)):
                own[line] = known[np.uint64(places[line])]
    subtract_free(offsets, parents, r, by_cell, n_lines)
    for cell in range(n_cells):
        own = by_cell[cell * n_lines : (cell + 1) * n_lines]
        for line in range(np.uint64(n_lines)):
            overlaps[line * np.uint64(n_cells) + np.uint64(cell)] = own[line]
