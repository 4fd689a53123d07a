"""Widths and bounds against all elimination orders, and against graphs of known treewidth."""

from __future__ import annotations

import itertools
import random

import pytest
from helpers.cases.evaluation import random_parents
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize import treewidth as naive

from formats.errors import Inconsistent
from formats.graphs.algorithms import elimination_width, largest_table, moral_graph
from stages.graphs.treewidth import (
    bound_treewidth,
    check_certificate,
    contraction_bound,
    exceeds_cells,
    jointree_cells,
    min_degree_order,
    min_fill_order,
)


def graph_of(edges, n_vertices):
    graph = [set() for _ in range(n_vertices)]
    for u, v in edges:
        graph[u].add(v)
        graph[v].add(u)
    return graph


def grid(rows, columns):
    edges = [((r, c), (r, c + 1)) for r in range(rows) for c in range(columns - 1)]
    edges += [((r, c), (r + 1, c)) for r in range(rows - 1) for c in range(columns)]
    return [(a * columns + b, c * columns + d) for (a, b), (c, d) in edges]


def random_k_tree_parents(seed, n_variables, width):
    """Parents form a clique when a variable joins: the moral graph is a k-tree, its treewidth is `width`."""
    generator = random.Random(seed)
    names = list(range(n_variables))
    generator.shuffle(names)
    parents = [()] * n_variables
    bags = []
    for rank, child in enumerate(names):
        chosen = names[:rank] if rank <= width else generator.sample(generator.choice(bags), width)
        parents[child] = tuple(chosen)
        if rank >= width:
            bags.append([*chosen, child])
    return parents, names


@pytest.mark.parametrize(
    ("edges", "n_vertices", "width"),
    [
        ([], 1, 0),
        ([], 4, 0),
        ([(0, 1), (1, 2), (2, 3)], 4, 1),
        ([(0, 1), (1, 2), (2, 0)], 3, 2),
        ([(0, 1), (1, 2), (2, 3), (3, 0)], 4, 2),
        (list(itertools.combinations(range(6), 2)), 6, 5),
        (grid(3, 3), 9, 3),
        # Petersen's graph.
        ([(i, (i + 1) % 5) for i in range(5)] + [(i, i + 5) for i in range(5)]
         + [(5 + i, 5 + (i + 2) % 5) for i in range(5)], 10, 4),
    ],
)  # fmt: skip
def test_known_treewidths_lie_between_the_bounds(edges, n_vertices, width):
    graph = graph_of(edges, n_vertices)
    bounds = bound_treewidth(graph)
    assert bounds.lower <= width <= bounds.upper
    assert bounds.upper == width
    assert elimination_width(graph, bounds.elimination) == bounds.upper


def test_moral_graph_marries_parents():
    assert moral_graph([(), (), (0, 1), (2,)]) == [{1, 2}, {0, 2}, {0, 1, 3}, {2}]


def test_all_graphs_of_four_vertices_and_all_orders():
    pairs = list(itertools.combinations(range(4), 2))
    for size in range(len(pairs) + 1):
        for edges in itertools.combinations(pairs, size):
            graph = graph_of(edges, 4)
            orders = list(itertools.permutations(range(4)))
            for order in orders:
                assert elimination_width(graph, order) == naive.elimination_width(edges, order)
            exact = naive.treewidth(edges)
            assert exact == min(naive.elimination_width(edges, order) for order in orders)
            bounds = bound_treewidth(graph)
            assert bounds.lower <= exact <= bounds.upper


@pytest.mark.parametrize("seed", seeds(12, quick=2))
def test_random_graphs_of_seven_vertices(seed):
    generator = random.Random(seed)
    pairs = list(itertools.combinations(range(7), 2))
    edges = generator.sample(pairs, generator.randint(6, 16))
    graph = graph_of(edges, 7)
    exact = naive.treewidth(edges)
    assert exact == min(naive.elimination_width(edges, order) for order in itertools.permutations(range(7)))
    bounds = bound_treewidth(graph)
    assert bounds.lower <= exact <= bounds.upper
    assert graph == graph_of(edges, 7)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(0, 6))
def test_orders_are_permutations_with_the_width_of_naive_elimination(seed, n_variables, max_parents):
    parents = random_parents(seed, n_variables, max_parents)
    graph, edges = moral_graph(parents), naive.moral_edges(parents)
    shuffled = random.Random(seed).sample(range(n_variables), n_variables)
    for order in (min_fill_order(graph), min_fill_order(graph, work_limit=200), min_degree_order(graph), shuffled):
        assert sorted(order) == list(range(n_variables))
        assert elimination_width(graph, order) == naive.elimination_width(edges, order)
        n_states = [2 + v % 3 for v in range(n_variables)]
        assert jointree_cells(graph, order, n_states) == naive.jointree_cells(edges, order, n_states)
    bounds = bound_treewidth(graph)
    assert max(map(len, parents)) <= bounds.lower <= bounds.upper


def naive_greedy_order(edges, n_vertices, cost):
    """Greedy elimination from the definition: always the vertex of least (cost, degree, index)."""
    current, order = {frozenset(e) for e in edges}, []
    while len(order) < n_vertices:
        keys = []
        for vertex in set(range(n_vertices)) - set(order):
            neighbours = {v for edge in current if vertex in edge for v in edge} - {vertex}
            pairs = {frozenset(pair) for pair in itertools.combinations(neighbours, 2)}
            keys.append((len(pairs - current) if cost == "fill" else 0, len(neighbours), vertex, pairs))
        _, _, vertex, pairs = min(keys, key=lambda key: key[:3])
        current = {edge for edge in current if vertex not in edge} | pairs
        order.append(vertex)
    return order


@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(0, 4))
def test_greedy_orders_follow_their_rule(seed, n_variables, max_parents):
    parents = random_parents(seed, n_variables, max_parents)
    graph, edges = moral_graph(parents), naive.moral_edges(parents)
    for order, cost in ((min_fill_order(graph), "fill"), (min_degree_order(graph), "degree")):
        expected = naive_greedy_order(edges, n_variables, cost)
        width = naive.elimination_width(edges, expected)
        assert elimination_width(graph, order) == width
        # Once no more than width + 1 vertices are left, their order is free.
        sure = n_variables - width - 1
        assert order[:sure] == expected[:sure]


def naive_contraction_bound(edges, n_vertices):
    """Merge a vertex of least degree with the neighbour that shares the fewest with it; the largest such degree."""
    current, left, bound = {frozenset(e) for e in edges}, set(range(n_vertices)), 0
    while left:
        around = {v: {u for edge in current if v in edge for u in edge} - {v} for v in left}
        vertex = min(left, key=lambda v: (len(around[v]), v))
        bound = max(bound, len(around[vertex]))
        left.discard(vertex)
        if around[vertex]:
            shared = {u: len(around[u] & around[vertex]) for u in around[vertex]}
            target = min(around[vertex], key=lambda u: (shared[u], len(around[u]), u))
            current |= {frozenset((target, u)) for u in around[vertex] - {target}}
        current = {edge for edge in current if vertex not in edge}
    return bound


@pytest.mark.parametrize("seed", seeds(20, quick=2))
def test_contractions_follow_their_rule(seed):
    n_variables = 10 + 3 * seed
    parents = random_parents(seed, n_variables, 3)
    expected = naive_contraction_bound(naive.moral_edges(parents), n_variables)
    assert contraction_bound(moral_graph(parents)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 2, 5, 8])
def test_k_trees_are_recognised_at_1500_variables(width):
    parents, names = random_k_tree_parents(width, 1500, width)
    graph = moral_graph(parents)
    assert elimination_width(graph, names[::-1]) == width
    assert bound_treewidth(graph)[:2] == (width, width)


def test_dense_networks_pass_to_the_cheaper_order():
    parents = random_parents(1, 300, 6)
    graph = moral_graph(parents)
    early, late = (min_fill_order(graph, work_limit) for work_limit in (20_000, 10**9))
    assert sorted(early) == sorted(late) == list(range(300))
    assert early != late
    assert contraction_bound(graph) <= min(elimination_width(graph, order) for order in (early, late))


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 4))
def test_certificates_from_the_construction_hold(seed, n_variables, width):
    parents, names = random_k_tree_parents(seed, n_variables, width)
    certificate = {"bound": width, "elimination": names[::-1]}
    assert check_certificate(parents, certificate) == min(width, n_variables - 1)


TRIANGLE_AND_TAIL = [(), (0,), (0, 1), (2,)]


@pytest.mark.parametrize(
    ("certificate", "complaint"),
    [
        ({}, "no elimination order"),
        (5, "no elimination order"),
        ({"elimination": [0, 1, 2, "3"]}, "no elimination order"),
        ({"elimination": [0, 1, 2]}, "no permutation"),
        ({"elimination": [0, 1, 2, 2]}, "no permutation"),
        ({"elimination": [3, 2, 1, 0], "width": 3}, "width 2, the header says 3"),
        ({"elimination": [2, 3, 1, 0], "width": 2}, "width 3, the header says 2"),
        ({"elimination": [3, 2, 1, 0], "width": 2, "bound": 1}, "more than the bound 1"),
    ],
)
def test_false_certificates_are_refused(certificate, complaint):
    with pytest.raises(Inconsistent, match=complaint):
        check_certificate(TRIANGLE_AND_TAIL, certificate)


@pytest.mark.parametrize("seed", range(5))
def test_exceeding_cells_agrees_with_the_cliques_of_the_order(seed: int):
    rng = random.Random(seed)
    graph = graph_of([pair for pair in itertools.combinations(range(12), 2) if rng.random() < 0.3], 12)
    sizes = [rng.randint(2, 4) for _ in range(12)]
    cells = largest_table(graph, min_fill_order(graph), sizes)
    assert exceeds_cells(graph, sizes, cells - 1)
    assert not exceeds_cells(graph, sizes, cells)
    assert exceeds_cells(graph, sizes, cells, work_limit=0)
