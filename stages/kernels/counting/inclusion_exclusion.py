"""Counts of all cells of a small parent set by inclusion and exclusion, from the cells without first states.

A *free state* is any state of a variable but its first. The rows with a variable in its first state are the rows with
any state of it less the rows with each free state, whatever the other variables are in. So all counts follow from the
counts of cells in which each variable is either in a free state or unrestricted. Examples: a binary child with one
binary parent, split by a binary candidate, needs one count of three bitmaps instead of four; with two binary parents
4 instead of 8; with one parent of four states 9 instead of 16. Counts of one and of two variables are known from
lines that are filled once and serve every set (Moore and Lee 1998 leave the most common value out of AD-trees for the
same reason). It pays where rows are few and columns many (4,524 rows of 500 columns: lists take 9 to 17 % less time);
elsewhere by a few per cent or not at all.

A cell is a number in mixed radix: the child's state runs fastest, then the last parent's. Digit 0 stands for an
unrestricted variable until `subtract_free` turns it into the first state. The free states of all variables are
numbered consecutively: state x >= 1 of variable v, whose bitmap is b, has number b - v - 1.
"""

from __future__ import annotations

import numpy as np

from ..bits import popcount
from ..jit import borrowing
from .overlaps import count_overlaps
from .packed_data import MOST_CELLS

MOST_COUNTED = 11
"""Most bitmaps to count for each free state of a candidate; above, bitmaps and lists are faster (measured)."""


@borrowing
def count_of_bitmaps(offsets, child, parents, capacity):
    """Number of cells with at least two variables in free states; -1 where another strategy is to be used.

    Parameters
    ----------
    offsets : ndarray of int32
        As in `packed_data.PackedData.state_offsets`.
    capacity : int
        Number of bitmaps that the workspace can hold.
    """
    cells = np.int64(offsets[child + 1] - offsets[child])
    alone = cells - 1
    for parent in parents:
        # Checked before each product, so that it cannot overflow.
        if cells > MOST_CELLS:
            return np.int64(-1)
        q = np.int64(offsets[parent + 1] - offsets[parent])
        cells *= q
        alone += q - 1
    # A child without parents may exceed the limit by itself.
    if cells > MOST_CELLS:
        return np.int64(-1)
    # All cells but the unrestricted one and the cells of a single variable, whose counts are known.
    counted = cells - 1 - alone
    # `add_one` keeps three parts in `overlaps`, each of at most `cells` numbers for each bitmap of a candidate: all
    # cells, the counted ones, and scratch.
    return counted if counted <= MOST_COUNTED and 3 * cells <= capacity else np.int64(-1)


@borrowing
def knows_pairs(bits, offsets, word_shifts, variable, n_candidates, requests, pairs, cells, bitmaps, overlaps):
    """Whether the counts of a variable with every other are known; they are computed once enough candidates need
    them.

    Parameters
    ----------
    bits, offsets, word_shifts : ndarray
        As in `packed_data.PackedData`.
    requests : ndarray of int64, shape (n_variables,)
        Candidates so far; -1 once the counts are known. Empty where memory does not allow for them.
    pairs : ndarray of int32, shape (n_free, n_free)
        Number of rows that two free states have in common; receives the lines of the variable.
    cells, bitmaps, overlaps : ndarray
        Scratch, as in `packed_data.Workspace`.
    """
    n_variables = np.int64(len(requests))
    if n_variables == 0:
        return False
    if requests[variable] < 0:
        return True
    requests[variable] += n_candidates
    # Rent or buy: a line is computed once counting without it has cost as much, so the total is at most twice the
    # minimum.
    if 2 * requests[variable] < n_variables:
        return False
    requests[variable] = -1
    first = np.int64(offsets[variable])
    n_own = np.int64(offsets[variable + 1]) - first - 1
    for a in range(n_own):
        for w in range(np.uint64(bits.shape[1])):
            cells[a, w] = bits[first + 1 + a, w]
    y, bitmap, done = np.int64(0), np.int64(offsets[0]) + 1, np.int64(0)
    # `bitmap` runs over all free states in the order of their numbers, so the columns of a batch begin at `done`.
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
                # Free state a + 1 of the variable has number (first + a + 1) - variable - 1.
                pairs[first - variable + a, done + k] = overlaps[k * n_own + a]
        done += n
    return True


@borrowing
def bitmaps_to_count(
    bits, offsets, word_shifts, child, parents, n_candidates, requests, pairs, cells, bitmaps, overlaps
):
    """Bitmaps to count for each free state of a candidate; -1 where another strategy is to be used.

    Parameters as in `count_of_bitmaps` and `knows_pairs`.
    """
    counted = count_of_bitmaps(offsets, child, parents, cells.shape[0])
    for k in range(len(parents) + 1):
        variable = np.int64(child) if k == 0 else np.int64(parents[k - 1])
        if counted < 0 or not knows_pairs(
            bits, offsets, word_shifts, variable, n_candidates, requests, pairs, cells, bitmaps, overlaps
        ):
            return np.int64(-1)
    return counted


@borrowing
def keep_common(firsts, first, seconds, second, word_shifts, cells, place):
    """Write the rows that two bitmaps share as a cell; returns their weighted number."""
    one, other, cell = firsts[first], seconds[second], cells[place]
    count = np.uint64(0)
    for w in range(np.uint64(len(word_shifts))):
        word = one[w] & other[w]
        cell[w] = word
        count += popcount(word) << word_shifts[w]
    return np.int64(count)


@borrowing
def subtract_free(offsets, parents, r, counts, n_lines):
    """Turn counts in which digit 0 leaves a parent unrestricted into counts with digit 0 for its first state, in
    place.

    `counts` holds `n_lines` numbers for the first cell, as many for the second, and so on. One pass per parent
    subtracts the counts of its free states from the unrestricted count with equal other digits (a Moebius transform);
    the order of the parents does not matter. The child's digit 0 stays unrestricted: the rows of the configuration.
    """
    n_cells, stride = len(counts) // n_lines, r
    for k in range(len(parents)):
        parent = parents[len(parents) - 1 - k]
        span = stride * np.int64(offsets[parent + 1] - offsets[parent])
        for high in range(0, n_cells, span):
            for low in range(high, high + stride):
                # `low` has digit 0 at this parent; digits 1, 2, ... are one stride apart, all other digits alike.
                for other in range(low + stride, high + span, stride):
                    of_first = counts[low * n_lines : (low + 1) * n_lines]
                    of_other = counts[other * n_lines : (other + 1) * n_lines]
                    for line in range(np.uint64(n_lines)):
                        of_first[line] -= of_other[line]
        stride = span


@borrowing
def prepare_free_cells(bits, offsets, word_shifts, child, parents, state_rows, cells, sources, cell_counts, overlaps):
    """Write the bitmaps to count, and the counts of all cells without a candidate.

    Parameters
    ----------
    bits, offsets, word_shifts : ndarray
        As in `packed_data.PackedData`.
    state_rows : ndarray of int32
        Rows in every state.
    cells : ndarray of uint64
        Receives the bitmaps of cells of at least two variables in free states.
    sources : ndarray of int64, shape (3, MOST_CELLS)
        Receives for every cell its bitmap's place among the bitmaps to count. For a cell of one variable: -1, then
        the bitmap and the number of its free state.
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
        # Unrestricted: all rows, which the states of any variable partition.
        counts[0] += state_rows[first + state]
    n = np.int64(0)
    # Bitmap of a cell: the bitmap of the cell without its slowest free state, AND the bitmap of this state.
    for cell in range(1, n_cells):
        # The slowest variable in a free state; the cell with this variable unrestricted has a smaller number and is
        # done.
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
        # So far the child's digit 0 counts all rows of the configuration; subtracting the child's free states leaves
        # its first state.
        cell_counts[start] = counts[start]
        for state in range(1, r):
            cell_counts[start + state] = counts[start + state]
            cell_counts[start] -= counts[start + state]
    return n_cells // r


@borrowing
def complete_overlaps(
    offsets, parents, r, n_cells, candidates, first, last, sources, state_rows, pairs, n_counted, counts, by_cell,
    places, overlaps,
):  # fmt: skip
    """Rows that each cell shares with the candidates' free states, as `overlaps.count_overlaps` would count them.

    Parameters
    ----------
    offsets : ndarray of int32
        Those of states.
    r, n_cells : int
        States of the child, and cells of child and parents.
    first, last : int
        The candidates ``first:last``.
    sources, state_rows, pairs : ndarray
        As in `prepare_free_cells` and `knows_pairs`.
    counts : ndarray of int32, shape (n_lines * n_counted,)
        Rows that the counted bitmaps share with the candidates' free states.
    by_cell : ndarray of int32, shape (n_lines * n_cells,)
        Scratch.
    places : ndarray of int32, shape (n_lines,)
        Scratch.
    overlaps : ndarray of int32, shape (n_lines * n_cells,)
        For every free state and configuration: first the rows of the configuration, then its rows in each free state
        of the child.
    """
    n_lines = np.int64(0)
    for k in range(first, last):
        y = candidates[k]
        for bitmap in range(offsets[y] + 1, offsets[y + 1]):
            by_cell[n_lines] = state_rows[bitmap]
            # Cell 0 leaves child and parents unrestricted: all rows of the candidate's free state.
            places[n_lines] = bitmap - y - 1
            n_lines += 1
    for cell in range(1, n_cells):
        # Cell by cell, so that the subtraction runs over neighbouring numbers for all free states at once; the last
        # loop turns the result into the layout of `count_overlaps`, free state by free state.
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
