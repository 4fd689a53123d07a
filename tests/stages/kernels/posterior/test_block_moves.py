"""Moves of blocks of variables, against the distribution that they are to draw from."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import ancestors, n_orders

from stages.kernels.posterior.block_moves import (
    LARGEST_BLOCK,
    draw_choice,
    draw_set,
    flag_descendants,
    link_family,
    meet_descendants,
    move_block,
    sets_of_class,
    sum_classes,
    unlink_family,
)
from stages.lists.order_decoding import choose_consistent
from stages.lists.set_lists import lists_in
from stages.posterior.sampling import acyclic_choices, walk_from, weighting_of

DRAWS = 3000


class Place:
    """A network on lists of a few variables, and where a move may lead."""

    def __init__(self, seed: int, n_variables: int = 5, spread: float = 1.0):
        self.lists = random_lists(seed, n_variables, spread)
        self.table = as_table(self.lists)
        self.listed, self.weighting = lists_in(self.table), weighting_of(self.table)
        self.rng = np.random.default_rng(seed)
        order = self.rng.permutation(n_variables).astype(np.int32)
        self.walk = walk_from(self.listed, self.weighting, choose_consistent(self.listed, order)[1])

    def parents(self) -> tuple[tuple[int, ...], ...]:
        return tuple(map(self.table.parent_set, self.walk.chosen.tolist()))

    def children(self) -> list[set[int]]:
        first, n = self.walk.child_offsets, self.walk.n_children
        return [set(self.walk.children[first[v] : first[v] + n[v]].tolist()) for v in range(len(n))]

    def expected(self, block) -> dict:
        """The probability of every choice of sets of a block's variables, given the others."""
        now = self.parents()
        weights = {}
        for families in itertools.product(*(self.lists[v] for v in block)):
            parents = list(now)
            for v, (family, _) in zip(block, families):
                parents[v] = family
            if n_orders(parents):
                weights[tuple(parents)] = math.exp(math.fsum(score for _, score in families) + 50.0 * len(block))
        total = math.fsum(weights.values())
        return {parents: weight / total for parents, weight in weights.items()}


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_block_is_drawn_from_its_distribution(size, seed):
    """Chi-square distance of the draws from the enumerated distribution; the state is put back each time."""
    place = Place(seed)
    block = np.zeros(LARGEST_BLOCK, dtype=np.int32)
    block[:size] = place.rng.permutation(len(place.lists))[:size]
    expected = place.expected(block[:size].tolist())
    found: Counter = Counter()
    for _ in range(DRAWS):
        move_block(place.listed, place.weighting, place.walk, block, size, place.rng)
        found[place.parents()] += 1
        assert not place.walk.flags.any()
    assert set(found) <= set(expected)
    likely = {parents: p for parents, p in expected.items() if p * DRAWS >= 5}
    distance = sum((found[parents] - p * DRAWS) ** 2 / (p * DRAWS) for parents, p in likely.items())
    assert distance < len(likely) + 5 * math.sqrt(2 * len(likely) + 1)
    by_child = [{c for c, family in enumerate(place.parents()) if v in family} for v in range(len(place.lists))]
    assert place.children() == by_child


def test_families_are_linked_and_unlinked():
    place = Place(3)
    before = place.children()
    for v in range(5):
        unlink_family(place.listed, place.walk, v)
    assert place.children() == [set()] * 5
    for v in range(5):
        link_family(place.listed, place.walk, v)
    assert place.children() == before


def test_descendants_are_flagged():
    place = Place(4)
    above = ancestors(place.parents())
    n_seen = 0
    for k, v in enumerate((0, 3)):
        n_seen = flag_descendants(place.walk, v, np.uint8(1 << k), n_seen)
    for k, v in enumerate((0, 3)):
        flagged = {w for w in range(5) if place.walk.flags[w] >> k & 1}
        assert flagged == {v, *(w for w in range(5) if v in above[w])}
    assert set(np.flatnonzero(place.walk.flags).tolist()) == set(place.walk.stack[:n_seen].tolist())


def test_classes_have_the_weights_of_their_sets():
    place = Place(5)
    place.walk.flags[:] = [1, 2, 3, 0, 2]
    sum_classes(place.listed, place.weighting, place.walk, 3, 0, 2)
    expected = [0.0] * 4
    for parents, score in place.lists[3]:
        met = 0
        for p in parents:
            met |= int(place.walk.flags[p])
        if not met & 1:
            expected[met] += math.exp(score - place.lists[3][0][1])
    found = place.walk.sums[0, :4] * 2.0 ** np.maximum(place.walk.powers[0, :4], -1000)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for wanted in (0, 2):
        drawn = Counter(
            draw_set(place.listed, place.weighting, place.walk, 3, 0, wanted, 2, place.rng) for _ in range(DRAWS)
        )
        for s, count in drawn.items():
            parents = place.table.parent_set(int(s))
            met = [int(place.walk.flags[p]) for p in parents]
            assert (0 if not met else int(np.bitwise_or.reduce(met))) == wanted
            share = math.exp(place.table.scores[s] - place.lists[3][0][1]) / expected[wanted]
            assert abs(count - share * DRAWS) < 6 * math.sqrt(DRAWS)


def test_words_hold_the_sets_that_meet_descendants():
    """Of lists of more than one word: of each class, and none of those that are out."""
    n, child, k, size = 9, 5, 1, 3
    place = Place(9, n)
    flags = [0, 1, 0, 4, 6, 0, 2, 5, 0]
    place.walk.flags[:] = flags
    candidates = [v for v in range(n) if v != child]
    meeting = [i for i, v in enumerate(candidates) if flags[v]]
    place.walk.meeting[: len(meeting)] = meeting
    sets = range(*place.table.set_offsets[child : child + 2])
    assert 64 < len(sets) < 128
    for word in range(2):
        meet_descendants(place.listed, place.weighting, place.walk, child, k, word, word + 1, len(meeting), size)
    for wanted in (0, 1, 4, 5):
        found = [int(sets_of_class(place.walk.met, k, word, wanted, size)) for word in range(2)]
        for number in range(128):
            met = 255
            if number < len(sets):
                met = 0
                for p in place.table.parent_set(sets[number]):
                    met |= flags[p]
            assert found[number // 64] >> number % 64 & 1 == (met == wanted), (number, wanted)


def test_choices_are_drawn_by_the_products_of_their_classes():
    place = Place(6)
    choices = acyclic_choices(2)
    place.walk.sums[:2, :4] = [[1.0, 0.0, 3.0, 0.0], [2.0, 4.0, 0.0, 0.0]]
    place.walk.powers[:2, :4] = [[-5000, 0, -5001, 0], [0, 1, 0, 0]]
    drawn = Counter(int(draw_choice(place.walk, choices, 2, place.rng)) for _ in range(DRAWS))
    weights = {}
    for c, (one, other) in enumerate(choices.tolist()):
        powers = place.walk.powers[0, one] + 5000 + place.walk.powers[1, other]
        weights[c] = place.walk.sums[0, one] * place.walk.sums[1, other] * 2.0 ** float(powers)
    for c, weight in weights.items():
        assert abs(drawn[c] - DRAWS * weight / sum(weights.values())) < 6 * math.sqrt(DRAWS)


@pytest.mark.parametrize(("size", "count"), [(1, 1), (2, 3), (3, 25)])
def test_there_are_as_many_choices_as_labelled_dags(size, count):
    assert len(acyclic_choices(size)) == count
