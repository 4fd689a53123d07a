"""Triangulations of bounded width, against elimination step by step."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.slim import cliques_along
from naive.optimize.treewidth import elimination_width, moral_edges

from formats.sets.listed_sets import ListedSets
from stages.graphs import positions_of
from stages.kernels.bits import has_bit
from stages.kernels.ktrees.narrowing import NO_SMALLER_SET, narrow, smaller_set
from stages.kernels.ktrees.sparse_elimination import eliminate_moral, new_sparse_graph
from stages.kernels.ktrees.triangulation import (
    adopt_order,
    bags_of,
    eliminate_least,
    is_family_within,
    mark_within,
    moralise,
    new_triangulation,
    table_cells,
    triangulate,
    widen,
)
from stages.lists.set_lists import lists_in, new_lists

N = 9


def random_problem(seed):
    """Lists, random sets of them, a triangulation along a random order, and a generator."""
    rng, lists = np.random.default_rng(seed), lists_in(random_table(seed, N, n_sets=10))
    n_states = rng.integers(2, 5, N).astype(np.float64)
    graph = new_triangulation(n_states, 4)
    elimination = rng.permutation(N)
    graph.ranks[:] = positions_of(elimination)
    graph.states[:] = n_states[elimination]
    chosen = np.array([rng.integers(*lists.set_offsets[child : child + 2]) for child in range(N)])
    return lists, chosen, graph, n_states, rng


def families_of(lists, chosen):
    offsets = lists.parent_offsets
    return [tuple(lists.parents[offsets[s] : offsets[s + 1]].tolist()) for s in chosen]


def order_of(graph):
    return np.argsort(graph.ranks).tolist()


def later_of(graph):
    """{variable: its later neighbours in the triangulation}."""
    order = order_of(graph)
    return {order[v]: {order[u] for u in range(N) if has_bit(graph.later[v], u)} for v in range(N)}


def is_clique(cliques, members):
    return any(set(members) <= {v, *clique} for v, clique in cliques.items())


@pytest.mark.parametrize("seed", seeds(20, quick=3))
@pytest.mark.parametrize("most_cells", [math.inf, 60.0])
def test_cliques_are_those_of_elimination(seed, most_cells):
    lists, chosen, graph, n_states, _ = random_problem(seed)
    families, order = families_of(lists, chosen), order_of(graph)
    expected = cliques_along(families, order[::-1])
    for width in range(1, N):
        fits = max(map(len, expected.values())) <= width and all(
            math.prod(n_states[[v, *clique]]) <= most_cells for v, clique in expected.items()
        )
        assert triangulate(lists, graph, chosen, width, most_cells) == fits
        if fits:
            assert later_of(graph) == expected
            bags = np.empty((N, width + 1), dtype=np.int32)
            bags_of(graph, bags)
            assert all(set(bags[v].tolist()) == {v, *expected[v]} for v in range(N))
            within = np.zeros(len(lists.scores), dtype=np.bool_)
            mark_within(lists, graph, within)
            members = families_of(lists, range(len(lists.scores)))
            children = np.repeat(np.arange(N), np.diff(lists.set_offsets)).tolist()
            for s, (child, family) in enumerate(zip(children, members, strict=True)):
                assert within[s] == is_family_within(lists, graph, child, s) == is_clique(expected, {child, *family})


@pytest.mark.parametrize("seed", seeds(20, quick=3))
def test_vertices_of_least_degree_come_first(seed):
    lists, chosen, graph, n_states, rng = random_problem(seed)
    families = families_of(lists, chosen)
    moralise(lists, graph, chosen)
    assert sum(int(word).bit_count() for word in graph.edges.ravel()) == 2 * len(moral_edges(families))
    assert eliminate_least(graph, rng, N, math.inf)
    adopt_order(graph)
    order = order_of(graph)
    assert graph.states.tolist() == n_states[order].tolist()
    for t in range(N):
        left = set(order[t:])
        # Eliminated are those before, then each of those left.
        degrees = {v: len(cliques_along(families, [*(left - {v}), v, *order[:t][::-1]])[v]) for v in left}
        assert degrees[order[t]] == min(degrees.values())


@pytest.mark.parametrize("seed", seeds(20, quick=3))
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("most_cells", [math.inf, 40.0])
def test_narrowed_and_widened_networks_keep_the_bounds(seed, width, most_cells):
    lists, chosen, graph, n_states, rng = random_problem(seed)
    before = families_of(lists, chosen)
    sparse, state = new_sparse_graph(N, width, 8 * N * N), 1
    sparse.cells[:] = n_states
    while state == 1:
        state = narrow(lists, sparse, rng, chosen, most_cells, 0.05)
    families = families_of(lists, chosen)
    graph.ranks[:] = positions_of(sparse.order)
    graph.states[:] = n_states[sparse.order]
    # All lists hold the empty set, so that families can give up everything.
    assert state == 0
    assert all(set(now) <= set(then) for now, then in zip(families, before, strict=True))
    for _ in range(3):
        widen(lists, graph, rng, chosen, width, most_cells, 50, 5)
        cliques = later_of(graph)
        assert elimination_width(moral_edges(families), order_of(graph)) <= width
        assert max(map(len, cliques.values())) <= width
        for v, clique in cliques.items():
            assert math.prod(n_states[[v, *clique]]) <= most_cells
            assert table_cells(graph.later[graph.ranks[v]], graph.states, n_states[v]) == math.prod(
                n_states[[v, *clique]]
            )
        assert all(is_clique(cliques, {child, *family}) for child, family in enumerate(families))


@pytest.mark.parametrize("seed", seeds(5, quick=2))
def test_families_with_one_vertex_left_are_narrowed(seed):
    # Every pair a, b of four variables has a -> m -> k <- b: without all m and k, the four are a clique, filled in.
    families = [()] * 4
    for a, b in itertools.combinations(range(4), 2):
        families += [(a,), (b, len(families))]
    n, rng = len(families), np.random.default_rng(seed)
    sets = [[family, *([(family[1],)] if len(family) > 1 else []), *([()] if family else [])] for family in families]
    offsets = np.concatenate([[0], np.cumsum(list(map(len, sets)))])
    lists = new_lists(offsets, ListedSets.of([*itertools.chain(*sets)]), -np.arange(offsets[-1], dtype=np.float64))
    graph, chosen = new_sparse_graph(n, 2, 8 * n), offsets[:-1].copy()
    assert not eliminate_moral(lists, graph, rng, chosen, math.inf)
    assert np.flatnonzero(graph.degrees >= 0).tolist() == [*range(4)]
    state = 1
    while state == 1:
        state = narrow(lists, graph, rng, chosen, math.inf, 0.05)
    assert state == 0
    narrowed = families_of(lists, chosen)
    assert elimination_width(moral_edges(narrowed), graph.order.tolist()) <= 2
    assert sum(map(len, families)) - sum(map(len, narrowed)) <= 2


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_the_best_smaller_set(seed):
    lists, chosen, *_ = random_problem(seed)
    members = families_of(lists, range(len(lists.scores)))
    for child in range(N):
        s = int(chosen[child])
        for member in members[s]:
            rest = set(members[s]) - {member}
            expected = [t for t in range(s + 1, lists.set_offsets[child + 1]) if set(members[t]) <= rest]
            assert smaller_set(lists, child, s, member) == (expected[0] if expected else NO_SMALLER_SET)
