"""Gains of swaps of neighbours, and swaps one after another, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.orders import feasible_order
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import greedy_swaps, lists_of, order_score, swapped

from stages.lists.order_decoding import choose_consistent
from stages.lists.set_lists import index_members, lists_in
from stages.published.perez_urcia_2015.kernels.swaps import apply_swap, climb_swaps, refresh_swaps


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_swap_gains_and_updates_match_evaluation_from_scratch(seed):
    table = random_table(seed, 8, n_sets=20, n_fixed=seed % 3, ties=seed % 2 == 0)
    naive, lists = lists_of(table), lists_in(table)
    index = index_members(lists)
    rng = np.random.default_rng(seed)
    order = feasible_order(table, rng)
    position, chosen = choose_consistent(lists, order)
    gains = np.empty(7)
    refresh_swaps(lists, index, order, position, chosen, gains, 0, 7)
    for _ in range(30):
        here = order_score(naive, order.tolist())
        for i in range(7):
            assert gains[i] == pytest.approx(order_score(naive, swapped(order.tolist(), i)) - here, abs=1e-9)
        apply_swap(lists, index, order, position, chosen, gains, int(rng.choice(np.flatnonzero(gains > -np.inf))))
        fresh_position, fresh_chosen = choose_consistent(lists, order)
        assert np.array_equal(position, fresh_position)
        assert np.array_equal(chosen, fresh_chosen)


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_climb_takes_the_best_swap_each_time(seed):
    table = random_table(seed, 7, n_sets=20)
    lists, rng = lists_in(table), np.random.default_rng(seed)
    index = index_members(lists)
    order = feasible_order(table, rng)
    expected, steps = greedy_swaps(lists_of(table), order.tolist(), 5)
    position, chosen = choose_consistent(lists, order)
    gains = np.empty(6)
    refresh_swaps(lists, index, order, position, chosen, gains, 0, 6)
    assert climb_swaps(lists, index, order, position, chosen, gains, 5) == steps
    assert order.tolist() == expected
