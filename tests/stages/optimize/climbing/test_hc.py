"""Hill climbing on data: HC and the CHC family against their definitions."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from helpers.cases.climbing import FAMILY, as_sets, naive_result, random_graph, remembered, search, without_constants
from helpers.population import PopulationScorer, random_distribution, weakest_dependence
from helpers.tables import dependent_dataset, make_dataset
from naive import scores as naive_scores
from naive.independence import is_independence_map, is_minimal
from naive.optimize import climbing as naive

from stages.knowledge import Knowledge
from stages.optimize.climbing.climber import GRID_QUANTA
from stages.scoring.family_scorer import FamilyScorer


def test_constant_and_unrelated_variables_get_no_arcs():
    dataset, _ = dependent_dataset(3, 3, 60, most_states=2, noise=1.0)
    codes = np.concatenate([dataset.codes, np.zeros((1, 60), dtype=np.uint8)])
    scorer = FamilyScorer(make_dataset(codes, [*dataset.n_states.tolist(), 1]), "bdeu", 1.0)
    for method in FAMILY:
        parents = search(scorer, method).parents
        assert parents[3] == () and all(3 not in p for p in parents)


# ------------------------------------------------------------------------------------------- exhaustive
@pytest.mark.slow
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2", "aic", "ll"])
def test_result_is_a_local_optimum(score):
    for seed in range(6):
        dataset, rows = dependent_dataset(seed, 5, 80)
        scorer = FamilyScorer(dataset, score, 1.0)
        result = search(scorer)
        parents, local_scores = result.parents, result.scores
        assert result.score == math.fsum(local_scores)
        family_score = functools.partial(naive_scores.local_score, rows, dataset.n_states.tolist())
        exact = functools.partial(family_score, score=score, ess=1.0)
        assert local_scores == pytest.approx([exact(v, parents[v]) for v in range(5)], rel=1e-9)
        graph = as_sets(parents)
        for move in naive.neighbours(graph):
            assert sum(naive.gains_of(exact, graph, move)) < scorer.quantum * GRID_QUANTA


# ------------------------------------------------------------------------------------------- plain twins
@pytest.mark.parametrize("method", FAMILY)
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_same_climb_as_the_definition(method, score):
    for seed in range(8):
        n = 3 + seed % 4
        dataset, _ = dependent_dataset(seed, n, 30 + 60 * (seed % 3), most_states=3)
        scorer = FamilyScorer(dataset, score, 2.0)
        exact = remembered(scorer)
        empty = [set() for _ in range(n)]
        grid = scorer.quantum * GRID_QUANTA
        ranks = naive.ranks_of(exact, n, grid) if score != "k2" else None
        expected = naive_result(scorer, method, empty, exact, ranks=ranks)
        assert as_sets(search(scorer, method).parents) == expected


@pytest.mark.parametrize("method", FAMILY)
def test_same_climb_as_the_definition_under_constraints(method):
    for seed in range(10):
        n = 5
        dataset, _ = dependent_dataset(100 + seed, n, 60, most_states=3)
        scorer = FamilyScorer(without_constants(dataset), "bdeu", 1.0)
        exact = remembered(scorer)
        rng = np.random.default_rng(seed)
        start = [set(sorted(p)[:2]) for p in random_graph(seed, n, 0.6)]
        arcs = sorted((p, child) for child in range(n) for p in start[child])
        required = {arc for arc in arcs if rng.random() < 0.3}
        free = [(int(p), int(c)) for p in range(n) for c in range(n) if p != c and (p, c) not in arcs]
        forbidden = {arc for arc in free if rng.random() < 0.2}
        limits = {"required": required, "forbidden": forbidden, "max_parents": 2}
        expected = naive_result(scorer, method, start, exact, **limits)
        found = search(
            scorer,
            method,
            tuple(tuple(sorted(p)) for p in start),
            knowledge=Knowledge.of_arcs(dataset.names, required, forbidden),
            max_parents=2,
        ).parents
        assert as_sets(found) == expected


@pytest.mark.slow
@pytest.mark.parametrize("length", [1, 3, 20])
def test_tabu_search_as_defined(length):
    for seed in range(8):
        n = 4 + seed % 3
        dataset, _ = dependent_dataset(200 + seed, n, 60, most_states=3)
        scorer = FamilyScorer(without_constants(dataset), "bic")
        exact = remembered(scorer)
        grid = scorer.quantum * GRID_QUANTA
        ranks = naive.ranks_of(exact, n, grid)
        empty = [set() for _ in range(n)]
        expected = naive.climb_both_ways(naive.climb_tabu, exact, exact, empty, length, grid=grid, ranks=ranks)
        result = search(scorer, tabu=length)
        assert as_sets(result.parents) == expected
        assert sum(result.scores) >= sum(search(scorer).scores) - 1e-6


# ------------------------------------------------------------------------------------------- properties
@functools.cache
def distributions_shown_by(n_rows):
    """(seed, graph, distribution) where a sample of so many rows, 1e8 or 1e5, shows every dependence."""
    if n_rows == 1e8:
        drawn = [(seed, *random_distribution(seed, 4 + seed % 4, 0.3 + 0.2 * (seed % 2))) for seed in range(60)]
        return [entry for entry in drawn if weakest_dependence(*entry[1:]) >= 1e-5]
    drawn = [(seed, *random_distribution(1000 + seed, 10 if seed == 0 else 6, 0.3)) for seed in range(25)]
    return [entry for entry in drawn if entry[0] == 0 or weakest_dependence(*entry[1:]) >= 3e-4]


@functools.cache
def sampled_rows(seed):
    """A scorer on 100,000 rows of one of the distributions."""
    joint = next(joint for number, _, joint in distributions_shown_by(1e5) if number == seed)
    rng = np.random.default_rng(seed)
    cells = rng.choice(joint.size, size=100_000, p=joint.ravel())
    codes = np.array(np.unravel_index(cells, joint.shape))
    return FamilyScorer(make_dataset(codes, [2] * joint.ndim), "bic")


@pytest.mark.slow
@pytest.mark.parametrize("method", ["hc", "chc-star", "ichc", "2ichc", "fastchc"])
def test_minimal_i_map_in_the_large_sample_limit(method):
    shown = distributions_shown_by(1e8)
    for seed, truth, joint in shown:
        found = as_sets(search(PopulationScorer(joint), method).parents)
        assert is_independence_map(found, truth), seed
        assert is_minimal(found, truth), seed
    assert len(shown) > 30


@pytest.mark.slow
@pytest.mark.parametrize("method", ["hc", "chc-star", "ichc", "2ichc", "fastchc"])
def test_minimal_i_map_on_many_rows(method):
    shown = distributions_shown_by(1e5)
    for seed, truth, _ in shown:
        found = as_sets(search(sampled_rows(seed), method).parents)
        assert is_independence_map(found, truth), seed
        assert is_minimal(found, truth), seed
    assert len(shown) >= 5
