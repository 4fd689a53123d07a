"""The run that compiles before the clock starts."""

from __future__ import annotations

import itertools

import pytest
from helpers.clocks import StoppedClock
from naive.optimize.pricing import undominated

from stages.runtime.budgets import Budget
from stages.runtime.warm_up import compile_first, is_binary, tiny_dataset, tiny_table
from stages.scoring.family_scorer import FamilyScorer


@pytest.fixture(params=["numba compiles", "machine code"])
def compiles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether numba compiles kernels, or machine code was made in advance."""
    does = request.param == "numba compiles"
    monkeypatch.setattr("stages.kernels.native.MACHINE_CODE", None if does else object())
    return does


def test_clock_starts_after_compilation(compiles):
    clock = StoppedClock()
    budget = Budget(seconds=5.0, clock=clock)
    clock.now = 100.0
    seen = []
    compile_first(seen.append, budget, object())
    assert len(seen) == (1 if compiles else 0)
    for tiny in seen:
        assert tiny.seconds is None and tiny.evaluations > 0
        assert tiny.stop is budget.stop
    assert budget.elapsed() == 0.0


def test_a_kind_of_search_is_compiled_once(compiles):
    seen, clock, kind = [], StoppedClock(), object()
    stopped = Budget()
    stopped.stop.set()
    compile_first(seen.append, stopped, kind)  # it may not have come to an end
    for _ in range(3):
        budget = Budget(seconds=5.0, clock=clock)
        clock.now += 10.0
        compile_first(seen.append, budget, kind)
        assert budget.elapsed() == 0.0
    assert len(seen) == (2 if compiles else 0)


@pytest.mark.parametrize("binary", [False, True])
def test_tiny_data_are_well_formed(binary):
    dataset = tiny_dataset(binary)
    assert is_binary(dataset) == binary
    for codes, variable in zip(dataset.codes, dataset.variables):
        assert sorted(set(codes.tolist())) == list(range(len(variable.states)))
    # Each depends on the one before, so that growing has something to do.
    scorer = FamilyScorer(dataset)
    assert all(scorer.local_score(b, (a,)) > scorer.local_score(b, ()) for a, b in itertools.pairwise(range(2)))


def test_tiny_lists_are_well_formed():
    for record in tiny_table().records():
        assert list(record.parents) == undominated(dict(zip(record.parents, record.scores)))
