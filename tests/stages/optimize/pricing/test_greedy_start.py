"""The first network of pricing: the same climb as hill climbing, its scores known to the growers."""

from __future__ import annotations

import math
import threading
import tracemalloc

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import dependent_dataset, make_dataset
from naive.optimize.networks_search import best_by_subsets, make_table
from naive.parentsets import prune_dominated, score_all_sets

from stages.kernels.climbing.moves import new_climb_state
from stages.knowledge import Knowledge
from stages.lists.start_network import StartNetwork
from stages.optimize import OptimizeOptions
from stages.optimize.climbing import climber
from stages.optimize.climbing.constraints import make_constraints, start_graph
from stages.optimize.climbing.hc import search_data as hill_climbing
from stages.optimize.pricing import bounded, greedy_start, loop, order_pricing
from stages.optimize.pricing.greedy_start import LEAST_DEPENDENCE, climb, find_start, rank_candidates
from stages.optimize.pricing.growing_lists import make_growers
from stages.optimize.pricing.loop import alternate, learn
from stages.optimize.pricing.order_pricing import OrderPricing
from stages.optimize.pricing.run import start_run
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring import pair_scores
from stages.scoring.candidate_prefilter import dependence
from stages.scoring.family_scorer import FamilyScorer


class Listener(NullReporter):
    """Hands the facts of progress to a function."""

    def __init__(self, listen):
        self.listen = listen

    def progress(self, done, total, counted, network=None, **facts):
        self.listen(**facts)


def run_of(dataset, options=None, budget=None, reporter=None):
    options = options or OptimizeOptions()
    scorer = FamilyScorer(dataset, options.score, options.ess)
    return start_run(scorer, options, budget or Budget(), reporter or NullReporter())


def start_of(dataset, options, budget=None, reporter=None):
    """The growers and the network that a climb ends with."""
    run = run_of(dataset, options, budget, reporter)
    rank_candidates(run)
    graph = start_graph(None, run.constraints, dataset.names)
    return run.growers, climb(run, graph, [None] * len(run.growers))


@pytest.mark.parametrize("seed", seeds(6, quick=2))
@pytest.mark.parametrize("score", ["bic", "k2"])
def test_it_is_the_network_of_hill_climbing(seed, score):
    dataset, _ = dependent_dataset(seed, 9, 250, most_states=3)
    options = OptimizeOptions(
        score=score,
        knowledge=Knowledge.of_arcs(dataset.names, required=((0, 5),) if seed % 2 else (), forbidden=((1, 2),)),
    )
    scorer = FamilyScorer(dataset, score)
    expected = hill_climbing(scorer, options, Budget(), NullReporter())
    growers, parents = start_of(dataset, options)
    assert parents == expected.parents
    scores = [grower.score(p) for grower, p in zip(growers, parents)]
    assert scores == pytest.approx(expected.scores.tolist(), abs=1e-6)


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_growers_know_single_parents_from_one_sweep(seed):
    dataset, _ = dependent_dataset(seed, 8, 200, most_states=3)
    options = OptimizeOptions(knowledge=Knowledge.of_arcs(dataset.names, forbidden=((1, 2), (5, 0))), max_parents=1)
    growers, _ = start_of(dataset, options)
    scorer = FamilyScorer(dataset)
    for plain, grower in zip(make_growers(scorer, make_constraints(scorer, options)), growers):
        order, scores = plain.improving(())
        known = grower._improving[()]
        assert known.order.tolist() == order.tolist()
        assert known.scores.tolist() == scores.tolist()
        assert set(order.tolist()) <= set(grower.ranked[: grower.n_improving].tolist())
        assert set(grower.ranked.tolist()) <= set(grower.candidates.tolist())


@pytest.mark.parametrize("score", ["bic", "aic", "k2"])
def test_candidates_that_improve_alone_come_first_and_all_that_depend_on_the_child_follow(score):
    dataset, _ = dependent_dataset(3, 12, 300, most_states=4, noise=0.4)
    run = run_of(dataset, OptimizeOptions(score=score))
    scorer, growers = run.scorer, run.growers
    rank_candidates(run)
    for child, grower in enumerate(growers):
        candidates = grower.candidates
        gains = scorer.expand(child, (), candidates)[candidates] - grower.score(())
        strength = dict(zip(candidates.tolist(), dependence(scorer, child, candidates, gains).tolist()))
        improving = set(candidates[gains > 0.0].tolist())
        expected = {v for v in strength if v in improving or strength[v] > LEAST_DEPENDENCE}
        ranked = grower.ranked.tolist()
        assert set(ranked) == expected
        assert set(ranked[: grower.n_improving]) == improving
        for part in (ranked[: grower.n_improving], ranked[grower.n_improving :]):
            assert [strength[v] for v in part] == sorted((strength[v] for v in part), reverse=True)


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_a_climb_that_widens_ends_where_no_arc_gains(seed, monkeypatch):
    monkeypatch.setattr(greedy_start, "FEW", 1)
    monkeypatch.setattr(greedy_start, "SCORES_BETWEEN", 20)
    dataset, _ = dependent_dataset(seed, 9, 250, most_states=3)
    growers, parents = start_of(dataset, OptimizeOptions())
    scores = [grower.score(p) for grower, p in zip(growers, parents)]
    options = OptimizeOptions(start=StartNetwork(parents))
    again = hill_climbing(FamilyScorer(dataset), options, Budget(), NullReporter())
    assert again.parents == parents
    assert again.score == pytest.approx(math.fsum(scores))


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_wider_reach_finds_what_all_candidates_give_and_computes_nothing_twice(seed):
    dataset, _ = dependent_dataset(seed, 12, 300, most_states=3)
    run = run_of(dataset)
    scorer, growers = run.scorer, run.growers
    rank_candidates(run)
    plain = make_growers(scorer, run.constraints)
    for child in np.flatnonzero(scorer.n_states > 1).tolist():
        grower = growers[child]
        ranked = grower.ranked.tolist()
        if not ranked:
            continue  # what adds to no parents is known
        parents = tuple(sorted(ranked[:1] + ranked[2:3]))
        grower.score(parents)
        plain[child].score(parents)
        before = grower.evaluated
        for reach in (1, 2, 4, None, 3):
            grower.reach = reach
            order, scores = grower.improving(parents)
            within = ranked[:reach] if reach in (1, 2, 4) else grower.candidates
            expected = [y for y in plain[child].improving(parents)[0] if y in within]
            assert order.tolist() == expected
            assert (np.diff(scores) <= 0.0).all()
        assert grower.evaluated - before == len(grower.candidates) - len(parents)


@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_with_few_of_many_candidates_nothing_is_lost_in_the_end(seed, monkeypatch):
    monkeypatch.setattr(loop, "forecast_listing", lambda _: None)
    monkeypatch.setattr(greedy_start, "MOST_RANKED", 40)
    monkeypatch.setattr(greedy_start, "LEAST_RANKED", 4)
    monkeypatch.setattr(greedy_start, "FEW", 2)
    monkeypatch.setattr(greedy_start, "MORE", 3)
    dataset, rows = dependent_dataset(seed, 7, 200, most_states=3)
    run = run_of(dataset, OptimizeOptions(method="pricing"))
    engine = OrderPricing(run)
    engine.begin(grows=True)
    assert all(len(grower.ranked) <= 5 for grower in run.growers)
    alternate(run, engine)
    assert all(grower.reach is None for grower in run.growers)
    exact = {c: prune_dominated(score_all_sets(rows, dataset.n_states, c, 6)) for c in range(7)}
    assert engine.best.score == pytest.approx(best_by_subsets(make_table(exact)), abs=1e-6)


def test_the_whole_run_is_no_worse_than_its_start(monkeypatch):
    monkeypatch.setattr(loop, "forecast_listing", lambda _: None)
    dataset, _ = dependent_dataset(5, 12, 250, most_states=2)
    options = OptimizeOptions(method="pricing")
    growers, parents = start_of(dataset, options)
    climbed = math.fsum(grower.score(p) for grower, p in zip(growers, parents))
    for evaluations in (200, 400, 800):
        run = run_of(dataset, options, Budget(evaluations=evaluations))
        reached = learn(run, OrderPricing(run), grows=True).score
        if run.scorer.evaluations > growers[0].scorer.evaluations:
            assert reached >= climbed - 1e-6


@pytest.mark.parametrize("tiles", [4, 8, None])
def test_pairs_without_a_climb_give_the_best_earlier_parents(monkeypatch, tiles):
    monkeypatch.setattr(pair_scores, "MOST_BITMAPS", 4)
    dataset, _ = dependent_dataset(2, 10, 300, most_states=3, noise=0.05)
    options = OptimizeOptions(knowledge=Knowledge.of_arcs(dataset.names, forbidden=((0, 2), (1, 4))))
    scorer, stop, reported = FamilyScorer(dataset), threading.Event(), []
    met = scorer.pairs().tiles[:tiles]

    def listen(**facts):
        reported.append(facts["score"])
        if len(reported) == len(met):
            stop.set()

    def start(budget):
        run = run_of(dataset, options, budget, Listener(listen))
        nothing = start_graph(None, run.constraints, dataset.names)
        return run, find_start(run, nothing)

    start(Budget())
    assert reported == sorted(reported)
    assert len(reported) > len(scorer.pairs().tiles)
    reported.clear()
    stop.clear()
    run, parents = start(Budget(stop=stop))
    growers, constraints = run.growers, run.constraints
    for child in range(10):
        scores = {(): scorer.local_score(child, ())}
        for tile in met:
            if tile.other_first <= child < tile.other_last:
                for parent in range(tile.first, min(tile.last, child)):
                    if constraints.knowledge.may_be_parent(child)[parent]:
                        scores[(parent,)] = scorer.local_score(child, (parent,))
        assert scores[parents[child]] == max(scores.values()) == growers[child].score(parents[child])
    assert reported[-1] == pytest.approx(math.fsum(g.score(p) for g, p in zip(growers, parents)))
    assert any(parents)


@pytest.mark.parametrize("seed", seeds(6, quick=2))
@pytest.mark.parametrize("reach", [3, 128])
def test_the_climb_is_preceded_by_the_best_forest_which_stays_out_of_the_lists(monkeypatch, seed, reach):
    monkeypatch.setattr(greedy_start, "FEW", reach)
    dataset, _ = dependent_dataset(seed, 9, 300, most_states=3, noise=0.05)
    knowledge = Knowledge.of_arcs(dataset.names, forbidden=((0, 2), (2, 0), (1, 4)))
    run, watched = run_of(dataset, OptimizeOptions(knowledge=knowledge)), []

    def watch(forest):
        watched.append((forest.parents, forest.score))
        assert all(len(grower.scores) == 1 for grower in run.growers)

    find_start(run, start_graph(None, run.constraints, dataset.names), watch_forest=watch)
    best = bounded.search_data(
        FamilyScorer(dataset), OptimizeOptions(knowledge=knowledge, treewidth=1), Budget(), NullReporter()
    )
    [(parents, score)] = watched
    assert max(map(len, parents)) <= 1
    assert math.fsum(run.scorer.local_score(child, p) for child, p in enumerate(parents)) == pytest.approx(score)
    assert score == pytest.approx(best.score)


def test_a_run_that_ends_in_the_first_climb_is_no_worse_than_the_best_forest():
    dataset, _ = dependent_dataset(3, 60, 300, most_states=3, noise=0.05)
    forest = bounded.search_data(FamilyScorer(dataset), OptimizeOptions(treewidth=1), Budget(), NullReporter())
    for search, treewidth in ((bounded.search_data, 2), (order_pricing.search_data, None)):
        options, budget = OptimizeOptions(treewidth=treewidth), Budget(evaluations=60 * 60)
        found = search(FamilyScorer(dataset), options, budget, NullReporter())
        assert found.score >= forest.score - 1e-9


def test_a_climb_offers_the_network_that_it_has():
    offered = []

    class Keeping(NullReporter):
        def progress(self, done, total, counted, network=None, **facts):
            if network is not None:
                offered.append(network().parents)

    dataset, _ = dependent_dataset(1, 10, 300, most_states=2, noise=0.05)
    _, parents = start_of(dataset, OptimizeOptions(), reporter=Keeping())
    assert len(offered) > 3 and offered[-1] == tuple(parents)


@pytest.mark.parametrize("moves", [0, 3])
def test_an_interrupted_climb_hands_over_the_network_it_has(moves):
    dataset, _ = dependent_dataset(1, 10, 300, most_states=2, noise=0.05)
    stop = threading.Event()
    reported = []

    def listen(**facts):
        reported.append(facts["score"])
        if len(reported) == moves:
            stop.set()

    if moves == 0:
        stop.set()
    growers, parents = start_of(dataset, OptimizeOptions(), Budget(stop=stop), Listener(listen))
    assert len(reported) == moves
    assert sum(map(len, parents)) <= moves
    if reported:
        assert math.fsum(g.score(p) for g, p in zip(growers, parents)) == pytest.approx(reported[-1])


def test_lists_without_room_at_first_change_nothing(monkeypatch):
    dataset, _ = dependent_dataset(5, 14, 300, most_states=3)
    options = OptimizeOptions(score="aic")
    _, expected = start_of(dataset, options)
    monkeypatch.setattr(climber, "new_climb_state", lambda *arrays: new_climb_state(*arrays[:3], 1, 1))
    _, found = start_of(dataset, options)
    assert found == expected and max(map(len, found)) > 2


def test_growers_of_many_variables_hold_no_lists_of_candidates():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, (1500, 20), dtype=np.uint8)
    codes[7] = 0  # so that no child may have all others as parents
    dataset = make_dataset(codes, [2] * 7 + [1] + [2] * 1492)
    scorer, options = (
        FamilyScorer(dataset),
        OptimizeOptions(knowledge=Knowledge.of_arcs(dataset.names, tiers=tuple(range(1500)))),
    )
    constraints = make_constraints(scorer, options)
    tracemalloc.start()
    growers = make_growers(scorer, constraints)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1500 * 1500
    assert growers[9].candidates.tolist() == [0, 1, 2, 3, 4, 5, 6, 8] and len(growers[7].candidates) == 0
