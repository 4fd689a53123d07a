"""Greedy selection expands the best set first, however its work is cut into calls."""

from __future__ import annotations

import pytest
from helpers.cases.selections import CASES, SEEDS, Case
from naive.selection import greedy_selection

import stages.published.scanagatta_2015.kernels.greedy as kernel
from stages.parentsets.dirichlet_bounds import superset_bound
from stages.published.scanagatta_2015 import greedy


@pytest.mark.parametrize(("score", "required", "max_parents"), CASES)
@pytest.mark.parametrize("evaluations", [40, 10_000])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_set_is_expanded_first(seed, evaluations, score, required, max_parents):
    case = Case("greedy", seed, score, required, max_parents, evaluations)
    records, found = case.explored()
    assert len(found) > 3
    for child, explored in found.items():
        limits = case.run.searcher.limits_of(child)
        bound = superset_bound(case.scorer, child, limits)
        expected = greedy_selection(
            lambda parents, child=child: case.score(child, parents),
            case.n_states,
            limits.allowed.tolist(),
            limits.required,
            limits.max_parents,
            case.scorer.penalty(child),
            evaluations,
            bound.excludes if bound else lambda parents, score: False,
        )
        assert [parents for parents, _, _ in explored] == expected
        assert records[child].evaluated == len(expected)
        assert set(records[child].parents) == case.undominated(child, expected)


@pytest.mark.parametrize("score", ["bic", "bdeu"])
def test_nothing_depends_on_where_calls_end(score, monkeypatch):
    """Expansions are left and taken up between any two of their candidates."""
    whole = Case("greedy", 45, score, {2: (0,)}, 5, 200).explored()
    calls = []
    expand_sets = kernel.expand_sets
    monkeypatch.setattr(greedy, "expand_sets", lambda *given: calls.append(given) or expand_sets(*given))
    monkeypatch.setattr(greedy, "slice_work", lambda budget: 0.0)
    monkeypatch.setattr(greedy, "FIRST_ROOM", 1)
    again = Case("greedy", 45, score, {2: (0,)}, 5, 200).explored()
    assert str(again) == str(whole)
    assert len(calls) > sum(record.evaluated for record in whole[0]) / 2
