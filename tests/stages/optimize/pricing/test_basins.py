"""Visits to other basins: when they end, and that the best network is kept whatever is found elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.tables import dependent_dataset

from stages.kernels.orders.set_lists import GAIN_TOLERANCE
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.optimize.pricing.basins import AWAY_PATIENCE, AWAY_ROUNDS, HOME_PATIENCE, Basin, OrderedNetwork
from stages.optimize.pricing.order_pricing import OrderPricing
from stages.optimize.pricing.run import start_run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer

ORDER = np.arange(3, dtype=np.int32)
EMPTY = ((), (), ())


def test_a_visit_ends_when_nothing_improves_there():
    visit = Basin(ORDER, EMPTY)
    visit.note(OrderedNetwork(ORDER, EMPTY, -5.0))
    for _ in range(AWAY_PATIENCE):
        assert not visit.is_over
        visit.note(OrderedNetwork(ORDER, EMPTY, -5.0))
    assert visit.is_over


def test_a_visit_ends_after_some_rounds_at_most():
    visit = Basin(ORDER, EMPTY)
    for k in range(AWAY_ROUNDS):
        assert not visit.is_over
        visit.note(OrderedNetwork(ORDER, EMPTY, float(k)))
    assert visit.is_over
    assert visit.best.score == AWAY_ROUNDS - 1


@pytest.fixture
def engine():
    dataset, _ = dependent_dataset(3, 9, 250, most_states=2, noise=0.15)
    options = OptimizeOptions(method="pricing", knowledge=Knowledge.of_arcs(dataset.names, required=((0, 5),)))
    return OrderPricing(start_run(FamilyScorer(dataset), options, Budget(), NullReporter()))


def test_a_run_leaves_comes_back_and_keeps_the_best_network(engine):
    engine.begin(grows=True)
    run, scores, away = engine.run, [], []
    for _ in range(40):
        before = engine.best.score
        assert engine.search() == (engine.best.score > before + GAIN_TOLERANCE)
        scores.append(engine.best.score)
        grown = [grower.score(parents) for grower, parents in zip(run.growers, engine.best.parents)]
        assert sum(grown) == pytest.approx(engine.best.score)
        engine.grow()
        away.append(engine.away is not None)
    assert scores == sorted(scores)
    assert not any(away[:HOME_PATIENCE])
    changes = [after - before for before, after in zip(map(int, away), map(int, away[1:]))]
    assert changes.count(1) == run.work.visits >= 2
    assert changes.count(-1) >= run.work.visits - 1


def test_orders_elsewhere_meet_what_is_required(engine):
    engine.begin(grows=True)
    for _ in range(5):
        engine.leave()
        order = engine.away.best.order.tolist()
        assert order.index(0) < order.index(5)
        engine.search()
        assert 0 in engine.best.parents[5]
