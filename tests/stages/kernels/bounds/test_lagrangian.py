"""The Lagrangian relaxation over cuts, and the volume algorithm, against their definitions."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.lagrangian import costs_of, counts, relaxed_cost
from naive.optimize.networks_search import best_by_subsets, random_table

from stages.kernels.bounds.edges import new_edges
from stages.kernels.bounds.lagrangian import (
    VIOLATION,
    count_lacks,
    counted_sets,
    cuts_by_set,
    improve_multipliers,
    mark_least,
    new_volume,
    reduce_costs,
    relax,
)
from stages.kernels.bounds.subgradient_ascent import BOUND, new_pace
from stages.lists import set_lists
from stages.lists.set_lists import lists_in
from stages.optimize.bounds.cut_pool import CutPool
from stages.optimize.bounds.cuts import HalvedSum
from stages.optimize.bounds.relaxation import relaxed


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 3))
def test_property_relaxation_is_as_defined_and_below_every_network(seed, n, demand):
    table = random_table(seed, n, n_sets=12, n_fixed=seed % 2)
    rng = np.random.default_rng(seed)
    lists, costs = lists_in(table), costs_of(table)
    pool = CutPool(lists, set_lists.costs_of(lists))
    clusters = []
    for _ in range(6):
        members = np.flatnonzero(rng.random(n) < 0.6).astype(np.int32)
        if len(members) > demand:
            clusters.append((members, demand))
    pool.add(clusters)
    assert pool.add(clusters) == 0
    prices = rng.exponential(5.0, len(pool))
    cuts = [(frozenset(m.tolist()), k, p) for (m, k), p in zip(pool.origins, prices)]
    reduced, chosen = np.empty(len(lists.scores)), np.empty(n, dtype=np.int64)
    by_set = cuts_by_set(pool.cuts, len(lists.scores))
    bound = relax(lists, pool.costs, by_set, prices, reduced, chosen)
    assert bound == pytest.approx(relaxed_cost(costs, cuts), abs=1e-9)
    # The same by cuts, rounded down.
    rounded, nearest, same, _ = relaxed(lists, pool.costs, pool.cuts, prices)
    assert rounded <= nearest == pytest.approx(bound, abs=1e-9)
    assert rounded == pytest.approx(nearest, abs=1e-9)
    assert same == pytest.approx(reduced, abs=1e-9)
    ideal = sum(record.scores[0] for record in table.records())
    assert ideal - bound >= best_by_subsets(table) - 1e-8
    # The same after sets were left out: counted sets are those of the smaller lists.
    kept = rng.random(len(lists.scores)) < 0.7
    kept[lists.set_offsets[1:] - 1] = True
    whole = copy.copy(pool)
    pool.keep_sets(kept)
    assert pool.costs.tolist() == whole.costs[kept].tolist()
    anew = CutPool(set_lists.keep_sets(lists, np.flatnonzero(kept)), pool.costs)
    anew.add(pool.origins)
    some = np.flatnonzero(kept)
    for mine, expected in zip(CutPool.restricted(whole, some).cuts, anew.cuts, strict=True):
        assert np.array_equal(mine, expected)
    for mine, expected in zip(pool.cuts, anew.cuts, strict=True):
        assert np.array_equal(mine, expected)


def random_cuts(lists, rng):
    """A pool of clusters of demand one and two."""
    n, pool = len(lists.set_offsets) - 1, CutPool(lists, set_lists.costs_of(lists))
    for demand in (1, 2):
        for _ in range(4):
            members = np.flatnonzero(rng.random(n) < 0.6).astype(np.int32)
            if len(members) > demand:
                pool.add([(members, demand)])
    return pool


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_counted_sets_and_lacks(seed):
    rng, table = np.random.default_rng(seed), random_table(seed, 6, n_sets=12)
    lists, costs = lists_in(table), costs_of(table)
    every = [(child, p) for child, sets in enumerate(costs) for _, p in sets]
    pool = random_cuts(lists, rng)
    shares = rng.random(len(every))
    lacks = np.empty(len(pool))
    count_lacks(cuts_by_set(pool.cuts, len(every)), np.arange(len(every)), shares, lacks)
    for index, (members, demand) in enumerate(pool.origins):
        inside = frozenset(members.tolist())
        expected = [s for s, (child, p) in enumerate(every) if counts(child, p, inside, demand)]
        found = np.empty(len(every), dtype=np.int32)
        n_found = counted_sets(lists, members, demand, np.zeros(6, dtype=np.bool_), found)
        assert found[:n_found].tolist() == expected == pool.row(index).sets.tolist()
        assert lacks[index] == pytest.approx(demand - shares[expected].sum())


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_volume_steps_raise_the_bound_and_average_the_choices(seed):
    """The bound is that of the multipliers and holds; shares sum to one; what they lack is as counted."""
    rng, table = np.random.default_rng(seed), random_table(seed, 7, n_sets=15)
    lists, best = lists_in(table), best_by_subsets(table)
    pool = random_cuts(lists, rng)
    n_cuts, n_sets = len(pool), len(lists.scores)
    ideal = sum(record.scores[0] for record in table.records())
    reduced, chosen = np.empty(n_sets), np.empty(7, dtype=np.int64)
    multipliers, shares, pace = np.zeros(n_cuts), np.zeros(n_sets), new_pace(0.1)
    volume = new_volume(
        lists, pool.costs, cuts_by_set(pool.cuts, n_sets), new_edges(0, 0, False), multipliers, shares, pace
    )
    by_set = cuts_by_set(pool.cuts, n_sets)
    assert pace[BOUND] == relax(lists, pool.costs, by_set, multipliers, reduced, chosen)
    shares[chosen] = 1.0
    bounds = [pace[BOUND]]
    for _ in range(5):
        improve_multipliers(volume, ideal - best, 20)
        bounds.append(pace[BOUND])
        assert (multipliers >= 0.0).all()
        assert pace[BOUND] == relax(lists, pool.costs, by_set, multipliers, reduced, chosen)
        assert [shares[a:b].sum() for a, b in pairwise(lists.set_offsets)] == pytest.approx([1.0] * 7)
        lacks = np.empty(n_cuts)
        count_lacks(by_set, np.arange(n_sets), shares, lacks)
        assert volume.trial[VIOLATION] == pytest.approx(lacks, abs=1e-9)
    assert bounds == sorted(bounds)
    assert bounds[-1] <= ideal - best + 1e-8


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_weights_count_as_often_by_set_and_by_cut(seed):
    """Halved sums of weights above one: reduced costs, their terms, lacks, and the same over some of the sets."""
    rng, table = np.random.default_rng(seed), random_table(seed, 6, n_sets=12)
    lists = lists_in(table)
    pool = random_cuts(lists, rng)
    for _ in range(6):
        parts = [pool.origins[c] for c in rng.permutation(len(pool))[:7]]
        pool.add([HalvedSum(parts, np.flatnonzero(rng.random(6) < 0.3).astype(np.int32))])
    assert pool.cuts.weights.max() > 1
    kept = np.flatnonzero(rng.random(len(lists.scores)) < 0.9)
    for view in (pool, pool.restricted(np.union1d(kept, lists.set_offsets[:-1]))):
        n_sets, prices = len(view.lists.scores), np.where(rng.random(len(pool)) < 0.7, rng.exponential(5.0), 0.0)
        reduced, terms = view.costs.tolist(), [0] * n_sets
        shares, lacks = rng.random(n_sets), view.cuts.demands.tolist()
        for c in range(len(pool)):
            sets, weights, _ = view.row(c)
            for s, weight in zip(sets.tolist(), weights.tolist()):
                reduced[s] -= prices[c] * weight
                terms[s] += bool(prices[c])
                lacks[c] -= shares[s] * weight
        by_set = cuts_by_set(view.cuts, n_sets)
        mine, chosen = np.empty(n_sets), np.empty(6, dtype=np.int64)
        bound = relax(view.lists, view.costs, by_set, prices, mine, chosen)
        assert mine == pytest.approx(reduced, abs=1e-9)
        firsts = [min(reduced[a:b]) for a, b in pairwise(view.lists.set_offsets)]
        assert bound == pytest.approx(sum(firsts) + prices @ view.cuts.demands, abs=1e-9)
        mine_terms, mine_lacks = np.empty(n_sets, dtype=np.int64), np.empty(len(pool))
        reduce_costs(view.costs, view.cuts, prices, mine, mine_terms)
        assert mine == pytest.approx(reduced, abs=1e-9)
        assert mine_terms.tolist() == terms
        count_lacks(by_set, np.arange(n_sets), shares, mine_lacks)
        assert mine_lacks == pytest.approx(lacks, abs=1e-9)


@given(st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=30), min_size=1, max_size=5), st.integers(1, 12))
def test_the_least_sets_are_marked(costs, most):
    """With all that tie with the last of them, and no others."""
    reduced = np.array([float(cost) for own in costs for cost in own])
    marks = np.zeros(len(reduced), dtype=np.bool_)
    mark_least(np.cumsum([0, *map(len, costs)]), reduced, most, marks)
    expected = [cost <= sorted(own)[min(most, len(own)) - 1] for own in costs for cost in own]
    assert marks.tolist() == expected
