"""Halved sums of cuts: what they count, that every network keeps them, that search finds them, what they close."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.networks_search import best_by_subsets, make_table, random_table
from naive.optimize.zero_half_cuts import acyclic_choices, halved, lack, largest_lack

from stages.lists import set_lists
from stages.lists.set_lists import lists_in
from stages.optimize.bounds import lagrangian as bounds
from stages.optimize.bounds.cluster_cuts import ClusterSeparator
from stages.optimize.bounds.cut_pool import CutPool
from stages.optimize.bounds.cuts import Cut, HalvedSum, add_up, round_half
from stages.optimize.bounds.lagrangian import BoundSearch
from stages.optimize.bounds.separators import add_violated, make_point
from stages.optimize.bounds.zero_half_cuts import HalvedSumSeparator
from stages.runtime.budgets import Budget


def children_of(lists):
    return np.repeat(np.arange(len(lists.set_offsets) - 1), np.diff(lists.set_offsets)).tolist()


def random_pool(lists, rng, n_clusters):
    """A pool of random clusters of demand one and two."""
    n = len(lists.set_offsets) - 1
    pool = CutPool(lists, set_lists.costs_of(lists))
    for _ in range(n_clusters):
        demand = int(rng.integers(1, min(2, n - 1) + 1))
        size = int(rng.integers(demand + 1, n + 1))
        pool.add([(np.sort(rng.permutation(n)[:size]).astype(np.int32), demand)])
    return pool


def random_sum(pool, rng):
    """A halved sum of random cuts of the pool, rounded down for random variables."""
    n = len(pool.lists.set_offsets) - 1
    parts = rng.permutation(len(pool))[: rng.integers(2, min(4, len(pool)) + 1)]
    lowered = np.flatnonzero(rng.random(n) < 0.3).astype(np.int32)
    return parts, HalvedSum([pool.origins[int(c)] for c in parts], lowered)


def as_dict(row):
    return dict(zip(row.sets.tolist(), row.weights.tolist(), strict=True)), row.demand


# Worked by hand


def test_hand_half_of_three_cuts():
    """Each of three sets counted by two of three cuts: of the three at least two are taken, not 3 / 2."""
    parts = [Cut(np.array(pair, dtype=np.int32), np.ones(2, np.int8), 1) for pair in ((0, 1), (1, 2), (0, 2))]
    total = add_up(parts)
    assert as_dict(total) == ({0: 2, 1: 2, 2: 2}, 3)
    none = np.empty(0, dtype=np.int32)
    assert as_dict(round_half(total, np.array([0, 1, 2]), none)) == ({0: 1, 1: 1, 2: 1}, 2)
    # Rounded down for one variable whose set is counted three times in a fourth cut's company.
    more = add_up([total, Cut(np.array([2], dtype=np.int32), np.ones(1, np.int8), 0)])
    assert as_dict(round_half(more, np.array([0, 1, 2]), none)) == ({0: 1, 1: 1, 2: 2}, 2)
    assert as_dict(round_half(more, np.array([0, 1, 2]), np.array([2], dtype=np.int32))) == ({0: 1, 1: 1, 2: 1}, 1)


def test_hand_pool_knows_equal_sums():
    sets = {(): -9.0, (1,): -6.0, (2,): -6.0}
    table = make_table({0: sets, 1: {(): -9.0, (0,): -6.0, (2,): -6.0}, 2: {(): -9.0, (0,): -6.0}})
    lists = lists_in(table)
    pool = CutPool(lists, set_lists.costs_of(lists))
    pairs = [(np.array(pair, dtype=np.int32), 1) for pair in ((0, 1), (0, 2), (1, 2))]
    first = np.array([0], dtype=np.int32)
    assert pool.add([*pairs, HalvedSum(pairs, first)]) == 4
    assert pool.add([HalvedSum(pairs[::-1], first)]) == 0
    assert pool.add([HalvedSum(pairs, first[:0]), HalvedSum([pool.origins[3], pairs[0]], first)]) == 2
    assert pool.depths.tolist() == [0, 0, 0, 1, 1, 2]
    # A set without parents is counted twice, another once; half of that is rounded down for 0 alone.
    assert as_dict(pool.row(3)) == ({2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1}, 1)


# Against the definitions


@given(st.integers(0, 10**6), st.integers(2, 4))
def test_property_halved_sums_are_as_defined_and_kept_by_every_network(seed, n):
    rng = np.random.default_rng(seed)
    lists = lists_in(random_table(seed, n, n_sets=5))
    child = children_of(lists)
    pool = random_pool(lists, rng, 4)
    naive = [as_dict(pool.row(c)) for c in range(len(pool))]
    for _ in range(4):
        if len(pool) < 2:
            return
        parts, origin = random_sum(pool, rng)
        if pool.add([origin]):
            naive.append(halved([naive[c] for c in parts], child, set(origin.lowered.tolist())))
            assert as_dict(pool.row(len(pool) - 1)) == naive[-1]
    parents = [lists.parents[a:b].tolist() for a, b in pairwise(lists.parent_offsets.tolist())]
    for choice in acyclic_choices(parents, child):
        taken = dict.fromkeys(range(len(parents)), 0) | dict.fromkeys(choice, 1)
        assert all(lack(cut, taken) <= 0 for cut in naive)
    # The same made anew on other lists, or carried over to them.
    kept = rng.random(len(lists.scores)) < 0.7
    kept[lists.set_offsets[1:] - 1] = True
    fewer = set_lists.keep_sets(lists, np.flatnonzero(kept))
    anew = CutPool(fewer, pool.costs[kept])
    anew.add(pool.origins)
    pool.keep_sets(kept)
    for mine, expected in zip(pool.cuts, anew.cuts, strict=True):
        assert np.array_equal(mine, expected)
    last = CutPool(fewer, pool.costs)
    last.add(pool.origins[-1:])
    assert as_dict(last.row(0)) == as_dict(pool.row(len(pool) - 1))


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_sums_found_are_violated_and_none_is_overlooked(seed):
    rng = np.random.default_rng(seed)
    lists = lists_in(random_table(seed, 5, n_sets=6))
    child = children_of(lists)
    pool = random_pool(lists, rng, 5)
    if seed % 2:
        pool.add(random_sum(pool, rng)[1] for _ in range(2))
    shares = np.zeros(len(child))
    for a, b in pairwise(lists.set_offsets):
        sets = rng.permutation(np.arange(a, b))[: rng.integers(1, 3)]
        shares[sets] = 1.0 / len(sets)
    before = np.flatnonzero(np.array([lack(as_dict(pool.row(c)), shares) for c in range(len(pool))]) <= 0.0)
    kept = np.zeros(len(pool), dtype=np.bool_)
    kept[before] = True
    pool.keep_cuts(kept)
    cuts = [as_dict(pool.row(c)) for c in range(len(pool))]
    separator = HalvedSumSeparator(0.0, most_slack=2.0, violation=0.01, work=1e9)
    found, _ = separator.separate(make_point(lists, shares, 0.0), pool, rng, Budget())
    first = len(pool)
    pool.add(found)
    for c in range(first, len(pool)):
        assert lack(as_dict(pool.row(c)), shares) >= 0.01 - 1e-9
    most = largest_lack(cuts, child, shares, len(cuts)) if len(cuts) > 1 else 0.0
    assert bool(found) == (most > 0.01 + 1e-9)


# Whole searches


def bound_after(table, best, work):
    search = BoundSearch(lists_in(table), np.random.default_rng(0))
    search.improve(Budget(), work, best)
    assert search.value >= best - 1e-7
    return search


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seed", "n", "max_parents"), [(21, 6, 5), pytest.param(8, 9, 3, marks=pytest.mark.slow), (62, 9, 3)]
)
def test_halved_sums_close_what_clusters_leave_open(seed, n, max_parents, monkeypatch):
    table = random_table(seed, n, max_parents=max_parents, n_sets=60)
    best = best_by_subsets(table)
    monkeypatch.setattr(bounds, "solve_residual", lambda *args: None)  # cuts alone
    assert bound_after(table, best, 1e8).gap < 1e-3
    clusters = tuple(
        [separator for separator in separators if isinstance(separator, ClusterSeparator)]
        for separators in bounds.SEPARATORS
    )
    monkeypatch.setattr(bounds, "SEPARATORS", clusters)
    assert bound_after(table, best, 1e8).gap > 0.4


def test_bound_goes_on_from_halved_sums():
    table = random_table(3, 9, max_parents=5, n_sets=80)
    best = best_by_subsets(table)
    search = bound_after(table, best, 2e7)
    assert search.gap > 1.0
    assert search.pool.depths.max() > 1
    known = BoundSearch(lists_in(table), np.random.default_rng(1), known=search)
    assert known.value == pytest.approx(search.value, abs=1e-6)
    known.improve(Budget(), 1e7, best)
    assert best - 1e-7 <= known.value <= search.value + 1e-9


def test_separators_see_a_view_without_cuts():
    """The cuts of the pool count sets that the view does not have."""
    table = random_table(3, 5)
    pool = random_pool(lists_in(table), np.random.default_rng(0), 3)
    is_kept = np.diff(table.parent_offsets) == 0
    lists = set_lists.keep_sets(pool.lists, np.flatnonzero(is_kept))
    seen = []

    class Watcher:
        def separate(self, point, view, rng, budget):
            seen.append(view)
            return [], 0

    view = CutPool(lists, set_lists.costs_of(lists))
    point = make_point(lists, np.ones(is_kept.sum()), 0.0)
    assert len(pool) > len(view) == 0
    assert add_violated([Watcher()], point, pool, np.random.default_rng(0), Budget(), view=view) == (0, 0)
    assert seen[0] is view


def test_cuts_and_work_of_all_separators_are_added_up():
    lists = lists_in(random_table(3, 5))
    pool = CutPool(lists, set_lists.costs_of(lists))
    point = make_point(lists, np.ones(len(lists.scores)), 0.0)
    found = [([0, 1], 1), ([1, 2, 3], 1), ([0, 1], 1)]

    class Finder:
        def __init__(self, cuts, work):
            self.cuts, self.work = [(np.array(members, dtype=np.int32), demand) for members, demand in cuts], work

        def separate(self, point, view, rng, budget):
            return self.cuts, self.work

    separators = [Finder(found[:2], 5), Finder([], 11), Finder(found[2:], 100)]
    assert add_violated(separators, point, pool, np.random.default_rng(0), Budget()) == (2, 116)
    # The first separator's cuts count sets, and no second one runs.
    pool = CutPool(lists, pool.costs)
    assert add_violated(separators, point, pool, np.random.default_rng(0), Budget(), most_counted=0) == (2, 5)
