"""Families of many states, whose rows are counted as they come."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.tables import make_dataset
from naive.scores import local_score

from stages.kernels.counting.counting_plan import LABELLED_ROWS
from stages.kernels.counting.labelled_rows import label_all_rows
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.scores import SCORES


def many_states(seed: int, n_rows: int, copies: int):
    """Variables of up to nine states, the seventh nearly always in one; some rows several times over."""
    rng = np.random.default_rng(seed)
    n_states = [9, 8, 7, 9, 2, 1, 6, *[9] * 4]
    codes = np.array([rng.integers(0, s, n_rows) for s in n_states], dtype=np.uint8)
    codes[1] = (codes[0] + (rng.random(n_rows) < 0.3)) % 8
    codes[6] *= rng.random(n_rows) < 0.01
    codes = np.concatenate([codes, *[codes[:, : n_rows // 2]] * copies], axis=1)
    return make_dataset(codes, n_states), [tuple(map(int, row)) for row in codes.T]


def is_labelled(scorer: FamilyScorer, child: int, parents: tuple[int, ...]) -> bool:
    """Whether expansions are counted in this way."""
    scorer.expand(child, parents)
    return scorer.workspace().plan[0] == LABELLED_ROWS


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("n_rows", [6003, 6400])
@pytest.mark.parametrize("copies", [0, 4])
def test_scores_are_those_of_the_definition(score, n_rows, copies):
    dataset, rows = many_states(n_rows, n_rows, copies)
    scorer = FamilyScorer(dataset, score, ess=1.5)
    assert is_labelled(scorer, 0, (7,)) and is_labelled(scorer, 3, (0,)) and not is_labelled(scorer, 4, (5,))
    assert bool((scorer.data.word_shifts > 0).any()) == (copies > 0)
    for child, parents in ((0, (7,)), (3, (0,)), (0, (1,)), (2, (4, 0)), (1, ())):
        scores = scorer.expand(child, parents)
        for y in {2, 4, 5, 6} - {child, *parents}:
            expected = local_score(rows, dataset.n_states.tolist(), child, (*parents, y), score, 1.5)
            assert scores[y] == pytest.approx(expected, rel=1e-9)
        work = scorer.workspace()
        assert not work.histogram.any()


@pytest.mark.parametrize("score", SCORES)
def test_the_same_bits_as_other_ways_of_counting(score):
    """A family whose parents come in another order is counted in another way, or with other labels."""
    dataset, _ = many_states(5, 6000, 1)
    scorer = FamilyScorer(dataset, score)
    for child, one, other in ((0, 1, 2), (3, 0, 4), (0, 6, 1), (2, 3, 5)):
        assert scorer.expand(child, (one,))[other] == scorer.expand(child, (other,))[one]


def test_labels_and_counts():
    dataset, rows = many_states(1, 500, 1)
    scorer = FamilyScorer(dataset)
    data, parents = scorer.data, (0, 2)
    labels, counts = np.full(len(data.weights), -7, np.int32), np.full(9 * 7 * 8 + 1, -7, np.int32)
    n_configurations = label_all_rows(
        data.codes, 1, 8, data.state_offsets, np.array(parents, np.int32), data.weights, labels, counts
    )
    assert n_configurations == 9 * 7
    cells = (rows_of(rows, 0) + 9 * rows_of(rows, 2)) * 8 + rows_of(rows, 1)
    assert counts[:-1].tolist() == np.bincount(cells, minlength=9 * 7 * 8).tolist() and counts[-1] == -7
    packed = data.codes.astype(int)
    n = packed.shape[1]
    assert labels[:n].tolist() == ((packed[0] + 9 * packed[2]) * 8 + packed[1]).tolist()


def rows_of(rows: list[tuple[int, ...]], variable: int) -> np.ndarray:
    return np.array([row[variable] for row in rows])
