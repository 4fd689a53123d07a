"""Dynamic programming over bags: every total against the definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of
from naive.optimize.width_dp import totals_of_bags

from stages.kernels.ktrees.width_dp import extend_bags, start_bags
from stages.kernels.orders.subset_dp import best_within_subsets
from stages.lists.set_lists import index_table


@pytest.mark.parametrize(("n", "width"), [(4, 1), (4, 2), (5, 2), (5, 3)])
@pytest.mark.parametrize("seed", seeds(3, quick=1))
def test_totals_are_as_defined(seed, n, width):
    table = random_table(seed, n, n_sets=10, n_fixed=seed, ties=seed == 1)
    lists, best = index_table(table), np.empty((n, 1 << (n - 1)), dtype=np.int32)
    for child in range(n):
        best_within_subsets(lists, child, best[child])
    ordered = list(itertools.permutations(range(n), width + 1))
    rest = list(itertools.permutations(range(n), width))
    separators = np.array([[rest.index((*b[:j], *b[j + 1 :])) for j in range(width + 1)] for b in ordered])
    bags = np.array(ordered)
    totals, hanging = (np.full((len(some), 1 << n), -np.inf) for some in (ordered, rest))
    parts = np.empty(1 << n)
    start_bags(table.scores, best, bags, separators, totals, hanging)
    for size in range(1, n - width):
        for start in range(0, len(bags), 7):
            extend_bags(bags, separators, totals, hanging, parts, start, min(start + 7, len(bags)), size)
    total = totals_of_bags(lists_of(table), width)
    for b, bag in enumerate(ordered):
        for mask in range(1 << n):
            chosen = frozenset(v for v in range(n) if mask >> v & 1)
            assert totals[b, mask] == pytest.approx(total(bag, chosen), abs=1e-9)
