"""Reversals of covered arcs: sets are found, all networks of a class are met, distributions stay."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import n_orders, networks, signature

from stages.kernels.posterior.covered_arcs import candidate_bits, find_listed, is_part_of, reverse_covered
from stages.lists.set_lists import lists_in
from stages.posterior.sampling import walk_from, weighting_of

DRAWS = 4000


def numbered(table) -> list[dict[tuple[int, ...], int]]:
    """For every variable the index of each of its sets."""
    return [{table.parent_set(s): s for s in range(a, b)} for a, b in itertools.pairwise(table.set_offsets.tolist())]


def test_sets_are_found():
    """Of lists of more than one word: with and without another member, and what is not listed."""
    table = as_table(random_lists(9, 9, 1.0))
    lists, weighting, numbers = lists_in(table), weighting_of(table), numbered(table)
    assert 64 < len(numbers[0]) < 128
    for s in range(*table.set_offsets[1:3].tolist()):
        members = table.parent_set(s)
        assert find_listed(lists, weighting, 0, s, -1) == numbers[0].get(members, -1)
        extra = tuple(sorted({*members, 8}))
        if 8 not in members:
            assert find_listed(lists, weighting, 0, s, 8) == numbers[0].get(extra, -1)
        for t in range(table.set_offsets[1], table.set_offsets[1] + 9):
            assert is_part_of(lists, s, t) == (set(members) <= set(table.parent_set(t)))
    for u in range(9):
        word = int(candidate_bits(lists, weighting, 0, u, 1))
        first = int(table.set_offsets[0]) + 64
        found = {s for s in range(first, int(table.set_offsets[1])) if word >> (s - first) & 1}
        assert found == {s for s in range(first, int(table.set_offsets[1])) if u in table.parent_set(s)}


def all_lists(n: int) -> list:
    """All sets of all variables, of equal score."""
    others = [[u for u in range(n) if u != v] for v in range(n)]
    return [[(s, 0.0) for size in range(n) for s in itertools.combinations(them, size)] for them in others]


@pytest.mark.parametrize(
    "start",
    [((), (0,), (1,), (2,)), ((), (0,), (0, 1), (1, 2)), ((), (), (0, 1), (2,)), ((), (0,), (0, 1), (0, 1, 2))],
)
def test_all_networks_of_a_class_are_equally_frequent(start):
    lists = all_lists(4)
    table = as_table(lists)
    listed, weighting, numbers = lists_in(table), weighting_of(table), numbered(table)
    walk = walk_from(listed, weighting, np.array([numbers[v][s] for v, s in enumerate(start)]))
    members = [m for m, _ in networks(lists, "dags") if signature(m) == signature(start)]
    found: Counter = Counter()
    rng = np.random.default_rng(4)
    for _ in range(DRAWS):
        for _ in range(10):
            reverse_covered(listed, weighting, walk, rng)
        found[tuple(map(table.parent_set, walk.chosen.tolist()))] += 1
    assert set(found) == set(members)
    share = DRAWS / len(members)
    # Draws that follow each other are alike.
    assert sum((found[m] - share) ** 2 / share for m in members) < 4 * (
        len(members) + 4 * math.sqrt(2 * len(members))
    )


def test_reversals_keep_the_distribution():
    """Draws of the enumerated distribution, moved once, have it still; equivalent networks have different scores."""
    lists = random_lists(5, 3, 0.8, share=0.9)
    table = as_table(lists)
    listed, weighting, numbers = lists_in(table), weighting_of(table), numbered(table)
    rows = [([numbers[v][s] for v, s in enumerate(parents)], total) for parents, total in networks(lists, "dags")]
    totals = np.array([total for _, total in rows])
    shares = np.exp(totals - totals.max())
    shares /= shares.sum()
    rng = np.random.default_rng(6)
    found: Counter = Counter()
    n_changed = 0
    for _ in range(DRAWS):
        sets = rows[rng.choice(len(rows), p=shares)][0]
        walk = walk_from(listed, weighting, np.array(sets))
        for _ in range(3):
            reverse_covered(listed, weighting, walk, rng)
        n_changed += walk.chosen.tolist() != sets
        assert n_orders(tuple(map(table.parent_set, walk.chosen.tolist())))
        found[tuple(walk.chosen.tolist())] += 1
    assert n_changed > DRAWS / 10
    distance = sum((found[tuple(sets)] - p * DRAWS) ** 2 / (p * DRAWS) for (sets, _), p in zip(rows, shares.tolist()))
    assert distance < len(rows) + 4 * math.sqrt(2 * len(rows))
