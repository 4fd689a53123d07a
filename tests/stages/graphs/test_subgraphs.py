"""Parts of networks against their definitions."""

from __future__ import annotations

import math

import networkx
import numpy as np
import pytest
from helpers.format_strategies import networks, words
from hypothesis import given
from hypothesis import strategies as st

from formats.data_records import Variable
from formats.errors import Inconsistent
from formats.records import Header, NetworkRecord, Parameters
from stages.graphs.essential_graphs import essential_graph
from stages.graphs.subgraphs import cut_essential_graph, cut_network, cut_parameters, markov_blanket, neighbourhood

#   0   1
#    \ / \
#     2   3     5
#     |
#     4
PARENTS = ((), (), (0, 1), (1,), (2,), ())


def network_of(parents) -> NetworkRecord:
    header = Header(
        tuple(Variable(f"V{v}") for v in range(len(parents))), "bic", 10, "sha256:1", extra={"total": -9.0}
    )
    return NetworkRecord(header, parents, -np.arange(1.0, len(parents) + 1))


@pytest.mark.parametrize(
    ("targets", "expected"),
    [([0], {0, 1, 2}), ([3], {1, 3}), ([2], {0, 1, 2, 4}), ([5], {5}), ([0, 4], {0, 1, 2, 4}), ([], set())],
)
def test_blankets(targets, expected):
    assert markov_blanket(PARENTS, targets) == expected


@pytest.mark.parametrize(
    ("targets", "radius", "expected"),
    [([4], 1, {2, 4}), ([4], 2, {0, 1, 2, 4}), ([4], 9, {0, 1, 2, 3, 4}), ([5], 3, {5}), ([], 1, set())],
)
def test_neighbourhoods(targets, radius, expected):
    assert neighbourhood(PARENTS, targets, radius) == expected


@given(network=networks(words), data=st.data())
def test_a_blanket_parts_its_variable_from_all_others(network: NetworkRecord, data: st.DataObject):
    target = data.draw(st.integers(0, network.n_variables - 1))
    graph = networkx.DiGraph((p, child) for child, parents in enumerate(network.parents) for p in parents)
    graph.add_nodes_from(range(network.n_variables))
    blanket = markov_blanket(network.parents, [target])
    others = set(range(network.n_variables)) - blanket
    assert networkx.is_d_separator(graph, {target}, others, blanket - {target})


def test_a_part_keeps_scores_of_whole_families_only():
    part = cut_network(network_of(PARENTS), {0, 2, 4})
    assert part.header.names == ("V0", "V2", "V4")
    assert part.parents == ((), (0,), (1,))
    assert part.scores[[0, 2]].tolist() == [-1.0, -5.0] and math.isnan(part.scores[1])
    assert (part.header.score, part.header.rows) == ("bic", 10)
    assert part.header.data is None and part.header.extra == {}


def test_a_part_keeps_which_variables_are_screened():
    network = network_of(PARENTS)
    network.header.extra["screened"] = [3, 4]
    assert cut_network(network, {0, 2, 4}).header.extra == {"screened": [2]}
    assert cut_essential_graph(network).screened == {3, 4}
    assert cut_essential_graph(network, {1, 3}).screened == {1}


def test_parameters_go_with_whole_families_only():
    variables = tuple(Variable(name, ("0", "1")) for name in "abc")
    tables = (np.full(2, 0.5), np.full((2, 2), 0.5), np.full((2, 2), 0.5))
    model = Parameters(variables, ((), (0,), (1,)), tables, "m")
    part = cut_parameters(model, {0, 1})
    assert (part.variables, part.parents, part.name) == (variables[:2], ((), (0,)), "m")
    with pytest.raises(Inconsistent, match="'c' without its parent 'b'"):
        cut_parameters(model, {0, 2})


@given(network=networks(words), data=st.data())
def test_a_part_of_the_essential_graph_is_of_the_whole_one(network: NetworkRecord, data: st.DataObject):
    kept = data.draw(st.sets(st.integers(0, network.n_variables - 1), min_size=1))
    part, order, whole = cut_essential_graph(network, kept), sorted(kept), essential_graph(network.parents)
    assert {(order[a], order[b]) for a, b in part.arcs} == {p for p in whole.directed if kept.issuperset(p)}
    assert {(order[a], order[b]) for a, b in part.edges} == {p for p in whole.undirected if kept.issuperset(p)}
    complete = cut_essential_graph(network)
    assert set(complete.arcs) == whole.directed and set(complete.edges) == whole.undirected
