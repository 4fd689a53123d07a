"""Networks handed over while a search runs: whole, verified, ever better, and without influence on the result."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.cases.incomplete import with_holes
from helpers.tables import dependent_dataset
from naive.optimize.networks_search import random_table

from bnsl.functions.opened_searches import _search_listed
from bnsl.running import best_so_far
from bnsl.running.best_so_far import BestSoFar
from formats.data_records import Variable
from formats.records import Header, NetworkRecord, ParentSetRecord, ParentSetTable
from stages.incomplete import StructuralEM
from stages.inference.forward_sampling import random_network
from stages.lists.barred_sets import bar_least_sets, barred_in
from stages.optimize import DATA, DATA_TW, METHODS, SETS, SETS_TW, OptimizeOptions
from stages.optimize.column_order import reordered_rows
from stages.optimize.data_runs import DataRuns
from stages.optimize.driver import run, run_on_data
from stages.optimize.exact import any_width
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer
from stages.screening.entropies import compute_entropies
from stages.screening.forests import screen_forest

QUICK = {"forest", "tan", "kdb", "cll"}
"""Methods that end with their first network, or with one of smaller score than the networks on the way."""

ON_SETS = [(m, t) for m, spec in METHODS.items() for t in (SETS, SETS_TW) if t in spec.variants and m not in QUICK]
ON_DATA = [(m, t) for m, spec in METHODS.items() for t in (DATA, DATA_TW) if t in spec.variants and m not in QUICK]


class Keeping(NullReporter):
    """A reporter that keeps each network so far that is better than the last."""

    def __init__(self, kept: list[NetworkRecord]):
        self.best = BestSoFar(kept.append)

    def progress(self, done, total, counted, network=None, **facts):
        if network is not None:
            self.best.offer(network)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """Networks are due whenever they are offered."""
    monkeypatch.setattr(best_so_far, "FIRST_SECONDS", 0.0)
    monkeypatch.setattr(best_so_far, "SECONDS", 0.0)


def checked(kept: list[NetworkRecord], found: NetworkRecord) -> None:
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
    kept: list[NetworkRecord] = []
    found, _ = run(table, options, Budget(evaluations=60), Keeping(kept))
    again, _ = run(table, options, Budget(evaluations=60), NullReporter())
    assert found.parents == again.parents and found.header.extra == again.header.extra
    if not by_subsets:
        checked(kept, found)


def test_an_exact_search_hands_over_its_bound(monkeypatch):
    monkeypatch.setattr(any_width, "subsets_fit", lambda n: False)
    table = random_table(5, 12, max_parents=3, n_sets=40)
    kept: list[NetworkRecord] = []
    options = OptimizeOptions(method="exact", seed=3)
    found, _ = run(table, options, Budget(), Keeping(kept))
    best = found.header.extra
    assert kept and best["gap"] < 1e-9
    for earlier, later in itertools.pairwise(network.header.extra for network in kept):
        assert later["total"] > earlier["total"] or later["bound"] < earlier["bound"]
    for extra in (network.header.extra for network in kept):
        assert extra["total"] <= best["total"] + 1e-9 and extra["bound"] >= best["total"] - 1e-9
        assert extra["bound_relative_to"] == best["bound_relative_to"] and extra["interrupted"]


def test_a_search_among_all_sets_of_the_data_hands_over_its_bound():
    """Pricing lists them, and passes on what the search among them reports."""
    dataset, _ = dependent_dataset(0, 24, 150, most_states=2)
    kept: list[NetworkRecord] = []
    found, _ = run_on_data(dataset, OptimizeOptions(method="pricing", max_parents=3), Budget(), Keeping(kept))
    stated = [extra for extra in (network.header.extra for network in kept) if "bound" in extra]
    assert stated and found.header.extra["bound_relative_to"] == "all networks with at most 3 parents each"
    for extra in stated:
        assert extra["bound"] - extra["total"] == extra["gap"]
        assert extra["bound_relative_to"] == found.header.extra["bound_relative_to"]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "task"), ON_DATA)
def test_every_search_on_data_hands_over_its_networks(method, task):
    dataset, _ = dependent_dataset(5, 8, 300)
    options = OptimizeOptions(method=method, treewidth=2 if task.bounded else None, seed=3)
    kept: list[NetworkRecord] = []
    budget = Budget(evaluations=2000)
    found, _ = run_on_data(dataset, options, budget, Keeping(kept))
    again, _ = run_on_data(dataset, options, Budget(evaluations=2000), NullReporter())
    assert found.parents == again.parents and found.header.extra == again.header.extra
    checked(kept, found)


def test_networks_are_about_all_columns_in_their_order():
    dataset, _ = dependent_dataset(3, 10, 400)
    dataset = dataset.of_variables(np.random.default_rng(1).permutation(10).tolist(), dataset.fingerprint)
    forest = screen_forest(compute_entropies(dataset), roots=0.5)
    kept: list[NetworkRecord] = []
    search = DataRuns(dataset, OptimizeOptions(method="hc", seed=1), StructuralEM("best", 1), forest=forest)
    found, _ = search.run(Budget(), Keeping(kept))
    checked(kept, found)
    scorer = FamilyScorer(dataset, "bic")
    for network in kept:
        assert network.header.names == dataset.names
        assert all(network.parents[child] == parents for child, parents in forest.parents.items())
        total = math.fsum(scorer.local_score(child, parents) for child, parents in enumerate(network.parents))
        assert network.header.extra["total"] == pytest.approx(total)


@pytest.mark.parametrize("is_reordered", [False, True])
def test_networks_of_rows_with_holes_are_those_of_the_best_round(is_reordered: bool):
    rows = with_holes(random_network(6, states=(2, 3), parents=(1, 2), seed=1), 200, 0.2, 1)
    if is_reordered:
        rows = reordered_rows(rows, np.arange(6)[::-1])
    kept: list[NetworkRecord] = []
    search = DataRuns(rows, OptimizeOptions(method="hc", seed=1), StructuralEM("best", 5))
    found, _ = search.run(Budget(), Keeping(kept))
    again, _ = search.run(Budget(), NullReporter())
    assert found.parents == again.parents and found.header.extra == again.header.extra
    observed = [network.header.extra["observed_score"] for network in kept if network.header.extra["rounds"]]
    assert observed == sorted(observed) and observed[-1] <= found.header.extra["observed_score"]
    assert kept[0].header.extra["rounds"] == 0 and found.header.extra["rounds"] > 1
    for network in kept:
        assert network.header.names == rows.names and network.header.data == found.header.data
        assert network.header.extra["interrupted"] and network.header.extra["holes"] == rows.n_holes


def test_barred_sets_are_in_no_network_so_far(tmp_path):
    """Lists without the empty set: the search takes one with a score of its own, and says so only to itself."""
    lists = {0: [((1,), -9.0), ((2,), -9.5)], 1: [((2,), -8.0), ((), -9.0)], 2: [((0,), -5.0), ((), -9.0)]}
    records = [ParentSetRecord.of(c, tuple(s for s, _ in f), tuple(v for _, v in f)) for c, f in lists.items()]
    table, barred = bar_least_sets(ParentSetTable.from_records(Header(tuple(map(Variable, "abc"))), records))
    assert barred
    kept: list[NetworkRecord] = []
    _search_listed(table, barred, OptimizeOptions(method="ils", seed=1), Budget(evaluations=60), Keeping(kept))
    assert kept and not any(barred_in(network, barred) for network in kept)


def test_only_better_networks_are_kept_and_only_when_due(monkeypatch):
    def network(total: float, **extra: float) -> NetworkRecord:
        return NetworkRecord(Header((), extra={"total": total, **extra}), (), np.empty(0))

    clock = [0.0]
    monkeypatch.setattr(best_so_far, "FIRST_SECONDS", 10.0)
    monkeypatch.setattr(best_so_far, "SECONDS", 30.0)
    monkeypatch.setattr(best_so_far.time, "monotonic", lambda: clock[0])
    kept: list[NetworkRecord] = []
    best = BestSoFar(kept.append)
    for now, offered in (
        (9.0, network(-5.0)),  # not due
        (11.0, None),
        (12.0, network(-4.0)),
        (41.0, network(-3.0)),  # not due
        (43.0, network(-4.0)),  # no better
        (74.0, network(-4.0, bound=-1.0)),
        (105.0, network(-5.0)),
        (136.0, network(-2.0)),
    ):
        clock[0] = now
        best.offer(lambda offered=offered: offered)
    assert [each.header.extra for each in kept] == [{"total": -4.0}, {"total": -4.0, "bound": -1.0}, {"total": -2.0}]
