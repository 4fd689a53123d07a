"""Greedy swap search (OBS), and what all searches by restarts share: budgets, threads, statistics."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import best_by_orders, best_by_subsets, make_table, random_table
from naive.optimize.orders import greedy_swaps, lists_of, order_score

from stages.lists.order_decoding import choose_consistent
from stages.lists.set_lists import fixed_parents, index_members, lists_in, respect_fixed
from stages.optimize import INITS, OptimizeOptions
from stages.optimize.driver import run
from stages.published.perez_urcia_2015.obs import climb
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter


def optimize(table, budget=None, **options):
    options = {"method": "obs", "restarts": 5, "seed": 3, **options}
    return run(table, OptimizeOptions(**options), budget or Budget(), NullReporter())


def same(first, second):
    return first.parents == second.parents and first.header == second.header


def test_hand_one_swap_reaches_the_optimum():
    """From (0, 1), where 1 gains 1 nat from 0, to (1, 0), where 0 gains 4 from 1."""
    table = make_table({0: {(): -10.0, (1,): -6.0}, 1: {(): -9.0, (0,): -8.0}})
    lists, order = lists_in(table), np.array([0, 1], dtype=np.int32)
    outcome = climb(lists, index_members(lists), order, *choose_consistent(lists, order), 100, Budget())
    assert (outcome.score, outcome.figures) == (-15.0, {"initial_score": -18.0, "iterations": 1})


@pytest.mark.parametrize("seed", seeds(30, quick=2))
def test_climb_follows_the_naive_twin(seed):
    table = random_table(seed, 8, n_sets=15, n_fixed=seed % 3)
    start = respect_fixed(np.random.default_rng(seed).permutation(8).astype(np.int32), fixed_parents(table))
    naive = lists_of(table)
    iterations = 2 if seed % 4 == 0 else 100
    expected, steps = greedy_swaps(naive, start.tolist(), iterations)
    order = start.copy()
    lists = lists_in(table)
    outcome = climb(lists, index_members(lists), order, *choose_consistent(lists, order), iterations, Budget())
    assert order.tolist() == expected
    assert outcome.score == pytest.approx(order_score(naive, expected), abs=1e-9)
    assert outcome.figures["iterations"] == steps
    assert outcome.figures["initial_score"] == pytest.approx(order_score(naive, start.tolist()), abs=1e-9)


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_never_above_the_optimum_and_usually_there(init, seed):
    table = random_table(seed, 6, n_fixed=seed % 2)
    network, stats = optimize(table, init=init, restarts=30)
    optimum = best_by_orders(table)
    assert network.header.extra["total"] <= optimum + 1e-9
    if init == "random":
        assert network.header.extra["total"] >= optimum - 5.0
    assert len(stats["per_restart"]["score"]) == 30
    assert max(stats["per_restart"]["score"]) == network.header.extra["total"]


def test_statistics_have_the_columns_of_the_paper():
    network, stats = optimize(random_table(1, 7), restarts=4)
    assert set(stats["per_restart"]) == {"score", "initial_score", "iterations"}
    assert stats["density"] > 0
    assert network.header.extra["method"] == "obs"
    assert network.header.extra["restarts"] == 4
    for initial, best in zip(stats["per_restart"]["initial_score"], stats["per_restart"]["score"], strict=True):
        assert initial <= best


@pytest.mark.slow
def test_threads_do_not_change_the_result():
    table = random_table(5, 8, n_sets=20)
    assert same(optimize(table, restarts=40)[0], optimize(table, restarts=40, jobs=3)[0])
    limited = [optimize(table, Budget(evaluations=300), restarts=None, jobs=jobs)[0] for jobs in (1, 3)]
    assert same(*limited)
    assert limited[0].header.extra["orders"] == 300


@pytest.mark.parametrize("method", ["obs", "asobs"])
@pytest.mark.parametrize("limit", [1, 2, 9, 10, 40, 101])
def test_evaluations_end_the_run_at_that_order(method, limit):
    table = random_table(7, 12, n_sets=30)
    extra = optimize(table, Budget(evaluations=limit), method=method, restarts=None)[0].header.extra
    assert extra["orders"] == limit


@pytest.mark.parametrize("method", ["obs", "asobs"])
def test_gains_that_are_rounding_are_no_iterations(method):
    """Each order of the two variables has a network; the better one gains less than the tolerance."""
    table = make_table({0: {(): -10.0, (1,): -9.0 + 5e-8}, 1: {(): -10.0, (0,): -9.0}})
    stats = optimize(table, method=method, restarts=20)[1]
    assert set(stats["per_restart"]["iterations"]) == {0}
    assert len(set(stats["per_restart"]["score"])) == 2


@pytest.mark.slow
def test_seed_matters_and_repeats():
    table = random_table(6, 12, n_sets=40)
    first, again, other = (optimize(table, restarts=1, seed=seed)[1] for seed in (1, 1, 2))
    assert first["per_restart"] == again["per_restart"]
    assert first["per_restart"] != other["per_restart"]


@pytest.mark.parametrize("method", ["obs", "asobs"])
def test_interrupted_before_the_start_still_delivers(method):
    stop = threading.Event()
    stop.set()
    network, _ = optimize(random_table(2, 8), Budget(stop=stop), method=method, restarts=None)
    assert network.header.extra["interrupted"] is True
    assert network.header.extra["restarts"] == 1


def test_no_time_at_all_still_delivers():
    network, _ = optimize(random_table(2, 8), Budget(seconds=0.0), restarts=None)
    assert network.header.extra["total"] <= best_by_subsets(random_table(2, 8)) + 1e-9
    assert "interrupted" not in network.header.extra


def test_fixed_cycle_is_infeasible():
    table = make_table({0: {(1,): -1.0}, 1: {(0,): -1.0}}, fixed=(0, 1))
    with pytest.raises(InfeasibleError, match="V0 <- V1 <- V0"):
        optimize(table)


@pytest.mark.parametrize("method", ["obs", "asobs"])
def test_single_variable(method):
    network, _ = optimize(make_table({0: {(): -1.5}}), method=method)
    assert network.parents == ((),)
    assert network.header.extra["total"] == -1.5
