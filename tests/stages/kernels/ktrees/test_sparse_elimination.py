"""Elimination of sparse graphs, against elimination step by step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table
from naive.optimize.treewidth import eliminated, moral_edges

from formats.sets.listed_sets import ListedSets
from stages.kernels.ktrees.sparse_elimination import DONE, PAIRS, eliminate_moral, join_families, new_sparse_graph
from stages.lists.set_lists import lists_in, new_lists

N = 9


def random_problem(seed, width):
    """Lists, random sets of them, scratch for their moral graph, and a generator."""
    rng, lists = np.random.default_rng(seed), lists_in(random_table(seed, N, n_sets=10))
    graph = new_sparse_graph(N, width, 8 * N * N)
    graph.cells[:] = rng.integers(2, 5, N)
    chosen = np.array([rng.integers(*lists.set_offsets[child : child + 2]) for child in range(N)])
    return lists, chosen, graph, rng


def families_of(lists, chosen):
    offsets = lists.parent_offsets
    return [tuple(lists.parents[offsets[s] : offsets[s + 1]].tolist()) for s in chosen]


def degrees_of(edges, left):
    return {v: sum(v in edge for edge in edges) for v in left}


@pytest.mark.parametrize("seed", seeds(20, quick=3))
@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("most_cells", [math.inf, 60.0])
def test_vertices_of_least_degree_go_until_one_exceeds_the_bounds(seed, width, most_cells):
    lists, chosen, graph, rng = random_problem(seed, width)
    families, left = families_of(lists, chosen), set(range(N))
    is_within = eliminate_moral(lists, graph, rng, chosen, most_cells)
    edges = moral_edges(families)
    for v in graph.order[: graph.counts[DONE]].tolist():
        degrees = degrees_of(edges, left)
        assert degrees[v] == min(degrees.values()) <= width
        neighbours, edges = eliminated(edges, v)
        assert set(graph.later[v, : graph.sizes[v]].tolist()) == neighbours
        assert math.prod(graph.cells[[v, *neighbours]]) <= most_cells
        left.remove(v)
    assert is_within == (not left)
    if left:
        degrees = degrees_of(edges, left)
        assert {v: int(graph.degrees[v]) for v in left} == degrees
        least = [v for v in left if degrees[v] == min(degrees.values())]
        exceeding = [v for v in least if math.prod(graph.cells[[v, *eliminated(edges, v)[0]]]) > most_cells]
        assert min(degrees.values()) > width or exceeding


@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_pairs_are_joined_once(seed):
    lists, chosen, graph, _ = random_problem(seed, 3)
    edges = moral_edges(families_of(lists, chosen))
    join_families(graph, lists, chosen)
    assert graph.counts[PAIRS] == 2 * len(edges)
    assert graph.degrees.tolist() == list(degrees_of(edges, range(N)).values())


@pytest.mark.parametrize(("n_pairs", "fits"), [(4, False), (7, True)])
def test_a_graph_without_room_for_the_neighbours_is_not_eliminated(n_pairs, fits):
    """A ring of four, whose vertices have two neighbours each."""
    lists = new_lists(np.arange(5), ListedSets.of(((1,), (2,), (3,), (0,))), np.zeros(4))
    graph, chosen = new_sparse_graph(4, 3, n_pairs), np.arange(4)
    assert eliminate_moral(lists, graph, np.random.default_rng(0), chosen, math.inf) == fits
