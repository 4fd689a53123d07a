"""Random equivalents of a graph."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import make_dataset

from stages.graphs.essential_graphs import essential_graph, list_arcs
from stages.knowledge import Knowledge
from stages.optimize import OptimizeOptions
from stages.optimize.climbing.climb import random_equivalent
from stages.optimize.climbing.constraints import make_constraints
from stages.scoring.family_scorer import FamilyScorer


def scorer_of(n_variables: int) -> FamilyScorer:
    codes = np.random.default_rng(1).integers(2, size=(n_variables, 60))
    return FamilyScorer(make_dataset(codes, [2] * n_variables), "bic", 1.0)


@pytest.mark.parametrize("seed", seeds(20, 3))
def test_the_class_and_the_constraints_stay(seed: int):
    rng = np.random.default_rng(seed)
    parents = tuple(tuple(p for p in range(child) if rng.random() < 0.4) for child in range(7))
    arcs = sorted(list_arcs(parents))
    kept = tuple(arc for arc in arcs if rng.random() < 0.2)
    scorer = scorer_of(7)
    constraints = make_constraints(scorer, OptimizeOptions(knowledge=Knowledge.of_arcs(scorer.dataset.names, kept)))
    found = random_equivalent(parents, constraints, rng)
    assert essential_graph(found) == essential_graph(parents)
    assert set(kept) <= set(list_arcs(found))
    assert max(map(len, found)) <= max(map(len, parents))


def test_both_directions_of_a_pair_are_drawn():
    constraints = make_constraints(scorer_of(2), OptimizeOptions())
    rng = np.random.default_rng(1)
    turned = sum(random_equivalent(((), (0,)), constraints, rng) == ((1,), ()) for _ in range(400))
    assert 160 < turned < 240  # four standard deviations of 10 around 200
