"""Essential graphs against the classes of Markov-equivalent networks."""

from __future__ import annotations

import itertools

import pytest
from helpers.cases.evaluation import directed_graph, random_parents
from hypothesis import given
from hypothesis import strategies as st
from naive import networks as naive

from formats.errors import Inconsistent
from stages.graphs import topological_order
from stages.graphs.essential_graphs import (
    ArcComparison,
    compare_arcs,
    compare_edges,
    essential_graph,
    list_arcs,
    skeleton_distance,
    structural_hamming_distance,
)


@pytest.mark.parametrize(
    ("parents", "directed", "undirected"),
    [
        ([(), (0,), (1,)], set(), {(0, 1), (1, 2)}),
        ([(), (0, 2), ()], {(0, 1), (2, 1)}, set()),
        # A v-structure with a tail: 0 -> 1 <- 2, 1 -> 3.
        ([(), (0, 2), (), (1,)], {(0, 1), (2, 1), (1, 3)}, set()),
        ([(), (0,), (0, 1)], set(), {(0, 1), (0, 2), (1, 2)}),
        # 0 - 1, 0 - 2, 0 - 3 and 1 -> 3 <- 2: the arc between 0 and 3 would close a cycle the other way.
        ([(), (0,), (0,), (0, 1, 2)], {(1, 3), (2, 3), (0, 3)}, {(0, 1), (0, 2)}),
    ],
)
def test_by_hand(parents, directed, undirected):
    assert essential_graph(parents) == (directed, undirected)


@pytest.mark.parametrize("n_variables", [1, 2, 3, 4])
def test_all_networks_of_up_to_four_variables(n_variables):
    for members in naive.equivalence_classes(n_variables):
        expected = naive.essential_graph(members)
        for parents in members:
            assert essential_graph(parents) == expected


def test_distances_between_all_essential_graphs_of_three_variables():
    graphs = [naive.essential_graph(members) for members in naive.equivalence_classes(3)]
    networks = [members[-1] for members in naive.equivalence_classes(3)]
    for i, j in itertools.product(range(len(graphs)), repeat=2):
        got = structural_hamming_distance(essential_graph(networks[i]), essential_graph(networks[j]))
        assert got == naive.hamming_distance(graphs[i], graphs[j], 3)
        edges = [
            {*((arc, "directed") for arc in g[0]), *((edge, "not") for edge in g[1])} for g in (graphs[i], graphs[j])
        ]
        counts = compare_edges(essential_graph(networks[i]), essential_graph(networks[j]))
        assert counts == (len(edges[0] & edges[1]), len(edges[0] - edges[1]), len(edges[1] - edges[0]))


def reverse_covered_arcs(parents, seed, steps=40):
    """Walk through an equivalence class: an arc whose ends share all other parents can be turned round."""
    import random

    generator = random.Random(seed)
    sets = [set(p) for p in parents]
    for _ in range(steps):
        covered = [(p, c) for c, ps in enumerate(sets) for p in ps if ps - {p} == sets[p]]
        if not covered:
            break
        tail, head = generator.choice(covered)
        sets[head].remove(tail)
        sets[tail].add(head)
    return sets


@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 6))
def test_equivalent_networks_share_their_essential_graph(seed, n_variables, max_parents):
    parents = random_parents(seed, n_variables, max_parents)
    other = reverse_covered_arcs(parents, seed)
    assert essential_graph(parents) == essential_graph(other)
    assert structural_hamming_distance(essential_graph(parents), essential_graph(other)) == 0


@given(st.integers(0, 10**6), st.integers(2, 12), st.integers(1, 5))
def test_compelled_arcs_hold_the_v_structures_and_edges_the_skeleton(seed, n_variables, max_parents):
    parents = random_parents(seed, n_variables, max_parents)
    graph = essential_graph(parents)
    assert graph.directed <= naive.arcs(parents)
    for a, child, b in naive.v_structures(parents):
        assert {(a, child), (b, child)} <= graph.directed
    assert {frozenset(e) for e in graph.directed | graph.undirected} == naive.skeleton(parents)
    assert not {frozenset(e) for e in graph.directed} & {frozenset(e) for e in graph.undirected}


@given(st.integers(0, 10**6), st.integers(1, 10), st.permutations(range(10)))
def test_distances_are_symmetric_and_ignore_numbering(seed, n_variables, permutation):
    first, second = (random_parents(seed + i, n_variables, 3) for i in range(2))
    place = [p for p in permutation if p < n_variables]

    def renumber(parents):
        moved = [()] * n_variables
        for child, parent_set in enumerate(parents):
            moved[place[child]] = tuple(place[p] for p in parent_set)
        return moved

    distance = structural_hamming_distance(essential_graph(first), essential_graph(second))
    assert distance == structural_hamming_distance(essential_graph(second), essential_graph(first))
    moved = [essential_graph(renumber(parents)) for parents in (first, second)]
    assert distance == structural_hamming_distance(*moved)
    assert skeleton_distance(list_arcs(first), list_arcs(second)) <= distance


def test_arcs_against_a_reference():
    network, reference = [(), (0,), (1,), (2,)], [(), (), (1,), (0,)]
    assert compare_arcs(network, reference) == ArcComparison(1, 2, 1)
    assert compare_arcs([(1,), ()], [(), (0,)]) == ArcComparison(0, 1, 1)
    assert structural_hamming_distance(directed_graph([(1,), ()]), directed_graph([(), (0,)])) == 1
    assert skeleton_distance(list_arcs([(1,), ()]), list_arcs([(), (0,)])) == 0


@pytest.mark.parametrize("parents", [[(0,)], [(1,), (0,)], [(), (0, 3), (1,), (2,)]])
def test_cycles_are_refused(parents):
    with pytest.raises(Inconsistent, match="cycle"):
        essential_graph(parents)


@given(st.integers(0, 10**6), st.integers(1, 30))
def test_topological_order_puts_parents_first(seed, n_variables):
    parents = random_parents(seed, n_variables, 4)
    order = topological_order(parents)
    assert sorted(order) == list(range(n_variables))
    assert all(order.index(p) < order.index(c) for p, c in list_arcs(parents))
