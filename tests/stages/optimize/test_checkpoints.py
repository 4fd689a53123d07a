"""Networks handed over while a search runs: whole, verified, ever better, and without influence on the result."""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest
from helpers.tables import dependent_dataset
from naive.optimize.networks_search import random_table

from formats.records import Header, Network
from stages.incomplete import StructuralEM
from stages.optimize import DATA, DATA_TW, METHODS, SETS, SETS_TW, OptimizeOptions
from stages.optimize.checkpoints import Checkpoints, unscored
from stages.optimize.driver import run, run_on_data
from stages.optimize.exact import search
from stages.optimize.row_search import RowSearch
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer
from stages.screening.entropies import compute_entropies
from stages.screening.forests import screen_forest

QUICK = {"forest", "tan", "kdb", "cll"}
"""Methods that end with their first network, or with one of smaller score than the networks on the way."""

ON_SETS = [(m, t) for m, spec in METHODS.items() for t in (SETS, SETS_TW) if t in spec.variants and m not in QUICK]
ON_DATA = [(m, t) for m, spec in METHODS.items() for t in (DATA, DATA_TW) if t in spec.variants and m not in QUICK]


def checked(kept: list[Network], found: Network) -> None:
    totals = [network.header.extra["total"] for network in kept]
    assert totals == sorted(totals) and totals and totals[-1] <= found.header.extra["total"] + 1e-6
    for one, other in itertools.pairwise(network.header.extra for network in kept):
        assert other["total"] > one["total"] or other["bound"] < one["bound"]
    for extra in (network.header.extra for network in kept):
        assert extra.get("bound", math.inf) >= found.header.extra["total"] - 1e-6
    assert all(network.header.extra["interrupted"] for network in kept)
    assert "interrupted" not in found.header.extra


@pytest.mark.slow
@pytest.mark.parametrize(("method", "task"), ON_SETS)
def test_every_search_among_sets_hands_over_its_networks(method, task):
    table = random_table(5, 9, max_parents=3, n_sets=25)
    options = OptimizeOptions(method=method, treewidth=2 if task.bounded else None, seed=3)
    by_subsets = method == "exact"  # the programme over subsets has no network before its end
    kept: list[Network] = []
    found, _ = run(table, options, Budget(evaluations=60), NullReporter(), checkpoints=Checkpoints(0.0, kept.append))
    again, _ = run(table, options, Budget(evaluations=60), NullReporter())
    assert found.parents == again.parents and found.header.extra == again.header.extra
    if not by_subsets:
        checked(kept, found)


@pytest.mark.parametrize("hides_solver", [False, True])
def test_an_exact_search_hands_over_its_bound(hides_solver, monkeypatch):
    if hides_solver:
        monkeypatch.setitem(sys.modules, "highspy", None)
    monkeypatch.setattr(search, "subsets_fit", lambda n: False)
    table = random_table(5, 12, max_parents=3, n_sets=40)
    kept: list[Network] = []
    options = OptimizeOptions(method="exact", seed=3)
    found, _ = run(table, options, Budget(), NullReporter(), checkpoints=Checkpoints(0.0, kept.append))
    best = found.header.extra
    assert kept and best["gap"] < 1e-9
    for earlier, later in itertools.pairwise(network.header.extra for network in kept):
        assert later["total"] > earlier["total"] or later["bound"] < earlier["bound"]
    for extra in (network.header.extra for network in kept):
        assert extra["total"] <= best["total"] + 1e-9 and extra["bound"] >= best["total"] - 1e-9
        assert extra["bound_relative_to"] == best["bound_relative_to"] and extra["interrupted"]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "task"), ON_DATA)
def test_every_search_on_data_hands_over_its_networks(method, task):
    dataset, _ = dependent_dataset(5, 8, 300)
    options = OptimizeOptions(method=method, treewidth=2 if task.bounded else None, seed=3)
    kept: list[Network] = []
    budget = Budget(evaluations=2000)
    found, _ = run_on_data(dataset, options, budget, NullReporter(), checkpoints=Checkpoints(0.0, kept.append))
    again, _ = run_on_data(dataset, options, Budget(evaluations=2000), NullReporter())
    assert found.parents == again.parents and found.header.extra == again.header.extra
    checked(kept, found)


def test_networks_are_about_all_columns_in_their_order():
    dataset, _ = dependent_dataset(3, 10, 400)
    dataset = dataset.of_variables(np.random.default_rng(1).permutation(10).tolist(), dataset.fingerprint)
    forest = screen_forest(compute_entropies(dataset), roots=0.5)
    kept: list[Network] = []
    search = RowSearch(dataset, OptimizeOptions(method="hc", seed=1), StructuralEM("best", 1), forest=forest)
    found, _ = search.run(Budget(), NullReporter(), checkpoints=Checkpoints(0.0, kept.append))
    checked(kept, found)
    scorer = FamilyScorer(dataset, "bic")
    for network in kept:
        assert network.header.names == dataset.names
        assert all(network.parents[child] == parents for child, parents in forest.parents.items())
        total = math.fsum(scorer.local_score(child, parents) for child, parents in enumerate(network.parents))
        assert network.header.extra["total"] == pytest.approx(total)


def test_only_better_networks_are_passed_on_once_the_interval_is_over():
    def network(total: float) -> Network:
        return Network(Header((), extra={"total": total}), (), np.empty(0))

    kept: list[Network] = []
    late = Checkpoints(3600.0, kept.append)
    assert not late.is_due
    often = late.changed(lambda found: found)
    often.seconds = often.due = 0.0
    for total in (-3.0, -4.0, -3.0, -2.0):
        assert often.is_due
        often.take(network(total))
    assert [each.header.extra["total"] for each in kept] == [-3.0, -2.0]
    assert unscored(((), (0,))).parents == ((), (0,))
