"""Moves over orders: profile of one variable's slots, the moves, repair and shaking, iterated local search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.orders import assert_state_is_fresh, feasible_order
from helpers.clocks import TickingClock
from helpers.seeds import seeds
from naive.optimize.networks_search import best_by_orders, best_by_subsets, random_table
from naive.optimize.orders import is_acyclic, lists_of, order_score

from stages.lists.set_lists import index_members, lists_in
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.orders import insertion_ils as shaking
from stages.optimize.orders.insertion_ils import OrderShaker
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

# Worked by hand


# Against evaluation from scratch


# Search


def shaker(table, seed):
    rng, lists = np.random.default_rng(seed), lists_in(table)
    return OrderShaker(lists, index_members(lists), feasible_order(table, rng), rng)


@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_shaking_finds_the_optimum_of_small_tables(seed):
    table = random_table(seed, 6 if seed % 2 else 8, n_fixed=seed % 3)
    search = shaker(table, seed)
    search.search(Budget(), 20_000)
    optimum = best_by_orders(table) if seed % 2 else best_by_subsets(table)
    assert search.score == pytest.approx(optimum, abs=1e-9)
    assert search.score == math.fsum(table.scores[search.chosen])
    assert order_score(lists_of(table), search.order.tolist()) == pytest.approx(search.score, abs=1e-9)
    assert is_acyclic({c: set(table.parent_set(int(s))) for c, s in enumerate(search.chosen)})


@pytest.mark.parametrize("profiles", [1, 7, 300])
def test_shaking_keeps_to_its_limit_and_never_loses(profiles):
    table = random_table(3, 10, n_sets=25)
    for seed in range(10):
        search = shaker(table, seed)
        first = search.score
        search.search(Budget(), profiles)
        assert search.profiles == profiles
        assert search.score >= first
        assert_state_is_fresh(search.lists, search._best)


def test_cutting_the_work_changes_nothing(monkeypatch):
    table = random_table(4, 20, n_sets=40)
    whole = shaker(table, 1)
    whole.search(Budget(), 5000)
    monkeypatch.setattr(shaking, "SLICE_WORK", 300)
    cut = shaker(table, 1)
    cut.search(Budget(), 5000)
    assert np.array_equal(whole.order, cut.order)


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_ils_is_exact_on_small_tables_and_repeats_at_any_number_of_threads(seed):
    table = random_table(seed, 8, n_sets=25, n_fixed=seed % 3)
    networks = [
        run(table, OptimizeOptions(method="ils", seed=seed, jobs=jobs), Budget(evaluations=9000), NullReporter())
        for jobs in (1, 2)
    ]
    assert networks[0][0].parents == networks[1][0].parents
    assert networks[0][0].header == networks[1][0].header
    assert networks[0][0].header.extra["orders"] <= 9000
    assert networks[0][0].header.extra["total"] == pytest.approx(best_by_subsets(table), abs=1e-9)


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_ils_says_how_far_from_the_optimum_its_network_is(seed):
    table = random_table(seed, 8, n_sets=25, n_fixed=seed % 3)
    extra = run(table, OptimizeOptions(method="ils", seed=seed), Budget(evaluations=3000), NullReporter())[
        0
    ].header.extra
    assert extra["bound"] >= best_by_subsets(table) - 1e-7
    assert extra["gap"] == extra["bound"] - extra["total"]
    assert extra["bound_relative_to"] == "networks of the listed sets (whether more exist is not known)"


def test_ils_ends_when_its_network_is_proved_optimal():
    table = random_table(0, 8)
    extra = run(table, OptimizeOptions(method="ils"), Budget(evaluations=10**9), NullReporter())[0].header.extra
    assert extra["gap"] < 1e-6
    assert extra["orders"] < 10**6


def test_ils_that_the_clock_ended_repeats_by_its_orders():
    table = random_table(5, 30, n_sets=60)
    options = OptimizeOptions(method="ils", seed=3)
    timed, _ = run(table, options, Budget(seconds=0.3, clock=TickingClock(0.005)), NullReporter())
    orders = timed.header.extra["orders"]
    again, _ = run(table, options, Budget(evaluations=orders), NullReporter())
    assert again.parents == timed.parents
    assert again.header.extra["orders"] == orders
