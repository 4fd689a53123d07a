"""Iterated local search over orders: repair, shaking, and what is kept."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.orders import assert_state_is_fresh, feasible_order, start
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import inserted, lists_of, order_score

from stages.kernels.orders.insertion import new_order_state, new_profile
from stages.kernels.orders.insertion_ils import HEAD, PROFILES, TAIL, repair, settle_order, walk_orders
from stages.optimize.orders.insertion_ils import start_walk


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_repair_reports_its_gain_and_keeps_the_state_fresh(seed):
    table = random_table(seed, 9, n_sets=25, n_fixed=seed % 3)
    rng = np.random.default_rng(seed)
    lists, index, state = start(table, feasible_order(table, rng))
    walk = start_walk(index, rng)
    before = math.fsum(lists.scores[state.chosen])
    repair(lists, index, walk, state, new_profile(9), 10**9, 10**9)
    assert_state_is_fresh(lists, state)
    here = math.fsum(lists.scores[state.chosen])
    assert here - before == pytest.approx(walk.gain[0], abs=1e-6)
    assert here >= before
    assert walk.cursor[HEAD] == walk.cursor[TAIL]


@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_each_variable_moves_to_its_best_slot_in_turn(seed):
    table = random_table(seed, 8, n_sets=20, n_fixed=seed % 3)
    rng = np.random.default_rng(seed)
    lists, index, state = start(table, feasible_order(table, rng))
    walk, naive = start_walk(index, rng), lists_of(table)
    for done in range(20):
        if walk.cursor[HEAD] == walk.cursor[TAIL]:
            break
        order, x = state.order.tolist(), int(walk.queue[walk.cursor[HEAD]])
        i, here = order.index(x), order_score(naive, order)
        best = max(order_score(naive, inserted(order, i, slot)) for slot in range(8))
        repair(lists, index, walk, state, new_profile(8), 10**9, done + 1)
        assert order_score(naive, state.order.tolist()) == pytest.approx(max(here, best), abs=1e-6)
        assert [v for v in state.order.tolist() if v != x] == [v for v in order if v != x]


@pytest.mark.parametrize("work", [50, 10**9])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_walks_count_exactly_and_keep_the_best(seed, work):
    table = random_table(seed, 9, n_sets=25, n_fixed=seed % 3)
    rng = np.random.default_rng(seed)
    lists, index, state = start(table, feasible_order(table, rng))
    walk, best, profile = start_walk(index, rng), new_order_state(9), new_profile(9)
    before = math.fsum(lists.scores[state.chosen])
    for array, source in zip(best, state, strict=True):
        array[:] = source
    for _ in range(10_000):
        if walk.counts[PROFILES] == 300:
            break
        walk_orders(lists, index, walk, state, best, profile, rng, 4, work, 300)
        assert_state_is_fresh(lists, state)
        assert_state_is_fresh(lists, best)
    assert walk.counts[PROFILES] == 300
    settle_order(walk, state, best)
    assert np.array_equal(state.order, best.order)
    assert math.fsum(lists.scores[best.chosen]) >= before
