"""Evaluations mean the same for every way of listing: each exact score computed counts, none is computed twice."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from helpers.tables import dependent_dataset

from formats.records import ParentSetRecord
from stages.parentsets import METHODS, ParentSetOptions
from stages.parentsets.identification_run import ParentSetRun
from stages.scoring.family_scorer import FamilyScorer


@pytest.mark.parametrize("evaluations", [None, 40])
@pytest.mark.parametrize("score", ["bic", pytest.param("bdeu", marks=pytest.mark.slow)])
@pytest.mark.parametrize("method", METHODS)
def test_records_count_each_score_once(method, score, evaluations, monkeypatch):
    dataset, _ = dependent_dataset(3, 10, 300)
    own = {"orders": 20} if method == "grow" else {}
    run = ParentSetRun(dataset, ParentSetOptions(method=method, score=score, evaluations=evaluations, seed=1, **own))
    asked = traced_by(run) if METHODS[method].traces else expanded_by(run, monkeypatch)
    total = sum(record.evaluated for record in asked.records)
    assert total == run.scorer.evaluations == len(asked.sets)
    assert len(set(asked.sets)) == len(asked.sets)


class AskedScores(NamedTuple):
    """Records of a run, and children with the sets whose scores it computed."""

    records: list[ParentSetRecord]
    sets: list[tuple[int, tuple[int, ...]]]


def traced_by(run):
    sets = []

    def keep(explored):
        sets.extend((explored.child, parents) for parents in explored.parents)

    return AskedScores(list(run.records(trace=keep)), sets)


def expanded_by(run, monkeypatch):
    sets = [(child, ()) for child in run.children]  # scored by themselves
    expand = FamilyScorer.expand

    def counted(self, child, parents, candidates=None):
        if self is run.scorer:  # not that of the tiny run that compiles
            sets.extend((child, tuple(sorted((*parents, y)))) for y in candidates.tolist())
        return expand(self, child, parents, candidates)

    monkeypatch.setattr(FamilyScorer, "expand", counted)
    return AskedScores(list(run.records()), sets)


def test_independence_scores_nothing_ahead_of_its_turn_under_a_limit():
    """So a limit of evaluations buys as many sets as the method asks for."""
    dataset, _ = dependent_dataset(33, 12, 400)  # none is constant
    run = ParentSetRun(dataset, ParentSetOptions(method="indep", evaluations=60, seed=1))
    assert all(record.evaluated == 60 for record in run.records())


@pytest.mark.parametrize("evaluations", [1, 2, 7, 23, 40, 61])
@pytest.mark.parametrize("method", METHODS)
def test_no_variable_exceeds_its_evaluations(method, evaluations):
    """Also where the last expansion would go on, and where not all single parents can be scored."""
    dataset, _ = dependent_dataset(33, 12, 400)
    own = {"orders": 20} if method == "grow" else {}
    records = list(
        ParentSetRun(dataset, ParentSetOptions(method=method, evaluations=evaluations, seed=1, **own)).records()
    )
    assert max(record.evaluated for record in records) <= evaluations
    if method != "grow":  # whose orders can end before
        assert min(record.evaluated for record in records) == evaluations
        assert not any(record.complete for record in records)
