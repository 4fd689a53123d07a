"""Evaluations mean the same for every way of listing: each exact score computed counts, none is computed twice."""

from __future__ import annotations

import pytest
from helpers.tables import dependent_dataset

from stages.parentsets import METHODS, ParentSetOptions
from stages.parentsets.driver import Run
from stages.scoring.family_scorer import FamilyScorer


@pytest.mark.parametrize("evaluations", [None, 40])
@pytest.mark.parametrize("score", ["bic", pytest.param("bdeu", marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", METHODS)
def test_records_count_each_score_once(method, score, evaluations, monkeypatch):
    dataset, _ = dependent_dataset(3, 10, 300)
    asked: list[tuple[int, tuple[int, ...]]] = []
    expand = FamilyScorer.expand

    def counted(self, child, parents, candidates=None):
        asked.extend((child, tuple(sorted((*parents, y)))) for y in candidates.tolist())
        return expand(self, child, parents, candidates)

    monkeypatch.setattr(FamilyScorer, "expand", counted)
    own = {"orders": 20} if method == "grow" else {}
    run = Run(dataset, ParentSetOptions(method=method, score=score, evaluations=evaluations, seed=1, **own))
    records = list(run.records())
    total = sum(record.evaluated for record in records)
    assert total == run.scorer.evaluations
    assert len(asked) == len(set(asked))
    if method != "sequential":  # it scores whole levels, each set from one subset of it
        assert total == len(asked) + 10  # and the empty sets


def test_independence_scores_nothing_ahead_of_its_turn_under_a_limit():
    """So a limit of evaluations buys as many sets as the method asks for."""
    dataset, _ = dependent_dataset(33, 12, 400)  # none is constant
    run = Run(dataset, ParentSetOptions(method="indep", evaluations=60, seed=1))
    assert all(record.evaluated == 60 for record in run.records())
