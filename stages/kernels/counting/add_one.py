"""Exact local scores of all expansions of one parent set: the hot loop of the project.

For a child X and parents P, one call scores P + {Y} for every candidate Y. The configurations of P are built
once (`row_groups`), and each Y is counted the cheapest of three ways: AND + popcount over the bitmaps of wide
configurations, a walk over the rows of narrow ones, or, where Y is rarely out of its most frequent state, a walk
over just those rows that corrects the counts of the configurations they fall in. Of a small set and child most
counts follow from fewer (`free_states`); of one with many states rows are labelled by their cell and walked over as
they come.

Every score of the project is a sum over cells minus a sum over configurations minus a penalty:
``sum cell[N_xp] - sum row[N_p] - penalty * |P||Y|`` with look-up tables ``cell`` and ``row`` that are 0 at 0
(`score_tables`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .free_states import fill_overlaps, keep_free_cells, plan_free_states
from .labelled_rows import label_all_rows, labelled_score
from .overlaps import count_overlaps
from .row_groups import count_narrow_cells, count_wide_cells, narrow_limit, split_rows
from .split_scores import (
    binary_narrow_score,
    binary_wide_score,
    label_rows,
    narrow_score,
    sparse_score,
    unsplit_score,
    wide_score,
)

# The cost model that decides between the ways of counting. The unit is the time for one row of a narrow
# configuration, about 0.7 ns; all were measured (tests/benchmarks). A wrong value costs time, never changes a score.
WORD_COST = 0.15
"""AND + popcount of one word of 64 rows."""
CELL_COST = 1.5
"""Looking up the contribution of one cell of a split configuration."""
SPARSE_ROW_COST = 3.0
"""Counting one row in which the candidate is out of its most frequent state."""
SPARSE_SETUP_ROW_COST = 1.5
"""Writing the cell of one row, once per parent set, before minority rows can be walked."""
LABELLED_ROW_COST = 0.65
"""Counting one row as it comes: nothing has to be looked up to find it."""
MOST_LABELLED = 2
"""Parents whose configurations are all thought of, whether or not they have rows."""
MOST_TOGETHER = 1e8
"""Words counted together for a block of candidates: some hundredths of a second."""


class ScoreTables(NamedTuple):
    """Look-up tables of one score for one child and one number of parent configurations.

    Attributes
    ----------
    cell, row : ndarray of float64, shape (n_kinds, n_rows + 1)
        Contribution in nats of a cell and of a configuration with a given count; one line per number of states
        of the new parent where the score depends on it (BDeu), else a single line.
    kind : ndarray of int32, shape (n_variables,)
        Line to use when the variable is the new parent.
    penalty : float
        Penalty in nats per parent configuration.
    quantum : float
        Scores are rounded to multiples of this power of two, well above the rounding error of their sums and
        far below what matters: so a family scores the same however it was counted, and ties are ties.
    drops_pure : bool
        Whether configurations with a single child state contribute nothing, however they are split.
    """

    cell: np.ndarray
    row: np.ndarray
    kind: np.ndarray
    penalty: float
    quantum: float
    drops_pure: bool


@njit
def dense_cost(s, r, n_words, n_wide, n_narrow, n_listed):
    """Estimated cost of counting a candidate of s states over bitmaps and row lists, in listed rows."""
    # One state of the candidate comes from the others by subtraction.
    words = n_wide * r * (s - 1) * n_words
    # A small configuration has no more cells to look up than rows.
    cells = n_wide * r * s + min(n_narrow * r * s, 2 * n_listed)
    return words * WORD_COST + n_listed + cells * CELL_COST


@njit
def uses_minority_rows(
    offsets, minority_offsets, is_sparse, candidates, r, n_words, n_wide, n_narrow, n_listed
):
    """Whether walking minority rows saves more than labelling all rows for it costs."""
    savings = -SPARSE_SETUP_ROW_COST * 64 * n_words
    for candidate in candidates:
        if is_sparse[candidate]:
            rows = minority_offsets[candidate + 1] - minority_offsets[candidate]
            s = offsets[candidate + 1] - offsets[candidate]
            dense = dense_cost(s, r, n_words, n_wide, n_narrow, n_listed)
            savings += max(0.0, dense - rows * SPARSE_ROW_COST)
    return savings > 0


@njit
def may_label_rows(offsets, parents, candidates, r, n_words, room):
    """Whether a walk over all rows as they come could be cheaper than bitmaps of all configurations.

    So it is where parents, child and candidates have many states.

    Returns
    -------
    (bool, float)
        And the mean number of states of the candidates.
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
    fits = (n_cells + 1) * most <= room and n_cells * most <= 16 * n_words
    return fits and n_cells * (mean - 1.0) * WORD_COST > 64 * LABELLED_ROW_COST, mean


@njit
def walk_pays(cell_counts, n_configurations, r, s, n_words, n_weighted, drops_pure):
    """Whether that walk is cheaper than bitmaps of large configurations and lists of small ones would be.

    Parameters
    ----------
    cell_counts : ndarray of int32
        Of all configurations.
    n_configurations, r : int
    s : float
        States of a candidate.
    n_words, n_weighted : int
        Words of rows, and their weights' sum.
    drops_pure : bool
    """
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


@njit
def choose_block(
    offsets, minority_offsets, is_sparse, candidates, first, r, n_words, n_wide, n_narrow, n_listed, sparse_room,
    most_work, places, bitmaps,
):  # fmt: skip
    """The candidates that are counted together, from `first` on.

    Parameters
    ----------
    offsets, minority_offsets, is_sparse : ndarray
        As in `row_groups.PackedData`; `offsets` are those of states.
    candidates : ndarray of int32
    first : int
    r, n_words, n_wide, n_narrow, n_listed : int
    sparse_room : int
        Cells for which minority rows can be counted; 0 if they are not to be.
    most_work : float
        In the unit of the cost model; one candidate is always chosen.
    places : ndarray of int64
        Receives for every candidate its first bitmap's place; -1 where minority rows are counted.
    bitmaps : ndarray of int32
        Receives the bitmaps of the other candidates' states but the first.

    Returns
    -------
    (last, n_bitmaps, cost) : int, int and float
        The candidates ``first:last``, their bitmaps, and the work of counting them.
    """
    room = min(len(bitmaps), int(MOST_TOGETHER / (n_words * max(1, n_wide * r))))
    end = min(len(candidates), first + len(places))
    n_bitmaps, last, total, dense, dense_states = 0, first, 0.0, 0.0, -1
    while last < end and (last == first or total <= most_work):
        candidate = candidates[last]
        offset = offsets[candidate]
        s = offsets[candidate + 1] - offset
        if s != dense_states:
            dense, dense_states = dense_cost(s, r, n_words, n_wide, n_narrow, n_listed), s
        places[last - first] = n_bitmaps
        if sparse_room > 0 and is_sparse[candidate]:
            sparse = SPARSE_ROW_COST * (minority_offsets[candidate + 1] - minority_offsets[candidate])
            if (n_wide + n_narrow) * r * s <= sparse_room and sparse < dense:
                places[last - first] = -1
                total += sparse
                last += 1
                continue
        if n_bitmaps > 0 and n_bitmaps + s - 1 > room:
            break
        for state in range(1, s):
            bitmaps[n_bitmaps] = offset + state
            n_bitmaps += 1
        total += dense
        last += 1
    return last, n_bitmaps, total


@njit
def score_expansions(data, tables, child, parents, candidates, first, most_work, out, work):
    """Scores of `parents` + {Y} for the candidates Y from `first` on, until about `most_work` was done.

    Parameters
    ----------
    data : PackedData
    tables : ScoreTables
        For this child and the product of the parents' numbers of states.
    child : int
    parents, candidates : ndarray of int32
        Candidates are not among the parents and not the child.
    first : int
        0, or where the call before stopped, with all else the same and the workspace left alone.
    most_work : float
        Rows to count, in the unit of the cost model, before the caller looks at its clock.
    out : ndarray of float64, shape (n_variables,)
        ``out[Y]`` receives the score in nats; other entries are left alone.
    work : Workspace

    Returns
    -------
    (place, done) : int and float
        Up to where candidates are scored now, and the work of this call.
    """
    # Arrays are handed over one by one and whole: a tuple of many, or a part of one, costs more than a score.
    bits, codes, offsets, weights = data.bits, data.codes, data.state_offsets, data.weights
    word_shifts, minority_offsets, is_sparse = data.word_shifts, data.minority_offsets, data.is_sparse
    wide, rows, starts, listed, cells = work.wide, work.rows, work.starts, work.listed, work.cells
    cell_counts, histogram, places, partition = work.cell_counts, work.histogram, work.small, work.partition
    kinds, cell, row, overlaps = tables.kind, tables.cell, tables.row, work.overlaps
    first_state = np.int64(offsets[child])
    r = np.int64(offsets[child + 1]) - first_state
    n_words = bits.shape[1]
    done = 0.0
    if first == 0:
        partition[4] = plan_free_states(
            bits, offsets, word_shifts, child, parents, len(candidates), work.asked, work.pairs, cells, work.bitmaps,
            overlaps,
        )  # fmt: skip
    if first == 0 and partition[4] >= 0:
        partition[0] = keep_free_cells(
            bits, offsets, word_shifts, child, parents, work.state_rows, cells, work.sources, cell_counts,
            overlaps,
        )  # fmt: skip
        partition[1] = partition[2] = partition[3] = 0
        done += 1.0 * len(weights)
    elif first == 0:
        partition[3] = 0
        may_label, mean_states = may_label_rows(offsets, parents, candidates, r, n_words, len(histogram))
        if may_label:
            n_labelled = label_all_rows(
                codes, child, r, offsets, parents, weights, work.cell_of_row, cell_counts
            )
            if walk_pays(cell_counts, n_labelled, r, mean_states, n_words, weights.sum(), tables.drops_pure):
                partition[0], partition[1], partition[2], partition[3] = 0, n_labelled, -1, len(weights)
                work.stamps[:n_labelled] = -1
        done += 1.0 * len(weights) * (len(parents) + 1)
    if first == 0 and partition[4] < 0 and partition[3] == 0:
        limit = narrow_limit(n_words, r, bits.shape[0], len(offsets) - 1)
        n_wide, n_narrow, level = split_rows(
            bits, data.valid, codes, offsets, parents, limit, wide, rows, starts, places
        )
        drops_pure = tables.drops_pure
        n_wide = count_wide_cells(
            bits, word_shifts, first_state, r, wide, level, n_wide, drops_pure, cells, cell_counts
        )
        n_narrow = count_narrow_cells(
            codes,
            child,
            r,
            weights,
            rows,
            starts,
            level,
            n_narrow,
            drops_pure,
            n_wide * r,
            cell_counts,
            listed,
        )
        partition[0], partition[1], partition[2] = n_wide, n_narrow, level
        partition[3] = starts[level, n_narrow] if n_narrow > 0 else 0
    n_wide, n_narrow, level, n_listed = partition[0], partition[1], partition[2], partition[3]
    n_cells, n_kept, n_counted = n_wide * r, n_wide + n_narrow, partition[4]
    is_labelled, is_weighted = n_counted < 0 and level < 0, word_shifts[n_words - 1] > np.uint64(0)
    uses_sparse = is_labelled or (
        n_counted < 0
        and uses_minority_rows(
            offsets, minority_offsets, is_sparse, candidates, r, n_words, n_wide, n_narrow, n_listed
        )
    )
    sparse_room = len(histogram) if uses_sparse else 0
    # Labels and stamps stay in the workspace for the calls that go on with the same candidates.
    if uses_sparse and not is_labelled and first == 0:
        label_rows(codes, child, r, cells, n_wide, rows, level, listed, n_listed, work.cell_of_row)
        work.stamps[:n_kept] = -1
    n_configurations = 1.0
    for parent in parents:
        n_configurations *= data.state_offsets[parent + 1] - data.state_offsets[parent]
    penalty, quantum = tables.penalty * n_configurations, tables.quantum
    # The score of the parents alone is needed by some candidates only; it is summed again where the tables change.
    base, base_kind = 0.0, -1
    place = first
    while place < len(candidates) and (place == first or done <= most_work):
        block = place
        place, n_bitmaps, cost = choose_block(
            offsets, minority_offsets, is_sparse, candidates, block, r, n_words, n_wide, n_narrow, n_listed,
            sparse_room, most_work - done, places, work.bitmaps,
        )  # fmt: skip
        done += cost
        if n_bitmaps > 0 and n_cells > 0 and n_counted < 0:
            count_overlaps(cells, n_cells, bits, work.bitmaps, n_bitmaps, word_shifts, overlaps)
        elif n_bitmaps > 0 and n_cells > 0:
            counts = overlaps[n_bitmaps * n_cells : n_bitmaps * (n_cells + n_counted)]
            count_overlaps(cells, n_counted, bits, work.bitmaps, n_bitmaps, word_shifts, counts)
            by_cell = overlaps[n_bitmaps * (n_cells + n_counted) : n_bitmaps * (2 * n_cells + n_counted)]
            fill_overlaps(
                offsets, parents, r, n_cells, candidates, block, place, work.sources, work.state_rows, work.pairs,
                n_counted, counts, by_cell, work.bitmaps, overlaps,
            )  # fmt: skip
        for k in range(block, place):
            candidate, bitmap = candidates[k], places[k - block]
            s = np.int64(offsets[candidate + 1] - offsets[candidate])
            kind = kinds[candidate]
            if (bitmap < 0 or s == 1) and kind != base_kind:
                base, base_kind = unsplit_score(cell_counts, 0, n_kept, r, cell, row, kind), kind
            if s == 1:
                score = base
            elif bitmap < 0:
                score = sparse_score(
                    data.minority_rows, minority_offsets[candidate], minority_offsets[candidate + 1], codes,
                    candidate, weights, data.majority[candidate], s, r, base, cell_counts, cell, row, kind,
                    work.cell_of_row, work.stamps, work.touched, histogram,
                )  # fmt: skip
            elif is_labelled:
                score = labelled_score(
                    codes, candidate, s, r, work.cell_of_row, weights, is_weighted, n_narrow * r, cell, row, kind,
                    histogram,
                )  # fmt: skip
            elif r == 2 and s == 2:
                score = binary_wide_score(overlaps, bitmap, cell_counts, n_wide, cell, row, kind)
                if n_narrow > 0:
                    score += binary_narrow_score(
                        codes, candidate, rows, level, listed, n_listed, cell_counts, n_cells, n_narrow,
                        cell, row, kind, histogram,
                    )  # fmt: skip
            else:
                score = wide_score(overlaps, bitmap, s, cell_counts, n_wide, r, cell, row, kind, work.rest)
                if n_narrow > 0:
                    score += narrow_score(
                        codes,
                        candidate,
                        s,
                        r,
                        rows,
                        starts,
                        level,
                        listed,
                        n_narrow,
                        cell,
                        row,
                        kind,
                        histogram,
                    )
            # Ways of counting sum in different orders; rounding makes their results equal to the last bit.
            out[candidate] = np.rint((score - penalty * s) / quantum) * quantum
    return place, done
