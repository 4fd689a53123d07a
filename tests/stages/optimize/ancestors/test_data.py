"""Searches on data under required and forbidden ancestors: climbs and pricing against enumeration."""

from __future__ import annotations

import random

import numpy as np
import pytest
from helpers.tables import dependent_dataset
from naive import scores as naive_scores
from naive.optimize.ancestors import all_networks, is_acyclic, keeps, random_pairs

from stages.ancestral_knowledge import Ancestors
from stages.kernels.climbing.moves import ADD, REMOVE, REVERSE
from stages.knowledge import make_knowledge
from stages.lists.start_network import StartNetwork
from stages.optimize import OptimizeOptions
from stages.optimize.ancestors.data import keeps_pairs, moved
from stages.optimize.climbing.cache import FamilyCache
from stages.optimize.climbing.climber import Climber
from stages.optimize.climbing.constraints import make_constraints, nearest_graph, start_graph
from stages.optimize.climbing.equivalent import random_equivalent
from stages.optimize.driver import run_on_data
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer

GRAPHS = {n: list(all_networks(n)) for n in (3, 4)}


def problem(seed: int, n: int):
    """Data, and pairs that some network keeps."""
    rng = random.Random(seed)
    dataset, rows = dependent_dataset(seed, n, rng.choice([40, 100, 300]), most_states=3, least_states=2)
    codes = np.array(rows)
    if (codes == codes[0]).all(axis=0).any():
        return problem(seed + 1000, n)
    while True:
        required, forbidden = random_pairs(rng, n, 4)
        try:
            knowledge = make_knowledge(dataset.names, ancestors=Ancestors.of(required, forbidden))
            return rng, dataset, rows, knowledge
        except InfeasibleError:
            continue


@pytest.mark.parametrize("seed", range(40))
def test_moves_are_told_by_bits(seed: int):
    rng, dataset, _, knowledge = problem(seed, 4)
    pairs = knowledge.ancestors
    scorer = FamilyScorer(dataset, "bic", 1.0)
    constraints = make_constraints(scorer, OptimizeOptions(knowledge=knowledge))
    climber = Climber(scorer, FamilyCache(scorer), constraints, np.arange(4))
    fitting = [g for g in GRAPHS[4] if keeps(g, pairs.required, pairs.forbidden)]
    for graph in rng.sample(fitting, min(10, len(fitting))):
        climber.place(graph)
        for child in range(4):
            for parent in {0, 1, 2, 3} - {child}:
                kinds = (REMOVE, REVERSE) if parent in graph[child] else (ADD,)
                for kind in kinds:
                    after = moved(graph, kind, child, parent)
                    if is_acyclic(after):
                        expected = keeps(after, pairs.required, pairs.forbidden)
                        assert keeps_pairs(pairs, climber.state, graph, (kind, child, parent)) == expected


@pytest.mark.parametrize("method", ["hc", "mmhc", "chc", "chc-star", "ichc", "2ichc", "fastchc", "pricing"])
def test_networks_keep_the_pairs(method: str):
    n_found = 0
    for seed in range(12):
        rng, dataset, _, knowledge = problem(seed, rng_size(seed))
        options = OptimizeOptions(
            method=method,
            knowledge=knowledge,
            seed=seed,
            tabu=rng.choice([0, 4]) if method == "hc" else 0,
            restarts=None if method == "pricing" else rng.choice([None, 2]),
            draws_ties=rng.random() < 0.5,
        )
        try:
            network, _ = run_on_data(dataset, options, Budget(), NullReporter())
        except InfeasibleError:
            assert method == "mmhc"  # it has few candidates
            continue
        n_found += 1
        assert keeps(network.parents, knowledge.ancestors.required, knowledge.ancestors.forbidden)
    assert n_found >= 6


def rng_size(seed: int) -> int:
    return 3 + seed % 4


@pytest.mark.parametrize("seed", range(20))
def test_a_climb_ends_where_no_move_that_keeps_the_pairs_gains(seed: int):
    _, dataset, _, knowledge = problem(seed, 4)
    pairs = knowledge.ancestors
    network, _ = run_on_data(dataset, OptimizeOptions(method="hc", knowledge=knowledge), Budget(), NullReporter())
    scorer = FamilyScorer(dataset, "bic", 1.0)
    total = network.scores.sum()
    for child in range(4):
        for parent in {0, 1, 2, 3} - {child}:
            for kind in (REMOVE, REVERSE) if parent in network.parents[child] else (ADD,):
                after = [tuple(sorted(family)) for family in moved(network.parents, kind, child, parent)]
                if is_acyclic(after) and keeps(after, pairs.required, pairs.forbidden):
                    assert sum(scorer.local_score(v, family) for v, family in enumerate(after)) <= total + 1e-3


@pytest.mark.parametrize("seed", range(25))
def test_the_bound_of_pricing_holds(seed: int):
    _, dataset, rows, knowledge = problem(seed, 4)
    pairs = knowledge.ancestors
    states = dataset.n_states.tolist()
    known: dict = {}

    def score(child, family):
        if (child, family) not in known:
            known[child, family] = naive_scores.local_score(rows, states, child, family, score="bic")
        return known[child, family]

    fitting = [g for g in GRAPHS[4] if keeps(g, pairs.required, pairs.forbidden)]
    best = max(sum(score(v, family) for v, family in enumerate(graph)) for graph in fitting)
    network, _ = run_on_data(dataset, OptimizeOptions(knowledge=knowledge), Budget(), NullReporter())
    extra = network.header.extra
    assert extra["bound_relative_to"] == "all networks under the constraints"
    assert extra["total"] <= best + 1e-6 and extra["bound"] >= best - 1e-6
    if not pairs.required:
        assert extra["total"] == pytest.approx(best) and extra["gap"] < 1e-6


def test_starts_that_break_a_pair_are_refused():
    dataset, _ = dependent_dataset(1, 3, 100, most_states=2, least_states=2)
    scorer = FamilyScorer(dataset, "bic", 1.0)
    knowledge = make_knowledge(dataset.names, ancestors=Ancestors.of([(0, 2)], [(0, 1)]))
    constraints = make_constraints(scorer, OptimizeOptions(knowledge=knowledge))
    with pytest.raises(InfeasibleError, match="lacks the required ancestor V0 ~> V2"):
        start_graph(((), (), ()), constraints, dataset.names)
    assert start_graph(None, constraints, dataset.names) == ((), (), (0,))
    only = make_knowledge(
        dataset.names, allowed=[("V0", "V1"), ("V1", "V2"), ("V2", "V1")], ancestors=Ancestors.of([(0, 2)])
    )
    constraints = make_constraints(scorer, OptimizeOptions(knowledge=only))
    assert start_graph(None, constraints, dataset.names) == ((), (0,), (1,))
    start = StartNetwork(((), (0,), (1,)))
    options = OptimizeOptions(method="hc", knowledge=knowledge, start=start)
    with pytest.raises(InfeasibleError, match="the start network"):
        start_graph(start.parents, make_constraints(scorer, options), dataset.names)


def test_equivalent_networks_keep_the_pairs():
    dataset, _ = dependent_dataset(1, 4, 100, most_states=2, least_states=2)
    scorer = FamilyScorer(dataset, "bic", 1.0)
    knowledge = make_knowledge(dataset.names, ancestors=Ancestors.of([(0, 3)], [(3, 1)]))
    constraints = make_constraints(scorer, OptimizeOptions(knowledge=knowledge))
    graph = ((), (0,), (1,), (2,))
    found = {random_equivalent(graph, constraints, np.random.default_rng(seed)) for seed in range(20)}
    assert all(keeps(each, [(0, 3)], [(3, 1)]) for each in found)


def test_a_graph_near_one_that_breaks_pairs():
    dataset, _ = dependent_dataset(1, 4, 100, most_states=2, least_states=2)
    scorer = FamilyScorer(dataset, "bic", 1.0)
    knowledge = make_knowledge(dataset.names, [("V2", "V3")], ancestors=Ancestors.of([(3, 0)], [(1, 3)]))
    constraints = make_constraints(scorer, OptimizeOptions(knowledge=knowledge))
    # The path 1 -> 2 -> 3 is forbidden and only its first arc may go; 0 -> 1 -> 2 -> 3 precludes 3 ~> 0.
    assert nearest_graph(((), (0,), (1,), (2,)), constraints) == ((3,), (0,), (), (2,))
    for seed in range(30):
        rng, _, _, known = problem(seed, 4)
        constraints = make_constraints(scorer, OptimizeOptions(knowledge=known))
        found = nearest_graph(rng.choice(GRAPHS[4]), constraints)
        assert found is not None and keeps(found, known.ancestors.required, known.ancestors.forbidden)
