"""Elimination orders and what they cost, against plain sets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds

from formats.graphs.algorithms import elimination_bags
from stages.graphs.treewidth import jointree_cells
from stages.kernels.bits import empty_bit_matrix, set_bit
from stages.kernels.inference.elimination import (
    best_order,
    clique_cells,
    count_bits,
    eliminate,
    end_with,
    greedy_order,
    hidden_graph,
    join_chains,
    list_bits,
    order_cells,
)
from stages.kernels.inference.network_arrays import new_network_arrays


def random_graph(seed, n_vertices, density):
    rng = np.random.default_rng(seed)
    graph = [set() for _ in range(n_vertices)]
    for a in range(n_vertices):
        for b in range(a):
            if rng.random() < density:
                graph[a].add(b)
                graph[b].add(a)
    return graph, rng.integers(2, 6, n_vertices).astype(np.float64)


def as_bits(graph):
    rows = empty_bit_matrix(len(graph), len(graph))
    for vertex, neighbours in enumerate(graph):
        for other in neighbours:
            set_bit(rows[vertex], other)
    return rows


def naive_greedy(graph, sizes, by_weight, jitter):
    graph = {v: set(neighbours) for v, neighbours in enumerate(graph)}
    order = []

    def price(v):
        fill = sum(b not in graph[a] for a in graph[v] for b in graph[v] if a < b)
        weight = sizes[v] * math.prod(sizes[u] for u in graph[v])
        weight *= jitter[v]
        return (weight, v) if by_weight else (jitter[v] * fill, weight, v)

    while graph:
        vertex = min(graph, key=price)
        order.append(vertex)
        neighbours = graph.pop(vertex)
        for u in neighbours:
            graph[u] = (graph[u] | neighbours) - {u, vertex}
    return order


@pytest.mark.parametrize("n_vertices", [1, 7, 70])
@pytest.mark.parametrize("by_weight", [False, True])
@pytest.mark.parametrize("seed", seeds(4, 2))
def test_greedy_orders(seed, by_weight, n_vertices):
    graph, sizes = random_graph(seed, n_vertices, 0.4 if n_vertices < 10 else 0.06)
    for jitter in (np.ones(n_vertices), np.random.default_rng(seed).uniform(1.0, 3.0, n_vertices)):
        order = greedy_order(as_bits(graph), sizes, by_weight, jitter)
        assert order.tolist() == naive_greedy(graph, sizes, by_weight, jitter)


@pytest.mark.parametrize("n_vertices", [1, 7, 70])
@pytest.mark.parametrize("seed", seeds(4, 2))
def test_cliques_of_an_order(seed, n_vertices):
    graph, sizes = random_graph(seed, n_vertices, 0.5 if n_vertices < 10 else 0.05)
    rows = as_bits(graph)
    order = np.random.default_rng(seed).permutation(n_vertices)
    later, tree_parents = eliminate(rows, order)
    listed = np.empty(n_vertices, dtype=np.int64)
    place = np.argsort(order)
    for vertex, bag in zip(order.tolist(), elimination_bags(graph, order.tolist())):
        assert set(listed[: list_bits(later[vertex], listed)].tolist()) == bag
        assert count_bits(later[vertex]) == len(bag)
        assert tree_parents[vertex] == min(bag, key=place.__getitem__, default=-1)
        cells = math.prod((sizes[u] for u in bag), start=sizes[vertex])
        assert clique_cells(later, sizes, vertex, listed) == pytest.approx(cells)
    assert order_cells(rows, sizes, order) == jointree_cells(graph, order.tolist(), sizes.astype(int).tolist())
    first, following = join_chains(order, later, tree_parents)
    chains = []
    for vertex in order[first[order] >= 0].tolist():
        chains.append([first[vertex]])
        while following[chains[-1][-1]] >= 0:
            chains[-1].append(following[chains[-1][-1]])
        assert chains[-1][-1] == vertex
    assert sorted(v for chain in chains for v in chain) == list(range(n_vertices))


@pytest.mark.parametrize("n_vertices", [1, 7, 70])
@pytest.mark.parametrize("seed", seeds(4, 2))
def test_cliques_within_the_same_ones_with_another_last_vertex(seed, n_vertices):
    graph, _ = random_graph(seed, n_vertices, 0.4 if n_vertices < 10 else 0.06)

    def cliques(order):
        bags = [bag | {v} for v, bag in zip(order, elimination_bags(graph, order))]
        return [bag for bag in bags if not any(bag < other for other in bags)]

    order = np.random.default_rng(seed).permutation(n_vertices)
    later, _ = eliminate(as_bits(graph), order)
    for last in range(0, n_vertices, 9):
        moved = end_with(later, last).tolist()
        assert sorted(moved) == list(range(n_vertices)) and moved[-1] == last
        assert all(any(bag <= known for known in cliques(order.tolist())) for bag in cliques(moved))


@pytest.mark.parametrize("seed", seeds(6, 3))
def test_best_of_several_orders(seed):
    graph, sizes = random_graph(seed, 12, 0.3)
    rows = as_bits(graph)
    ranks = np.random.default_rng(seed).permutation(12)
    orders = [np.argsort(ranks), *(greedy_order(rows, sizes, by_weight, np.ones(12)) for by_weight in (False, True))]
    cells = [order_cells(rows, sizes, order) for order in orders]
    assert order_cells(rows, sizes, best_order(rows, sizes, ranks)) == min(cells)


def test_large_tables_are_worth_more_orders():
    """A random graph of 40 vertices with tables of many cells: never more of them than by the plain rules."""
    fewer = 0
    for seed in range(4):
        graph, sizes = random_graph(seed, 40, 0.3)
        rows, ranks = as_bits(graph), np.arange(40)
        plain = [order_cells(rows, sizes, greedy_order(rows, sizes, rule, np.ones(40))) for rule in (False, True)]
        best = best_order(rows, sizes, ranks)
        assert sorted(best.tolist()) == list(range(40))
        assert order_cells(rows, sizes, best) <= min(plain)
        assert best.tolist() == best_order(rows, sizes, ranks).tolist()
        fewer += order_cells(rows, sizes, best) < min(plain)
    assert fewer > 0


def test_observed_variables_are_no_vertices():
    tables = [np.full((2,) * k, 0.5) for k in (1, 1, 3, 2)]
    arrays = new_network_arrays([(), (), (0, 1), (2,)], tables, range(4))
    local = np.array([0, 1, -1, 2])
    members, families = np.array([0, 1, 3]), np.array([0, 1, 2, 3])
    joined = np.zeros(4, dtype=np.bool_)
    np.testing.assert_array_equal(hidden_graph(arrays, members, families, joined, local)[:, 0], [2, 1, 0])
    joined[[1, 3]] = True
    np.testing.assert_array_equal(hidden_graph(arrays, members, families, joined, local)[:, 0], [2, 5, 2])
