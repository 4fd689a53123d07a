"""Moving one variable within an order: every slot's score, and the moves, against evaluation from scratch."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.cases.orders import assert_state_is_fresh, feasible_order, start
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import inserted, lists_of, order_score

from stages.kernels.orders.insertion import move_to_slot, new_profile, slot_profile, sort_steps


def slot_scores(lists, index, x, state, profile, reach):
    """Scores of the slots by the kernel, relative to the present one: {slot: score}."""
    _, n_own, n_steps, last, score, _ = slot_profile(lists, index, x, state, profile, reach)
    scores = {}
    for slot in range(int(profile.own_slots[n_own - 1]), last + 1):
        score += sum(profile.changes[k] for k in range(n_steps) if profile.slots[k] == slot)
        scores[slot] = score
    return scores


def test_hand_profile():
    """Order 0, 1, 2. Moving 2: before 1 it serves 1 (+4), before 0 as well (+3 more), but without 0 it
    loses 5.
    """
    table = make_table({0: {(): -9.0, (2,): -6.0}, 1: {(): -9.0, (2,): -5.0}, 2: {(): -9.0, (0,): -4.0}})
    lists, index, state = start(table, [0, 1, 2])
    profile = new_profile(len(state.order))
    assert slot_scores(lists, index, 2, state, profile, 1e9) == {0: 2.0, 1: 4.0, 2: 0.0}
    assert slot_scores(lists, index, 0, state, profile, 1e9) == {0: 0.0, 1: 0.0, 2: -2.0}
    assert slot_scores(lists, index, 1, state, profile, 1e9) == {0: 0.0, 1: 0.0, 2: 4.0}


def test_hand_reach_leaves_out_hopeless_slots():
    """Nobody gains when 1 comes first, and it would lose 8 nats; 0 going last costs its child 8."""
    table = make_table({0: {(): -9.0}, 1: {(): -9.0, (0,): -1.0}})
    lists, index, state = start(table, [0, 1])
    profile = new_profile(len(state.order))
    assert slot_scores(lists, index, 1, state, profile, 7.9) == {1: 0.0}
    assert slot_scores(lists, index, 1, state, profile, 8.1) == {0: -8.0, 1: 0.0}
    assert slot_scores(lists, index, 0, state, profile, 7.9) == {0: 0.0}
    assert slot_scores(lists, index, 0, state, profile, 8.1) == {0: 0.0, 1: -8.0}


def test_hand_fixed_arcs_bound_the_slots():
    table = make_table({0: {(): -1.0}, 1: {(0,): -1.0}, 2: {(): -1.0}, 3: {(1,): -1.0}}, fixed=(1, 3))
    lists, index, state = start(table, [2, 0, 1, 3])
    profile = new_profile(len(state.order))
    assert set(slot_scores(lists, index, 1, state, profile, 1e9)) == {2}
    assert set(slot_scores(lists, index, 0, state, profile, 1e9)) == {0, 1}
    assert set(slot_scores(lists, index, 2, state, profile, 1e9)) == {0, 1, 2, 3}


@pytest.mark.parametrize("seed", seeds(25, quick=2))
def test_every_slot_is_scored_as_from_scratch(seed):
    table = random_table(seed, 8, n_sets=25, n_fixed=seed % 4, ties=seed % 2 == 0)
    naive, rng = lists_of(table), np.random.default_rng(seed)
    order = feasible_order(table, rng).tolist()
    lists, index, state = start(table, order)
    profile = new_profile(len(state.order))
    here = order_score(naive, order)
    for x in range(8):
        i = order.index(x)
        full = slot_scores(lists, index, x, state, profile, 1e9)
        near = slot_scores(lists, index, x, state, profile, 4.0)
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
    table = random_table(seed, n, n_sets=15, n_fixed=min(n, n_fixed), ties=ties)
    rng = np.random.default_rng(seed)
    lists, index, state = start(table, feasible_order(table, rng))
    profile = new_profile(len(state.order))
    for _ in range(30):
        x = int(rng.integers(n))
        n_children, n_own, _, last, _, _ = slot_profile(lists, index, x, state, profile, 1e9)
        slot = int(rng.integers(profile.own_slots[n_own - 1], last + 1))
        move_to_slot(x, slot, state, profile, n_children, n_own)
        assert state.order[slot] == x
        assert_state_is_fresh(lists, state)


@pytest.mark.parametrize("n", [0, 1, 2, 30, 1000])
def test_steps_are_sorted(n):
    rng = np.random.default_rng(n)
    slots = rng.integers(0, 50, n).astype(np.int32)
    changes = rng.normal(size=n)
    expected = sorted(zip(slots.tolist(), changes.tolist(), strict=True))
    sort_steps(slots, changes, n)
    assert slots.tolist() == [slot for slot, _ in expected]
    assert sorted(zip(slots.tolist(), changes.tolist(), strict=True)) == expected
