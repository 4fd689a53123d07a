"""Traces have every scored set once, in the order in which sets were scored."""

from __future__ import annotations

import math

import pytest
from helpers.cases.selections import rows_of
from helpers.tables import dependent_dataset
from naive.scores import local_score

from stages.knowledge import Knowledge
from stages.parentsets import METHODS, ParentSetOptions
from stages.parentsets.identification_run import ParentSetRun

TRACED = [name for name, spec in METHODS.items() if spec.traces]


def explored_by(run):
    """Records and, by child, the sets explored with scores and estimates."""
    traces = {}
    records = list(run.records(trace=lambda explored: traces.setdefault(explored.child, explored)))
    return records, {child: rows_of(explored) for child, explored in traces.items()}


@pytest.mark.parametrize("required", [{}, {3: (1,), 5: (0, 2)}], ids=["", "required"])
@pytest.mark.parametrize("score", ["bic", "bdeu"])
@pytest.mark.parametrize("evaluations", [None, 60])
@pytest.mark.parametrize("method", TRACED)
def test_trace_and_lists_agree(method, evaluations, score, required):
    dataset, rows = dependent_dataset(3, 9, 300, most_states=3)
    knowledge = Knowledge(dataset.names, required=required)
    options = ParentSetOptions(method=method, score=score, evaluations=evaluations, max_parents=4)
    records, found = explored_by(ParentSetRun(dataset, options, knowledge=knowledge))
    for record in records:
        explored = found[record.child]
        sets = [parents for parents, _, _ in explored]
        assert len(explored) == record.evaluated
        assert len(set(sets)) == len(sets)
        assert all(list(parents) == sorted(set(parents)) for parents in sets)
        assert sets[0] == required.get(record.child, ())
        best = max(explored, key=lambda one: one[1])
        assert best[1] == record.scores[0]
        known = {parents: value for parents, value, _ in explored}
        assert {known[parents] for parents in record.parents} == set(record.scores)
        for parents, value, _ in explored[:: max(1, len(explored) // 7)]:
            expected = local_score(rows, dataset.n_states.tolist(), record.child, parents, score, 1.0)
            assert value == pytest.approx(expected, abs=1e-6)


def test_sets_are_traced_whatever_the_workers():
    dataset, _ = dependent_dataset(5, 8, 200)
    options = ParentSetOptions(method="indep", evaluations=80)
    _, alone = explored_by(ParentSetRun(dataset, options))
    _, shared = explored_by(ParentSetRun(dataset, ParentSetOptions(method="indep", evaluations=80, jobs=2)))
    assert str(alone) == str(shared)


def test_independence_shows_the_estimate_of_sets_that_were_chosen_by_one():
    dataset, _ = dependent_dataset(3, 9, 300)
    _, found = explored_by(ParentSetRun(dataset, ParentSetOptions(method="indep", evaluations=60)))
    for explored in found.values():
        for parents, _, estimate in explored:
            assert math.isnan(estimate) == (len(parents) < 2)
        estimates = [estimate for parents, _, estimate in explored if len(parents) == 2]
        # Pairs of singletons are all there from the beginning: they come best first.
        assert estimates == sorted(estimates, reverse=True)
