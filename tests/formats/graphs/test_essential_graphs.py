"""Essential graphs in the formats that hold undirected edges; none is taken for a network when read."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from formats import open_network, write_essential_graph
from formats.data_records import Variable
from formats.errors import FormatError
from formats.graph_records import EssentialGraph
from formats.kinds import Kind
from formats.registry import FORMATS

GRAPH = EssentialGraph(tuple(map(Variable, ["a", "b c", "d", "e"])), ((0, 2), (1, 2)), ((0, 3),))
ABLE = [row.target for row in FORMATS if row.essential_writer]


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


@pytest.mark.parametrize(
    "target", [row.target for row in FORMATS if row.essential_writer and row.kind is Kind.NETWORK]
)
def test_an_essential_graph_is_no_network(tmp_path: Path, target: str):
    written(tmp_path, target)
    with pytest.raises(FormatError, match=r"undirected|dir=none|cycle"):
        open_network(str(tmp_path / "graph"))


def test_others_have_no_undirected_edges(tmp_path: Path):
    assert {"arcs", "dot", "graphml", "adjacency"} <= set(ABLE)
    with pytest.raises(ValueError, match="bif has no undirected edges"):
        write_essential_graph(str(tmp_path / "graph"), GRAPH, "bif")
