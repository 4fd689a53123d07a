"""Moves over orders: profile of one variable's slots, the moves, repair and shaking, iterated local search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.clocks import TickingClock
from hypothesis import given
from hypothesis import strategies as st
from naive.networks_search import best_by_orders, best_by_subsets, make_table, random_table
from naive.orders import inserted, is_acyclic, lists_of, order_score

from stages.optimize import OptimizeOptions
from stages.optimize.driver import run
from stages.optimize.lists.set_lists import fixed_parents, pack_table, respect_fixed
from stages.optimize.orders import insertion_ils as shaking
from stages.optimize.orders.insertion_ils import OrderShaker, start_walk
from stages.optimize.orders.order_decoding import choose_consistent
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


def feasible_order(table, rng):
    return respect_fixed(rng.permutation(table.n_variables).astype(np.int32), fixed_parents(table))


def start(table, order):
    """Lists, state and profile as the kernels want them."""
    from stages.kernels.orders.insertion import OrderState, new_profile

    lists, order = pack_table(table), np.array(order, dtype=np.int32)
    return lists, OrderState(order, *choose_consistent(lists, order)), new_profile(len(order))


def slot_scores(lists, x, state, profile, reach):
    """Scores of the slots by the kernel, relative to the present one: {slot: score}."""
    from stages.kernels.orders.insertion import slot_profile

    _, n_own, n_steps, last, score, _ = slot_profile(lists, x, state, profile, reach)
    scores = {}
    for slot in range(int(profile.own_slots[n_own - 1]), last + 1):
        score += sum(profile.changes[k] for k in range(n_steps) if profile.slots[k] == slot)
        scores[slot] = score
    return scores


def assert_state_is_fresh(lists, state):
    position, chosen = choose_consistent(lists, state.order)
    assert np.array_equal(state.position, position)
    assert np.array_equal(state.chosen, chosen)


# Worked by hand


def test_hand_profile():
    """Order 0, 1, 2. Moving 2: before 1 it serves 1 (+4), before 0 as well (+3 more), but without 0 it
    loses 5.
    """
    table = make_table({0: {(): -9.0, (2,): -6.0}, 1: {(): -9.0, (2,): -5.0}, 2: {(): -9.0, (0,): -4.0}})
    lists, state, profile = start(table, [0, 1, 2])
    assert slot_scores(lists, 2, state, profile, 1e9) == {0: 2.0, 1: 4.0, 2: 0.0}
    assert slot_scores(lists, 0, state, profile, 1e9) == {0: 0.0, 1: 0.0, 2: -2.0}
    assert slot_scores(lists, 1, state, profile, 1e9) == {0: 0.0, 1: 0.0, 2: 4.0}


def test_hand_reach_leaves_out_hopeless_slots():
    """Nobody gains when 1 comes first, and it would lose 8 nats; 0 going last costs its child 8."""
    table = make_table({0: {(): -9.0}, 1: {(): -9.0, (0,): -1.0}})
    lists, state, profile = start(table, [0, 1])
    assert slot_scores(lists, 1, state, profile, 7.9) == {1: 0.0}
    assert slot_scores(lists, 1, state, profile, 8.1) == {0: -8.0, 1: 0.0}
    assert slot_scores(lists, 0, state, profile, 7.9) == {0: 0.0}
    assert slot_scores(lists, 0, state, profile, 8.1) == {0: 0.0, 1: -8.0}


def test_hand_fixed_arcs_bound_the_slots():
    table = make_table({0: {(): -1.0}, 1: {(0,): -1.0}, 2: {(): -1.0}, 3: {(1,): -1.0}}, fixed=(1, 3))
    lists, state, profile = start(table, [2, 0, 1, 3])
    assert set(slot_scores(lists, 1, state, profile, 1e9)) == {2}
    assert set(slot_scores(lists, 0, state, profile, 1e9)) == {0, 1}
    assert set(slot_scores(lists, 2, state, profile, 1e9)) == {0, 1, 2, 3}


# Against evaluation from scratch


@pytest.mark.parametrize("seed", range(25))
def test_every_slot_is_scored_as_from_scratch(seed):
    table = random_table(seed, 8, n_sets=25, n_fixed=seed % 4, ties=seed % 2 == 0)
    naive, rng = lists_of(table), np.random.default_rng(seed)
    order = feasible_order(table, rng).tolist()
    lists, state, profile = start(table, order)
    here = order_score(naive, order)
    for x in range(8):
        i = order.index(x)
        full = slot_scores(lists, x, state, profile, 1e9)
        near = slot_scores(lists, x, state, profile, 4.0)
        for slot in range(8):
            expected = order_score(naive, inserted(order, i, slot)) - here
            if expected == -math.inf:
                assert slot not in full
                continue
            assert full[slot] == pytest.approx(expected, abs=1e-9)
            assert slot in near or expected < -4.0 + 1e-9
            assert near.get(slot, expected) == pytest.approx(expected, abs=1e-9)
    assert_state_is_fresh(lists, state)


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 3), st.booleans())
def test_property_state_stays_fresh_through_random_moves(seed, n, n_fixed, ties):
    from stages.kernels.orders.insertion import move_to_slot, slot_profile

    table = random_table(seed, n, n_sets=15, n_fixed=min(n, n_fixed), ties=ties)
    rng = np.random.default_rng(seed)
    lists, state, profile = start(table, feasible_order(table, rng))
    for _ in range(30):
        x = int(rng.integers(n))
        n_children, n_own, _, last, _, _ = slot_profile(lists, x, state, profile, 1e9)
        slot = int(rng.integers(profile.own_slots[n_own - 1], last + 1))
        move_to_slot(x, slot, state, profile, n_children, n_own)
        assert state.order[slot] == x
        assert_state_is_fresh(lists, state)


@pytest.mark.parametrize("n", [0, 1, 2, 30, 1000])
def test_steps_are_sorted(n):
    from stages.kernels.orders.insertion import sort_steps

    rng = np.random.default_rng(n)
    slots = rng.integers(0, 50, n).astype(np.int32)
    changes = rng.normal(size=n)
    expected = sorted(zip(slots.tolist(), changes.tolist(), strict=True))
    sort_steps(slots, changes, n)
    assert slots.tolist() == [slot for slot, _ in expected]
    assert sorted(zip(slots.tolist(), changes.tolist(), strict=True)) == expected


# Search


def shaker(table, seed):
    rng = np.random.default_rng(seed)
    return OrderShaker(pack_table(table), feasible_order(table, rng), rng)


@pytest.mark.parametrize("seed", range(12))
def test_shaking_finds_the_optimum_of_small_tables(seed):
    table = random_table(seed, 6 if seed % 2 else 8, n_fixed=seed % 3)
    search = shaker(table, seed)
    search.search(Budget(), 20_000)
    optimum = best_by_orders(table) if seed % 2 else best_by_subsets(table)
    assert search.score == pytest.approx(optimum, abs=1e-9)
    assert search.score == math.fsum(table.scores[search.chosen])
    assert order_score(lists_of(table), search.order.tolist()) == pytest.approx(search.score, abs=1e-9)
    assert is_acyclic({c: set(table.parent_set(int(s))) for c, s in enumerate(search.chosen)})


@pytest.mark.parametrize("seed", range(8))
def test_repair_reports_its_gain_and_keeps_the_state_fresh(seed):
    from stages.kernels.orders.insertion import OrderState, new_profile
    from stages.kernels.orders.insertion_ils import repair

    table = random_table(seed, 9, n_sets=25, n_fixed=seed % 3)
    rng = np.random.default_rng(seed)
    lists, order = pack_table(table), feasible_order(table, rng)
    state = OrderState(order, *choose_consistent(lists, order))
    walk = start_walk(lists, rng)
    before = math.fsum(lists.scores[state.chosen])
    repair(lists, walk, state, new_profile(9), 10**9, 10**9)
    assert_state_is_fresh(lists, state)
    here = math.fsum(lists.scores[state.chosen])
    assert here - before == pytest.approx(walk.gain[0], abs=1e-6)
    assert here >= before
    assert walk.cursor[0] == walk.cursor[1]


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


@pytest.mark.parametrize("seed", range(4))
def test_ils_is_exact_on_small_tables_and_repeats_at_any_number_of_threads(seed):
    table = random_table(seed, 8, n_sets=25, n_fixed=seed % 3)
    networks = [
        run(
            table,
            OptimizeOptions(method="ils", seed=seed, jobs=jobs),
            Budget(evaluations=9000),
            NullReporter(),
        )
        for jobs in (1, 2)
    ]
    assert networks[0][0].parents == networks[1][0].parents
    assert networks[0][0].header == networks[1][0].header
    assert networks[0][0].header.extra["orders"] <= 9000
    assert networks[0][0].header.extra["total"] == pytest.approx(best_by_subsets(table), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_ils_says_how_far_from_the_optimum_its_network_is(seed):
    table = random_table(seed, 8, n_sets=25, n_fixed=seed % 3)
    extra = run(table, OptimizeOptions(method="ils", seed=seed), Budget(evaluations=3000), NullReporter())[
        0
    ].header.extra
    assert extra["bound"] >= best_by_subsets(table) - 1e-7
    assert extra["gap"] == extra["bound"] - extra["total"]
    assert extra["bound_relative_to"] == "these lists"


def test_ils_ends_when_its_network_is_proved_optimal():
    table = random_table(0, 8)
    extra = run(table, OptimizeOptions(method="ils"), Budget(evaluations=10**9), NullReporter())[
        0
    ].header.extra
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
