"""Many families in one call score as one after the other, wherever the calls end."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.tables import dependent_dataset

import stages.kernels.counting.add_one_batch as batch_module
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.scores import SCORES


@pytest.mark.parametrize("score", SCORES)
def test_many_families_score_as_one_by_one(score, monkeypatch):
    dataset, _ = dependent_dataset(4, 9, 800, noise=0.7)
    scorer, rng = FamilyScorer(dataset, score), np.random.default_rng(0)
    families = []
    for size in (0, 1, 2, 4, 8, 3, 0):
        child, *parents = rng.permutation(9)[: size + 1].tolist()
        families.append((child, tuple(parents)))
    expected = np.array([scorer.expand(*family) for family in families])
    before = scorer.evaluations
    assert np.array_equal(scorer.expand_many(families), expected)
    assert scorer.evaluations == 2 * before
    calls, score_batch = [], batch_module.score_batch
    monkeypatch.setattr(batch_module, "score_batch", lambda *given: calls.append(1) or score_batch(*given))
    monkeypatch.setattr("stages.scoring.family_scorer.SLICE_WORK", 0.0)
    assert np.array_equal(scorer.expand_many(families), expected)
    assert len(calls) >= 2 * len(families)
    assert scorer.expand_many([]).shape == (0, 9)
