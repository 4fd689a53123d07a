"""Best consistent sets and the index by member against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of, network_of_order

from stages.kernels.orders.set_lists import best_with, choose_slice, find_pair, is_consistent
from stages.lists.set_lists import index_members, lists_in

TWO_WAY = {0: {(): -10.0, (1,): -4.0}, 1: {(): -9.0, (0,): -5.0}, 2: {(): -8.0, (0,): -3.0, (0, 1): -1.0}}


def test_hand_member_index():
    index = index_members(lists_in(make_table(TWO_WAY)))
    pairs = {
        (p, int(index.pair_children[k])): index.member_sets[
            index.member_offsets[k] : index.member_offsets[k + 1]
        ].tolist()
        for p in range(3)
        for k in range(index.pair_offsets[p], index.pair_offsets[p + 1])
    }
    assert pairs == {(0, 1): [2], (0, 2): [4, 5], (1, 0): [0], (1, 2): [4]}


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_member_index_is_complete(seed):
    table = random_table(seed, 7, n_sets=20)
    index = index_members(lists_in(table))
    for parent in range(7):
        for child in range(7):
            first, stop = table.set_offsets[child], table.set_offsets[child + 1]
            expected = [s for s in range(first, stop) if parent in table.parent_set(s)]
            pair = find_pair(index, parent, child)
            assert (pair >= 0) == bool(expected)
            if expected:
                found = index.member_sets[index.member_offsets[pair] : index.member_offsets[pair + 1]]
                assert found.tolist() == expected
                assert index.pair_first[pair] == expected[0]


@pytest.mark.parametrize("budget", [1, 10**9])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_choices_are_the_best_consistent_sets(seed, budget):
    table = random_table(seed, 9, n_sets=20, ties=seed % 2 == 0)
    lists, rng = lists_in(table), np.random.default_rng(seed)
    order = rng.permutation(9).astype(np.int32)
    position = np.argsort(order).astype(np.int32)
    chosen, place = np.full(9, -2, dtype=np.int64), 0
    while place < 9:
        place, _ = choose_slice(lists, order, position, chosen, place, budget)
    expected = network_of_order(lists_of(table), order.tolist())
    assert {c: frozenset(table.parent_set(int(s))) for c, s in enumerate(chosen)} == {
        c: p for c, (_, p) in expected.items()
    }
    child, parent = (int(v) for v in order[[8, 3]])
    below, limit = int(table.set_offsets[child + 1]), 6
    sets = [
        s
        for s in range(table.set_offsets[child], below)
        if parent in table.parent_set(s) and is_consistent(lists, s, position, limit)
    ]
    index = index_members(lists)
    assert best_with(lists, index, child, parent, position, limit, below) == (sets[0] if sets else -1)
