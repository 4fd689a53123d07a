"""Scores of all pairs, against the definition and against expansions of the empty set."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from helpers.tables import dependent_dataset, make_dataset
from naive.scores import local_score

import stages.scoring.pair_scores as pair_module
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.scores import SCORES


@pytest.fixture(params=[4, 7, 256])
def most_bitmaps(request, monkeypatch):
    """Tiles of a variable or two, and of all."""
    monkeypatch.setattr(pair_module, "MOST_BITMAPS", request.param)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.usefixtures("most_bitmaps")
def test_pairs_agree_with_the_definition(score):
    dataset, rows = dependent_dataset(3, 7, 700)
    n_states = dataset.n_states.tolist()
    scores = FamilyScorer(dataset, score, ess=0.7).pairs().matrix()
    for x in range(7):
        for y in set(range(7)) - {x}:
            assert scores[x, y] == pytest.approx(local_score(rows, n_states, x, (y,), score, 0.7), rel=1e-9)
        assert scores[x, x] == -np.inf


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("is_repeated", [False, True])
def test_pairs_equal_expansions_of_the_empty_set_to_the_last_bit(score, is_repeated):
    # A variable of one state; equal rows, which are merged and weighted, or none.
    dataset, _ = dependent_dataset(5, 12, 1500 if is_repeated else 3000, noise=0.8)
    codes = np.vstack((dataset.codes, np.zeros_like(dataset.codes[:1])))
    codes = np.repeat(codes, np.arange(codes.shape[1]) % 31 + 1, axis=1) if is_repeated else codes
    scorer = FamilyScorer(make_dataset(codes, [*dataset.n_states.tolist(), 1]), score)
    assert (len(np.unique(scorer.data.word_shifts)) > 1) == is_repeated
    before = scorer.evaluations
    pairs = scorer.pairs()
    scores = pairs.matrix()
    assert scorer.evaluations == before + 13 * 12
    for child in range(13):
        assert np.array_equal(scores[child], scorer.expand(child, ()))
        assert pairs.empty_scores[child] == scorer.local_score(child, ())


@pytest.mark.parametrize("most", [1, 3, 5, 40])
@pytest.mark.usefixtures("most_bitmaps")
def test_best_parents_are_the_best_of_the_matrix(most):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 2, (9, 40))
    codes = np.vstack((codes, codes[:6], 1 - codes[2:4])).astype(np.uint8)  # equal columns: equal scores
    scorer = FamilyScorer(make_dataset(codes, [2] * len(codes)))
    pairs = scorer.pairs()
    matrix = pairs.matrix()
    for least in (None, np.full(len(codes), -np.inf)):
        for child, (parents, scores) in enumerate(pairs.best_parents(most, least)):
            best_first = np.lexsort((parents, -scores))
            bound = pairs.empty_scores[child] if least is None else -np.inf
            order = sorted(range(len(codes)), key=lambda y: (-matrix[child, y], y))
            expected = [y for y in order if matrix[child, y] > bound][:most]
            assert parents[best_first].tolist() == expected
            assert scores[best_first].tolist() == matrix[child, expected].tolist()


def test_a_stop_leaves_out_what_is_left(monkeypatch):
    monkeypatch.setattr(pair_module, "MOST_BITMAPS", 4)
    dataset, _ = dependent_dataset(3, 7, 100)
    stop = threading.Event()
    scorer = FamilyScorer(dataset, stop=stop)
    stop.set()
    scores = scorer.pairs().matrix()
    assert np.isnan(scores).any()
    assert not np.isnan(scores[0, 0])
