"""Ancestors and Markov blankets of sampled networks, against the plain twin."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.posterior_cases import as_table, random_lists
from naive.posterior import ancestors

from stages.kernels.posterior.relations import count_relations, enter_ancestors, enter_blankets
from stages.posterior.sampling import best_along


def networks_of(seed: int, n_variables: int):
    table = as_table(random_lists(seed, n_variables, 1.0))
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_variables).astype(np.int32) for _ in range(10)]
    return table, np.array([best_along(table, order) for order in orders], dtype=np.int32)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_relations(seed):
    n = 6
    table, samples = networks_of(seed, n)
    above, blankets = np.zeros((n, n)), np.zeros((n, n))
    for sets in samples:
        parents = [table.parent_set(s) for s in sets.tolist()]
        related = np.empty((n, n), dtype=np.bool_)
        enter_ancestors(sets, table.parent_offsets, table.parents, related)
        assert [set(np.flatnonzero(row).tolist()) for row in related] == ancestors(parents)
        enter_blankets(sets, table.parent_offsets, table.parents, related)
        for v in range(n):
            above[list(ancestors(parents)[v]), v] += 1
            children = {c for c in range(n) if v in parents[c]}
            blanket = {*parents[v], *children, *(p for c in children for p in parents[c])} - {v}
            assert set(np.flatnonzero(related[v]).tolist()) == blanket
            blankets[list(blanket), v] += 1
    for of_blankets, expected in ((False, above), (True, blankets)):
        counts = np.zeros((n, n))
        count_relations(samples, table.parent_offsets, table.parents, of_blankets, counts)
        np.testing.assert_array_equal(counts, expected)
