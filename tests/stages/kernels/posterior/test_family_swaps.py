"""Swaps of parts of two networks: the parts, and that they leave the distribution of both rungs as it is."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import ancestors, n_orders, networks, opposite_groups, strong_parts

from stages.kernels.posterior.family_swaps import (
    GROUP,
    PART,
    family_gain,
    lies_on_cycle,
    mark_groups,
    mark_parts,
    swap_families,
    swap_family,
    swap_groups,
    swap_parts,
)
from stages.lists.set_lists import lists_in
from stages.posterior.sampling import walk_from, weighting_of

DRAWS = 4000


class Rungs:
    """Two networks on lists of a few variables, drawn from the distributions of their rungs."""

    def __init__(self, seed: int, n_variables: int, spread: float, n_rungs: int = 2):
        lists = random_lists(seed, n_variables, spread)
        self.table = as_table(lists)
        self.lists, self.weighting = lists_in(self.table), weighting_of(self.table, n_rungs)
        self.rng = np.random.default_rng(seed)
        numbers = [
            {s: k for k, (s, _) in enumerate(sets, first)}
            for sets, first in zip(lists, self.table.set_offsets.tolist())
        ]
        found = list(networks(lists, "dags"))
        self.sets = np.array([[numbers[v][s] for v, s in enumerate(parents)] for parents, _ in found])
        totals = np.array([total for _, total in found])
        shares = np.exp(self.weighting.rungs[:, None] * (totals - totals.max()))
        self.shares = shares / shares.sum(axis=1, keepdims=True)
        self.walk = walk_from(self.lists, self.weighting, self.sets[0])

    def draw(self) -> None:
        drawn = [self.rng.choice(len(self.sets), p=share) for share in self.shares]
        self.walk = walk_from(self.lists, self.weighting, self.sets[drawn[0]])
        for rung, number in enumerate(drawn):
            for v in np.flatnonzero(self.walk.chosen[rung] != self.sets[number]).tolist():
                self.walk.chosen[rung, v] = self.sets[number, v]
        self.walk.n_children[:] = 0
        for rung, row in enumerate(self.walk.chosen.tolist()):
            for v, s in enumerate(row):
                for p in self.table.parent_set(s):
                    self.walk.children[rung, self.walk.child_offsets[p] + self.walk.n_children[rung, p]] = v
                    self.walk.n_children[rung, p] += 1

    def parents(self, rung: int) -> tuple[tuple[int, ...], ...]:
        return tuple(map(self.table.parent_set, self.walk.chosen[rung].tolist()))

    def is_linked(self) -> bool:
        first, n = self.walk.child_offsets, self.walk.n_children
        return all(
            sorted(self.walk.children[rung, first[u] : first[u] + n[rung, u]].tolist())
            == [v for v, family in enumerate(self.parents(rung)) if u in family]
            for rung in range(len(n))
            for u in range(n.shape[1])
        )


def as_sets(marks) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(marks == mark).tolist()) for mark in marks.tolist()}


@pytest.mark.parametrize("n_variables", [2, 3, 4])
def test_parts_and_groups(n_variables):
    place = Rungs(1, n_variables, 0.5)
    for _ in range(200):
        place.draw()
        one, other = place.parents(0), place.parents(1)
        mark_parts(place.walk, 0)
        assert as_sets(place.walk.marks[PART]) == strong_parts(one, other)
        mark_groups(place.lists, place.walk, 0)
        assert as_sets(place.walk.marks[GROUP]) == opposite_groups(one, other)


def test_a_family_is_swapped_with_what_that_adds():
    place = Rungs(2, 4, 1.0)
    met = set()
    for _ in range(100):
        place.draw()
        before = place.walk.chosen.copy()
        better = place.table.scores[before[1, 2]] - place.table.scores[before[0, 2]]
        expected = (1.0 - place.weighting.rungs[1]) * better
        assert family_gain(place.lists, place.weighting, place.walk, 0, 2) == pytest.approx(expected, abs=1e-12)
        swap_family(place.lists, place.walk, 0, 2)
        before[:, 2] = before[::-1, 2]
        np.testing.assert_array_equal(place.walk.chosen, before)
        assert place.is_linked()
        met.add(bool(n_orders(place.parents(0))))
        has_cycle = [lies_on_cycle(place.lists, place.walk, 0, v)[0] for v in range(4)]
        assert has_cycle == [v in above for v, above in enumerate(ancestors(place.parents(0)))]
        assert any(has_cycle) != bool(n_orders(place.parents(0)))
    assert met == {True, False}


def swap_once(place: Rungs, what: str) -> None:
    """Swap parts, groups, or both."""
    if what == "all":
        swap_families(place.lists, place.weighting, place.walk, place.rng)
        return
    mark_parts(place.walk, 0)
    if what == "groups":
        swap_groups(place.lists, place.weighting, place.walk, 0, place.rng)
    else:
        swap_parts(place.lists, place.weighting, place.walk, 0, place.rng)


@pytest.mark.parametrize(("what", "n_rungs"), [("parts", 2), ("groups", 2), ("all", 3)])
def test_swaps_keep_the_distribution_of_each_rung(what, n_rungs):
    """Networks are drawn from the enumerated distributions; after a swap they have them still, and independently.

    Chi-square distances of pairs of networks; networks change in many draws.
    """
    place = Rungs(3, 3, 1.2, n_rungs)
    place.weighting = place.weighting._replace(rungs=np.array([1.0, 0.3, 0.1][:n_rungs]))
    logs = place.table.scores[place.sets].sum(axis=1)
    shares = np.exp(place.weighting.rungs[:, None] * (logs - logs.max()))
    place.shares = shares / shares.sum(axis=1, keepdims=True)
    number = {tuple(sets): k for k, sets in enumerate(place.sets.tolist())}
    found: Counter = Counter()
    n_changed = 0
    for _ in range(DRAWS):
        place.draw()
        before = place.walk.chosen.copy()
        swap_once(place, what)
        n_changed += bool((place.walk.chosen != before).any())
        found[tuple(number[tuple(row)] for row in place.walk.chosen[:2].tolist())] += 1
    assert place.is_linked()
    assert n_changed > (DRAWS / 200 if what == "groups" else DRAWS / 4)
    expected = {
        (a, b): place.shares[0, a] * place.shares[1, b]
        for a, b in itertools.product(range(len(place.sets)), repeat=2)
    }
    likely = {pair: p for pair, p in expected.items() if p * DRAWS >= 5}
    rest = DRAWS * (1 - sum(likely.values()))
    distance = sum((found[pair] - p * DRAWS) ** 2 / (p * DRAWS) for pair, p in likely.items())
    assert distance < len(likely) + 4 * math.sqrt(2 * len(likely))
    assert abs(DRAWS - sum(found[pair] for pair in likely) - rest) < 4 * math.sqrt(rest + 1)


def test_a_swap_that_closes_a_cycle_is_refused():
    """Three arcs of a ring, two on one rung and one on the other: the groups are single variables of one part."""
    lists = [[((2,), 0.0), ((), 0.0)], [((0,), 0.0), ((), 0.0)], [((1,), 0.0), ((), 0.0)]]
    table = as_table(lists)
    listed, weighting = lists_in(table), weighting_of(table, 2)
    number = {
        (v, s): k
        for v, first in enumerate(table.set_offsets[:-1].tolist())
        for k in (first, first + 1)
        for s in [table.parent_set(k)]
    }
    walk = walk_from(listed, weighting, np.array([number[0, ()], number[1, (0,)], number[2, (1,)]]))
    walk = walk._replace(chosen=np.array([walk.chosen[0], [number[0, (2,)], number[1, ()], number[2, ()]]]))
    walk.n_children[1] = [0, 0, 1]
    walk.children[1, walk.child_offsets[2]] = 0
    rng = np.random.default_rng(5)
    met = Counter()
    for _ in range(300):
        mark_parts(walk, 0)
        swap_groups(listed, weighting, walk, 0, rng)
        rows = [tuple(map(table.parent_set, row)) for row in walk.chosen.tolist()]
        assert all(map(n_orders, rows))
        met[rows[0]] += 1
    assert len(met) > 1
