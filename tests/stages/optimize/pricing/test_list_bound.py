"""The bound of pricing: its share depends on work, and time is left for it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.clocks import StoppedClock, TickingClock
from helpers.tables import dependent_dataset

from stages.optimize import OptimizeOptions
from stages.optimize.bounds import anytime_bound
from stages.optimize.bounds.anytime_bound import SETTLED, SHARE, WorkShare
from stages.optimize.pricing import loop
from stages.optimize.pricing.list_bound import BOUNDED_TIME, IDLE_SHARE, ListBound
from stages.optimize.pricing.order_pricing import search_data
from stages.optimize.pricing.run import start_run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


def test_a_bound_gets_more_once_the_network_has_settled():
    share = WorkShare(IDLE_SHARE, SETTLED)
    assert share.of(1e9, -1000.0) == anytime_bound.FIRST_WORK + SHARE * 1e9
    # Half a nat of a thousand is no gain here, five nats are.
    assert share.of(3e9, -999.5) == anytime_bound.FIRST_WORK + SHARE * 3e9 + IDLE_SHARE * 1e9
    assert share.of(3e9, -995.0) == anytime_bound.FIRST_WORK + SHARE * 3e9
    assert share.of(6e9, -995.0) == anytime_bound.FIRST_WORK + SHARE * 6e9


def test_without_a_network_there_is_the_plain_share():
    assert WorkShare(0.5).of(0.0, -np.inf) == anytime_bound.FIRST_WORK


@pytest.mark.parametrize("tick", [pytest.param(1e-6, marks=pytest.mark.slow), 1e-4])
def test_the_clock_changes_nothing_without_a_limit_of_time(tick, monkeypatch):
    """A slow machine, whose clock runs further between two readings, ends with the same network and bound."""
    monkeypatch.setattr(loop, "forecast_listing", lambda _: None)
    dataset, _ = dependent_dataset(3, 25, 300, most_states=2)

    def run(clock):
        scorer = FamilyScorer(dataset)
        options = OptimizeOptions(method="pricing", seed=1)
        found = search_data(scorer, options, Budget(None, 1500, clock=clock), NullReporter())
        return found.parents, found.bound

    assert run(TickingClock(tick)) == run(StoppedClock())


def test_reserved_time_ends_a_search_early_and_is_there_afterwards():
    clock = StoppedClock()
    budget = Budget(10.0, clock=clock)
    with budget.reserving(lambda: 4.0):
        clock.now = 5.0
        assert budget.time_left() == 1.0
        clock.now = 7.0
        assert budget.is_spent()
    assert budget.time_left() == 3.0
    with Budget().reserving(lambda: 4.0) as unlimited:
        assert unlimited is None
    assert not Budget(evaluations=5).is_spent(4)


@pytest.mark.parametrize(("treewidth", "share"), [(2, BOUNDED_TIME), (None, 0.0)])
def test_a_treewidth_bound_reserves_a_share_of_the_time(treewidth, share):
    """Beside what the work of search and growth reserves, which is little here."""
    dataset, _ = dependent_dataset(3, 8, 100, most_states=2)
    clock = StoppedClock()
    options = OptimizeOptions(method="pricing", treewidth=treewidth, seed=1)
    run = start_run(FamilyScorer(dataset), options, Budget(1000.0, clock=clock), NullReporter())
    bound = ListBound(run, SimpleNamespace(best=SimpleNamespace(score=-100.0)))
    by_work = bound.reserve()
    assert 0.0 < by_work < 1.0
    clock.now += 500.0
    assert bound.reserve() == max(by_work, 500.0 * share)
