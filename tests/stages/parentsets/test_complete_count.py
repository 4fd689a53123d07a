"""The forecast of a complete enumeration, against counting and against the enumeration itself."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.tables import dependent_dataset

from stages.knowledge import Knowledge
from stages.parentsets import ParentSetOptions
from stages.parentsets.complete_count import count_complete, report_complete, sample_counts
from stages.parentsets.dirichlet_bounds import superset_bound
from stages.parentsets.enumeration import MOST_COMBINATIONS, count_sets
from stages.parentsets.forecast import forecast_run
from stages.parentsets.identification_run import ParentSetRun
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter, duration_text


@pytest.mark.parametrize("cap", [1.0, 5.0, 24.0, 1000.0, math.inf])
def test_sets_are_counted_by_size(cap):
    states = [2, 2, 3, 4, 2, 3]
    counted = [0] * 5
    for size in range(5):
        for chosen in itertools.combinations(states, size):
            counted[size] += size < 2 or math.prod(chosen) < cap
    assert count_sets(np.array(states), np.full(6, cap), 4) == counted


def test_sets_are_counted_with_the_member_that_leaves_least_room():
    states, caps = [2, 2, 3, 4, 2, 3], [9.0, 30.0, 9.0, 100.0, 5.0, 30.0]
    counted = [0] * 5
    for size in range(5):
        for chosen in itertools.combinations(range(6), size):
            product = math.prod(states[i] for i in chosen)
            counted[size] += size < 2 or product < min(caps[i] for i in chosen)
    assert count_sets(np.array(states), np.array(caps), 4) == counted
    assert sum(count_sets(np.array(states), np.array(caps), 4, 9.0)) > 9


@pytest.mark.slow
def test_many_numbers_of_states_lose_no_set():
    states = np.random.default_rng(0).integers(2, 200, 60).tolist()
    assert len(set(states)) > 40
    counts = count_sets(np.array(states), np.full(60, np.inf), 4)
    assert counts == [math.comb(60, size) for size in range(5)]
    exact = sum(a * b < 5000 for a, b in itertools.combinations(states, 2))
    assert exact <= count_sets(np.array(states), np.full(60, 5000.0), 2)[2] <= math.comb(60, 2)
    assert MOST_COMBINATIONS < 10**6


class Listener(NullReporter):
    """Keeps what is said, by how loudly."""

    def __init__(self):
        self.said = []

    def detail(self, message):
        self.said.append(("detail", message))

    def warn(self, message):
        self.said.append(("warn", message))


def run_of(reporter=None, **options):
    dataset, _ = dependent_dataset(45, 7, 150, most_states=3)  # none is constant
    return ParentSetRun(dataset, ParentSetOptions(**{"method": "sequential", **options}), reporter=reporter)


@pytest.mark.parametrize("score", ["bic", "bdeu", "ll"])
def test_no_enumeration_scores_more_than_forecast(score):
    run = run_of(score=score, max_parents=3)
    count = count_complete(run)
    assert run.scorer.evaluations == 0
    evaluated = [record.evaluated for record in run.records()]
    assert sum(evaluated) <= count.total and max(evaluated) <= count.most
    if score != "bic":
        assert count.total == 7 * (1 + 6 + 15 + 20)


@pytest.mark.parametrize("options", [{}, {"score": "bdeu"}, {"keep_mass": 0.1}], ids=str)
def test_variables_beyond_the_time_of_counting_are_counted_in_groups(options, monkeypatch):
    run = run_of(max_parents=3, **options)
    exact = count_complete(run)
    monkeypatch.setattr("stages.parentsets.complete_count.COUNTING_SECONDS", 0.0)
    monkeypatch.setattr("stages.parentsets.complete_count._seconds_per_set", lambda *_: 0.0)
    monkeypatch.setattr("stages.parentsets.complete_count._count_child", lambda *_: pytest.fail("one by one"))
    rough = count_complete(run)
    assert exact.total <= rough.total <= 7 * (1 + 6 + 15 + 20) and exact.most <= rough.most
    if options:  # no single score closes a set
        assert rough.total == exact.total


def test_groups_are_counted_under_knowledge(monkeypatch):
    names = run_of().scorer.dataset.names
    knowledge = Knowledge.of_arcs(names, required=[(0, 1)], forbidden=[(0, 2), (1, 2)])
    dataset, _ = dependent_dataset(45, 7, 150, most_states=3)
    run = ParentSetRun(dataset, ParentSetOptions(method="sequential", max_parents=3), knowledge=knowledge)
    evaluated = [record.evaluated for record in run.records()]
    monkeypatch.setattr("stages.parentsets.complete_count.COUNTING_SECONDS", 0.0)
    monkeypatch.setattr("stages.parentsets.complete_count._seconds_per_set", lambda *_: 0.0)
    assert sum(evaluated) <= count_complete(run).total


def test_nothing_is_forecast_after_an_interruption():
    reporter = Listener()
    run = run_of(reporter, max_parents=3)
    run.budget.stop.set()
    report_complete(run)
    assert reporter.said == []


def test_children_long_after_the_time_list_one_set():
    run = run_of(time=1.0)
    run.budget.elapsed = lambda: 5.0
    records = [run.searcher.result_of(child).record for child in run.children]
    assert all(list(record.parents) == [()] and record.extra == {"ended": "time"} for record in records)


def test_a_dry_run_counts_instead_of_searching():
    run = run_of(max_parents=3)
    forecast = forecast_run(run)
    assert (forecast.measured, forecast.sets, forecast.file_bytes) == (0, None, None)
    assert forecast.evaluations == count_complete(run).total


def test_a_dry_run_within_a_limit_counts_all_that_it_scores():
    """No child takes the time of the others before they are measured."""
    run = run_of(method="indep", time=0.1)
    forecast = forecast_run(run)
    assert forecast.measured == forecast.searched == 7
    assert forecast.evaluations == pytest.approx(run.searcher.scorer.evaluations, abs=1)


@pytest.mark.parametrize("options", [{}, {"max_parents": 2, "evaluations": 9}], ids=str)
def test_other_limits_need_no_forecast(options):
    assert count_complete(run_of(**options)) is None


def test_what_does_not_fit_is_warned_of_with_a_remedy(monkeypatch):
    monkeypatch.setattr("stages.parentsets.complete_count.free_bytes", lambda: -(10**12))
    reporter = Listener()
    report_complete(run_of(reporter, max_parents=3))
    ((loudness, message),) = reporter.said
    assert loudness == "warn" and "--max-parents, --time or another method" in message
    monkeypatch.undo()
    reporter.said.clear()
    report_complete(run_of(reporter, max_parents=3))
    assert reporter.said[0][0] == "detail"


@pytest.mark.parametrize("score", ["bdeu", "k2"])
@pytest.mark.slow
def test_a_sample_shows_how_many_sets_a_dirichlet_prior_leaves(score):
    run = run_of(score=score, time=3600.0)
    clock, rng = Budget(None), np.random.default_rng(0)
    for child, record in enumerate(run.records()):
        limits = run.searcher.limits_of(child)
        bound = superset_bound(run.scorer, child, limits)
        counts = sample_counts(run.scorer, child, limits, bound, rng, clock)
        assert 0.9 * record.evaluated <= counts.by_size.sum() <= 2**6
        assert counts.by_size[:2].tolist() == [1, 6]


@pytest.mark.slow
def test_what_takes_long_under_a_dirichlet_prior_is_sampled(monkeypatch):
    monkeypatch.setattr("stages.parentsets.complete_count.LONG_SECONDS", 0.0)
    monkeypatch.setattr("stages.parentsets.complete_count.SAMPLING_SECONDS", 1e9)
    run = run_of(reporter := Listener(), score="bdeu", time=3600.0)
    count = count_complete(run)
    assert count.expected is not None and 7 * 7 <= count.expected <= count.total == 7 * 2**6
    assert run.scorer.evaluations == 0
    assert forecast_run(run).expected == count.expected
    report_complete(run)
    assert "sets by a sample (at most 448 sets (64 for one variable)), about" in reporter.said[0][1]


def test_durations_that_nobody_waits_for():
    assert duration_text(3 * 86400) == "3 days"
    assert duration_text(1e300) == "centuries"
