"""Upper bounds: dual ascent, the relaxation, the search for violated clusters, and bounds on small tables."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.lagrangian import (
    counted_share,
    counts,
    is_violated,
    losses_of,
    most_violated,
    placed_by_free_sets,
    relaxed_loss,
)
from naive.networks_search import best_by_subsets, make_table, random_table

from stages.optimize.bounds import lagrangian as bounds
from stages.optimize.bounds.cut_pool import CutPool, find_clusters, keep_columns, make_columns, make_support
from stages.optimize.bounds.lagrangian import BoundSearch, what_bounds_hold_for
from stages.runtime.budgets import Budget


def columns_of(table):
    return make_columns(table.set_offsets, table.scores, table.parent_offsets, table.parents)


def nested(columns, values):
    """An array over sets as one list for every variable."""
    return [values[a:b].tolist() for a, b in pairwise(columns.set_offsets)]


def run_ascent(table, seed=0, work=10**9):
    """Dual ascent to the end: (columns, placement, top, clusters, raised)."""
    from stages.kernels.bounds.dual_ascent import ascend, new_placement, place_free

    columns = columns_of(table)
    n = table.n_variables
    placement = new_placement(columns)
    top = place_free(columns, placement)
    pool, offsets, raised = np.empty(1000 * n, dtype=np.int32), np.zeros(1001, dtype=np.int64), np.zeros(1000)
    state = np.array([0, work], dtype=np.int64)
    scratch = np.empty(n, dtype=np.int32), np.zeros(n, dtype=np.bool_)
    rng = np.random.default_rng(seed)
    top, code = ascend(columns, placement, top, *scratch, rng, pool, offsets, raised, state)
    clusters = [frozenset(pool[a:b].tolist()) for a, b in pairwise(offsets[: state[0] + 1])]
    return columns, placement, top, clusters, raised[: state[0]].tolist(), code


# Worked by hand


def two_cycle():
    """Both variables want each other: 0 loses 3 without 1, 1 loses 5 without 0."""
    return make_table({0: {(): -9.0, (1,): -6.0}, 1: {(): -9.0, (0,): -4.0}})


def test_hand_one_cluster_is_tight():
    _, placement, top, clusters, raised, _ = run_ascent(two_cycle())
    assert (top, clusters, raised) == (2, [frozenset({0, 1})], [3.0])
    assert placement.trail.tolist() == [0, 1]
    assert placement.reduced.tolist() == [0.0, 0.0, 0.0, 2.0]


def test_hand_search_proves_the_optimum_and_leaves_out_the_rest():
    search = BoundSearch(two_cycle(), np.random.default_rng(0))
    assert search.value == -10.0
    search.improve(Budget(), 1e6, -math.inf)
    assert search.value == -13.0
    assert not search.is_closed
    search.improve(Budget(), 1e6, -13.0)
    assert search.is_closed
    assert search.order.tolist() == [0, 1]


def test_hand_what_bounds_hold_for():
    table = two_cycle()
    assert what_bounds_hold_for(table) == "these lists"
    table.complete[:] = [True, False]
    assert what_bounds_hold_for(table) == "these lists"
    table.fixed[1] = True
    assert what_bounds_hold_for(table) == "all sets"


# Against the definitions


@pytest.mark.parametrize("seed", range(20))
def test_ascent_keeps_its_books(seed):
    """Reduced costs are losses less multipliers and not negative; the bound is their sum; all are placed."""
    table = random_table(seed, 8, n_sets=20, n_fixed=seed % 3, ties=seed % 2 == 0)
    columns, placement, top, clusters, raised, code = run_ascent(table, seed)
    losses = losses_of(table)
    cuts = [(members, 1, price) for members, price in zip(clusters, raised, strict=True)]
    reduced = nested(columns, placement.reduced)
    for child, sets in enumerate(losses):
        for k, (loss, parents) in enumerate(sets):
            rest = loss - sum(price for members, _, price in cuts if counts(child, parents, members, 1))
            assert reduced[child][k] == pytest.approx(rest, abs=1e-8)
            assert rest >= -1e-8
    assert (top, code) == (8, 1)
    assert placed_by_free_sets(losses, reduced) == set(range(8))
    assert relaxed_loss(losses, cuts) == pytest.approx(sum(raised), abs=1e-8)
    ideal = sum(record.scores[0] for record in table.records())
    assert ideal - sum(raised) >= best_by_subsets(table) - 1e-8


@pytest.mark.parametrize("seed", range(20))
def test_shrunk_clusters_are_violated_and_minimal(seed):
    from stages.kernels.bounds.dual_ascent import new_placement, place_free, shrink_cluster

    table = random_table(seed, 9, n_sets=20)
    columns, losses = columns_of(table), losses_of(table)
    placement = new_placement(columns)
    top = place_free(columns, placement)
    reduced = nested(columns, placement.reduced)
    placed = placed_by_free_sets(losses, reduced)
    assert placed == set(placement.trail[:top].tolist())
    rest = sorted(set(range(9)) - placed)
    if not rest:
        return
    members = np.array(rest + [0] * (9 - len(rest)), dtype=np.int32)
    size, _ = shrink_cluster(columns, placement, members, len(rest), top, np.random.default_rng(seed))
    cluster = frozenset(members[:size].tolist())
    assert is_violated(losses, reduced, cluster)
    assert set(np.flatnonzero(placement.placed)) == placed
    outside = set(range(9)) - cluster
    for member in cluster:
        assert placed_by_free_sets(losses, reduced, outside | {member}) == set(range(9))


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 3))
def test_property_relaxation_is_as_defined_and_below_every_network(seed, n, demand):
    from stages.kernels.bounds.lagrangian import relax

    table = random_table(seed, n, n_sets=12, n_fixed=seed % 2)
    rng = np.random.default_rng(seed)
    columns, losses = columns_of(table), losses_of(table)
    pool = CutPool(columns)
    clusters = []
    for _ in range(6):
        members = np.flatnonzero(rng.random(n) < 0.6).astype(np.int32)
        if len(members) > demand:
            clusters.append((members, demand))
    pool.add(clusters)
    assert pool.add(clusters) == 0
    prices = rng.exponential(5.0, len(pool))
    cuts = [(frozenset(m.tolist()), k, p) for (m, k), p in zip(pool.origins, prices)]
    reduced, chosen = np.empty(len(columns.losses)), np.empty(n, dtype=np.int64)
    bound = relax(columns, pool.by_set, prices, reduced, chosen)
    assert bound == pytest.approx(relaxed_loss(losses, cuts), abs=1e-9)
    ideal = sum(record.scores[0] for record in table.records())
    assert ideal - bound >= best_by_subsets(table) - 1e-8
    # The same after sets were left out: counted sets are those of the smaller lists.
    kept = rng.random(len(columns.losses)) < 0.7
    kept[columns.set_offsets[1:] - 1] = True
    fewer = keep_columns(columns, kept)
    pool.keep_columns(fewer, kept)
    anew = CutPool(fewer)
    anew.add(pool.origins)
    for mine, expected in zip(pool.cuts, anew.cuts, strict=True):
        assert np.array_equal(mine, expected)


def random_shares(columns, rng):
    """A random fractional choice with few sets per variable."""
    shares = np.zeros(len(columns.losses))
    for a, b in pairwise(columns.set_offsets):
        sets = rng.permutation(np.arange(a, b))[: rng.integers(1, 4)]
        shares[sets] = rng.dirichlet(np.ones(len(sets)))
    return shares


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("demand", [1, 2])
def test_clusters_found_are_violated_and_none_is_overlooked(seed, demand):
    table = random_table(seed, 7, n_sets=20)
    columns, losses = columns_of(table), losses_of(table)
    rng = np.random.default_rng(seed)
    shares = random_shares(columns, rng)
    by_child = nested(columns, shares)
    found, _ = find_clusters(make_support(columns, shares, 0.0), demand, rng, Budget(), 60, 0.01)
    for members, _ in found:
        assert counted_share(losses, by_child, frozenset(members.tolist()), demand) <= demand - 0.01 + 1e-9
    assert bool(found) == (most_violated(losses, by_child, demand) > 0.01 + 1e-9)


# Whole searches


@pytest.mark.parametrize("seed", seeds(16, quick=6))
def test_bound_is_never_below_the_optimum_and_pruning_loses_nothing(seed):
    table = random_table(seed, 9, n_sets=30, n_fixed=seed % 3, ties=seed % 2 == 0)
    best = best_by_subsets(table)
    search = BoundSearch(table, np.random.default_rng(seed))
    before = math.inf
    for work in (1, 200, 1e5, 1e6, 2e7):
        search.improve(Budget(), work, best - 1.0)
        assert best - 1e-7 <= search.value <= before + 1e-9
        before = search.value
        kept = set(search.kept.tolist())
        lists = {
            child: {table.parent_set(s): float(table.scores[s]) for s in kept & set(range(a, b))}
            for child, (a, b) in enumerate(pairwise(table.set_offsets.tolist()))
        }
        assert best_by_subsets(make_table(lists)) == pytest.approx(best, abs=1e-9)
    assert sorted(search.order.tolist()) == list(range(9))


@pytest.mark.parametrize("seed", [2, 15, 16])
def test_cuts_of_demand_two_close_what_those_of_demand_one_leave_open(seed, monkeypatch):
    table = random_table(seed, 5, max_parents=4, n_sets=25)
    best = best_by_subsets(table)
    gaps = []
    monkeypatch.setattr(bounds, "find_halved", lambda *args: ([], 0))
    for demands in ((1,), (1, 2)):
        monkeypatch.setattr(bounds, "DEMANDS", demands)
        search = BoundSearch(table, np.random.default_rng(0))
        search.improve(Budget(), 1e7, best)
        gaps.append(search.gap)
    assert gaps[0] > 1.0
    assert gaps[1] < 1e-3


def test_search_repeats_and_goes_on_from_what_is_known():
    table = random_table(3, 30, n_sets=60)
    first, again = (BoundSearch(table, np.random.default_rng(1)) for _ in range(2))
    first.improve(Budget(), 5e7, -1200.0)
    for work in (1e5, 1e6, 5e7):
        again.improve(Budget(), work, -1200.0)
    assert again.value == pytest.approx(first.value, abs=0.5)
    known = BoundSearch(table, np.random.default_rng(1), known=first)
    assert known.value == pytest.approx(first.value, abs=1e-6)


def test_search_stops_where_it_is_told():
    table = random_table(3, 40, n_sets=60)
    search = BoundSearch(table, np.random.default_rng(1))
    search.improve(Budget(seconds=0.0), 1e9, -1e4)
    assert search.work == 0
    search.improve(Budget(), 1e5, -math.inf)
    assert search.value < math.inf
