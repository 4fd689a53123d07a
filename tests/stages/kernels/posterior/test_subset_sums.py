"""Sums over all networks, step by step, against enumeration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import networks, posterior

from stages.kernels.orders.subset_dp import squeeze
from stages.kernels.posterior.scaled_numbers import NOTHING
from stages.kernels.posterior.subset_sums import (
    add_set_probabilities,
    enter_weights,
    list_groups,
    pull_exponents,
    pull_shares,
    push_exponents,
    push_totals,
    sum_related,
)
from stages.lists.set_lists import relative_scores
from stages.posterior.weights import scaled_weights

CASES = [(4, 1.0, 0), (4, 30.0, 1), (3, 300.0, 2), (4, 5.0, 3)]


class Sums:
    """All arrays of a run on lists of few variables."""

    def __init__(self, lists, prior: str, slice_terms: int = 1 << 20):
        table = self.table = as_table(lists)
        n = self.n = table.n_variables
        self.singles = prior == "orders"
        weights, powers = scaled_weights(relative_scores(table))
        self.sums, self.exponents = np.empty((n, 1 << (n - 1))), np.empty((n, 1 << (n - 1)), dtype=np.int32)
        self.sets = []
        for child in range(n):
            first, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
            self.sets.append((table.parent_offsets, table.parents, first, end, weights, powers, child))
            enter_weights(*self.sets[-1], self.sums[child], self.exponents[child])
            self.relate(child, False, slice_terms)
        self.forward, self.backward = np.full((2, 1 << n), NOTHING, dtype=np.int64)
        self.forward[0] = self.backward[-1] = 0
        place = 0
        while place < 1 << n:
            place = push_exponents(self.exponents, self.forward, place, slice_terms)
        place = (1 << n) - 2
        while place >= 0:
            place = pull_exponents(self.exponents, self.backward, place, slice_terms)
        self.totals, self.rests = np.zeros(1 << n), np.zeros(1 << n)
        self.totals[0] = self.rests[-1] = 1.0
        self.buffers = np.empty(1 << n), np.empty(1 << n, dtype=np.int64), np.empty(1 << n, dtype=np.int64)
        self.descendants = np.zeros((n, n))

    def relate(self, child: int, over_supersets: bool, slice_terms: int) -> None:
        place, end = 0, (self.n - 1) << (self.n - 1) >> 1
        while place < end:
            begun = place
            place = sum_related(self.sums[child], self.exponents[child], over_supersets, place, slice_terms)
            assert begun < place <= begun + slice_terms
        assert place == end

    def push(self, slice_terms: int) -> None:
        place = 0
        while place < 1 << self.n:
            place = push_totals(
                self.sums, self.exponents, self.forward, self.totals, self.singles, self.buffers, place, slice_terms
            )

    def pull(self, slice_terms: int) -> None:
        place, values = (1 << self.n) - 1, np.empty(1 << self.n)
        while place >= 0:
            place = pull_shares(
                self.sums, self.exponents, self.forward, self.totals, self.backward, self.rests, self.singles,
                self.buffers, values, self.descendants, place, slice_terms,
            )  # fmt: skip


def members(mask: int) -> set[int]:
    return {v for v in range(8) if mask >> v & 1}


def weight_on(lists, mask: int, prior: str) -> float:
    """Total weight of the networks on some variables, relative to the best sets of all variables."""
    kept = sorted(members(mask))
    place = {v: i for i, v in enumerate(kept)}
    parts = [
        [
            (tuple(place[p] for p in parents), score - lists[v][0][1])
            for parents, score in lists[v]
            if set(parents) <= set(kept)
        ]
        for v in kept
    ]
    return math.fsum(math.exp(weight) for _, weight in networks(parts, prior)) if kept else 1.0


@pytest.mark.parametrize("slice_terms", [1, 3, 1 << 20])
@pytest.mark.parametrize("case", CASES)
def test_sums_within_subsets(case, slice_terms):
    n, spread, seed = case
    lists = random_lists(seed, n, spread)
    sums = Sums(lists, "dags", slice_terms)
    for child, mask in itertools.product(range(n), range(1 << n)):
        if mask >> child & 1:
            continue
        expected = math.fsum(
            math.exp(score - lists[child][0][1]) for parents, score in lists[child] if set(parents) <= members(mask)
        )
        place = squeeze(mask, child)
        found = sums.sums[child, place] * 2.0 ** int(sums.exponents[child, place])
        assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("prior", ["dags", "orders"])
@pytest.mark.parametrize("slice_terms", [1, 1 << 20])
@pytest.mark.parametrize("case", CASES)
def test_totals_of_all_subsets(case, slice_terms, prior):
    n, spread, seed = case
    lists = random_lists(seed, n, spread)
    sums = Sums(lists, prior, slice_terms)
    sums.push(slice_terms)
    for mask in range(1 << n):
        found = sums.totals[mask] * 2.0 ** int(sums.forward[mask])
        assert found == pytest.approx(weight_on(lists, mask, prior), rel=1e-11)


@pytest.mark.parametrize("prior", ["dags", "orders"])
@pytest.mark.parametrize("slice_terms", [1, 1 << 20])
@pytest.mark.parametrize("case", CASES)
def test_probabilities_of_sets_and_descendants(case, slice_terms, prior):
    n, spread, seed = case
    lists = random_lists(seed, n, spread)
    sums = Sums(lists, prior, slice_terms)
    sums.push(slice_terms)
    sums.pull(slice_terms)
    total = sums.totals[-1] * 2.0 ** int(sums.forward[-1])
    assert sums.rests[0] * 2.0 ** int(sums.backward[0]) == pytest.approx(total, rel=1e-12)
    probabilities = np.zeros(sums.table.n_sets)
    for child in range(n):
        sums.relate(child, True, slice_terms)
        add_set_probabilities(*sums.sets[child], sums.sums[child], sums.exponents[child], probabilities)
    weighted = [(parents, math.exp(weight)) for parents, weight in networks(lists, prior)]
    everything = math.fsum(weight for _, weight in weighted)
    for child in range(n):
        for s in range(int(sums.table.set_offsets[child]), int(sums.table.set_offsets[child + 1])):
            own = sums.table.parent_set(s)
            expected = math.fsum(weight for parents, weight in weighted if parents[child] == own) / everything
            assert probabilities[s] == pytest.approx(expected, abs=1e-12)
    if prior == "dags":
        np.testing.assert_allclose(sums.descendants, posterior(lists, prior)[1], atol=1e-12)


def test_networks_are_counted():
    """All weights 1: as many as there are labelled acyclic digraphs (Robinson 1973)."""
    n = 6
    sets = [
        [(s, 0.0) for k in range(n) for s in itertools.combinations([v for v in range(n) if v != child], k)]
        for child in range(n)
    ]
    sums = Sums(sets, "dags")
    sums.push(1 << 20)
    assert sums.totals[-1] * 2.0 ** int(sums.forward[-1]) == 3_781_503


def test_groups_of_additions():
    lists = random_lists(0, 4, 1.0)
    sums = Sums(lists, "dags")
    n_open = list_groups(sums.sums, sums.exponents, 0b0010, False, *sums.buffers)
    signed, powers, added = sums.buffers
    assert n_open == 3
    for group in range(1, 8):
        variables = [v for k, v in enumerate((0, 2, 3)) if group >> k & 1]
        assert members(int(added[group])) == set(variables)
        places = [squeeze(0b0010, v) for v in variables]
        product = math.prod(sums.sums[v, place] for v, place in zip(variables, places))
        assert signed[group] == pytest.approx(product * (-1) ** (len(variables) + 1))
        assert powers[group] == sum(int(sums.exponents[v, place]) for v, place in zip(variables, places))
