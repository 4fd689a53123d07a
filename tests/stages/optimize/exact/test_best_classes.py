"""The best classes are those of an enumeration of all networks, also with ties."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from helpers.seeds import seeds
from helpers.tables import dependent_dataset
from naive.optimize.best_classes import class_of, ranked_classes
from naive.optimize.networks_search import random_table

from formats.records import ParentSetTable
from stages.graphs.targets import separates, targets_of
from stages.optimize import OptimizeOptions
from stages.optimize.exact import best_classes as module
from stages.optimize.exact.best_classes import best_classes, ranked_networks
from stages.parentsets import ParentSetOptions
from stages.parentsets.driver import Run
from stages.runtime.budgets import Budget
from stages.runtime.errors import NothingFoundError, StageError
from stages.runtime.reporting import NullReporter


def lists_of(seed: int, **options) -> ParentSetTable:
    rng = random.Random(seed)
    n = rng.choice((1, 2, 3, 4, 4))
    dataset, _ = dependent_dataset(seed, n, rng.choice((3, 10, 50)), most_states=3, least_states=2)
    score = rng.choice(("bdeu", "bic", "k2"))
    run = Run(
        dataset, ParentSetOptions(method="sequential", score=score, max_parents=rng.choice((1, 2, 3)), **options)
    )
    return ParentSetTable.from_records(run.header, run.records())


def assert_ranked(table: ParentSetTable, most: int) -> None:
    separated = separates(targets_of(table.header))
    expected = ranked_classes(table, separated)
    found = best_classes(table, most, Budget(), NullReporter())
    kinds = [class_of([table.parent_set(s) for s in sets], separated) for sets in found.chosen.tolist()]
    assert len(set(kinds)) == len(kinds) == min(most, len(expected))
    assert np.allclose(found.scores, list(expected.values())[:most], atol=1e-9)
    assert np.allclose(found.scores, [expected[kind] for kind in kinds], atol=1e-9)


@pytest.mark.parametrize("seed", seeds(12, quick=3))
@pytest.mark.parametrize("most", [1, 5, 300])
@pytest.mark.parametrize("keep_mass", [0.0, None])
def test_classes_of_data(seed, most, keep_mass):
    assert_ranked(lists_of(seed, keep_mass=keep_mass), most)


@pytest.mark.parametrize("seed", seeds(8, quick=2))
@pytest.mark.parametrize("most", [1, 7, 60])
def test_scores_with_ties_of_no_equivalence(seed, most):
    assert_ranked(random_table(seed, 4, n_sets=6, n_fixed=seed % 2, ties=seed % 2 == 0), most)


@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_interventions_divide_classes(seed):
    table = lists_of(seed + 40, keep_mass=0.0)
    targets = [[], [0]] if table.n_variables > 1 else [[]]
    table = replace(table, header=replace(table.header, extra={**table.header.extra, "interventions": targets}))
    assert_ranked(table, 400)


def test_ranks_are_claimed_among_what_they_hold_for():
    table = lists_of(6, keep_mass=1e-1)
    networks = list(ranked_networks(table, 30, OptimizeOptions(method="exact"), Budget(), NullReporter()))
    assert [network.header.extra["rank"] for network in networks] == list(range(1, len(networks) + 1))
    best = networks[0].header.extra["total"]
    for network in networks:
        is_wide = network.header.extra["ranked_among"].startswith("all networks")
        assert is_wide == (best - network.header.extra["total"] <= -np.log(1e-1))
        assert "keep_mass" not in network.header.extra


def test_memory_time_and_interruption(monkeypatch):
    table = lists_of(6, keep_mass=0.0)
    with pytest.raises(StageError, match="the time ended"):
        best_classes(table, 3, Budget(0.0), NullReporter())
    stopped = Budget()
    stopped.stop.set()
    with pytest.raises(NothingFoundError):
        best_classes(table, 3, stopped, NullReporter())
    monkeypatch.setattr(module, "free_bytes", lambda: 100)
    with pytest.raises(StageError, match="half of the free memory"):
        best_classes(table, 3, Budget(), NullReporter())
