"""Independence selection explores as the paper says, however its work is cut into calls."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.selections import CASES, SEEDS, Case
from naive.selection import independence_selection

import stages.published.scanagatta_2015.kernels.independence as kernel
from stages.published.scanagatta_2015 import independence


@pytest.mark.parametrize(("score", "required", "max_parents"), CASES)
@pytest.mark.parametrize("evaluations", [40, 10_000])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_is_that_of_the_paper(seed, evaluations, score, required, max_parents):
    case = Case("indep", seed, score, required, max_parents, evaluations)
    records, found = case.explored()
    assert len(found) > 3
    for child, explored in found.items():
        limits = case.run.searcher.limits_of(child)
        expected = independence_selection(
            lambda parents, child=child: case.score(child, parents),
            case.n_states,
            case.scorer.row_entropies.tolist(),
            child,
            limits.allowed.tolist(),
            limits.required,
            limits.max_parents,
            case.scorer.penalty(child),
            evaluations,
        )
        assert [parents for parents, _, _ in explored] == expected
        assert records[child].evaluated == len(expected)
        assert set(records[child].parents) == case.undominated(child, expected)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_nothing_depends_on_where_calls_end(score, monkeypatch):
    whole = Case("indep", 45, score, {2: (0,)}, 5, 200).explored()
    calls = []
    close_sets = kernel.close_sets
    monkeypatch.setattr(independence, "close_sets", lambda *given: calls.append(given) or close_sets(*given))
    monkeypatch.setattr(independence, "slice_work", lambda budget: 0.0)
    monkeypatch.setattr(independence, "FIRST_ROOM", 1)
    again = Case("indep", 45, score, {2: (0,)}, 5, 200).explored()
    assert str(again) == str(whole)
    assert len(calls) > sum(record.evaluated for record in whole[0]) / 2


@pytest.mark.parametrize("score", ["bic", "ll"])
def test_sets_scored_ahead_are_listed_and_scored_once(score, monkeypatch):
    """Where no number of evaluations is given, neighbours in a line are scored with the set whose turn it is."""
    monkeypatch.setattr(independence, "AHEAD", 3)
    one_by_one, alone = Case("indep", 45, score, {}, 4, 10**6).explored()
    case = Case("indep", 45, score, {}, 4, None)
    monkeypatch.setattr(case.run.searcher, "evaluation_limit", lambda: independence.UNLIMITED)
    records, found = case.explored()
    for record, other in zip(records, one_by_one, strict=True):
        assert record.parents == other.parents and record.complete == other.complete
        assert record.scores.tolist() == other.scores.tolist()
        if record.child in found:
            sets = [parents for parents, _, _ in found[record.child]]
            assert len(set(sets)) == len(sets) == record.evaluated
            assert set(sets) >= {parents for parents, _, _ in alone[record.child]}
    assert any([p for p, _, _ in found[child]] != [p for p, _, _ in alone[child]] for child in found)


def test_lines_of_extensions_come_best_first():
    case = Case("indep", 1, "bic", {}, None, 10)
    child = next(child for child in range(8) if len(case.run.searcher.limits_of(child).allowed) > 2)
    limits = case.run.searcher.limits_of(child)
    found = limits.nothing_found(child)
    found.begin((), case.scorer.local_score(child, ()))
    singletons = case.scorer.expand(child, (), limits.allowed)
    search = independence._IndependenceSearch(case.scorer, limits, case.run.budget, found, singletons)
    ranking, state = search.ranking, search.state
    assert sorted(ranking.variables.tolist()) == limits.allowed.tolist()
    for line, states in enumerate(ranking.states):
        part = ranking.variables[ranking.starts[line] : ranking.starts[line + 1]]
        assert (case.scorer.n_states[part] == states).all()
        assert (np.diff(singletons[part]) <= 0).all()
    n_open = int(state.waiting.n_open[0])
    assert n_open and state.waiting.values[0] == state.waiting.values[:n_open].max()
