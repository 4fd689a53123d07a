"""The Lagrangian relaxation over cuts, and the volume algorithm, against their definitions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.lagrangian import costs_of, counts, relaxed_cost
from naive.networks_search import best_by_subsets, random_table

from stages.kernels.bounds.dual_ascent import new_columns
from stages.kernels.bounds.lagrangian import (
    BOUND,
    VIOLATION,
    count_lacks,
    counted_sets,
    improve_multipliers,
    new_pace,
    relax,
)
from stages.optimize.bounds.cut_pool import CutPool, keep_columns


@given(st.integers(0, 10**6), st.integers(2, 7), st.integers(1, 3))
def test_property_relaxation_is_as_defined_and_below_every_network(seed, n, demand):
    table = random_table(seed, n, n_sets=12, n_fixed=seed % 2)
    rng = np.random.default_rng(seed)
    columns, costs = new_columns(table), costs_of(table)
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
    reduced, chosen = np.empty(len(columns.costs)), np.empty(n, dtype=np.int64)
    bound = relax(columns, pool.by_set, prices, reduced, chosen)
    assert bound == pytest.approx(relaxed_cost(costs, cuts), abs=1e-9)
    ideal = sum(record.scores[0] for record in table.records())
    assert ideal - bound >= best_by_subsets(table) - 1e-8
    # The same after sets were left out: counted sets are those of the smaller lists.
    kept = rng.random(len(columns.costs)) < 0.7
    kept[columns.set_offsets[1:] - 1] = True
    fewer = keep_columns(columns, kept)
    pool.keep_columns(fewer, kept)
    anew = CutPool(fewer)
    anew.add(pool.origins)
    for mine, expected in zip(pool.cuts, anew.cuts, strict=True):
        assert np.array_equal(mine, expected)


def random_cuts(columns, rng):
    """A pool of clusters of demand one and two."""
    n, pool = len(columns.set_offsets) - 1, CutPool(columns)
    for demand in (1, 2):
        for _ in range(4):
            members = np.flatnonzero(rng.random(n) < 0.6).astype(np.int32)
            if len(members) > demand:
                pool.add([(members, demand)])
    return pool


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_counted_sets_and_lacks(seed):
    rng, table = np.random.default_rng(seed), random_table(seed, 6, n_sets=12)
    columns, costs = new_columns(table), costs_of(table)
    every = [(child, p) for child, sets in enumerate(costs) for _, p in sets]
    pool = random_cuts(columns, rng)
    shares = rng.random(len(every))
    lacks = np.empty(len(pool))
    count_lacks(pool.by_set, np.arange(len(every)), shares, lacks)
    for index, (members, demand) in enumerate(pool.origins):
        inside = frozenset(members.tolist())
        expected = [s for s, (child, p) in enumerate(every) if counts(child, p, inside, demand)]
        found = np.empty(len(every), dtype=np.int32)
        n_found = counted_sets(columns, members, demand, np.zeros(6, dtype=np.bool_), found)
        assert found[:n_found].tolist() == expected == pool.row(index).sets.tolist()
        assert lacks[index] == pytest.approx(demand - shares[expected].sum())


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_volume_steps_raise_the_bound_and_average_the_choices(seed):
    """The bound is that of the multipliers and holds; shares sum to one; what they lack is as counted."""
    rng, table = np.random.default_rng(seed), random_table(seed, 7, n_sets=15)
    columns, best = new_columns(table), best_by_subsets(table)
    pool = random_cuts(columns, rng)
    n_cuts, n_sets = len(pool), len(columns.costs)
    ideal = sum(record.scores[0] for record in table.records())
    reduced, chosen = np.empty(n_sets), np.empty(7, dtype=np.int64)
    multipliers, trial = np.zeros(n_cuts), np.empty((4, n_cuts))
    pace = new_pace(relax(columns, pool.by_set, multipliers, reduced, chosen), 0.1)
    shares = np.zeros(n_sets)
    shares[chosen] = 1.0
    bounds = [pace[BOUND]]
    for _ in range(5):
        improve_multipliers(columns, pool.by_set, multipliers, shares, trial, reduced, chosen, pace, ideal - best, 20)
        bounds.append(pace[BOUND])
        assert (multipliers >= 0.0).all()
        assert pace[BOUND] == relax(columns, pool.by_set, multipliers, reduced, chosen)
        assert [shares[a:b].sum() for a, b in pairwise(columns.set_offsets)] == pytest.approx([1.0] * 7)
        lacks = np.empty(n_cuts)
        count_lacks(pool.by_set, np.arange(n_sets), shares, lacks)
        assert trial[VIOLATION] == pytest.approx(lacks, abs=1e-9)
    assert bounds == sorted(bounds)
    assert bounds[-1] <= ideal - best + 1e-8
