"""Deterministic DAGs (Rahier et al. 2018, Definition 2 and section 5)."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import make_dataset
from naive import screen as naive

import bnsl
from stages.graphs import behind_cycles
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run_on_data
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer
from stages.screening.determining_sets import with_determining_sets
from stages.screening.entropies import compute_entropies
from stages.screening.forests import screen_forest


def partly_determined(seed: int, n: int, n_rows: int = 60):
    """Half of the columns are functions of one to three others, some with a few cells changed."""
    rng = np.random.default_rng(seed)
    n_states = rng.integers(2, 4, n).tolist()
    columns = [rng.integers(0, states, n_rows) for states in n_states]
    for child in range(n // 2, n):
        members = rng.permutation(child)[: int(rng.integers(1, 4))].tolist()
        keys = sum(columns[m] * 3**i for i, m in enumerate(members))
        columns[child] = rng.integers(0, n_states[child], 27)[keys]
        if rng.random() < 0.4:
            columns[child][:2] = (columns[child][:2] + 1) % n_states[child]
    return make_dataset(np.array(columns, dtype=np.uint8), n_states)


def determined(dataset, eps, max_parents, relative=False, jobs=1):
    entropies = compute_entropies(dataset)
    forest = screen_forest(entropies, eps=eps, relative=relative)
    return forest, with_determining_sets(forest, dataset, entropies, max_parents, jobs)


@pytest.mark.parametrize("seed", seeds(20, quick=4))
def test_the_sets_of_the_rule(seed):
    dataset = partly_determined(seed, 7)
    rows, n_states = dataset.plain_codes.T.tolist(), dataset.n_states.tolist()
    scorer = FamilyScorer(dataset, "ll")
    for eps, relative, most in itertools.product((0.0, 0.15), (False, True), (2, 3)):
        forest, found = determined(dataset, eps, most, relative, jobs=1 + seed % 2)
        assert found.parents == naive.determining_sets(rows, n_states, forest.parents, eps, most, relative)
        assert not behind_cycles([found.parents.get(v, ()) for v in range(7)])
        assert found.header.extra["max_parents"] == most
        for child, members in found.parents.items():
            assert found.scores[child] == pytest.approx(scorer.local_score(child, members), abs=1e-6)


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_the_union_is_optimal_under_log_likelihood_at_zero(seed):
    """Their Proposition 1 for DAGs: no network fits better than all arcs of an order, -N H(all variables)."""
    dataset = partly_determined(50 + seed, 6)
    _, found = determined(dataset, 0.0, 3)
    assert any(len(members) > 1 for members in found.parents.values())
    options = OptimizeOptions(method="hc", seed=1, score="ll")
    network, _ = run_on_data(dataset, options, Budget(), NullReporter(), forest=found)
    rows = [tuple(row) for row in dataset.plain_codes.T.tolist()]
    entropy = -sum(rows.count(row) * math.log(rows.count(row) / len(rows)) for row in set(rows))
    assert network.header.extra["total"] == pytest.approx(-entropy, abs=1e-6)
    assert all(network.parents[child] == members for child, members in found.parents.items())


def test_several_parents_are_refused_under_a_bound_on_the_treewidth():
    dataset = partly_determined(51, 6)
    _, found = determined(dataset, 0.0, 3)
    with pytest.raises(InfeasibleError, match=r"is screened with [23] parents, which may widen"):
        options = OptimizeOptions(method="pricing", seed=1, treewidth=2)
        run_on_data(dataset, options, Budget(None, 50), NullReporter(), forest=found)


def test_sets_are_counted_in_complete_rows():
    """Whatever --missing says of a table in which no cell is missing."""
    table = {"a": [0, 0, 1, 1] * 5, "b": [0, 1, 0, 1] * 5, "c": [0, 1, 1, 0] * 5}
    found = [bnsl.screen(table, eps=0.1, max_parents=2, missing=rule, quiet=True) for rule in ("error", "pairs")]
    assert found[0].to_arrow().to_pylist() == found[1].to_arrow().to_pylist() != []
    with pytest.raises(bnsl.UsageError, match="counts sets in complete rows, and here are missing cells"):
        bnsl.screen(table | {"d": [None, 1] * 10}, eps=0.1, max_parents=2, missing="pairs", quiet=True)
