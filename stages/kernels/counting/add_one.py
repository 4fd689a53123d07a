"""Exact local scores of all expansions of one parent set: the hot loop of the project.

For a child X and parents P, one call scores P + {Y} for every candidate Y. `counting_plan` chooses how the cells are
counted, prepares what serves every Y, and forms blocks of candidates that are counted together.

Every score of the project is a sum over cells minus a sum over configurations minus a penalty:
``sum cell[N_xp] - sum row[N_p] - penalty * |P||Y|`` with look-up tables ``cell`` and ``row`` that are 0 at 0
(`score_tables`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from .bitmaps_and_lists import binary_narrow_score, binary_wide_score, narrow_score, unsplit_score, wide_score
from .counting_plan import (
    INCLUSION_EXCLUSION,
    LABELLED_ROWS,
    choose_block,
    choose_plan_by_rows,
    plan_inclusion_exclusion,
    stored_plan,
)
from .inclusion_exclusion import complete_overlaps
from .labelled_rows import labelled_score
from .overlaps import count_overlaps


class ScoreTables(NamedTuple):
    """Look-up tables of one score for one child and one number of parent configurations.

    Attributes
    ----------
    cell, row : ndarray of float64, shape (n_kinds, n_entries)
        Contribution in nats of a cell and of a configuration with a given count; one line per number of states of the
        new parent where the score depends on it (BDeu), else a single line. Lines are either all whole, with ``n_rows
        + 1`` entries, or all cut (`score_tables`).
    kind : ndarray of int32, shape (n_variables,)
        Line to use when the variable is the new parent.
    penalty : float
        Penalty in nats per parent configuration.
    quantum : float
        Scores are rounded to multiples of this power of two. It is well above the rounding error of their sums and
        far below relevant differences: so a family has the same score however it was counted, and equal scores
        compare equal.
    drops_pure : bool
        Whether configurations with a single child state contribute nothing, whatever further parent splits them.
    """

    cell: np.ndarray
    row: np.ndarray
    kind: np.ndarray
    penalty: float
    quantum: float
    drops_pure: bool


@borrowing
def score_expansions(data, tables, child, parents, candidates, first, most_work, out, work):
    """Scores of `parents` + {Y} for the candidates Y from `first` on, until about `most_work` was done.

    Parameters
    ----------
    tables : ScoreTables
        For this child and the product of the parents' numbers of states.
    parents, candidates : ndarray of int32
        Candidates are neither among the parents nor the child.
    first : int
        0 for the first call; else where the call before stopped, with all other arguments and the workspace
        unchanged.
    most_work : float
        Cost in the unit of `counting_plan` after which the call returns.
    out : ndarray of float64, shape (n_variables,)
        ``out[Y]`` receives the score in nats; other entries are unchanged.

    Returns
    -------
    (place, done) : int and float
        The candidates up to this place are scored; the cost of this call.
    """
    # Calls in the loop take single, whole arrays: passing a tuple of many arrays costs more than a score.
    bits, codes, offsets, weights, word_shifts = (
        data.bits,
        data.codes,
        data.state_offsets,
        data.weights,
        data.word_shifts,
    )
    rows, starts, listed = work.rows, work.starts, work.listed
    cell_counts, histogram, places, cell_of_row = work.cell_counts, work.histogram, work.small, work.cell_of_row
    kinds, cell, row, overlaps = tables.kind, tables.cell, tables.row, work.overlaps
    r = np.int64(offsets[child + 1]) - np.int64(offsets[child])
    n_words = bits.shape[1]
    # Shifts ascend: if the last is zero, so are all.
    is_weighted = word_shifts[n_words - 1] > np.uint64(0)
    # Bitmaps, lists and labels stay in the workspace for the calls that continue with the same candidates.
    done = 0.0
    if first == 0:
        if plan_inclusion_exclusion(
            bits, offsets, word_shifts, child, parents, len(candidates), work.requests, work.pairs, work.cells,
            work.bitmaps, overlaps, work.state_rows, work.sources, cell_counts, work.plan,
        ):  # fmt: skip
            done = 1.0 * len(weights)
        else:
            done = choose_plan_by_rows(data, tables.drops_pure, child, parents, candidates, work)
    plan = stored_plan(work.plan)
    n_wide, n_narrow, level, n_listed = plan.n_wide, plan.n_narrow, plan.level, plan.n_listed
    n_cells, n_counted = n_wide * r, plan.n_counted
    n_configurations = 1.0
    for parent in parents:
        n_configurations *= offsets[parent + 1] - offsets[parent]
    penalty, quantum = tables.penalty * n_configurations, tables.quantum
    place = first
    while place < len(candidates) and (place == first or done <= most_work):
        block = place
        place, n_bitmaps, cost = choose_block(
            offsets, candidates, block, r, n_words, plan, most_work - done, places, work.bitmaps
        )
        done += cost
        if n_bitmaps > 0 and n_cells > 0 and plan.strategy == INCLUSION_EXCLUSION:
            # Entries after the overlaps of all cells: first the overlaps of the counted bitmaps, then scratch.
            counts = overlaps[n_bitmaps * n_cells : n_bitmaps * (n_cells + n_counted)]
            by_cell = overlaps[n_bitmaps * (n_cells + n_counted) : n_bitmaps * (2 * n_cells + n_counted)]
            count_overlaps(work.cells, n_counted, bits, work.bitmaps, n_bitmaps, word_shifts, counts)
            complete_overlaps(
                offsets, parents, r, n_cells, candidates, block, place, work.sources, work.state_rows, work.pairs,
                n_counted, counts, by_cell, work.bitmaps, overlaps,
            )  # fmt: skip
        elif n_bitmaps > 0 and n_cells > 0:
            count_overlaps(work.cells, n_cells, bits, work.bitmaps, n_bitmaps, word_shifts, overlaps)
        for k in range(block, place):
            candidate, bitmap = candidates[k], places[k - block]
            s = np.int64(offsets[candidate + 1] - offsets[candidate])
            kind = kinds[candidate]
            if s == 1:
                score = unsplit_score(cell_counts, n_wide + n_narrow, r, cell[kind], row[kind])
            elif plan.strategy == LABELLED_ROWS:
                score = labelled_score(
                    codes,
                    candidate,
                    s,
                    r,
                    cell_of_row,
                    weights,
                    is_weighted,
                    n_narrow * r,
                    cell,
                    row,
                    kind,
                    histogram,
                )
            elif r == 2 and s == 2:
                score = binary_wide_score(overlaps, bitmap, cell_counts, n_wide, cell, row, kind)
                if n_narrow > 0:
                    score += binary_narrow_score(
                        codes, candidate, rows, level, listed, n_listed, cell_counts, n_wide * r, n_narrow, cell, row,
                        kind, histogram,
                    )  # fmt: skip
            else:
                score = wide_score(overlaps, bitmap, s, cell_counts, n_wide, r, cell, row, kind, work.rest)
                if n_narrow > 0:
                    score += narrow_score(
                        codes, candidate, s, r, rows, starts, level, listed, n_narrow, cell, row, kind, histogram
                    )
            # Strategies sum in different orders; rounding makes their results equal to the last bit.
            out[candidate] = np.rint((score - penalty * s) / quantum) * quantum
    return place, done
