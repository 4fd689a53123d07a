"""Graph formats: adjacency, arcs, model string, DOT, GraphML, HUGIN."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import networkx
import numpy as np
import pytest
from helpers.cases.graphs import THREE, network_of, written
from helpers.format_strategies import bayesian_networks, labels, networks, renamed, same_network
from helpers.parameter_files import open_parameters, write_parameters
from helpers.places import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from formats.data_records import Variable
from formats.errors import FormatError, Inconsistent
from formats.graphs import structures
from formats.graphs.algorithms import find_cycle
from formats.graphs.network_files import open_network, write_network
from formats.kinds import Kind
from formats.records import NetworkRecord, Parameters
from formats.registry import formats_of


def read(text: str | bytes) -> NetworkRecord:
    return open_network(io.BytesIO(text.encode() if isinstance(text, str) else text))


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
    degrees = {"A": (0, 2, 2), "B": (1, 1, 2), "C": (2, 0, 2)}
    names = ("in_degree", "out_degree", "degree")
    keys = (f'  <key id="{name}" for="node" attr.name="{name}" attr.type="int"/>\n' for name in names)
    nodes = (
        f'    <node id="{label}">'
        + "".join(f'<data key="{name}">{value}</data>' for name, value in zip(names, of_node, strict=True))
        + "</node>\n"
        for label, of_node in degrees.items()
    )
    assert written(THREE, "graphml", tmp_path) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
        + "".join(keys)
        + '  <graph id="network" edgedefault="directed">\n'
        + "".join(nodes)
        + '    <edge source="A" target="B"/>\n    <edge source="A" target="C"/>\n    <edge source="B" target="C"/>\n'
        "  </graph>\n</graphml>\n"
    )


def test_hugin_text(tmp_path):
    network = open_parameters(str(SAMPLES / "plain.bif"))
    text = written(structures.network_of(network), "net", tmp_path)
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
    network = Parameters(variables, ((),) * 6, (np.array([0.5, 0.5]),) * 6)
    found = re.findall(r"node (\w+)\n", written(structures.network_of(network), "net", tmp_path))
    assert found == ["a_b_2", "a_b", "a_b_3", "_9_2", "_net", "_9"]


def test_hugin_needs_parameters(tmp_path):
    with pytest.raises(Inconsistent, match=r"has no parameters, and net needs them(.|\n)*bnsl fit"):
        write_network(str(tmp_path / "x"), THREE, "net")
    assert list(tmp_path.iterdir()) == []


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
        (",A,B\nA,0,1\nB,1,0\n", "'A' and 'B' have 1 both ways: an undirected edge; a network needs directed ones"),
        (",A,B,C\nA,0,1,0\nB,0,0,1\nC,1,0,0\n", "the arcs form a cycle: "),
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
        ("from,to\nA\rC,B\n", "a carriage return that ends no line"),
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
        ("<html><body/></html>", "this looks like a web page"),
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
        ("net\n{\n}\n", "no variables"),
        ("3\n0 1\n-1 0\n", "this looks like a jkl score file"),
        ("", "the input is empty"),
    ],
)
def test_broken_graphs(text, expected):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert expected in str(caught.value)


@pytest.mark.parametrize("text", ['digraph {a; ""}', "[a][\t]", "from,to\na,\n"])
def test_a_variable_without_a_name_is_refused(text):
    with pytest.raises(FormatError, match="name"):
        read(text)


@pytest.mark.parametrize("name", [" a", "a ", "a\nb"])
def test_names_that_a_table_cannot_hold(tmp_path, name):
    network = network_of([(), (0,)], [name, "c"])
    for format in ("adjacency", "arcs"):
        with pytest.raises(Inconsistent, match="a table cannot hold"):
            write_network(str(tmp_path / "x"), network, format)


def test_names_that_a_format_cannot_hold(tmp_path):
    for name in ("a:b", "a|b", "[a]", " a"):
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


NOT_IN_XML = r"[\x00-\x1f\ud800-\udfff\ufffe\uffff]"

# Blank names are refused. CSV cells are stripped; a line end inside a name is beyond a line-based reader.
csv_names = labels.filter(lambda name: name == name.strip() and not re.search(r"[\x0b\x0c\x1c-\x1e\x85]", name))


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


@given(networks(labels.filter(str.strip)))
def test_dot_round_trip(tmp_path_factory, network):
    path = str(tmp_path_factory.getbasetemp() / "round_trip.dot")
    write_network(path, network, "dot")
    assert same_network(open_network(path), network)


@given(networks(labels.filter(str.strip).filter(lambda name: not re.search(NOT_IN_XML, name))))
def test_graphml_round_trip(tmp_path_factory, network):
    path = str(tmp_path_factory.getbasetemp() / "round_trip.graphml")
    write_network(path, network, "graphml")
    assert same_network(open_network(path), network)


@given(bayesian_networks())
def test_hugin_holds_all_probabilities_in_order(tmp_path_factory, network):
    path = tmp_path_factory.getbasetemp() / "round_trip.net"
    write_parameters(str(path), renamed(network), "net")
    found = re.findall(r"^  data = (.*);$", path.read_text(), re.MULTILINE)
    assert len(found) == len(network.tables)
    for text, table in zip(found, network.tables):
        assert list(map(float, re.sub("[()]", " ", text).split())) == table.ravel().tolist()


@given(bayesian_networks())
def test_every_structure_format_takes_networks_with_parameters(tmp_path_factory, network):
    structures = {row.name for row in formats_of(Kind.NETWORK, written=True)}
    for format in structures - {"modelstring", "graphml", "adjacency", "arcs"}:  # these refuse some names
        write_parameters(str(tmp_path_factory.getbasetemp() / "out"), network, format)


@pytest.mark.parametrize("word", ["network", "graph", "digraph", "variable", "net", "var", "meta"])
def test_a_table_may_begin_with_a_keyword_of_another_format(word):
    assert read(f"{word},B\n0,1\n0,0\n").header.names == (word, "B")


@pytest.mark.parametrize("text", [",", ",\n", '""', " , \n\t\n"])
def test_tables_of_blanks(text):
    with pytest.raises(FormatError):
        read(text)


def test_what_stands_for_millions_of_arcs_is_refused_at_once():
    names = " ".join(f"v{i}" for i in range(1100))
    text = f"digraph {{ {{{names}}} -> {{{names.replace('v', 'w')}}} }}"
    with pytest.raises(FormatError, match="more than 1,000,000 arcs"):
        open_network(io.BytesIO(text.encode()))


def test_xml_entities_are_refused():
    text = b'<?xml version="1.0"?>\n<!DOCTYPE g [<!ENTITY a "b">]>\n<graphml><graph id="g">&a;</graph></graphml>'
    with pytest.raises(FormatError, match="entities"):
        open_network(io.BytesIO(text))
