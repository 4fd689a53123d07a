"""The loop of pricing: when it ends, by scripted searches."""

from __future__ import annotations

import itertools

import pytest
from helpers.clocks import StoppedClock
from helpers.tables import dependent_dataset

from stages.optimize import OptimizeOptions
from stages.optimize.pricing import loop
from stages.optimize.pricing import run as run_module
from stages.optimize.pricing.basins import OrderedNetwork
from stages.optimize.pricing.loop import LITTLE_GAIN, alternate
from stages.optimize.pricing.order_pricing import OrderPricing
from stages.optimize.pricing.run import start_run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


class Scripted:
    """An engine whose searches reach given scores, one after the other, and whose growth is `work`."""

    patience = 5
    bytes = 0

    def __init__(self, run, scores, cooling=0, work=0.0):
        self.run, self._scores, self._cooling, self._work = run, iter(scores), cooling, work
        self.best = OrderedNetwork(None, (), float("-inf"))
        self.searches = 0

    @property
    def is_cooling(self):
        return self.searches <= self._cooling

    def search(self):
        self.searches += 1
        score = next(self._scores)
        improved = score > self.best.score
        self.best = self.best._replace(score=max(score, self.best.score))
        return improved

    def grow(self):
        self.run.scorer.work += self._work


def run_within(budget):
    return start_run(FamilyScorer(dependent_dataset(1, 4, 50)[0]), OptimizeOptions(), budget, NullReporter())


def searches_until_the_end(scores, budget=None, patience=None, **engine):
    run = run_within(budget or Budget())
    scripted = Scripted(run, itertools.chain(scores, itertools.repeat(max(scores))), **engine)
    alternate(run, scripted, patience=patience)
    return scripted.searches


def falling(first_gain, factor=0.5, n=60):
    """Scores whose gains shrink, from about -1000."""
    return list(itertools.accumulate((first_gain * factor**k for k in range(n)), initial=-1000.0))


MUCH = 2.0 * loop.LONG_WORK


def test_a_run_without_limits_ends_when_nothing_improves():
    assert searches_until_the_end([-5.0, -4.0, -3.0]) == 3 + Scripted.patience
    assert searches_until_the_end([-5.0, -4.0, -3.0], cooling=6) == 6 + Scripted.patience
    assert searches_until_the_end([-5.0, -4.0, -3.0], patience=2) == 3 + 2


def test_after_much_work_it_ends_when_rounds_gain_little():
    little = 1000.0 * LITTLE_GAIN
    # Gains of 8, 4, 2, 1, 1/2 and 1/4 times the least that counts.
    scores = falling(8.0 * little)
    enough = sum(b - a > LITTLE_GAIN * abs(b) for a, b in itertools.pairwise(scores))
    assert searches_until_the_end(scores, work=MUCH) == 1 + enough + loop.LITTLE_ROUNDS
    # Every second round gains enough: there are no two poor ones in turn until the gains stop.
    gains = itertools.accumulate([2.0 * little, 0.0] * 10, initial=-1000.0)
    assert searches_until_the_end(list(gains), work=MUCH) == 1 + 2 * 10 + 1
    # It cools: that rounds gain little is no reason to end.
    assert searches_until_the_end([-1000.0], cooling=9, work=MUCH) == 9 + loop.LITTLE_ROUNDS


def test_little_work_or_any_limit_lets_rounds_gain_little():
    scores = falling(0.01, 0.99, 40)
    until_idle = len(scores) + Scripted.patience
    assert searches_until_the_end(scores, work=loop.LONG_WORK / 1000) == until_idle
    assert searches_until_the_end(scores, Budget(evaluations=10**9), work=MUCH) == until_idle
    clock = StoppedClock()
    timed = Budget(1.0, clock=clock)

    def clocked():
        yield from scores
        clock.now = 2.0
        yield scores[-1]

    run = run_within(timed)
    engine = Scripted(run, clocked(), work=MUCH)
    alternate(run, engine)
    assert engine.searches == len(scores) + 1


@pytest.mark.parametrize("budget, tries_all", [(Budget(), False), (Budget(evaluations=10**6), True)])
def test_with_many_variables_a_run_without_limits_tries_ranked_candidates_only(monkeypatch, budget, tries_all):
    monkeypatch.setattr(run_module, "MANY_VARIABLES", 5)
    dataset, _ = dependent_dataset(3, 8, 200)
    run = start_run(FamilyScorer(dataset), OptimizeOptions(), budget, NullReporter())
    engine = OrderPricing(run)
    engine.begin(grows=True)
    for grower in run.growers:
        grower.reach = 2
    engine.search()
    engine.grow()
    assert all((grower.reach is None) == tries_all for grower in run.growers)
