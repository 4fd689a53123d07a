"""Visits to other basins: when they end, and that the best network is kept whatever is found elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.tables import dependent_dataset

from stages.optimize import OptimizeOptions
from stages.optimize.pricing.unbounded import Pricing
from stages.optimize.pricing.visits import AWAY_PATIENCE, AWAY_ROUNDS, HOME_PATIENCE, Visit
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer

ORDER = np.arange(3, dtype=np.int32)
EMPTY = ((), (), ())


def test_a_visit_ends_when_nothing_improves_there():
    visit = Visit(ORDER, EMPTY)
    visit.note(ORDER, EMPTY, -5.0)
    for _ in range(AWAY_PATIENCE):
        assert not visit.is_over
        visit.note(ORDER, EMPTY, -5.0)
    assert visit.is_over


def test_a_visit_ends_after_some_rounds_at_most():
    visit = Visit(ORDER, EMPTY)
    for k in range(AWAY_ROUNDS):
        assert not visit.is_over
        visit.note(ORDER, EMPTY, float(k))
    assert visit.is_over
    assert visit.score == AWAY_ROUNDS - 1


@pytest.fixture
def run():
    dataset, _ = dependent_dataset(3, 9, 250, most_states=2, noise=0.15)
    options = OptimizeOptions(method="pricing", required=((0, 5),))
    return Pricing(FamilyScorer(dataset), options, Budget(), NullReporter(), None)


def test_a_run_leaves_comes_back_and_keeps_the_best_network(run):
    run.prepare(grows=True)
    scores, away = [], []
    for _ in range(40):
        run.search()
        scores.append(run.best_score)
        grown = [grower.score(parents) for grower, parents in zip(run.lists.growers, run.parents)]
        assert sum(grown) == pytest.approx(run.best_score)
        run.price()
        away.append(run.visit is not None)
    assert scores == sorted(scores)
    assert not any(away[:HOME_PATIENCE])
    changes = [after - before for before, after in zip(map(int, away), map(int, away[1:]))]
    assert changes.count(1) == run.visits >= 2
    assert changes.count(-1) >= run.visits - 1


def test_orders_elsewhere_meet_what_is_required(run):
    run.prepare(grows=True)
    for _ in range(5):
        run.leave()
        order = run.visit.order.tolist()
        assert order.index(0) < order.index(5)
        run.search()
        assert 0 in run.parents[5]
