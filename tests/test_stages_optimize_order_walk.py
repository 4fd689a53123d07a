"""Moves over orders: profile of one variable's slots, the moves, random topological orders, annealing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.networks_search import best_by_orders, best_by_subsets, make_table, random_table
from naive.orders import inserted, is_acyclic, lists_of, order_score

from stages.optimize.evaluation import choose_consistent
from stages.optimize.order_walk import OrderWalk, improve_order
from stages.optimize.packing import fixed_parents, pack_table, respect_fixed


def feasible_order(table, rng):
    return respect_fixed(rng.permutation(table.n_variables).astype(np.int32), fixed_parents(table))


def start(table, order):
    """Lists, state and profile as the kernels want them."""
    walk = OrderWalk(pack_table(table), np.array(order, dtype=np.int32))
    return walk.lists, walk.state, walk._profile


def slot_scores(lists, x, state, profile, reach):
    """Scores of the slots by the kernel, relative to the present one: {slot: score}."""
    from stages.kernels.insertion import slot_profile

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
    from stages.kernels.insertion import move_to_slot, slot_profile

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
    from stages.kernels.insertion import sort_steps

    rng = np.random.default_rng(n)
    slots = rng.integers(0, 50, n).astype(np.int32)
    changes = rng.normal(size=n)
    expected = sorted(zip(slots.tolist(), changes.tolist(), strict=True))
    sort_steps(slots, changes, n)
    assert slots.tolist() == [slot for slot, _ in expected]
    assert sorted(zip(slots.tolist(), changes.tolist(), strict=True)) == expected


@pytest.mark.parametrize("from_the_end", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_another_topological_order_never_loses(seed, from_the_end):
    from stages.kernels.topological import reorder

    table = random_table(seed, 10, n_sets=25, n_fixed=seed % 3)
    rng = np.random.default_rng(seed)
    lists, state, _ = start(table, feasible_order(table, rng))
    for _ in range(5):
        before = math.fsum(table.scores[state.chosen])
        gain, _ = reorder(lists, state, rng, from_the_end)
        assert gain >= 0.0
        assert math.fsum(table.scores[state.chosen]) - before == pytest.approx(gain, abs=1e-9)
        assert_state_is_fresh(lists, state)


@pytest.mark.parametrize("name", ["sort_sources_first", "sort_sinks_last"])
def test_sorts_notice_cycles(name):
    from stages.kernels import topological

    table = make_table({0: {(1,): -1.0, (): -9.0}, 1: {(0,): -1.0, (): -9.0}, 2: {(): -1.0}})
    order = np.empty(3, dtype=np.int32)
    placed = getattr(topological, name)(pack_table(table), np.array([0, 2, 4]), np.arange(3), order)
    assert placed < 3


def test_slots_are_drawn_with_their_weights():
    """Slots 0 to 3 with scores 0, 0, T ln 2, T ln 2: probabilities 1/6, 1/6, 1/3, 1/3."""
    from stages.kernels.annealing import draw_slot
    from stages.kernels.insertion import new_profile

    profile = new_profile(4)
    profile.slots[0], profile.changes[0] = 2, 5.0 * math.log(2)
    rng = np.random.default_rng(1)
    drawn = [draw_slot(profile, 1, 0, 3, 0.0, 5.0, rng)[0] for _ in range(6000)]
    assert np.bincount(drawn) / 6000 == pytest.approx([1 / 6, 1 / 6, 1 / 3, 1 / 3], abs=0.03)
    best = {draw_slot(profile, 1, 0, 3, 0.0, 0.0, rng)[0] for _ in range(100)}
    assert best == {2, 3}


@pytest.mark.parametrize("temperature", [0.0, 3.0])
@pytest.mark.parametrize("seed", range(6))
def test_walk_reports_its_change_and_keeps_the_state_fresh(seed, temperature):
    table = random_table(seed, 12, n_sets=25, n_fixed=seed % 3)
    rng = np.random.default_rng(seed)
    walk = OrderWalk(pack_table(table), feasible_order(table, rng))
    for _ in range(5):
        before = walk.score
        change = walk.walk(rng, temperature, 200)
        assert walk.score - before == pytest.approx(change, abs=1e-6)
        assert temperature > 0 or change >= 0
        assert_state_is_fresh(walk.lists, walk.state)


# Search


@pytest.mark.parametrize("seed", range(12))
def test_annealing_finds_the_optimum_of_small_tables(seed):
    table = random_table(seed, 6 if seed % 2 else 8, n_fixed=seed % 3)
    rng = np.random.default_rng(seed)
    lists = pack_table(table)
    runs = [improve_order(lists, feasible_order(table, rng), rng, 20_000) for _ in range(5)]
    order, chosen, score = max(runs, key=lambda run: run[2])
    optimum = best_by_orders(table) if seed % 2 else best_by_subsets(table)
    assert score == pytest.approx(optimum, abs=1e-9)
    assert score == math.fsum(table.scores[chosen])
    assert order_score(lists_of(table), order.tolist()) == pytest.approx(score, abs=1e-9)
    assert is_acyclic({c: set(table.parent_set(int(s))) for c, s in enumerate(chosen)})


@pytest.mark.parametrize("hot", [0.0, 200.0])
def test_improving_never_loses_and_leaves_the_start_alone(hot):
    table = random_table(3, 10, n_sets=25)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        order = feasible_order(table, rng)
        kept = order.copy()
        _, _, score = improve_order(pack_table(table), order, rng, 1, hot=hot, cold=100.0)
        assert np.array_equal(order, kept)
        assert score >= order_score(lists_of(table), order.tolist()) - 1e-9


def test_clock_ends_the_cooling():
    table = random_table(1, 10)
    rng = np.random.default_rng(1)
    walk = OrderWalk(pack_table(table), feasible_order(table, rng))
    assert walk.anneal(rng, 10**9, clock=lambda: math.inf) == 0
    shares = iter([0.0, 0.5, 1.0])
    assert walk.anneal(rng, 10**9, clock=lambda: next(shares)) >= 4000
