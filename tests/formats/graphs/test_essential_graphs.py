"""Essential graphs in the formats that hold undirected edges; none is taken for a network when read."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from formats import open_graph, open_network, write_essential_graph
from formats.data_records import Variable
from formats.errors import FormatError
from formats.graph_records import EssentialGraph
from formats.graphs.arc_tables import write_arc_table
from formats.kinds import Kind
from formats.records import NetworkRecord
from formats.registry import FORMATS

GRAPH = EssentialGraph(tuple(map(Variable, ["a", "b c", "d", "e"])), ((0, 2), (1, 2)), ((0, 3),))
ABLE = [row.target for row in FORMATS if row.has_edges]


def written(tmp_path: Path, target: str) -> str:
    path = tmp_path / "graph"
    write_essential_graph(str(path), GRAPH, target)
    return path.read_text()


def test_arcs(tmp_path: Path):
    rows = list(csv.reader(written(tmp_path, "arcs").splitlines()))
    assert rows == [
        ["from", "to", "type"],
        ["a", "d", "directed"],
        ["b c", "d", "directed"],
        ["a", "e", "undirected"],
    ]


def test_adjacency_has_edges_both_ways(tmp_path: Path):
    rows = list(csv.reader(written(tmp_path, "adjacency").splitlines()))
    assert rows[0] == ["", "a", "b c", "d", "e"]
    assert [row[1:] for row in rows[1:]] == [list("0011"), list("0010"), list("0000"), list("1000")]


def test_dot(tmp_path: Path):
    text = written(tmp_path, "dot")
    assert '"a" -> "d";' in text and '"a" -> "e" [dir=none];' in text


def test_graphml(tmp_path: Path):
    edges = ElementTree.fromstring(written(tmp_path, "graphml")).findall(".//{*}edge")
    assert [(e.get("source"), e.get("target"), e.get("directed")) for e in edges] == [
        ("a", "d", None),
        ("b c", "d", None),
        ("a", "e", "false"),
    ]


@pytest.mark.parametrize("target", [row.target for row in FORMATS if row.has_edges and row.kind is Kind.NETWORK])
def test_an_essential_graph_is_no_network(tmp_path: Path, target: str):
    written(tmp_path, target)
    with pytest.raises(FormatError, match=r"undirected|dir=none|cycle"):
        open_network(str(tmp_path / "graph"))


@pytest.mark.parametrize("target", ["arcs", "dot", "graphml", "adjacency"])
def test_it_is_read_as_a_graph(tmp_path: Path, target: str):
    written(tmp_path, target)
    again = open_graph(str(tmp_path / "graph"))
    assert isinstance(again, EssentialGraph)
    names = [variable.name for variable in again.variables]
    shown = [{(names[a], names[b]) for a, b in pairs} for pairs in (again.arcs, again.edges)]
    assert shown[0] == {("a", "d"), ("b c", "d")} and {frozenset(edge) for edge in shown[1]} == {frozenset("ae")}


def test_arcs_as_parquet_have_undirected_edges(tmp_path: Path):
    write_arc_table(str(tmp_path / "graph"), GRAPH, "parquet")
    again = open_graph(str(tmp_path / "graph"))
    assert isinstance(again, EssentialGraph) and (len(again.arcs), len(again.edges)) == (2, 1)


@pytest.mark.parametrize(
    ("text", "arcs", "edges"),
    [
        ("graph { a -- b -- c }", (), ((0, 1), (1, 2))),
        ("digraph { a -> b; b -> c -> d [dir=none] }", ((0, 1),), ((1, 2), (2, 3))),
        ("from,to,type,strength,either\na,b,directed,0.5,1\nc,b,undirected,1,1\n", ((0, 1),), ((1, 2),)),
        ("a,b,c\n0,1,1\n1,0,0\n0,0,0\n", ((0, 2),), ((0, 1),)),
    ],
)
def test_graphs_of_others(text: str, arcs: tuple, edges: tuple):
    graph = open_graph(io.BytesIO(text.encode()))
    assert isinstance(graph, EssentialGraph) and (graph.arcs, graph.edges) == (arcs, edges)


def test_without_undirected_edges_it_is_a_network():
    for text in ("digraph { a -> b }", "from,to,type\na,b,directed\n", "a,b\n0,1\n0,0\n", "[a][b|a]"):
        graph = open_graph(io.BytesIO(text.encode()))
        assert isinstance(graph, NetworkRecord) and graph.parents == ((), (0,))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("digraph { a -> b; b -> a [dir=none] }", "an arc and an undirected edge: 'a' and 'b'"),
        ("digraph { a -> a [dir=none] }", "from a variable to itself"),
        ("digraph { a -> b -> c -> a; c -> d [dir=none] }", "cycle"),
        ("digraph { a -> b [dir=back] }", "dir=back"),
    ],
)
def test_graphs_that_are_none(text: str, words: str):
    with pytest.raises(FormatError, match=words):
        open_graph(io.BytesIO(text.encode()))


def test_others_have_no_undirected_edges(tmp_path: Path):
    assert {"arcs", "dot", "graphml", "adjacency"} <= set(ABLE)
    with pytest.raises(ValueError, match="bif has no undirected edges"):
        write_essential_graph(str(tmp_path / "graph"), GRAPH, "bif")
