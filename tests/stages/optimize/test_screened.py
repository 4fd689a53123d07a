"""Searches on data among the roots of a screening forest: the forest is kept, the roots are searched as such."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from helpers.cases.selections import identify
from helpers.seeds import seeds
from helpers.tables import dependent_dataset, make_dataset

from formats.records import Header, NetworkRecord, ParentSetTable, ScreeningForest
from stages.knowledge import Knowledge
from stages.optimize import DATA, DATA_TW, METHODS, OptimizeOptions
from stages.optimize.column_order import reordered_network
from stages.optimize.driver import run, run_on_data
from stages.parentsets import ParentSetOptions
from stages.parentsets.identification_run import ParentSetRun
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter
from stages.scoring.family_scorer import FamilyScorer
from stages.screening.entropies import compute_entropies
from stages.screening.forests import screen_forest


def dependent(seed: int, n_variables: int, n_rows: int):
    return dependent_dataset(seed, n_variables, n_rows)[0]


def screened(dataset, roots=0.5) -> ScreeningForest:
    return screen_forest(compute_entropies(dataset), roots=roots)


def learn(dataset, forest=None, budget=None, start=None, table=None, kept=None, **options):
    options = OptimizeOptions(**{"method": "hc", "seed": 1} | options)
    keep = None if kept is None else lambda _header, records: kept.extend(records)
    found, _ = run_on_data(dataset, options, budget or Budget(None, 2000), NullReporter(), start, table, keep, forest)
    return found


def roots_of(dataset, forest):
    roots = [v for v in range(dataset.n_variables) if v not in forest.parents]
    return roots, make_dataset(dataset.codes[roots], [int(dataset.n_states[v]) for v in roots])


def expected_of(dataset, forest, on_roots: NetworkRecord) -> tuple[tuple[int, ...], ...]:
    roots, _ = roots_of(dataset, forest)
    place = {root: i for i, root in enumerate(roots)}
    return tuple(
        forest.parents[v] if v in forest.parents else tuple(roots[p] for p in on_roots.parents[place[v]])
        for v in range(dataset.n_variables)
    )


@pytest.mark.parametrize(
    "method",
    [name for name, spec in METHODS.items() if DATA in spec.variants and "screen" in spec.variants[DATA].options],
)
def test_the_union_is_the_network_of_the_roots_and_the_forest(method):
    dataset = dependent(3, 10, 400)
    forest = screened(dataset)
    assert 0 < len(forest.parents) < 10
    found = learn(dataset, forest, method=method)
    on_roots = learn(roots_of(dataset, forest)[1], method=method)
    assert found.parents == expected_of(dataset, forest, on_roots)
    total = sum(FamilyScorer(dataset, "bic").local_score(v, p) for v, p in enumerate(found.parents))
    assert found.header.extra["total"] == pytest.approx(total, abs=1e-8)
    assert found.header.extra["screened"] == sorted(forest.parents)


def test_lists_and_networks_in_another_order_say_what_is_screened():
    dataset = dependent(3, 10, 400)
    forest = screened(dataset)
    found = learn(dataset, forest)
    order = np.random.default_rng(1).permutation(10)
    there = reordered_network(found, order)
    assert {there.header.names[v] for v in there.header.extra["screened"]} == {
        dataset.names[v] for v in forest.parents
    }
    listing = ParentSetRun(dataset, ParentSetOptions(method="sequential", max_parents=1), forest=forest)
    table = ParentSetTable.from_records(listing.header, listing.records())
    network, _ = run(table, OptimizeOptions(method="obs", restarts=1, seed=1), Budget(None), NullReporter())
    assert network.header.extra["screened"] == table.header.extra["screened"] == sorted(forest.parents)


@pytest.mark.parametrize("seed", seeds(6, quick=2))
@pytest.mark.parametrize("method", [name for name, spec in METHODS.items() if DATA_TW in spec.variants])
def test_trees_keep_the_width(seed, method):
    dataset = dependent(seed, 12, 300)
    forest = screened(dataset)
    found = learn(dataset, forest, method=method, treewidth=2)
    treewidth = found.header.extra["treewidth"]
    assert treewidth["width"] <= 2 and sorted(treewidth["elimination"]) == list(range(12))
    assert all(found.parents[v] == p for v, p in forest.parents.items())


def test_a_bound_says_that_it_is_about_networks_with_the_forest():
    dataset = dependent(5, 8, 300)
    forest = screened(dataset)
    found = learn(dataset, forest, method="pricing")
    extra = found.header.extra
    assert "made of the screening forest" in extra["bound_relative_to"]
    assert extra["bound"] - extra["total"] == pytest.approx(extra["gap"], abs=1e-6)
    assert extra["bound"] >= extra["total"] - 1e-6


def test_sets_and_a_start_are_cut_down_to_the_roots_and_lists_are_about_all():
    dataset = dependent(7, 9, 300)
    forest = screened(dataset)
    options = ParentSetOptions(method="sequential", max_parents=2)
    header, records = identify(dataset, options)
    from formats.records import ParentSetTable

    table = ParentSetTable.from_records(header, list(records))
    start = learn(dataset)
    kept: list = []
    found = learn(dataset, forest, method="pricing", start=start, table=table, kept=kept)
    assert [record.child for record in kept] == list(range(9))
    scorer = FamilyScorer(dataset, "bic")
    for record in kept:
        if record.child in forest.parents:
            assert record.fixed and record.parents == (forest.parents[record.child],)
        members = {p for family in record.parents for p in family}
        assert record.child in forest.parents or not members & set(forest.parents)
        scores = [scorer.local_score(record.child, family) for family in record.parents]
        assert list(record.scores) == pytest.approx(scores)
        assert found.parents[record.child] in record.parents


def test_constraints_are_about_all_variables():
    dataset = dependent(9, 8, 300)
    forest = screened(dataset)
    roots, _ = roots_of(dataset, forest)
    (child, (parent,)), (one, other) = next(iter(forest.parents.items())), roots[:2]
    found = learn(dataset, forest, knowledge=Knowledge.of_arcs(dataset.names, ((one, other),), ((other, one),)))
    assert one in found.parents[other]
    tiers = [-1] * 8
    tiers[one], tiers[other] = 1, 0
    assert one not in learn(dataset, forest, knowledge=Knowledge.of_arcs(dataset.names, tiers=tiers)).parents[other]
    for arcs in ({"required": ((child, one),)}, {"forbidden": ((parent, child),)}):
        with pytest.raises(InfeasibleError, match="screen"):
            learn(dataset, forest, knowledge=Knowledge.of_arcs(dataset.names, **arcs))


def test_all_but_one_screened_and_none_screened():
    column = np.random.default_rng(1).integers(0, 2, 100).astype(np.uint8)
    dataset = make_dataset(np.array([column] * 4), [2] * 4)
    forest = ScreeningForest(Header(dataset.variables), {1: (0,), 2: (1,), 3: (1,)}, {})
    assert learn(dataset, forest).parents == ((), (0,), (1,), (1,))
    none = dataclasses.replace(forest, parents={})
    assert learn(dataset, none).parents == learn(dataset).parents
