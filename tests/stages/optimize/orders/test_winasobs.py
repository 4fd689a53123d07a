"""Moves of blocks in an order: the kernels against evaluation from scratch, and the search of WINASOBS."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.networks_search import best_by_orders, make_table, random_table
from naive.orders import inserted, lists_of, order_score

from stages.graphs import topological_order
from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.lists.set_lists import fixed_parents, pack_table, respect_fixed
from stages.optimize.orders.order_decoding import choose_consistent
from stages.optimize.orders.winasobs import WindowSearcher
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def feasible_order(table, rng):
    return respect_fixed(rng.permutation(table.n_variables).astype(np.int32), fixed_parents(table))


def start(table, order):
    """Lists, state and scratch as the kernels want them."""
    from stages.kernels.orders.insertion import OrderState
    from stages.kernels.orders.windows import new_trial

    lists, order = pack_table(table), np.array(order, dtype=np.int32)
    return lists, OrderState(order, *choose_consistent(lists, order)), new_trial(len(order))


def assert_state_is_fresh(lists, state):
    position, chosen = choose_consistent(lists, state.order)
    assert np.array_equal(state.position, position)
    assert np.array_equal(state.chosen, chosen)


def searcher_of(table, seed, widest=5):
    rng = np.random.default_rng(seed)
    return WindowSearcher(pack_table(table), fixed_parents(table), feasible_order(table, rng), rng, widest)


# Worked by hand


def test_hand_a_pair_gains_where_no_single_variable_does():
    """0 pays for 1 and 2 together (+6) and costs each of them 4 alone; only the pair 1, 2 profits from passing 0."""
    from stages.kernels.orders.windows import best_place

    table = make_table(
        {
            0: {(): -9.0, (1, 2): -3.0},
            1: {(): -2.0},
            2: {(): -2.0},
        }
    )
    lists, state, trial = start(table, [0, 1, 2])
    assert best_place(lists, 1, 1, state, trial)[0] == -1
    assert best_place(lists, 2, 1, state, trial)[0] == -1
    place, gain, _ = best_place(lists, 1, 2, state, trial)
    assert (place, gain) == (0, pytest.approx(6.0))
    assert state.order.tolist() == [0, 1, 2]


def test_hand_fixed_arcs_stop_a_block():
    from stages.kernels.orders.windows import best_place, jump_left, jump_right

    table = make_table({0: {(): -1.0}, 1: {(0,): -1.0}, 2: {(): -9.0, (1,): -1.0}}, fixed=(1,))
    lists, state, trial = start(table, [2, 0, 1])
    assert best_place(lists, 2, 1, state, trial)[0] == -1
    assert best_place(lists, 1, 2, state, trial)[:2] == (0, pytest.approx(8.0))
    lists, state, _ = start(table, [2, 0, 1])
    assert jump_right(lists, 1, 1, state)[0] == -math.inf
    lists, state, _ = start(table, [2, 0, 1])
    assert jump_left(lists, 2, 1, state)[0] == -math.inf


def test_hand_topological_order_by_rank():
    assert topological_order([(), (0,), (), (2,)], [2, 0, 1, 3]) == [2, 0, 1, 3]


# Against evaluation from scratch


@pytest.mark.parametrize("seed", range(20))
def test_best_place_is_the_best_of_all_places(seed):
    from stages.kernels.orders.windows import best_place

    n = 8
    table = random_table(seed, n, n_sets=25, n_fixed=seed % 4, ties=seed % 2 == 0)
    naive, rng = lists_of(table), np.random.default_rng(seed)
    order = feasible_order(table, rng).tolist()
    lists, state, trial = start(table, order)
    here = order_score(naive, order)
    for width in range(1, n):
        for i in range(n - width + 1):
            gains = {
                j: order_score(naive, inserted(order, i, j, width)) - here
                for j in reachable(naive, order, i, width)
            }
            place, gain, _ = best_place(lists, i, width, state, trial)
            if place < 0:
                assert max(gains.values()) <= 1e-6
            else:
                assert gain == pytest.approx(gains[place]) == pytest.approx(max(gains.values()))
            assert_state_is_fresh(lists, state)
            assert state.order.tolist() == order


def reachable(naive, order, i, width):
    """Places of a block to which it comes without passing an order that fixed records forbid."""
    places = [i]
    for step in (1, -1):
        j = i + step
        while 0 <= j <= len(order) - width and order_score(naive, inserted(order, i, j, width)) > -math.inf:
            places.append(j)
            j += step
    return places


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(0, 3), st.booleans())
def test_property_state_stays_fresh_through_random_jumps(seed, n, n_fixed, ties):
    from stages.kernels.orders.windows import copy_order, jump_left, jump_right

    table = random_table(seed, n, n_sets=15, n_fixed=min(n, n_fixed), ties=ties)
    naive, rng = lists_of(table), np.random.default_rng(seed)
    lists, state, trial = start(table, feasible_order(table, rng))
    for _ in range(20):
        width = int(rng.integers(1, n))
        i = int(rng.integers(0, n - width + 1))
        goes_right = i == 0 or (i + width < n and rng.random() < 0.5)
        order = state.order.tolist()
        copy_order(state, trial)
        gain, _ = (jump_right if goes_right else jump_left)(lists, i, width, state)
        there = inserted(order, i, i + 1 if goes_right else i - 1, width)
        assert state.order.tolist() == there
        expected = order_score(naive, there)
        if gain == -math.inf:
            assert expected == -math.inf
            copy_order(trial, state)
        else:
            assert gain == pytest.approx(expected - order_score(naive, order), abs=1e-9)
        assert_state_is_fresh(lists, state)


# Search


@pytest.mark.parametrize("seed", range(8))
def test_no_block_gains_at_the_end_of_a_climb(seed):
    table = random_table(seed, 8, n_sets=25, n_fixed=seed % 3)
    naive, searcher = lists_of(table), searcher_of(table, seed, widest=4)
    lists, state, _ = start(table, searcher.order)
    before = order_score(naive, state.order.tolist())
    searcher.climb(state, Budget())
    order = state.order.tolist()
    here = order_score(naive, order)
    assert here >= before - 1e-9
    assert_state_is_fresh(lists, state)
    for width in range(1, 5):
        for i in range(8 - width + 1):
            for j in reachable(naive, order, i, width):
                assert order_score(naive, inserted(order, i, j, width)) <= here + 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_small_tables_are_solved(seed):
    table = random_table(seed, 6, n_sets=15, n_fixed=seed % 3)
    options = OptimizeOptions(method="winasobs", restarts=5, seed=seed)
    network, _ = run(table, options, Budget(), NullReporter())
    assert network.header.extra["total"] == pytest.approx(best_by_orders(table))


def test_limits_threads_and_slices_change_nothing_but_the_end(monkeypatch):
    table = random_table(3, 15, n_sets=40)
    totals = []
    for jobs, slice_work, evaluations in (
        (1, None, None),
        (2, None, None),
        (1, 50, None),
        (1, None, 700),
        (2, 50, 700),
    ):
        if slice_work is not None:
            monkeypatch.setattr("stages.optimize.orders.winasobs.SLICE_WORK", slice_work)
        options = OptimizeOptions(method="winasobs", restarts=6, seed=4, jobs=jobs)
        network, _ = run(table, options, Budget(evaluations=evaluations), NullReporter())
        extra = network.header.extra
        totals.append((extra["total"], extra["orders"], network.parents))
        if evaluations is not None:
            assert extra["orders"] <= evaluations
    assert totals[0] == totals[1] == totals[2]
    assert totals[3] == totals[4]


def test_a_stopped_search_still_delivers():
    table = random_table(5, 10, n_sets=20, n_fixed=2)
    budget = Budget()
    budget.stop.set()
    network, _ = run(table, OptimizeOptions(method="winasobs"), budget, NullReporter())
    assert network.header.extra["interrupted"] is True and len(network.parents) == 10


def test_one_variable():
    table = make_table({0: {(): -1.0}})
    network, _ = run(table, OptimizeOptions(method="winasobs", restarts=1), Budget(), NullReporter())
    assert network.parents == ((),)
