"""Edges of k-trees and the rows that need them, against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.edge_prices import dearest_edges, is_sparse, rows_of
from naive.optimize.ktrees import all_ktrees
from naive.optimize.networks_search import random_table

from stages.kernels.bounds.edges import choose_edges, fetch_pebble, new_edges, take_edge, with_edges
from stages.kernels.bounds.lagrangian import cuts_by_set
from stages.lists import set_lists
from stages.lists.set_lists import lists_in
from stages.optimize.bounds.cut_pool import CutPool
from stages.optimize.bounds.width.edge_prices import EdgePrices


def edges_among(pairs, n, width, is_limited=True):
    """One row for each pair."""
    ends = np.array([u * n + v for u, v in pairs], dtype=np.int64)
    return with_edges(new_edges(n, width, is_limited), ends, np.arange(len(pairs)), np.zeros(len(pairs)))


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_the_choice_of_edges_is_the_dearest_one(seed, width):
    rng, n = np.random.default_rng(seed), 6
    pairs = list(itertools.combinations(range(n), 2))
    worths = dict(zip(pairs, rng.integers(0, 6, len(pairs)).tolist()))
    edges = edges_among(pairs, n, width)
    total = choose_edges(edges, -np.array([float(worths[pair]) for pair in pairs]))
    assert total == sum(worths[pair] for pair in dearest_edges(worths, edges.most, width, edges.lack))
    chosen = [pair for pair, is_chosen in zip(pairs, edges.chosen) if is_chosen]
    assert total == sum(worths[pair] for pair in chosen)
    assert len(chosen) <= edges.most
    assert is_sparse(chosen, width, edges.lack)
    # Without the limit on edges among some vertices, only their number counts.
    edges = edges_among(pairs, n, width, is_limited=False)
    total = choose_edges(edges, -np.array([float(worths[pair]) for pair in pairs]))
    assert total == sum(sorted(worths.values(), reverse=True)[: edges.most])


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_edges_of_every_ktree_may_be_chosen(width):
    n = 6
    for tree in itertools.islice(all_ktrees(n, width), 60):
        edges = edges_among(sorted((min(edge), max(edge)) for edge in tree), n, width)
        assert choose_edges(edges, -np.ones(len(tree))) == len(tree) == edges.most


def test_pebbles_move_along_edges_to_an_edge_that_fits():
    edges = new_edges(4, 2, is_sparse=True)
    assert not fetch_pebble(edges, 0, 1)  # no edge leads to a pebble
    for u, v in ((0, 1), (1, 2), (0, 2), (0, 3), (1, 3)):
        assert take_edge(edges, u, v)
    assert not take_edge(edges, 2, 3)
    assert edges.used.sum() == 5
    assert edges.looked[0] > 0


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_rows_count_sets_as_defined(seed):
    rng, n = np.random.default_rng(seed), 6
    table = random_table(seed, n, max_parents=4, n_sets=15)
    lists = lists_in(table)
    arcs = EdgePrices(lists, 3)
    assert arcs.add_violated(lists, np.ones(len(lists.scores))) > 0
    arcs.moving = -rng.exponential(3.0, len(arcs.moving)) * (rng.random(len(arcs.moving)) < 0.6)
    numbers = {row: k for k, row in enumerate(rows_in(arcs, n))}
    costs = set_lists.costs_of(lists)
    priced, _ = arcs.priced(lists, costs)
    pool = CutPool(lists, costs)
    pool.add([(np.array([0, 1, 2], dtype=np.int32), 1)])
    before = cuts_by_set(pool.cuts, len(lists.scores))
    joined = arcs.joined(before, lists)
    assert joined.demands.tolist() == [1.0] + [0.0] * len(numbers)
    child = np.repeat(np.arange(n), np.diff(lists.set_offsets))
    for s in range(len(lists.scores)):
        rows = [numbers[row] for row in rows_of(int(child[s]), table.parent_set(s)) if row in numbers]
        cut = before.cuts[before.offsets[s] : before.offsets[s + 1]].tolist()
        found = joined.cuts[joined.offsets[s] : joined.offsets[s + 1]].tolist()
        assert found[: len(cut)] == cut
        assert sorted(found[len(cut) :]) == sorted(1 + row for row in rows)
        price = -sum(arcs.moving[row] for row in rows)
        assert priced[s] == pytest.approx(costs[s] + price, abs=1e-9)
        assert priced[s] <= costs[s] + price + 1e-12


def rows_in(arcs, n):
    """The rows of `EdgePrices`, as (edge, third)."""
    for code in arcs.codes.tolist():
        pair, third = divmod(code, n + 1)
        yield frozenset(divmod(pair, n)), None if third == 0 else third - 1
