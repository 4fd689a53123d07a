"""Moves of blocks in an order, against evaluation from scratch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.orders import assert_state_is_fresh, feasible_order, reachable, start
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import inserted, lists_of, order_score

from stages.kernels.orders.insertion import copy_order, new_order_state
from stages.published.scanagatta_2017.kernels.windows import (
    WINDOWS,
    best_place,
    climb_windows,
    jump_left,
    jump_right,
    new_window_walk,
)


def test_hand_a_pair_gains_where_no_single_variable_does():
    """0 pays for 1 and 2 together (+6) and costs each of them 4 alone; only the pair 1, 2 profits from passing 0."""

    table = make_table({0: {(): -9.0, (1, 2): -3.0}, 1: {(): -2.0}, 2: {(): -2.0}})
    lists, index, state = start(table, [0, 1, 2])
    trial = new_order_state(len(state.order))
    assert best_place(lists, index, 1, 1, state, trial)[0] == -1
    assert best_place(lists, index, 2, 1, state, trial)[0] == -1
    place, gain, _ = best_place(lists, index, 1, 2, state, trial)
    assert (place, gain) == (0, pytest.approx(6.0))
    assert state.order.tolist() == [0, 1, 2]


def test_hand_fixed_arcs_stop_a_block():

    table = make_table({0: {(): -1.0}, 1: {(0,): -1.0}, 2: {(): -9.0, (1,): -1.0}}, fixed=(1,))
    lists, index, state = start(table, [2, 0, 1])
    trial = new_order_state(len(state.order))
    assert best_place(lists, index, 2, 1, state, trial)[0] == -1
    assert best_place(lists, index, 1, 2, state, trial)[:2] == (0, pytest.approx(8.0))
    lists, index, state = start(table, [2, 0, 1])
    trial = new_order_state(len(state.order))
    assert jump_right(lists, index, 1, 1, state)[0] == -math.inf
    lists, index, state = start(table, [2, 0, 1])
    trial = new_order_state(len(state.order))
    assert jump_left(lists, index, 2, 1, state)[0] == -math.inf


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_best_place_is_the_best_of_all_places(seed):

    n = 8
    table = random_table(seed, n, n_sets=25, n_fixed=seed % 4, ties=seed % 2 == 0)
    naive, rng = lists_of(table), np.random.default_rng(seed)
    order = feasible_order(table, rng).tolist()
    lists, index, state = start(table, order)
    trial = new_order_state(len(state.order))
    here = order_score(naive, order)
    for width in range(1, n):
        for i in range(n - width + 1):
            gains = {
                j: order_score(naive, inserted(order, i, j, width)) - here for j in reachable(naive, order, i, width)
            }
            place, gain, _ = best_place(lists, index, i, width, state, trial)
            if place < 0:
                assert max(gains.values()) <= 1e-6
            else:
                assert gain == pytest.approx(gains[place]) == pytest.approx(max(gains.values()))
            assert_state_is_fresh(lists, state)
            assert state.order.tolist() == order


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(0, 3), st.booleans())
def test_property_state_stays_fresh_through_random_jumps(seed, n, n_fixed, ties):

    table = random_table(seed, n, n_sets=15, n_fixed=min(n, n_fixed), ties=ties)
    naive, rng = lists_of(table), np.random.default_rng(seed)
    lists, index, state = start(table, feasible_order(table, rng))
    trial = new_order_state(len(state.order))
    for _ in range(20):
        width = int(rng.integers(1, n))
        i = int(rng.integers(0, n - width + 1))
        goes_right = i == 0 or (i + width < n and rng.random() < 0.5)
        order = state.order.tolist()
        copy_order(state, trial)
        gain, _ = (jump_right if goes_right else jump_left)(lists, index, i, width, state)
        there = inserted(order, i, i + 1 if goes_right else i - 1, width)
        assert state.order.tolist() == there
        expected = order_score(naive, there)
        if gain == -math.inf:
            assert expected == -math.inf
            copy_order(trial, state)
        else:
            assert gain == pytest.approx(expected - order_score(naive, order), abs=1e-9)
        assert_state_is_fresh(lists, state)


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_no_block_gains_at_the_end_of_a_climb(seed):
    table = random_table(seed, 7, n_sets=20, n_fixed=seed % 3)
    naive, rng = lists_of(table), np.random.default_rng(seed)
    lists, index, state = start(table, feasible_order(table, rng))
    walk, trial = new_window_walk(7), new_order_state(7)
    while not climb_windows(lists, index, state, trial, walk, rng, 3, 50, 10**9):
        assert_state_is_fresh(lists, state)
    assert walk.counts[WINDOWS] > 0
    order = state.order.tolist()
    here = order_score(naive, order)
    for width in range(1, 4):
        for i in range(7 - width + 1):
            for j in reachable(naive, order, i, width):
                assert order_score(naive, inserted(order, i, j, width)) <= here + 1e-6
