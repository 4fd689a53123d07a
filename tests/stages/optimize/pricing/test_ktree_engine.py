"""Pricing under a treewidth bound, its engine alone: turns of its searches, how its walk cools, rounds of growth."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from helpers.clocks import StoppedClock
from helpers.tables import dependent_dataset
from naive.optimize.treewidth import elimination_width, moral_edges

from stages.optimize import OptimizeOptions
from stages.optimize.pricing import ktree_pricing, walk_schedule
from stages.optimize.pricing import run as run_module
from stages.optimize.pricing.greedy_start import FEW
from stages.optimize.pricing.list_bound import ListBound
from stages.optimize.pricing.run import start_run
from stages.optimize.pricing.widthless import SLACK, OrdersWithinWidth, TooWide
from stages.optimize.result import total_score
from stages.optimize.treewidth import triangulation
from stages.optimize.treewidth.family_forest import join_families
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer


def started_engine(dataset, width, budget):
    """An engine with a network and a focus of growth, after its search without a bound."""
    options = OptimizeOptions(method="pricing", treewidth=width, seed=1)
    run = start_run(FamilyScorer(dataset), options, budget, NullReporter())
    first = OrdersWithinWidth(run, dataset.n_variables - 1)
    first.begin(grows=True)
    first.search()
    run.lists.limit_parents(width)
    engine = ktree_pricing.KTreePricing(run, width, first)
    engine.begin(grows=True)
    engine.is_too_wide = True
    engine.search()
    return engine


def record_turns(engine, n_turns, gains):
    """Names of the searches that take `n_turns` turns if each gains `gains[name]` nats a turn."""
    names = []

    def searching(name):
        def search():
            names.append(name)
            engine.best = engine.best._replace(score=engine.best.score + gains[name])

        return search

    engine.arms = [ktree_pricing.Arm(searching(name)) for name in gains]
    for _ in range(n_turns):
        engine._take_turn()
    return names


def test_the_search_that_gains_most_has_the_turn_and_others_do_not_wait_forever():
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    engine = started_engine(dataset, 4, Budget(evaluations=500))
    names = record_turns(engine, 300, {"poor": 0.0, "rich": 2.0, "fair": 1.0})
    assert set(names[:3]) == {"poor", "rich", "fair"}
    turns = {name: [-1, *[k for k, turn in enumerate(names) if turn == name], len(names)] for name in names}
    waits = [later - earlier for places in turns.values() for earlier, later in itertools.pairwise(places)]
    assert names.count("rich") > 0.7 * len(names)
    assert max(waits) <= ktree_pricing.LONGEST_WAIT + 3


def test_searches_that_gain_nothing_alternate():
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    engine = started_engine(dataset, 4, Budget(evaluations=500))
    names = record_turns(engine, 12, {"a": 0.0, "b": 0.0, "c": 0.0})
    assert names[3:] == names[:3] * 3


def test_too_many_variables_are_searched_without_triangulations(monkeypatch):
    """Networks that are too wide are narrowed all the same."""

    def refuse(*_):
        raise AssertionError("a triangulation")

    monkeypatch.setattr(ktree_pricing, "MOST_VARIABLES", 11)
    monkeypatch.setattr(triangulation, "FEW_VARIABLES", 11)
    monkeypatch.setattr(triangulation.TriangulationSearch, "start", refuse)
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    engine = started_engine(dataset, 2, Budget(evaluations=2000))
    engine._take_network(tuple(tuple(range(max(0, v - 3), v)) for v in range(12)))
    assert engine.is_too_wide
    engine.grow()
    for arm in engine.arms:
        before = engine.best.score
        arm.search()
        assert engine.best.score >= before
    assert elimination_width(moral_edges(engine.best.parents), engine.best.order[::-1].tolist()) <= 2


@pytest.mark.parametrize(("most", "n_arms"), [(11, 2), (12, 3)])
def test_searches_within_triangulations_take_turns(monkeypatch, most, n_arms):
    """But a network that has just been narrowed is not improved by them among many variables."""
    monkeypatch.setattr(ktree_pricing, "MOST_VARIABLES", most)
    monkeypatch.setattr(triangulation, "FEW_VARIABLES", 11)
    starts = []
    start = triangulation.TriangulationSearch.start
    monkeypatch.setattr(
        triangulation.TriangulationSearch, "start", lambda *given: bool(starts.append(given)) or start(*given)
    )
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    engine = started_engine(dataset, 2, Budget(evaluations=2000))
    starts.clear()
    engine._take_network(tuple(tuple(range(max(0, v - 3), v)) for v in range(12)))
    assert engine.is_too_wide and not starts
    for arm in engine.arms:
        arm.search()
    assert len(engine.arms) == n_arms
    assert len(starts) == n_arms - 2
    assert elimination_width(moral_edges(engine.best.parents), engine.best.order[::-1].tolist()) <= 2


def test_families_that_close_no_cycle_replace_the_walk_where_they_are_better():
    """They are joined anew after each growth until they gain little; then other searches take turns."""
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    engine = started_engine(dataset, 2, Budget(evaluations=2000))
    engine._is_joining, engine._tree = True, None
    lists = engine.run.lists.latest()
    families = total_score(lists.scores, join_families(lists))
    little = ktree_pricing.LITTLE_GAIN * abs(families)
    engine.best = engine.best._replace(score=families - 3.0 * little)
    assert engine.search()
    assert engine._is_joining
    engine.best = engine.best._replace(score=families - 0.5 * little)
    assert engine.search()
    assert engine.best.score == pytest.approx(families)
    assert elimination_width(moral_edges(engine.best.parents), engine.best.order[::-1].tolist()) <= 2
    assert not engine._is_joining
    turns = []
    engine.arms = [ktree_pricing.Arm(lambda: turns.append(engine.best.score))]
    engine.search()
    assert len(turns) == 1
    assert engine._tree is None


def test_the_walk_begins_where_families_that_close_no_cycle_are_worse():
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    assert started_engine(dataset, 2, Budget(evaluations=2000))._tree is not None


@pytest.mark.parametrize(("width", "rounds"), [(2, 49), (8, 25), (20, 3)])
def test_the_walk_is_the_shorter_the_larger_the_bound(width, rounds):
    """Without a limit it has `COOLING_ROUNDS` times EVEN_WIDTH^3 / (K^3 + EVEN_WIDTH^3)."""
    dataset, _ = dependent_dataset(2, 24, 200, most_states=2)
    engine = started_engine(dataset, width, Budget())
    warm = 0
    while engine.schedule.cooled() < 1.0:
        warm += 1
        engine.run.work.rounds += 1
    assert abs(warm - rounds) <= 1


def test_the_walk_cools_within_a_limit_on_local_scores():
    dataset, _ = dependent_dataset(2, 24, 200, most_states=2)
    engine = started_engine(dataset, 2, Budget(evaluations=10**5))
    before = engine.schedule.evaluations
    for share in (0.0, 0.5, 1.0):
        engine.run.scorer.evaluations = int(before + share * (10**5 - before))
        cooled = share / (walk_schedule.COOLING_TIME * engine.schedule.share)
        assert engine.schedule.cooled() == pytest.approx(cooled, rel=1e-3)


def test_the_walk_cools_once(monkeypatch):
    """Its temperature falls from the start to the end."""
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    clock = StoppedClock()
    engine = started_engine(dataset, 2, Budget(100.0, clock=clock))
    heats = []

    def anneal(search, n_moves, temperatures):
        heats.append(temperatures[0])
        clock.now += 1.0
        return 0.0

    monkeypatch.setattr(ktree_pricing.OrderSearch, "anneal", anneal)
    monkeypatch.setattr(ktree_pricing, "slices", lambda *_: range(1))
    while engine.schedule.cooled() < 1.0:
        engine.is_cooling = True
        engine._walk_orders()
    assert len(heats) > 60 and np.all(np.diff(heats) < 0)
    assert heats[-1] / heats[0] == pytest.approx(walk_schedule.COOLING, rel=0.2)


def test_growth_goes_on_with_the_variable_at_which_time_ended_it(monkeypatch):
    """Rounds of a tenth of the time left reach all variables in turn, none twice before the last one."""
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    clock = StoppedClock()
    engine = started_engine(dataset, 2, Budget(100.0, clock=clock))
    grown = []

    def grow_child(grower, *_):
        grown.append(grower.child)
        clock.now += 3.0

    monkeypatch.setattr(engine.run, "grow_child", grow_child)
    engine.grow()
    first_round = len(grown)
    assert 1 <= first_round < 12
    engine.grow()
    assert len(grown) > first_round
    assert grown == [k % 12 for k in range(len(grown))]


@pytest.mark.parametrize("budget, tries_all", [(Budget(), False), (Budget(evaluations=10**6), True)])
def test_growth_tries_all_candidates_where_few_help_alone(monkeypatch, budget, tries_all):
    monkeypatch.setattr(run_module, "MANY_VARIABLES", 5)
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    engine = started_engine(dataset, 2, budget)
    for grower in engine.run.growers:
        grower.reach = 2
    engine.run.growers[0].reach = FEW
    engine.grow()
    assert engine.run.growers[0].reach == FEW
    assert all((grower.reach is None) == tries_all for grower in engine.run.growers[1:])


def test_growing_lists_get_no_bound_under_a_treewidth_bound():
    """It would hold for networks of any width; those without a bound on it are shown one."""
    dataset, _ = dependent_dataset(2, 12, 200, most_states=2)
    engine = started_engine(dataset, 2, Budget(evaluations=100_000))
    for treewidth, is_bounded in ((2, False), (None, True)):
        engine.run.options = replace(engine.run.options, treewidth=treewidth)
        engine.run.gap = {}
        ListBound(engine.run, engine).look()
        assert bool(engine.run.gap) is is_bounded


@pytest.mark.parametrize(
    ("seconds", "now", "narrowest", "is_kept"),
    [
        (100.0, 10.0, SLACK, True),
        (100.0, 20.0, SLACK, False),
        (100.0, 10.0, SLACK + 0.1, False),
        (None, 0.0, SLACK, False),  # without a limit there is no early share
    ],
)
def test_networks_may_be_somewhat_too_wide_in_the_first_share_of_a_limit(
    seconds, now, narrowest, is_kept, monkeypatch
):
    dataset, _ = dependent_dataset(2, 6, 100, most_states=2)
    clock = StoppedClock()
    options = OptimizeOptions(method="pricing", treewidth=3, seed=1)
    run = start_run(FamilyScorer(dataset), options, Budget(seconds=seconds, clock=clock), NullReporter())
    engine = OrdersWithinWidth(run, 3)
    engine.begin(grows=True)
    engine.kept = None  # the forest that it began with
    clock.now = now
    order = np.arange(6, dtype=np.int32)
    monkeypatch.setattr(engine, "_order_within", lambda parents, slack=1.0: order if slack >= narrowest else None)
    if is_kept:
        assert engine.search() and not engine.is_within
    else:
        with pytest.raises(TooWide):
            engine.search()
