"""Search within triangulations: bounds kept, never worse, narrowed networks."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.treewidth import elimination_width, moral_edges

from stages.graphs import positions_of
from stages.lists.set_lists import index_members, lists_in
from stages.optimize.orders.insertion_ils import OrderShaker
from stages.optimize.treewidth.table_bound import TableBound
from stages.optimize.treewidth.triangulation import TriangulationSearch
from stages.runtime.budgets import Budget


def start_wide(seed, width, n=12):
    """A search from a network that a search without a bound has found; and that network's score."""
    rng, lists = np.random.default_rng(seed), lists_in(random_table(seed, n, n_sets=12))
    shaker = OrderShaker(lists, index_members(lists), np.arange(n, dtype=np.int32), rng)
    shaker.search(Budget(), 20 * n)
    search = TriangulationSearch(lists, width, TableBound(np.ones(n), np.inf), rng)
    offsets = lists.parent_offsets
    wide = tuple(tuple(lists.parents[offsets[s] : offsets[s + 1]].tolist()) for s in shaker.chosen)
    assert search.start(wide, Budget())
    return search, wide, shaker.score


def check(search, width):
    found = search.found
    parents = found.parents
    assert (parents, found.score) == (search.parents(), search.score)
    assert elimination_width(moral_edges(parents), found.elimination.tolist()) <= width
    positions = positions_of(found.order)
    assert all(positions[p] < positions[child] for child, family in enumerate(parents) for p in family)
    bags = [set(bag) for bag in found.bags.tolist()]
    assert all(any({child, *family} <= bag for bag in bags) for child, family in enumerate(parents))


@pytest.mark.parametrize("seed", seeds(10, quick=2))
@pytest.mark.parametrize("width", [2, 3])
def test_the_network_improves_within_the_bound(seed, width):
    search, _, unbounded = start_wide(seed, width)
    check(search, width)
    for _ in range(3):
        before = search.score
        search.improve(2, Budget())
        assert before <= search.score <= unbounded + 1e-6
        check(search, width)


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_a_network_within_the_bound_is_not_narrowed(seed):
    search, wide, score = start_wide(seed, 11)
    assert search.parents() == wide
    assert search.score == score


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_a_known_elimination_order_is_kept(seed):
    search, *_ = start_wide(seed, 2)
    search.improve(2, Budget())
    found = search.found
    again = TriangulationSearch(search.lists, 2, search.bound, np.random.default_rng(0))
    assert again.start(found.parents, Budget(), found.elimination)
    assert again.parents() == found.parents
    assert again.found.elimination.tolist() == found.elimination.tolist()
