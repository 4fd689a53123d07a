"""Graph formats: adjacency, arcs, model string, DOT, GraphML, HUGIN, PACE."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from pathlib import Path

import networkx
import numpy as np
import pytest
from click.testing import CliRunner
from helpers.evaluation_cases import random_parents
from helpers.format_strategies import bayesian_networks, labels, networks, same_network
from helpers.places import SAMPLES
from hypothesis import given
from hypothesis import strategies as st
from naive.treewidth import elimination_width, moral_edges

from bnsl_cli.main import cli
from formats.errors import FormatError, Inconsistent
from formats.networks import open_bayesian_network, open_network, write_network
from formats.records import BayesianNetwork, Network, Variable
from formats.registry import Kind, formats_of
from formats.structures import find_cycle, network_from_parents
from stages.evaluate.treewidth import bound_treewidth
from stages.graphs import moral_graph


def network_of(parents, names=None) -> Network:
    names = names or [chr(ord("A") + i) for i in range(len(parents))]
    return network_from_parents(tuple(map(Variable, names)), parents)


THREE = network_of([(), (0,), (0, 1)])


def read(text: str | bytes) -> Network:
    return open_network(io.BytesIO(text.encode() if isinstance(text, str) else text))


def written(network, format, tmp_path) -> str:
    path = tmp_path / f"out.{format}"
    write_network(str(path), network, format)
    return path.read_text()


def with_elimination(network: Network, order) -> Network:
    """The network with an elimination order in its header."""
    header = dataclasses.replace(network.header, extra={"treewidth": {"elimination": list(order)}})
    return dataclasses.replace(network, header=header)


# ---- by hand


@pytest.mark.parametrize("sample", ["adjacency.csv", "adjacency_bare.csv", "arcs.csv", "modelstring.txt"])
def test_plain_samples(sample):
    network = open_network(str(SAMPLES / sample))
    assert network.header.names == ("A", "B", "C")
    assert network.parents == ((), (0,), (0, 1))
    assert np.isnan(network.scores).all()


def test_dot_sample():
    network = open_network(str(SAMPLES / "graph.dot"))
    assert network.header.names == ("Age", "Sick", 'Chest "X"-ray', "lonely", "-1.5")
    assert network.parents == ((4,), (0,), (0, 1), (), ())


def test_graphml_sample():
    network = open_network(str(SAMPLES / "graph.graphml"))
    assert network.header.names == ("A & B", "C", "D")
    assert network.parents == ((), (0,), (0, 1))


def test_written_texts(tmp_path):
    assert written(THREE, "adjacency", tmp_path) == ",A,B,C\nA,0,1,1\nB,0,0,1\nC,0,0,0\n"
    assert written(THREE, "modelstring", tmp_path) == "[A][B|A][C|A:B]\n"
    assert written(THREE, "dot", tmp_path) == (
        'digraph network {\n  "A";\n  "B";\n  "C";\n  "A" -> "B";\n  "A" -> "C";\n  "B" -> "C";\n}\n'
    )
    assert written(THREE, "graphml", tmp_path) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        '  <graph id="network" edgedefault="directed">\n'
        '    <node id="A"/>\n    <node id="B"/>\n    <node id="C"/>\n'
        '    <edge source="A" target="B"/>\n    <edge source="A" target="C"/>\n    <edge source="B" target="C"/>\n'
        "  </graph>\n</graphml>\n"
    )


def test_hugin_text(tmp_path):
    network = open_bayesian_network(str(SAMPLES / "plain.bif"))
    text = written(network, "net", tmp_path)
    assert text.startswith('net\n{\n}\nnode Age\n{\n  states = ( "<5" "5-12" "12+" );\n}\n')
    assert 'node Chest_X_ray\n{\n  label = "Chest X-ray";\n' in text
    # parents as listed in the BIF file: Sick first, Age fastest but for the child
    assert (
        "potential ( Chest_X_ray | Sick Age )\n{\n  data = "
        "((( 0.125 0.875 )( 0.375 0.625 )( 0.625 0.375 ))(( 0.25 0.75 )( 0.5 0.5 )( 0.75 0.25 )));\n}\n"
    ) in text


def test_hugin_names_stay_distinct(tmp_path):
    names = ["a b", "a_b", "a.b", "9", "net", "_9"]
    variables = tuple(Variable(name, ("0", "1")) for name in names)
    network = BayesianNetwork(variables, ((),) * 6, (np.array([0.5, 0.5]),) * 6)
    found = re.findall(r"node (\w+)\n", written(network, "net", tmp_path))
    assert found == ["a_b_2", "a_b", "a_b_3", "_9_2", "_net", "_9"]


def test_hugin_needs_parameters(tmp_path):
    with pytest.raises(Inconsistent, match=r"has no parameters, and net needs them(.|\n)*bnsl fit"):
        write_network(str(tmp_path / "x"), THREE, "net")
    assert list(tmp_path.iterdir()) == []


def test_pace_texts(tmp_path):
    network = network_of([(), (), (0, 1), (2,)])
    assert written(network, "gr", tmp_path) == (
        "c 1 'A'\nc 2 'B'\nc 3 'C'\nc 4 'D'\np tw 4 4\n1 2\n1 3\n2 3\n3 4\n"
    )
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


def test_find_cycle():
    assert find_cycle([(), (0,), (0, 1)]) is None
    assert find_cycle([(0,)]) == [0]
    cycle = find_cycle([(), (0, 3), (1,), (2,), (3,)])
    parents = {1: {0, 3}, 2: {1}, 3: {2}}
    assert sorted(cycle) == [1, 2, 3]
    assert all(cycle[i - 1] in parents[cycle[i]] for i in range(3))


# ---- errors


@pytest.mark.parametrize(
    "text, expected",
    [
        ("[A][B|A][C|A:B", "expected [NAME] or [NAME|PARENT:...], got '[C|A:B'"),
        ("[A][B|D]", "variable 'B' has the unknown parent 'D'"),
        ("[A][A]", "variable 'A' comes twice"),
        ("[A][B|A:A]", "variable 'B' has a parent twice"),
        ("[A|A]", "the arcs form a cycle: A -> A"),
        ("[A|B][B|A]", "the arcs form a cycle: "),
        (",A,B\nA,0,1\nB,1,0\n", "the arcs form a cycle: "),
        (",A,B\nA,0,1\nB,0,2\n", "<stream>:3: entry '2' is neither 0 nor 1"),
        (",A,B\nA,0,1\nC,0,0\n", "<stream>:3: row name 'C' is no column name"),
        (",A,B\nA,0,1\nA,0,0\n", "<stream>:3: row name 'A' is no column name or comes twice"),
        (",A,B\nA,0,1\nB,0\n", "<stream>:3: 1 entries for 2 variables"),
        ("A,B\n0,1\n", "<stream>:2: row name '0' is no column name"),
        ("A,A\n0,1\n0,0\n", "row name 'A'"),
        ("height,weight\n1.5,2\n3,4\n5,6\n", "expected a network"),
        ("from,to\nA,\n", "<stream>:2: an arc needs two names"),
        ("from,to\n", "the list of arcs is empty"),
        ("from,to\nA,B\nA,B\n", "variable 'B' has a parent twice"),
        ('from,to\n"A,B\n', "not a CSV table"),
        ("graph { A -- B }", "needs a directed graph (digraph), not 'graph'"),
        ("digraph { A -- B }", "an undirected edge"),
        ("digraph { A -> B", "expected 'name', got the end"),
        ("digraph {\n A -> }", "<stream>:2: expected 'name', got '}'"),
        ("digraph { A -> B [dir=back] }", "dir=back"),
        ("digraph { A -> B } digraph { }", "more than one graph"),
        ("digraph { }", "the graph has no nodes"),
        ("digraph { A -> B -> A }", "the arcs form a cycle: "),
        ("digraph {" * 100, "too deeply nested"),
        ("digraph " + "{" * 100, "too deeply nested"),
        ("digraph { A ; %", "unexpected '%'"),
        ("<graphml>", "<stream>:1: not valid XML (no element found)"),
        ("<html><body/></html>", "an XML file without a GraphML graph"),
        ("<graphml><graph edgedefault='directed'/></graphml>", "the graph has no nodes"),
        ("<graphml><graph><node id='a'/><node id='a'/></graph></graphml>", "nodes without an id"),
        (
            "<graphml><graph><node id='a'/><edge source='a' target='b'/></graph></graphml>",
            "unknown nodes 'a' and 'b'",
        ),
        (
            "<graphml><graph><node id='a'/><node id='b'/><edge source='a' target='b'/></graph></graphml>",
            "an undirected edge",
        ),
        ("net\n{\n}\n", "this looks like a HUGIN network"),
        ("3\n0 1\n-1 0\n", "this looks like a jkl score file"),
        ("", "the input is empty"),
    ],
)
def test_broken_graphs(text, expected):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert expected in str(caught.value)


def test_names_that_a_format_cannot_hold(tmp_path):
    for name in ("a:b", "a|b", "[a]", "", " a"):
        with pytest.raises(Inconsistent, match="a model string cannot hold"):
            write_network(str(tmp_path / "x"), network_of([()], [name]), "modelstring")
    with pytest.raises(Inconsistent, match="XML cannot hold"):
        write_network(str(tmp_path / "x"), network_of([()], ["a\x07"]), "graphml")
    with pytest.raises(ValueError, match="unknown format"):
        write_network(str(tmp_path / "x"), THREE, "png")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "sample", ["adjacency.csv", "arcs.csv", "modelstring.txt", "graph.dot", "graph.graphml", "plain.bif"]
)
@given(position=st.integers(0, 10**6), junk=st.binary(min_size=1, max_size=3), cut=st.booleans())
def test_damaged_bytes_never_crash(sample, position, junk, cut):
    content = bytearray((SAMPLES / sample).read_bytes())
    position %= len(content)
    content[position : position + len(junk)] = junk
    try:
        read(bytes(content[: position + 1]) if cut else bytes(content))
    except FormatError as error:
        assert str(error)


# ---- agreement with other programs' readers


def test_networkx_reads_our_graphml(tmp_path):
    network = network_of([(), (0,), (0, 1), ()], ["a & b", 'c"d', "é <x>", "lonely"])
    write_network(str(tmp_path / "out.graphml"), network, "graphml")
    graph = networkx.read_graphml(tmp_path / "out.graphml")
    assert set(graph.nodes) == set(network.header.names)
    names = network.header.names
    assert set(graph.edges) == {(names[0], names[1]), (names[0], names[2]), (names[1], names[2])}


def test_we_read_graphml_of_networkx(tmp_path):
    graph = networkx.DiGraph([("x", "y"), ("y", "z w")])
    graph.add_node("lonely")
    networkx.write_graphml(graph, tmp_path / "in.graphml")
    network = open_network(str(tmp_path / "in.graphml"))
    assert network.header.names == ("x", "y", "z w", "lonely")
    assert network.parents == ((), (0,), (1,), ())


# ---- properties


# CSV cells are stripped and blank ones refused; a line end inside a name is beyond a line-based reader.
csv_names = labels.filter(
    lambda name: name == name.strip() and not re.search(r"[\x0b\x0c\x1c-\x1e\x85]", name)
)


@given(networks(csv_names))
def test_adjacency_round_trip(tmp_path_factory, network):
    path = str(tmp_path_factory.getbasetemp() / "round_trip.csv")
    write_network(path, network, "adjacency")
    rows = list(csv.reader(io.StringIO(Path(path).read_text())))
    arcs = {(p, c) for c, parents in enumerate(network.parents) for p in parents}
    assert {(r, c) for r, row in enumerate(rows[1:]) for c, cell in enumerate(row[1:]) if cell == "1"} == arcs
    assert same_network(open_network(path), network)


@given(networks(st.text("abc.<+-é", min_size=1, max_size=4)))
def test_modelstring_round_trip(tmp_path_factory, network):
    path = str(tmp_path_factory.getbasetemp() / "round_trip.txt")
    write_network(path, network, "modelstring")
    assert same_network(open_network(path), network)


@given(networks())
def test_dot_round_trip(tmp_path_factory, network):
    path = str(tmp_path_factory.getbasetemp() / "round_trip.dot")
    write_network(path, network, "dot")
    assert same_network(open_network(path), network)


@given(networks(labels.filter(lambda name: not re.search(r"[\x00-\x1f\ud800-\udfff\ufffe\uffff]", name))))
def test_graphml_round_trip(tmp_path_factory, network):
    path = str(tmp_path_factory.getbasetemp() / "round_trip.graphml")
    write_network(path, network, "graphml")
    assert same_network(open_network(path), network)


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


@pytest.mark.parametrize("seed", range(6))
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


@given(bayesian_networks())
def test_hugin_holds_all_probabilities_in_order(tmp_path_factory, network):
    path = tmp_path_factory.getbasetemp() / "round_trip.net"
    write_network(str(path), network, "net")
    found = re.findall(r"^  data = (.*);$", path.read_text(), re.MULTILINE)
    assert len(found) == len(network.tables)
    for text, table in zip(found, network.tables):
        assert list(map(float, re.sub("[()]", " ", text).split())) == table.ravel().tolist()


@given(bayesian_networks())
def test_every_structure_format_takes_networks_with_parameters(tmp_path_factory, network):
    structures = {row.name for row in formats_of(Kind.NETWORK, Kind.MORAL_GRAPH, written=True)}
    for format in structures - {"modelstring", "graphml"}:
        write_network(str(tmp_path_factory.getbasetemp() / "out"), network, format)


@pytest.mark.parametrize("word", ["network", "graph", "digraph", "variable", "net", "var", "meta"])
def test_a_table_may_begin_with_a_keyword_of_another_format(word):
    assert read(f"{word},B\n0,1\n0,0\n").header.names == (word, "B")


@pytest.mark.parametrize("text", [",", ",\n", '""', " , \n\t\n"])
def test_tables_of_blanks(text):
    with pytest.raises(FormatError):
        read(text)
