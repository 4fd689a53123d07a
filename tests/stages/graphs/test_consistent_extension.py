"""Consistent extensions against all networks of an equivalence class."""

from __future__ import annotations

import random

import pytest
from helpers.seeds import seeds
from naive.networks import arcs, equivalence_classes, is_acyclic, skeleton, v_structures

from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.graph_records import EssentialGraph
from stages.graphs.consistent_extension import class_member, consistent_extension
from stages.graphs.essential_graphs import essential_graph


@pytest.mark.parametrize("seed", seeds(20, 5))
def test_reversible_arcs_in_any_acyclic_directions_lead_back_to_the_class(seed):
    rng = random.Random(seed)
    members = rng.choice([members for members in equivalence_classes(5) if len(members) > 3])
    graph = essential_graph(members[0])
    while True:
        parents = [[p for p, c in graph.directed if c == v] for v in range(5)]
        for edge in graph.undirected:
            parent, child = rng.sample(edge, 2)
            parents[child].append(parent)
        if is_acyclic(parents):
            break
    free = {arc for arc in arcs(parents) if arc not in graph.directed}
    extended = consistent_extension(parents, free)
    assert extended in members
    assert consistent_extension(extended, free & arcs(extended)) == extended


def test_every_essential_graph_has_a_member():
    for members in equivalence_classes(4):
        graph = essential_graph(members[0])
        variables = tuple(map(Variable, "abcd"))
        found = EssentialGraph(variables, tuple(sorted(graph.directed)), tuple(sorted(graph.undirected)))
        assert class_member(found) in members


@pytest.mark.parametrize(
    ("arcs", "edges"), [([(0, 1)], [(1, 2)]), ([], [(0, 1), (1, 2), (2, 3), (0, 3)]), ([(0, 2)], [(1, 2)])]
)
def test_other_graphs_have_none(arcs, edges):
    graph = EssentialGraph(tuple(map(Variable, "abcd")), tuple(arcs), tuple(edges))
    with pytest.raises(Inconsistent, match="no essential graph"):
        class_member(graph)


@pytest.mark.parametrize("seed", seeds(20, 5))
def test_no_v_structure_is_new_where_none_can_be_avoided(seed):
    rng = random.Random(seed)
    parents = rng.choice(rng.choice(equivalence_classes(5)))
    free = {arc for arc in arcs(parents) if rng.random() < 0.6}
    extended = consistent_extension(parents, free)
    assert is_acyclic(extended) and skeleton(extended) == skeleton(parents)
    assert arcs(parents) - free <= arcs(extended)
    assert v_structures(extended) <= v_structures(parents)
