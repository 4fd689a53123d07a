"""How the candidates of one parent set are counted: the strategies, their costs, and the choice between them.

Strategies for a parent set:

- ``INCLUSION_EXCLUSION`` for a small child and few parent configurations: a few bitmaps are counted, the other cells
  follow from them (`inclusion_exclusion`).
- ``LABELLED_ROWS`` for many states: rows are labelled by their cell and counted in the order of the table
  (`labelled_rows`).
- ``BITMAPS_AND_LISTS`` for all others: a bitmap for each configuration with many rows, a list of rows for each with
  few (`row_groups`, `bitmaps_and_lists`).

The unit of cost is one row in the list of a narrow configuration; a processor core counts about 10**9 of these a
second. The constants were measured with ``tests/benchmarks/run.py families``; a wrong value costs time, never changes
a score.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, inlined
from .inclusion_exclusion import bitmaps_to_count, prepare_free_cells
from .labelled_rows import label_all_rows
from .row_groups import count_narrow_cells, count_wide_cells, narrow_limit, split_rows

INCLUSION_EXCLUSION, LABELLED_ROWS, BITMAPS_AND_LISTS = range(3)

WORD_COST = 0.15
"""AND + popcount of one word of 64 rows."""
CELL_COST = 1.5
"""Looking up the contribution of one cell of a split configuration."""
LABELLED_ROW_COST = 0.65
"""Counting one row in the order of the table: no row number has to be looked up."""
MOST_LABELLED = 2
"""Largest number of parents for which all possible configurations are considered, with or without rows."""
MOST_TOGETHER = 1e8
"""Words counted together for a block of candidates: some hundredths of a second."""


class CountingPlan(NamedTuple):
    """How the candidates of a parent set are counted; all fields are integers.

    Attributes
    ----------
    strategy : int
        One of the strategies above.
    n_wide, n_narrow : int
        Configurations with bitmaps, and all others (with lists of rows; all configurations under ``LABELLED_ROWS``).
    level : int
        Line of ``rows`` and ``starts`` of `packed_data.Workspace` that holds the lists.
    n_listed : int
        Rows to walk for a candidate.
    n_counted : int
        Bitmaps to count for each state of a candidate under ``INCLUSION_EXCLUSION``.
    """

    strategy: int
    n_wide: int
    n_narrow: int
    level: int
    n_listed: int
    n_counted: int


@borrowing
def stored_plan(slots):
    """The plan in `packed_data.Workspace.plan`."""
    return CountingPlan(
        strategy=slots[0], n_wide=slots[1], n_narrow=slots[2], level=slots[3], n_listed=slots[4], n_counted=slots[5]
    )


@borrowing
def write_plan(slots, strategy, n_wide, n_narrow, level, n_listed, n_counted):
    """Keep a plan for the calls that continue with the same parent set."""
    slots[0], slots[1], slots[2], slots[3] = strategy, n_wide, n_narrow, level
    slots[4], slots[5] = n_listed, n_counted


@borrowing
def plan_inclusion_exclusion(
    bits, offsets, word_shifts, child, parents, n_candidates, requests, pairs, cells, bitmaps, overlaps, state_rows,
    sources, cell_counts, slots,
):  # fmt: skip
    """Whether a set is counted by inclusion and exclusion; if it is, prepare the workspace and write the plan.

    Parameters as in `inclusion_exclusion.bitmaps_to_count` and `inclusion_exclusion.prepare_free_cells`.
    """
    n_counted = bitmaps_to_count(
        bits, offsets, word_shifts, child, parents, n_candidates, requests, pairs, cells, bitmaps, overlaps
    )
    if n_counted < 0:
        return False
    n_wide = prepare_free_cells(
        bits, offsets, word_shifts, child, parents, state_rows, cells, sources, cell_counts, overlaps
    )
    write_plan(slots, INCLUSION_EXCLUSION, n_wide, 0, 0, 0, n_counted)
    return True


@inlined
def choose_plan_by_rows(data, drops_pure, child, parents, candidates, work):
    """Choose the strategy for a parent set, prepare the workspace for it and write the plan there.

    `plan_inclusion_exclusion` is called first. It takes single arrays: for its small sets, passing tuples of arrays
    would cost as much as several scores.

    Parameters
    ----------
    drops_pure : bool
        As in `add_one.ScoreTables`.
    parents, candidates : ndarray of int32
        The parent set, and the variables to be scored as a further parent.

    Returns
    -------
    float
        The cost of the preparation.
    """
    bits, offsets, weights = data.bits, data.state_offsets, data.weights
    first_state = offsets[child]
    r = offsets[child + 1] - first_state
    done = 1.0 * len(weights) * (len(parents) + 1)
    may_label, mean_states = may_label_rows(offsets, parents, candidates, r, bits.shape[1], len(work.histogram))
    if may_label:
        # Its cost depends on the rows of each configuration, so label the rows first.
        n_labelled = label_all_rows(
            data.codes, child, r, offsets, parents, weights, work.cell_of_row, work.cell_counts
        )
        if labels_are_cheaper(work.cell_counts, n_labelled, r, mean_states, bits.shape[1], weights.sum(), drops_pure):
            write_plan(work.plan, LABELLED_ROWS, 0, n_labelled, 0, len(weights), 0)
            return done
    rows, starts, listed, cells, cell_counts = work.rows, work.starts, work.listed, work.cells, work.cell_counts
    n_words = bits.shape[1]
    limit = narrow_limit(n_words, r, bits.shape[0], len(offsets) - 1)
    n_wide, n_narrow, level = split_rows(
        bits, data.valid, data.codes, offsets, parents, limit, work.wide, rows, starts, work.small
    )
    n_wide = count_wide_cells(
        bits, data.word_shifts, first_state, r, work.wide, level, n_wide, drops_pure, cells, cell_counts
    )
    n_narrow = count_narrow_cells(
        data.codes, child, r, weights, rows, starts, level, n_narrow, drops_pure, n_wide * r, cell_counts, listed
    )
    n_listed = starts[level, n_narrow] if n_narrow > 0 else 0
    write_plan(work.plan, BITMAPS_AND_LISTS, n_wide, n_narrow, level, n_listed, 0)
    return done


@borrowing
def dense_cost(s, r, n_words, n_wide, n_narrow, n_listed):
    """Estimated cost of counting a candidate of s states over bitmaps and row lists, in listed rows."""
    # One state of the candidate comes from the others by subtraction.
    words = n_wide * r * (s - 1) * n_words
    # A small configuration has no more cells to look up than rows.
    cells = n_wide * r * s + min(n_narrow * r * s, 2 * n_listed)
    return words * WORD_COST + n_listed + cells * CELL_COST


@borrowing
def may_label_rows(offsets, parents, candidates, r, n_words, capacity):
    """Whether counting labelled rows could be cheaper than bitmaps of all configurations, and fits into `capacity`.

    It is cheaper where parents, child and candidates have many states.

    Returns
    -------
    (bool, float)
        Also the mean number of states of the candidates.
    """
    if len(parents) > MOST_LABELLED or len(candidates) == 0:
        return False, 0.0
    n_cells = r
    for parent in parents:
        n_cells *= np.int64(offsets[parent + 1] - offsets[parent])
    most, total = 0, 0
    for candidate in candidates:
        s = np.int64(offsets[candidate + 1] - offsets[candidate])
        most = max(most, s)
        total += s
    mean = total / len(candidates)
    # The histogram has one more line, for totals (`labelled_score`), and at most a quarter of the number of rows in
    # cells: clearing and summing it is then cheaper than the walk.
    fits = (n_cells + 1) * most <= capacity and n_cells * most <= 16 * n_words
    # Compare bitmaps of all cells with one walk over 64 rows a word; the number of words cancels.
    return fits and n_cells * (mean - 1.0) * WORD_COST > 64 * LABELLED_ROW_COST, mean


@borrowing
def labels_are_cheaper(cell_counts, n_configurations, r, s, n_words, n_weighted, drops_pure):
    """Whether counting labelled rows is cheaper than bitmaps of large configurations and lists of small ones.

    Parameters
    ----------
    cell_counts : ndarray of int32
        Counts of the cells of all configurations.
    s : float
        Mean number of states of a candidate.
    n_words, n_weighted : int
        Words of packed rows, and the sum of the weights of the rows.
    """
    # Merged rows are counted with multiplicity, but listed once per binary digit of the multiplicity; the share
    # converts between the two on average.
    packed_share = 64 * n_words / n_weighted
    cost = 0.0
    for c in range(n_configurations):
        total, n_seen = 0, 0
        for place in range(c * r, (c + 1) * r):
            total += cell_counts[place]
            n_seen += cell_counts[place] > 0
        if not (drops_pure and n_seen < 2):
            rows = packed_share * total
            listed = rows + min(r * s, 2.0 * rows) * CELL_COST
            cost += min(listed, r * ((s - 1.0) * n_words * WORD_COST + s * CELL_COST))
    return cost > 64 * n_words * LABELLED_ROW_COST + n_configurations * r * s * CELL_COST


@borrowing
def choose_block(offsets, candidates, first, r, n_words, plan, most_work, places, bitmaps):
    """The candidates that are counted together, from `first` on.

    Parameters
    ----------
    offsets : ndarray of int32
        As in `packed_data.PackedData.state_offsets`.
    most_work : float
        Cost at which the block ends; a block has at least one candidate.
    places : ndarray of int64
        Receives the place of every candidate's first bitmap.
    bitmaps : ndarray of int32
        Receives the bitmaps of the candidates, without their first states.

    Returns
    -------
    (last, n_bitmaps, cost) : int, int and float
        The candidates ``first:last``, the number of their bitmaps, and the cost of counting them.
    """
    n_wide = plan.n_wide
    # At most about `MOST_TOGETHER` words a block, unless one candidate alone takes more, so that calls return in
    # time.
    most_bitmaps = min(len(bitmaps), int(MOST_TOGETHER / (n_words * max(1, n_wide * r))))
    end = min(len(candidates), first + len(places))
    n_bitmaps, last, total, dense, dense_states = 0, first, 0.0, 0.0, -1
    while last < end and (last == first or total <= most_work):
        candidate = candidates[last]
        offset = offsets[candidate]
        s = offsets[candidate + 1] - offset
        if s != dense_states:
            dense, dense_states = dense_cost(s, r, n_words, n_wide, plan.n_narrow, plan.n_listed), s
        places[last - first] = n_bitmaps
        if n_bitmaps > 0 and n_bitmaps + s - 1 > most_bitmaps:
            break
        for state in range(1, s):
            bitmaps[n_bitmaps] = offset + state
            n_bitmaps += 1
        total += dense
        last += 1
    return last, n_bitmaps, total
