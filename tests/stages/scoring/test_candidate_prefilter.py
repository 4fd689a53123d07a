"""Shortlists of candidate parents on a sample of the rows, against the estimate written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.tables import make_dataset
from naive.scores import log_likelihood

from stages.scoring import candidate_prefilter
from stages.scoring.candidate_prefilter import RowSample, dependence, make_row_sample, strongest_alone
from stages.scoring.family_scorer import FamilyScorer


def scorer_of(score="bic"):
    """Twelve variables of two to four states; the first depends on the others the less, the later they come."""
    rng = np.random.default_rng(7)
    child = rng.integers(0, 3, 400)
    codes, n_states = [child], [3]
    for v in range(1, 12):
        n_states.append(2 + v % 3)
        codes.append(np.where(rng.random(400) < 0.08 * v, rng.integers(0, 4, 400), child) % n_states[v])
    return FamilyScorer(make_dataset(np.array(codes), n_states), score)


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu"])
@pytest.mark.parametrize("parents", [(), (3,)])
def test_shortlists_have_the_candidates_of_largest_estimate(score, parents, monkeypatch):
    monkeypatch.setattr(candidate_prefilter, "KEPT", 4)
    monkeypatch.setattr(candidate_prefilter, "LEAST_ROWS", 100)
    scorer = scorer_of(score)
    sample = RowSample(scorer)
    rows = np.sort(np.random.default_rng(0x5EED).choice(400, 100, replace=False))
    rows = scorer.dataset.codes[:, rows].T.tolist()
    candidates = np.array([v for v in range(1, 12) if v not in parents], dtype=np.int32)
    penalty = 1.0 if score == "aic" else 0.5 * math.log(400)
    states = scorer.n_states
    before = log_likelihood(rows, 0, parents)
    estimates = {}
    for v in candidates.tolist():
        others = math.prod(int(states[p]) for p in parents)
        more = (int(states[0]) - 1) * others * (int(states[v]) - 1)
        # Four rows of the data for each of the sample; chance gains half a nat per parameter in either.
        gain = log_likelihood(rows, 0, (*parents, v)) - before
        estimates[v] = 4.0 * (gain - more / 2) + more / 2 - penalty * more
    expected = sorted(sorted(estimates, key=estimates.__getitem__)[-4:])
    assert sample.shortlist(0, parents, candidates).tolist() == expected
    few = candidates[-4:]
    assert sample.shortlist(0, parents, few).tolist() == few.tolist()


def test_the_strongest_alone_are_kept(monkeypatch):
    monkeypatch.setattr(candidate_prefilter, "KEPT_ALONE", 3)
    scorer = scorer_of()
    candidates = np.arange(1, 12, dtype=np.int32)
    improvements = scorer.expand(0, ())[candidates] - scorer.local_score(0, ())
    rows, states = scorer.dataset.codes.T.tolist(), scorer.n_states
    alone = {}
    for v in candidates.tolist():
        free = 2 * (int(states[v]) - 1)
        ratio = 2 * (log_likelihood(rows, 0, (v,)) - log_likelihood(rows, 0, ()))
        alone[v] = (ratio - free) / math.sqrt(2 * free)
    assert dependence(scorer, 0, candidates, improvements) == pytest.approx(list(alone.values()))
    expected = sorted(sorted(alone, key=alone.__getitem__)[-3:])
    assert strongest_alone(scorer, 0, candidates, improvements).tolist() == expected
    few = np.array([9, 10, 11], dtype=np.int32)
    assert strongest_alone(scorer, 0, few, improvements[-3:]).tolist() == [9, 10, 11]


@pytest.mark.parametrize(("many", "rows", "expected"), [(11, 200, True), (12, 200, False), (11, 201, False)])
def test_a_sample_is_drawn_where_it_saves_half_the_rows(many, rows, expected, monkeypatch):
    monkeypatch.setattr(candidate_prefilter, "MANY_CANDIDATES", many)
    monkeypatch.setattr(candidate_prefilter, "LEAST_ROWS", rows)
    assert (make_row_sample(scorer_of()) is not None) == expected
