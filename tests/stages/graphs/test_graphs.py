"""Elementary graph algorithms against plain twins, exhaustively on small graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from naive.optimize import treewidth as naive

from formats.graphs.algorithms import elimination_bags, elimination_width, moral_graph
from stages.graphs import (
    CycleError,
    behind_cycles,
    children_of,
    connected_components,
    eliminate_children_first,
    positions_of,
    pull_parents_forward,
    random_topological_order,
    topological_order,
)


def all_graphs(n):
    """Parents of every directed graph on n variables without loops."""
    families = [
        [c for size in range(n) for c in itertools.combinations([u for u in range(n) if u != v], size)]
        for v in range(n)
    ]
    return list(itertools.product(*families))


def random_graph(seed, n):
    """Parents of a random directed graph, cyclic or not."""
    rng = np.random.default_rng(seed)
    density = rng.choice([0.1, 0.2, 0.4])
    return [tuple(p for p in range(n) if p != v and rng.random() < density / (1 + (p > v) * 5)) for v in range(n)]


GRAPHS = [g for n in range(4) for g in all_graphs(n)] + all_graphs(4)[::7]
GRAPHS += [random_graph(seed, 8) for seed in range(60)]


def paths_from(parents, start):
    """Variables that paths of one arc or more lead to."""
    reached, waiting = set(), [start]
    while waiting:
        variable = waiting.pop()
        new = {c for c, family in enumerate(parents) if variable in family} - reached
        reached |= new
        waiting += new
    return reached


def naive_order(parents, rank):
    """Always the first possible variable by rank."""
    placed = []
    while True:
        free = [v for v, family in enumerate(parents) if v not in placed and set(family) <= set(placed)]
        if not free:
            return placed
        placed.append(min(free, key=lambda v: rank[v]))


def is_acyclic(parents):
    return not any(v in paths_from(parents, v) for v in range(len(parents)))


ACYCLIC = [g for g in GRAPHS if is_acyclic(g)]


def test_orders_and_cycles():
    for seed, parents in enumerate(GRAPHS):
        n = len(parents)
        assert children_of(parents) == [[c for c in range(n) if v in parents[c]] for v in range(n)]
        rank = np.random.default_rng(seed).permutation(n)
        assert topological_order(parents, rank) == naive_order(parents, rank)
        first_come = topological_order(parents)
        assert sorted(first_come) == sorted(naive_order(parents, rank))
        assert all(first_come.index(p) < first_come.index(v) for v in first_come for p in parents[v])
        cyclic = [v for v in range(n) if v in paths_from(parents, v)]
        behind = {c for v in cyclic for c in (v, *paths_from(parents, v))}
        assert behind_cycles(parents) == sorted(behind)


def test_random_orders_reach_every_topological_order():
    parents = ((), (), (0,), (0, 1))
    rng = np.random.default_rng(1)
    found = {tuple(random_topological_order(parents, rng).tolist()) for _ in range(300)}
    right = {o for o in itertools.permutations(range(4)) if naive_order(parents, np.argsort(o)) == list(o)}
    assert found == right


def test_who_comes_first_where_several_may():
    parents = ((3,), (), (1, 0), ())
    assert topological_order(parents, range(4)) == [1, 3, 0, 2]
    assert topological_order(parents, [0, 3, 1, 2]) == [3, 0, 1, 2]
    assert topological_order(parents) == [1, 3, 0, 2]
    assert topological_order(((2,), (), (), ()), range(4)) == [1, 2, 0, 3]
    assert topological_order(((2,), (), (), ())) == [1, 2, 3, 0]
    assert topological_order(()) == []


def test_parents_are_pulled_forward_or_a_cycle_named():
    for seed, parents in enumerate(GRAPHS):
        n = len(parents)
        order = np.random.default_rng(seed).permutation(n).tolist()
        by_child = {v: family for v, family in enumerate(parents) if family}
        if not is_acyclic(parents):
            with pytest.raises(CycleError) as caught:
                pull_parents_forward(order, by_child)
            cycle = caught.value.cycle
            assert all(p in parents[v] for v, p in zip(cycle, cycle[1:] + cycle[:1]))
            assert len(set(cycle)) == len(cycle)
            continue
        moved = pull_parents_forward(order, by_child)
        assert sorted(moved) == sorted(order)
        assert all(moved.index(p) < moved.index(v) for v in range(n) for p in parents[v])
        if all(order.index(p) < order.index(v) for v in range(n) for p in parents[v]):
            assert moved == order
    assert pull_parents_forward([0, 1, 2, 3], {0: (3, 2)}) == [2, 3, 0, 1]


def test_positions_invert():
    order = np.array([2, 0, 3, 1])
    position = positions_of(order)
    assert position.tolist() == [1, 3, 0, 2] and position.dtype == np.int32


def test_moral_graphs_and_components():
    for parents in GRAPHS:
        n = len(parents)
        graph, edges = moral_graph(parents), naive.moral_edges(parents)
        assert {frozenset((u, v)) for v in range(n) for u in graph[v]} == {frozenset(e) for e in edges}
        assert all(v not in graph[v] and all(v in graph[u] for u in graph[v]) for v in range(n))
        components = connected_components(graph)
        assert sorted(itertools.chain(*components)) == list(range(n))
        assert [c[0] for c in components] == sorted(c[0] for c in components)
        for component in components:
            assert component == sorted(component)
            assert all(graph[v] <= set(component) for v in component)
            tried = {component[0]}
            for _ in component:
                tried |= set().union(*(graph[v] for v in tried))
            assert tried == set(component)


def naive_bags(graph, order):
    """Neighbours at elimination, all fill-in made."""
    graph = [set(neighbours) for neighbours in graph]
    bags = []
    for vertex in order:
        bags.append(set(graph[vertex]))
        for u in bags[-1]:
            graph[u] |= bags[-1]
            graph[u] -= {u, vertex}
    return bags


def test_elimination():
    for seed, parents in enumerate(GRAPHS):
        n = len(parents)
        graph = moral_graph(parents)
        before = [set(neighbours) for neighbours in graph]
        order = np.random.default_rng(seed).permutation(n).tolist()
        bags = list(elimination_bags(graph, order))
        assert bags == naive_bags(graph, order)
        assert elimination_width(graph, order) == max(map(len, bags), default=0)
        assert elimination_width(graph, order) == naive.elimination_width(naive.moral_edges(parents), order)
        assert graph == before


def test_children_are_eliminated_first():
    for parents in ACYCLIC:
        n = len(parents)
        graph = moral_graph(parents)
        order = eliminate_children_first(graph, parents)
        assert sorted(order) == list(range(n))
        assert all(order.index(v) < order.index(p) for v in range(n) for p in parents[v])
        left = moral_graph(parents)
        for place, vertex in enumerate(order):
            free = [v for v in order[place:] if not any(v in parents[c] for c in order[place:])]
            assert vertex == min(free, key=lambda v: (len(left[v]), v))
            for u in left[vertex]:
                left[u] |= left[vertex]
                left[u] -= {u, vertex}
