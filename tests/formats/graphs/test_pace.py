"""PACE formats: moral graphs (gr) and tree decompositions (td)."""

from __future__ import annotations

import re

import networkx
import pytest
from click.testing import CliRunner
from helpers.cases.evaluation import random_parents
from helpers.cases.graphs import THREE, network_of, with_elimination, written
from helpers.format_strategies import networks
from helpers.places import SAMPLES
from helpers.seeds import seeds
from hypothesis import given
from hypothesis import strategies as st
from naive.optimize.treewidth import elimination_width, moral_edges

from bnsl_cli.main import cli
from formats.errors import Inconsistent
from formats.graphs.algorithms import moral_graph
from formats.graphs.network_files import open_network, write_network
from stages.graphs.treewidth import bound_treewidth


def test_pace_texts(tmp_path):
    network = network_of([(), (), (0, 1), (2,)])
    assert written(network, "gr", tmp_path) == ("c 1 'A'\nc 2 'B'\nc 3 'C'\nc 4 'D'\np tw 4 4\n1 2\n1 3\n2 3\n3 4\n")
    assert written(with_elimination(network, [3, 0, 1, 2]), "td", tmp_path) == (
        "c 1 'A'\nc 2 'B'\nc 3 'C'\nc 4 'D'\ns td 4 3 4\nb 1 3 4\nb 2 1 2 3\nb 3 2 3\nb 4 3\n1 4\n2 3\n3 4\n"
    )


def test_tree_decomposition_takes_the_certificate_of_the_header(tmp_path):
    network = open_network(str(SAMPLES / "network.v1.jsonl"))
    assert "s td 3 2 3\n" in written(network, "td", tmp_path)
    with pytest.raises(Inconsistent, match="needs an elimination order"):
        written(THREE, "td", tmp_path)
    with pytest.raises(Inconsistent, match="every variable exactly once"):
        written(with_elimination(THREE, [0, 1, 1]), "td", tmp_path)


def decomposition_problem(parents, text: str) -> str | None:
    """Which axiom of tree decompositions a PACE file breaks, if any; and whether its header is true."""
    lines = [line.split() for line in text.splitlines() if not line.startswith("c")]
    n_bags, largest, n_vertices = map(int, lines[0][2:])
    bags = {int(line[1]): {int(v) - 1 for v in line[2:]} for line in lines if line[0] == "b"}
    links = [tuple(map(int, line)) for line in lines[1:] if line[0] != "b"]
    if (len(bags), n_vertices) != (n_bags, len(parents)) or largest != max(map(len, bags.values())):
        return "header"
    tree = networkx.Graph(links)
    tree.add_nodes_from(bags)
    if not networkx.is_tree(tree):
        return "tree"
    if set().union(*bags.values()) != set(range(n_vertices)):
        return "vertices"
    if any(not any(edge <= bag for bag in bags.values()) for edge in moral_edges(parents)):
        return "edges"
    for vertex in range(n_vertices):
        if not networkx.is_connected(tree.subgraph([b for b in bags if vertex in bags[b]])):
            return "connectedness"
    return None


@given(networks(), st.data())
def test_tree_decompositions_are_valid_and_as_wide_as_their_order(tmp_path_factory, network, data):
    order = data.draw(st.permutations(range(network.n_variables)))
    path = tmp_path_factory.getbasetemp() / "round_trip.td"
    write_network(str(path), with_elimination(network, order), "td")
    text = path.read_text()
    assert decomposition_problem(network.parents, text) is None
    largest = int(re.search(r"s td \d+ (\d+)", text)[1])
    assert largest == elimination_width(moral_edges(network.parents), order) + 1


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_convert_finds_an_elimination_order(tmp_path, seed):
    """For a network without one: the decomposition is valid and as wide as the order that evaluate finds."""
    parents = random_parents(seed, 4 + 4 * seed, 3)
    source, target = tmp_path / "plain.csv", tmp_path / "found.td"
    write_network(str(source), network_of(parents, [f"V{v}" for v in range(len(parents))]), "adjacency")
    result = CliRunner().invoke(cli, ["convert", "-q", str(source), "-o", str(target)])
    assert result.exit_code == 0, result.output
    text = target.read_text()
    assert decomposition_problem(parents, text) is None
    assert int(re.search(r"s td \d+ (\d+)", text)[1]) == bound_treewidth(moral_graph(parents)).upper + 1


@given(networks())
def test_moral_graph_edges(tmp_path_factory, network):
    path = tmp_path_factory.getbasetemp() / "round_trip.gr"
    write_network(str(path), network, "gr")
    lines = [line.split() for line in path.read_text().splitlines() if not line.startswith("c")]
    edges = {frozenset(int(v) - 1 for v in line) for line in lines[1:]}
    assert edges == moral_edges(network.parents)
    assert lines[0] == ["p", "tw", str(network.n_variables), str(len(edges))]
