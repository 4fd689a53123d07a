"""Counts that follow from those without first states, against counts of rows one by one."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from helpers.tables import make_dataset

from stages.kernels.counting.inclusion_exclusion import (
    bitmaps_to_count,
    complete_overlaps,
    count_of_bitmaps,
    knows_pairs,
    prepare_free_cells,
)
from stages.kernels.counting.overlaps import count_overlaps
from stages.scoring.family_scorer import FamilyScorer

STATES = [2, 3, 2, 4, 1, 2, 3, 2]


def some_scorer(n_rows: int = 20_000) -> tuple[FamilyScorer, np.ndarray]:
    """Few distinct rows, so that equal ones are merged and weighted; one variable is constant, one state missing."""
    rng = np.random.default_rng(3)
    codes = np.stack([rng.integers(0, r, 60) * (rng.random(60) < 0.5) for r in STATES]).astype(np.uint8)
    codes[6] %= 2
    codes = codes[:, rng.integers(0, 60, n_rows)]
    scorer = FamilyScorer(make_dataset(codes, STATES))
    assert scorer.data.word_shifts.max() > 0
    return scorer, codes


@pytest.mark.parametrize(
    ("child", "parents", "n_counted"),
    [(0, (), 0), (3, (), 0), (0, (2,), 1), (5, (7, 2), 4), (1, (3,), 6), (0, (4,), 0), (0, (7, 5, 2), 11)],
)
def test_all_cells_follow_from_those_in_free_states(child, parents, n_counted):
    scorer, codes = some_scorer()
    data, work = scorer.data, scorer.workspace()
    offsets, members = data.state_offsets, np.array(parents, dtype=np.int32)
    candidates = np.array([y for y in range(8) if y != child and y not in parents], dtype=np.int32)
    counted = bitmaps_to_count(
        data.bits, offsets, data.word_shifts, child, members, 8, work.requests, work.pairs, work.cells, work.bitmaps,
        work.overlaps,
    )  # fmt: skip
    assert counted == n_counted
    r = STATES[child]
    n_configurations = prepare_free_cells(
        data.bits, offsets, data.word_shifts, child, members, work.state_rows, work.cells, work.sources,
        work.cell_counts, work.overlaps,
    )  # fmt: skip
    configurations = list(product(*(range(STATES[p]) for p in parents)))
    assert n_configurations == len(configurations)
    # Rows one by one: a configuration's, and of those the ones in each state of the child.
    inside = [np.all(c == codes[list(parents)].T, axis=1) for c in configurations]
    expected = [int((rows & (codes[child] == x)).sum()) for rows in inside for x in range(r)]
    assert work.cell_counts[: len(expected)].tolist() == expected
    bitmaps = [(y, state) for y in candidates.tolist() for state in range(1, STATES[y])]
    n_lines, n_cells = len(bitmaps), n_configurations * r
    work.bitmaps[:n_lines] = [offsets[y] + state for y, state in bitmaps]
    counts = np.empty(n_lines * counted, dtype=np.int32)
    count_overlaps(work.cells, counted, data.bits, work.bitmaps, n_lines, data.word_shifts, counts)
    overlaps = np.empty(n_lines * n_cells, dtype=np.int32)
    complete_overlaps(
        offsets, members, r, n_cells, candidates, 0, len(candidates), work.sources, work.state_rows, work.pairs,
        counted, counts, np.empty_like(overlaps), work.bitmaps, overlaps,
    )  # fmt: skip
    for line, (y, state) in zip(overlaps.reshape(n_lines, n_cells).tolist(), bitmaps):
        shared = [rows & (codes[y] == state) for rows in inside]
        assert line == [
            int((rows & (codes[child] == x)).sum()) if x else int(rows.sum()) for rows in shared for x in range(r)
        ]


def test_large_sets_take_another_strategy():
    scorer, _ = some_scorer()
    offsets, room = scorer.data.state_offsets, 1_000
    for parents in ((3,), (7, 5, 2)):
        assert count_of_bitmaps(offsets, 0, np.array(parents, dtype=np.int32), room) >= 0
    for parents in ((3, 1), (7, 5, 2, 6)):
        assert count_of_bitmaps(offsets, 0, np.array(parents, dtype=np.int32), room) < 0
    assert count_of_bitmaps(offsets, 0, np.array([3], dtype=np.int32), 23) < 0


def test_pairs_are_counted_once_enough_candidates_asked():
    scorer, codes = some_scorer()
    data, work = scorer.data, scorer.workspace()

    def knows(n_candidates: int) -> bool:
        return knows_pairs(
            data.bits, data.state_offsets, data.word_shifts, 3, n_candidates, work.requests, work.pairs, work.cells,
            work.bitmaps, work.overlaps,
        )  # fmt: skip

    assert [knows(3), knows(1), knows(0)] == [False, True, True]
    free = [(y, state) for y in range(8) for state in range(1, STATES[y])]
    for line, (y, state) in zip(work.pairs, free):
        if y == 3:
            assert line.tolist() == [int(((codes[3] == state) & (codes[z] == other)).sum()) for z, other in free]
