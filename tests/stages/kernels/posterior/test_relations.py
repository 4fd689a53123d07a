"""Ancestors and Markov blankets of sampled networks, against the plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import ancestors

from stages.kernels.bits import empty_bit_matrix, has_bit
from stages.kernels.posterior.relations import count_relations, enter_ancestors, enter_blankets, mark_ancestors
from stages.lists.order_decoding import choose_consistent
from stages.lists.set_lists import lists_in


def networks_of(seed: int, n_variables: int):
    table = as_table(random_lists(seed, n_variables, 1.0))
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_variables).astype(np.int32) for _ in range(10)]
    return table, np.array([choose_consistent(lists_in(table), order)[1] for order in orders], dtype=np.int32)


def members(words) -> set[int]:
    return {v for v in range(64 * len(words)) if has_bit(words, v)}


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_relations(seed):
    n = 6
    table, samples = networks_of(seed, n)
    above, blankets = np.zeros((n, n)), np.zeros((n, n))
    for sets in samples:
        parents = [table.parent_set(s) for s in sets.tolist()]
        related = empty_bit_matrix(n, n)
        enter_ancestors(sets, table.parent_offsets, table.parents, related)
        assert list(map(members, related)) == ancestors(parents)
        enter_blankets(sets, table.parent_offsets, table.parents, related)
        for v in range(n):
            above[list(ancestors(parents)[v]), v] += 1
            children = {c for c in range(n) if v in parents[c]}
            blanket = {*parents[v], *children, *(p for c in children for p in parents[c])} - {v}
            assert members(related[v]) == blanket
            blankets[list(blanket), v] += 1
    for of_blankets, expected in ((False, above), (True, blankets)):
        for most_work in (1, 10**9):
            counts, place, calls = np.zeros((n, n)), 0, 0
            while place < len(samples):
                place = count_relations(
                    samples, table.parent_offsets, table.parents, of_blankets, related, counts, place, most_work
                )
                calls += 1
            assert calls == (1 if most_work > 1 else len(samples))
            np.testing.assert_array_equal(counts, expected)


def test_ancestors_are_marked():
    n = 6
    table, samples = networks_of(3, n)
    pairs = np.array([(0, 1), (1, 0), (5, 2), (2, 4)])
    found = np.zeros((len(pairs), len(samples)), dtype=np.bool_)
    place = 0
    while place < len(samples):
        place = mark_ancestors(
            samples, table.parent_offsets, table.parents, pairs, empty_bit_matrix(n, n), found, place, 1
        )
    for t, sets in enumerate(samples):
        above = ancestors([table.parent_set(s) for s in sets.tolist()])
        assert found[:, t].tolist() == [a in above[v] for a, v in pairs.tolist()]


def test_more_variables_than_a_word_has_bits():
    """A path of 70 variables, each the child of the next."""
    n = 70
    table = as_table([[((v + 1,), -1.0), ((), -2.0)] if v + 1 < n else [((), -1.0)] for v in range(n)])
    related = empty_bit_matrix(n, n)
    enter_ancestors(table.set_offsets[:-1].astype(np.int32), table.parent_offsets, table.parents, related)
    assert [members(row) for row in related] == [set(range(v + 1, n)) for v in range(n)]
    enter_blankets(table.set_offsets[:-1].astype(np.int32), table.parent_offsets, table.parents, related)
    assert members(related[64]) == {63, 65}
