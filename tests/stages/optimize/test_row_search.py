"""Searches on data: which search of complete rows each of them comes down to."""

from __future__ import annotations

import threading

import pytest
from helpers.cases.incomplete import with_holes
from helpers.tables import dependent_dataset

from stages.incomplete import StructuralEM
from stages.incomplete.structural import learn_structure
from stages.inference.forward_sampling import random_network
from stages.optimize import OptimizeOptions
from stages.optimize.bootstrap import Resampling, resampled
from stages.optimize.driver import run_on_data
from stages.optimize.row_search import RowSearch
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.runtime.seeding import task_generator

CLIMB = OptimizeOptions(method="hc", seed=1, jobs=2)
FOREST = OptimizeOptions(method="pricing", treewidth=1, seed=1)
QUIET = NullReporter()


def replicates(search: RowSearch, n: int = 3, rule: Resampling = Resampling()) -> list:  # noqa: B008
    return list(search.run_replicates(n, rule, Budget(), threading.Event()))


def test_complete_rows_are_searched_once():
    rows, _ = dependent_dataset(1, 6, 150)
    found, _ = RowSearch(rows, CLIMB, StructuralEM()).run(Budget(), QUIET)
    network, _ = run_on_data(rows, CLIMB, Budget(), QUIET)
    assert found.parents == network.parents and found.header == network.header


@pytest.mark.parametrize("options", [CLIMB, FOREST])
def test_rows_with_holes_are_completed_round_by_round(options):
    rows = with_holes(random_network(6, states=(2, 3), parents=(1, 2), seed=1), 200, 0.2, 1)
    rounds = StructuralEM("drawn", 3)
    found, figures = RowSearch(rows, options, rounds).run(Budget(), QUIET)

    def search(table, before):
        return run_on_data(table, options, Budget(), QUIET, before if options is CLIMB else None)

    stop = threading.Event()
    network, expected = learn_structure(rows, search, StructuralEM("drawn", 3, 1), None, stop, QUIET)
    assert found.parents == network.parents and figures["rounds"] == expected["rounds"]


@pytest.mark.parametrize("start_from_rows", [True, False])
def test_replicates_start_from_all_rows_unless_a_network_is_given(start_from_rows: bool):
    rows, _ = dependent_dataset(2, 6, 150)
    start, _ = run_on_data(rows, CLIMB, Budget(), QUIET)
    given = None if start_from_rows else start
    found = replicates(RowSearch(rows, CLIMB, StructuralEM(), given))
    for index, (network, _) in enumerate(found):
        rng = task_generator(1, index)
        drawn = resampled(rows, Resampling().rows(rows.n_rows, (index, 3), 1, rng))
        seed = int(rng.integers(1 << 31))
        options = OptimizeOptions(method="hc", seed=seed)
        expected, _ = run_on_data(drawn, options, Budget(), QUIET, start)
        assert network.parents == expected.parents and network.header.extra["seed"] == seed


def test_replicates_of_a_forest_start_from_nothing():
    rows, _ = dependent_dataset(3, 6, 150)
    found = replicates(RowSearch(rows, FOREST, StructuralEM()), 2, Resampling("jackknife"))
    blocks = [Resampling("jackknife").rows(rows.n_rows, (index, 2), 1, task_generator(0)) for index in range(2)]
    for (network, _), block in zip(found, blocks):
        expected, _ = run_on_data(resampled(rows, block), FOREST, Budget(), QUIET)
        assert network.parents == expected.parents
