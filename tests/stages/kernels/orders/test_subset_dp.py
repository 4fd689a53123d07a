"""Dynamic programming over subsets against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.exact import best_sets
from naive.optimize.networks_search import best_by_subsets, random_table
from naive.optimize.orders import lists_of, order_score

from stages.kernels.orders.subset_dp import NO_SET, best_within_subsets, extend_totals, trace_back
from stages.lists.set_lists import lists_in


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_best_sets_within_all_subsets(seed):
    table = random_table(seed, 6, n_sets=12, n_fixed=seed % 3, ties=seed % 2 == 0)
    lists, packed = lists_of(table), lists_in(table)
    best = np.empty(1 << 5, dtype=np.int32)
    for child in range(6):
        best_within_subsets(packed, child, best)
        others = [v for v in range(6) if v != child]
        for members, expected in best_sets(lists, child).items():
            found = int(best[sum(1 << others.index(v) for v in members)])
            taken = None if found == NO_SET else frozenset(table.parent_set(found))
            assert taken == expected


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_totals_and_trace(seed):
    n = 1 + seed
    table = random_table(seed, n, n_sets=20, n_fixed=seed % 3 if n > 3 else 0)
    lists, best = lists_in(table), np.empty((n, 1 << (n - 1)), dtype=np.int32)
    for child in range(n):
        best_within_subsets(lists, child, best[child])
    totals = np.zeros(1 << n)
    for start in range(1, 1 << n, 3):
        extend_totals(lists.scores, best, totals, start, min(1 << n, start + 3))
    optimum = best_by_subsets(table)
    assert totals[-1] == pytest.approx(optimum, abs=1e-9)
    order, chosen = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    trace_back(lists.scores, best, totals, order, chosen)
    assert math.fsum(table.scores[chosen]) == pytest.approx(optimum, abs=1e-9)
    assert order_score(lists_of(table), order.tolist()) == pytest.approx(optimum, abs=1e-9)
