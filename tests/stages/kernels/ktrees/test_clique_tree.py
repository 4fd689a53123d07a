"""Cliques of a network along an order, and how they are rearranged, against elimination step by step."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of
from naive.optimize.slim import cliques_along
from naive.optimize.treewidth import elimination_width, moral_edges

from stages.kernels.ktrees.clique_tree import build_cliques, find_contained, full_cliques, new_clique_tree, put_first
from stages.optimize.treewidth.problem import prepare_within


def random_network(seed, n, width):
    """Lists, a clique tree with random sets and order, and the families."""
    rng, table = np.random.default_rng(seed), random_table(seed, n, n_sets=10)
    problem = prepare_within(table, width)
    cliques = new_clique_tree(n, problem.treewidth)
    cliques.order[:] = rng.permutation(n)
    for child in range(n):
        cliques.chosen[child] = rng.integers(*problem.lists.set_offsets[child : child + 2])
    families = [table.parent_set(int(s)) for s in problem.source[cliques.chosen]]
    return problem.lists, cliques, families, rng, table


def check_tree(cliques, families):
    """Each clique is as eliminated, and hangs below one that has all but its own variable."""
    order = cliques.order.tolist()
    expected = cliques_along(families, order)
    for v in order:
        assert set(cliques.earlier[v, : cliques.sizes[v]].tolist()) == expected[v]
    for v in order[1:]:
        above = int(cliques.above[v])
        assert order.index(above) < order.index(v)
        assert expected[v] <= {above, *expected[above]}
    for v in order:
        below, other = [], int(cliques.below[v])
        while other >= 0:
            below.append(other)
            other = int(cliques.beside[other])
        assert sorted(below) == [u for u in range(len(order)) if cliques.above[u] == v]


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_cliques_are_those_of_elimination(seed, width):
    lists, cliques, families, rng, _ = random_network(seed, 8, width)
    order = cliques.order.tolist()
    fits = elimination_width(moral_edges(families), order[::-1]) <= width
    assert build_cliques(lists, cliques, rng) == fits
    if fits:
        check_tree(cliques, families)


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_a_connected_part_may_come_first(seed):
    """Cliques elsewhere stay as they are when the members of a connected part are put first."""
    n, width = 8, 3
    lists, cliques, families, rng, _ = random_network(seed, n, width)
    cliques.order[:] = np.arange(n)
    cliques.chosen[:] = lists.set_offsets[1:] - 1
    if not build_cliques(lists, cliques, rng):
        return
    families = [()] * n
    top = int(rng.integers(n))
    below = [v for v in range(n) if cliques.above[v] == top]
    nodes = [top, *below[:1]]
    earlier = cliques.earlier[top, : cliques.sizes[top]].tolist()
    members = np.array([*nodes, *(v for v in earlier if v not in nodes)], dtype=np.int32)
    put_first(cliques, np.int32(top), members, len(members), np.zeros(n, dtype=np.bool_))
    assert cliques.order[: len(members)].tolist() == members.tolist()
    assert sorted(cliques.order.tolist()) == list(range(n))
    assert build_cliques(lists, cliques, rng)
    check_tree(cliques, families)


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_contained_sets_and_full_cliques(seed):
    n, width = 8, 3
    lists, cliques, families, rng, table = random_network(seed, n, width)
    sizes = [len(p) for p in families]
    flat = np.array([p for family in families for p in family], dtype=np.int32)
    chosen = np.empty(n, dtype=np.int64)
    find_contained(lists, np.concatenate(([0], np.cumsum(sizes))), flat, chosen)
    source = prepare_within(table, width).source
    for child, sets in enumerate(lists_of(table)):
        expected = next(p for _, p in sets if p <= set(families[child]))
        assert frozenset(table.parent_set(int(source[chosen[child]]))) == expected
    if not build_cliques(lists, cliques, rng):
        return
    bags = np.zeros((n, width + 1), dtype=np.int32)
    full_cliques(cliques, bags)
    edges = frozenset(frozenset(e) for bag in bags.tolist() for e in itertools.combinations(bag, 2))
    assert len(edges) == width * (width + 1) // 2 + width * (n - width - 1)
    assert moral_edges(families) <= edges
    assert elimination_width(edges, cliques.order.tolist()[::-1]) == width
