"""Acyclic selection along an order against its definition, also in slices."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.networks_search import random_table
from naive.orders import acyclic_selection, descendants_of, lists_of

from stages.kernels.bits import empty_bit_matrix, has_bit
from stages.kernels.orders.acyclic_selection import first_acyclic, select_slice
from stages.optimize.lists.set_lists import index_table


@pytest.mark.parametrize("budget", [1, 10**9])
@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_selection_is_as_defined(seed, budget):
    n = 9
    table = random_table(seed, n, n_sets=20, ties=seed % 2 == 0)
    lists, order = index_table(table), np.random.default_rng(seed).permutation(n).astype(np.int32)
    chosen = np.full(n, -1, dtype=np.int64)
    family = (np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), lists.parents)
    descendants, stack = empty_bit_matrix(n, n), np.empty(n, dtype=np.int32)
    position, calls = n - 1, 0
    while position >= 0:
        position, _ = select_slice(lists, order, chosen, family, descendants, stack, position, budget)
        calls += 1
    assert calls == (n if budget == 1 else 1)
    _, parents = acyclic_selection(lists_of(table), order.tolist())
    assert {c: frozenset(table.parent_set(int(s))) for c, s in enumerate(chosen)} == parents
    for v in range(n):
        assert {w for w in range(n) if has_bit(descendants[v], w)} == descendants_of(v, parents)
        first, stop = lists.set_offsets[v], lists.set_offsets[v + 1]
        fitting = [s for s in range(first, stop) if not descendants_of(v, parents) & {*table.parent_set(s)}]
        assert first_acyclic(lists, first, stop, descendants[v]) == (fitting[0] if fitting else -1)
