"""Upper bounds: dual ascent, the relaxation, the search for violated clusters, and bounds on small tables."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import best_by_subsets, make_table, random_table

from stages.lists.set_lists import lists_in
from stages.optimize.bounds import lagrangian as bounds
from stages.optimize.bounds.lagrangian import BoundSearch
from stages.runtime.budgets import Budget

# Worked by hand


def two_cycle():
    """Both variables want each other: 0 loses 3 without 1, 1 loses 5 without 0."""
    return make_table({0: {(): -9.0, (1,): -6.0}, 1: {(): -9.0, (0,): -4.0}})


def test_hand_search_proves_the_optimum_and_leaves_out_the_rest():
    search = BoundSearch(lists_in(two_cycle()), np.random.default_rng(0))
    assert search.value == -10.0
    search.improve(Budget(), 1e6, -math.inf)
    assert -13.0 <= search.value < -13.0 + 1e-12  # rounded outward
    assert not search.is_closed
    search.improve(Budget(), 1e6, -13.0)
    assert search.is_closed
    assert search.order.tolist() == [0, 1]


# Against the definitions


# Whole searches


@pytest.mark.parametrize("seed", seeds(16, quick=2))
def test_bound_is_never_below_the_optimum_and_pruning_loses_nothing(seed):
    table = random_table(seed, 9, n_sets=30, n_fixed=seed % 3, ties=seed % 2 == 0)
    best = best_by_subsets(table)
    search = BoundSearch(lists_in(table), np.random.default_rng(seed))
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
    monkeypatch.setattr(bounds, "solve_residual", lambda *args: None)  # cuts alone
    clusters = [round_separators[:2] for round_separators in bounds.SEPARATORS]
    for demands in ((1,), (1, 2)):
        kept = tuple([s for s in separators if s.demand in demands] for separators in clusters)
        monkeypatch.setattr(bounds, "SEPARATORS", kept)
        search = BoundSearch(lists_in(table), np.random.default_rng(0))
        search.improve(Budget(), 1e7, best)
        gaps.append(search.gap)
    assert gaps[0] > 1.0
    assert gaps[1] < 1e-3


@pytest.mark.slow
def test_search_repeats_and_goes_on_from_what_is_known():
    table = random_table(3, 30, n_sets=60)
    first, again = (BoundSearch(lists_in(table), np.random.default_rng(1)) for _ in range(2))
    first.improve(Budget(), 5e7, -1200.0)
    for work in (1e5, 1e6, 5e7):
        again.improve(Budget(), work, -1200.0)
    assert again.value == pytest.approx(first.value, abs=0.5)
    known = BoundSearch(lists_in(table), np.random.default_rng(1), known=first)
    assert known.value == pytest.approx(first.value, abs=1e-6)


def test_search_stops_at_its_limits():
    table = random_table(3, 40, n_sets=60)
    search = BoundSearch(lists_in(table), np.random.default_rng(1))
    search.improve(Budget(seconds=0.0), 1e9, -1e4)
    assert search.work == 0
    search.improve(Budget(), 1e5, -math.inf)
    assert search.value < math.inf
