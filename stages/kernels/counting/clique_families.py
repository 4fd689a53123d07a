"""The best family of each child whose parents lie in one clique, from one count of the rows.

The rows are counted by the states of all members, and for each child by its states as well. Where the child is seldom
out of its most frequent state, the counts of this state follow by subtraction. The counts of each subset are margins
of these tables, which stand in one array, the data cube of Gray et al. (1997). The number of an entry has one digit a
member: its state or, as the largest digit, "any".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from .score_tables import held_counts, line_entry
from .set_values import line_of


class CliqueSubsets(NamedTuple):
    """The subsets of a clique's members, and where their cells stand in the array of counts.

    Attributes
    ----------
    radices, strides : ndarray of int64, shape (n_members,)
        States of each member plus one, for "any"; and the distance in `cells` between neighbouring states.
    masks : ndarray of int64, shape (n_subsets,)
        Members of each subset as binary digits; ascending by size.
    n_cells : ndarray of float64, shape (n_subsets,)
        Number of cells of each subset.
    starts : ndarray of int64, shape (n_subsets + 1,)
        Offsets of the subsets in `cells`.
    cells : ndarray of int32
        Numbers of the cells, ``cells[starts[s]:starts[s + 1]]`` for subset s.
    whole : ndarray of int32
        Numbers of the cells of the full set of members.
    block_starts, blocks : ndarray of int64 and int32
        The cells of the members behind member i, all others in state 0:
        ``blocks[block_starts[i]:block_starts[i + 1]]``.
    """

    radices: np.ndarray
    strides: np.ndarray
    masks: np.ndarray
    n_cells: np.ndarray
    starts: np.ndarray
    cells: np.ndarray
    whole: np.ndarray
    block_starts: np.ndarray
    blocks: np.ndarray


class FamilySums(NamedTuple):
    """Look-up tables of cells and of configurations, and how scores follow from them.

    Tables are as in `set_values.SetFunction`, but their lines may be cut (`score_tables`).

    Attributes
    ----------
    products, table
        For cells of child and parents.
    parent_products, parent_table
        For configurations of parents.
    quantum : float
        Scores are rounded to multiples of it.
    is_monotone : bool
        Whether a further parent can lower a score by its penalty only.
    """

    products: np.ndarray
    table: np.ndarray
    parent_products: np.ndarray
    parent_table: np.ndarray
    quantum: float
    is_monotone: bool


class CliqueScratch(NamedTuple):
    """Scratch of one thread."""

    rows: np.ndarray  # int32 (n_rows,): the cell of each row
    totals: np.ndarray  # int32: rows by cell
    counts: np.ndarray  # int32: rows by cell and state of the child
    parent_sums: np.ndarray  # float64 (n_subsets,)


@borrowing
def code_clique_rows(codes, members, strides, rows):
    """Write the number of each row's cell."""
    rows[:] = 0
    for i in range(len(members)):
        column, stride = codes[members[i]], np.int32(strides[i])
        for row in range(np.uint64(len(rows))):
            rows[row] += column[row] * stride


@borrowing
def add_margins(counts, subsets, width):
    """Fill the entries with "any": sums over the states of a member, one member after the other.

    `counts` has `width` entries for each number of a cell; entries with "any" are zero.
    """
    radices, strides = subsets.radices, subsets.strides
    for i in range(len(radices) if width > 0 else 0):
        stride = strides[i] * width
        # Members before this one have all their entries; members after it have none with "any" yet.
        for b in range(subsets.block_starts[i], subsets.block_starts[i + 1]):
            first = subsets.blocks[b] * width
            margin = np.uint64(first + (radices[i] - 1) * stride)
            for place in range(np.uint64(first), margin, np.uint64(stride)):
                for k in range(np.uint64(stride)):
                    counts[margin + k] += counts[place + k]


@borrowing
def count_child(data, child, r, rows, counts):
    """Count the rows by cell and state of a child with r states; returns the number of states counted.

    Where the child is seldom out of its most frequent state, only its other rows are walked and its most frequent
    state is not counted.
    """
    codes, weights = data.codes[child], data.weights
    if data.is_sparse[child]:
        size, majority = np.uint64(r - 1), data.majority[child]
        for i in range(np.uint64(data.minority_offsets[child]), np.uint64(data.minority_offsets[child + 1])):
            row = np.uint64(data.minority_rows[i])
            state = codes[row]
            counts[np.uint64(rows[row]) * size + np.uint64(state - (state > majority))] += weights[row]
        return r - 1
    for row in range(np.uint64(len(rows))):
        counts[np.uint64(rows[row]) * np.uint64(r) + np.uint64(codes[row])] += weights[row]
    return r


@borrowing
def sum_cells_of(totals, counts, cells, first, end, width, line):
    """Sum of the look-up table `line` over the cells ``cells[first:end]``: their `width` counts, and the totals less
    these counts. Nothing contributes nothing.
    """
    n_held, size = np.uint64(held_counts(line)), np.uint64(width)
    total = 0.0
    for i in range(np.uint64(first), np.uint64(end)):
        left = totals[np.uint64(cells[i])]
        place = np.uint64(cells[i]) * size
        for state in range(size):
            count = counts[place + state]
            left -= count
            total += line_entry(line, n_held, np.uint64(count))
        total += line_entry(line, n_held, np.uint64(left))
    return total


@borrowing
def best_clique_families(data, r, members, subsets, sums, children, allowed, penalty, scratch, masks, scores):
    """Find the best family of each child with parents among the members.

    Parameters
    ----------
    data : packed_data.PackedData
    r : int
        States of each child.
    members, children : ndarray of int32
        A child may be a member, which `allowed` excludes from its parents.
    allowed : ndarray of int64, shape (n_children,)
        Members that may be parents, as binary digits.
    penalty : float
        In nats per configuration.
    masks, scores : ndarray of int64 and float64, shape (n_children,)
        Receive the best families and their scores; among equal ones the first in the order of the subsets.
    """
    starts, cells, n_cells, whole = subsets.starts, subsets.cells, subsets.n_cells, subsets.whole
    n_entries = subsets.strides[-1] * subsets.radices[-1]
    rows, quantum = scratch.rows, sums.quantum
    code_clique_rows(data.codes, members, subsets.strides, rows)
    totals = scratch.totals[:n_entries]
    totals[:] = 0
    for row in range(np.uint64(len(rows))):
        totals[np.uint64(rows[row])] += data.weights[row]
    add_margins(totals, subsets, np.int64(1))
    for s in range(len(n_cells)):
        line = sums.parent_table[line_of(sums.parent_products, n_cells[s])]
        scratch.parent_sums[s] = sum_cells_of(totals, totals, cells, starts[s], starts[s + 1], np.int64(0), line)
    every = np.int64(len(whole))
    sum_of_whole = sum_cells_of(totals, totals, whole, np.int64(0), every, np.int64(0), sums.parent_table[0])
    for c in range(len(children)):
        counts = scratch.counts[: n_entries * r]
        counts[:] = 0
        width = count_child(data, children[c], r, rows, counts)
        add_margins(counts[: n_entries * width], subsets, width)
        best, limit = -np.inf, np.inf
        if sums.is_monotone:
            # The likelihood given all members, an upper limit for all subsets.
            limit = sum_cells_of(totals, counts, whole, np.int64(0), every, width, sums.table[0]) - sum_of_whole
        for s in range(len(n_cells)):
            if subsets.masks[s] & ~allowed[c]:
                continue
            # Rounding may lift a score above its limit, by less than a quantum.
            if limit - penalty * n_cells[s] < best - quantum:
                continue
            line = sums.table[line_of(sums.products, n_cells[s] * r)]
            value = sum_cells_of(totals, counts, cells, starts[s], starts[s + 1], width, line)
            score = np.rint((value - scratch.parent_sums[s] - penalty * n_cells[s]) / quantum) * quantum
            if score > best:
                best, masks[c], scores[c] = score, subsets.masks[s], score
