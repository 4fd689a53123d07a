"""Hill climbing on data: HC and the CHC family against their definitions."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from helpers.climbing_cases import (
    FAMILY,
    StepBudget,
    as_sets,
    make_run,
    naive_result,
    random_graph,
    remembered,
    search,
    without_constants,
)
from helpers.population import PopulationScorer, joint_distribution, random_distribution, weakest_dependence
from helpers.tables import dependent_dataset, make_dataset
from naive import climbing as naive
from naive import scores as naive_scores
from naive.independence import is_independence_map, is_minimal

from stages.optimize.climbing.climber import GRID_QUANTA
from stages.scoring.family_scorer import FamilyScorer

# ------------------------------------------------------------------------------------------- by hand
A, B, C, D = range(4)
EXAMPLE_TABLES = (
    np.array([0.6, 0.4]),
    np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.4, 0.6], [0.3, 0.7]]]),
    np.array([[0.4, 0.6], [0.7, 0.3]]),
    np.array([0.2, 0.8]),
)
"""A distribution over A -> B <- C <- D on which the search takes the steps of Example 1 (Gámez et al. 2011)."""


def forbidden_sets(climber):
    """Forbidden-parent sets as sets."""
    bits = np.unpackbits(climber.state.shut.view(np.uint8), axis=1, bitorder="little")
    return [set(np.flatnonzero(row).tolist()) for row in bits]


EXAMPLE_STEPS = [
    # Tests (1) to (10): A is independent of C and of D.
    ([set(), set(), set(), set()], [{C, D}, set(), {A}, {A}]),
    # B -> C, against its true direction. Test (11): C and D are dependent given B.
    ([set(), set(), {B}, set()], [{C, D}, set(), {A}, {A}]),
    # C -> D. Test (12): B and D are independent given C.
    ([set(), set(), {B}, {C}], [{C, D}, {D}, {A}, {A, B}]),
    # B -> A links A to a neighbour of C: the pair is tested again, and test (13) finds it dependent given B.
    ([{B}, set(), {B}, {C}], [{D}, {D}, set(), {A, B}]),
    # C -> A: the tails of the collider are linked, as a minimal I-map with B -> C needs.
    ([{B, C}, set(), {B}, {C}], [{D}, {D}, set(), {A, B}]),
]


@pytest.mark.parametrize("n_steps", range(5))
def test_example_1_of_paper_001_step_by_step(n_steps):
    truth = [set(), {A, C}, {D}, set()]
    scorer = PopulationScorer(joint_distribution(truth, EXAMPLE_TABLES), 1e5)
    run = make_run(scorer, StepBudget(4 + n_steps))  # asked once per variable at first, then once per step
    climber = run.climber(constrained=True, releases=True)
    run.climb(climber, ((),) * 4)
    assert (as_sets(climber.parents), forbidden_sets(climber)) == EXAMPLE_STEPS[n_steps]
    # The last graph is where the search ends, an I-map, and CHC without the release is not.
    if n_steps == 4:
        assert search(scorer, "fastchc").parents == ((B, C), (), (B,), (C,))
        assert is_independence_map(EXAMPLE_STEPS[4][0], truth)
        assert not is_independence_map(as_sets(search(scorer, "chc").parents), truth)


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
            required=tuple(required),
            forbidden=tuple(forbidden),
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
        expected = naive.climb_tabu(exact, empty, length, grid, ranks)
        result = search(scorer, tabu=length)
        assert as_sets(result.parents) == expected
        assert sum(result.scores) >= sum(search(scorer).scores) - 1e-6


@pytest.mark.parametrize("releases", [False, True])
@pytest.mark.parametrize("density", [0.0, 0.5, 1.0])
def test_forbidden_parent_sets_as_defined_after_every_step(releases, density):
    n = 6
    for seed in range(6):
        dataset, _ = dependent_dataset(300 + seed, n, 150, most_states=3)
        dataset = without_constants(dataset)
        scorer = FamilyScorer(dataset, "bdeu", 1.0)
        exact = remembered(scorer)
        grid = scorer.quantum * GRID_QUANTA
        start = random_graph(seed, n, density)
        ranks = naive.ranks_of(exact, n, grid) if density == 0.0 else None
        trace = []
        naive.climb(exact, start, grid, ranks, True, releases, trace)
        for n_steps, (_, expected) in enumerate(trace):
            run = make_run(scorer, StepBudget(n + n_steps))
            climber = run.climber(constrained=True, releases=releases)
            run.climb(climber, tuple(tuple(sorted(p)) for p in start))
            assert forbidden_sets(climber) == expected


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


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "k2", "ll"])
def test_scores_less_one_member(score, monkeypatch):
    dataset, _ = dependent_dataset(9, 7, 300)
    scorer = FamilyScorer(dataset, score, 3.0)
    for size in range(1, 6):
        parents = tuple(range(1, 1 + size))
        expected = [scorer.local_score(0, parents[:i] + parents[i + 1 :]) for i in range(size)]
        for share in (0.0, 1e9):
            monkeypatch.setattr("stages.scoring.family_scorer.REDUCTION_SHARE", share)
            assert scorer.reduce(0, parents) == pytest.approx(expected, abs=2 * scorer.quantum)
