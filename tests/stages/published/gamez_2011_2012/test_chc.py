"""The CHC family against the pseudo-code of the papers: graphs, forbidden-parent sets, the example step by step."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.climbing import (
    StepBudget,
    as_sets,
    make_run,
    naive_result,
    random_graph,
    remembered,
    search,
    without_constants,
)
from helpers.population import PopulationScorer, joint_distribution
from helpers.tables import dependent_dataset
from naive.independence import is_independence_map
from naive.optimize import climbing as naive

from stages.optimize.climbing.climber import GRID_QUANTA
from stages.published.gamez_2011_2012.chc import ConstrainedClimber
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
    """Forbidden-parent sets after the tests of a step, as sets."""
    bits = np.unpackbits(climber.shut.view(np.uint8), axis=1, bitorder="little")
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
    climber = run.climber(ConstrainedClimber, releases=True)
    run.climb(climber, ((),) * 4)
    assert (as_sets(climber.parents), forbidden_sets(climber)) == EXAMPLE_STEPS[n_steps]
    # The last graph is where the search ends, an I-map, and CHC without the release is not.
    if n_steps == 4:
        assert search(scorer, "fastchc").parents == ((B, C), (), (B,), (C,))
        assert is_independence_map(EXAMPLE_STEPS[4][0], truth)
        assert not is_independence_map(as_sets(search(scorer, "chc").parents), truth)


# ------------------------------------------------------------------------------------------- plain twins
@pytest.mark.parametrize("method", ["chc", "ichc", "2ichc", "fastchc"])
def test_same_networks_as_the_pseudo_code_on_30_tables(method):
    n = 8
    for seed in range(30):
        dataset, _ = dependent_dataset(seed, n, 500, most_states=3)
        scorer = FamilyScorer(without_constants(dataset), "bdeu", 1.0)
        exact = remembered(scorer)
        ranks = naive.ranks_of(exact, n, scorer.quantum * GRID_QUANTA)
        expected = naive_result(scorer, method, [set() for _ in range(n)], exact, ranks=ranks)
        assert as_sets(search(scorer, method).parents) == expected, seed


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
            climber = run.climber(ConstrainedClimber, releases=releases)
            run.climb(climber, tuple(tuple(sorted(p)) for p in start))
            assert forbidden_sets(climber) == expected
