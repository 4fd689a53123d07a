"""Search by insertion: bounds kept, never worse."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.treewidth import elimination_width, moral_edges

from stages.graphs import behind_cycles, positions_of
from stages.lists.set_lists import index_table
from stages.optimize.treewidth import insertion
from stages.optimize.treewidth.insertion import InsertionSearch
from stages.optimize.treewidth.table_bound import TableBound
from stages.runtime.budgets import Budget


@pytest.mark.parametrize("seed", seeds(10, quick=2))
@pytest.mark.parametrize("width", [2, 3])
def test_the_network_improves_within_the_bound(seed, width, monkeypatch):
    monkeypatch.setattr(insertion, "SLICE_WORK", 100_000)
    n = 12
    lists = index_table(random_table(seed, n, n_sets=12))
    search = InsertionSearch(lists, width, TableBound(np.ones(n), np.inf), np.random.default_rng(seed))
    order = np.random.default_rng(seed).permutation(n)
    wide = tuple(tuple(sorted(order[max(0, i - 4) : i].tolist())) for i in np.argsort(order).tolist())
    assert search.start(wide, Budget())
    for _ in range(3):
        before, most = search.score, search.work + 300_000
        search.improve(Budget(), lambda most=most: search.work > most)
        parents, elimination = search.parents(), search.elimination.tolist()
        assert search.score >= before - 1e-3
        assert elimination_width(moral_edges(parents), elimination) <= width
        assert not behind_cycles(parents)
        positions = positions_of(search.order)
        assert all(positions[p] < positions[child] for child, family in enumerate(parents) for p in family)
        bags = [set(bag) for bag in search.bags().tolist()]
        assert all(any({child, *family} <= bag for bag in bags) for child, family in enumerate(parents))
    again = InsertionSearch(lists, width, search.bound, np.random.default_rng(0))
    assert again.start(parents, Budget(), search.elimination)
    assert again.parents() == parents
    assert again.elimination.tolist() == search.elimination.tolist()
