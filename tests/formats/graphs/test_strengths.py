"""Strengths of arcs: kept in network files and lists of arcs, shown in DOT, GraphML and pictures."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from helpers.cases.graphs import THREE, network_of, written

from formats import open_network
from formats.errors import FormatError
from formats.graph_records import (
    DECIDERS,
    Strength,
    arcs_of,
    directions_of,
    strengths_of,
    with_directions,
    with_strengths,
)
from formats.pictures.arrows import head, head_opacity, line_width, shortened
from formats.pictures.html import html_text
from formats.pictures.svg import svg_text
from stages.drawing.network_drawing import draw_network
from stages.graphs.subgraphs import cut_essential_graph, cut_network

STRENGTHS = {(0, 1): Strength(0.5, 1.0), (0, 2): Strength(0.25, 0.25), (1, 2): Strength(0.75, 0.8125)}
SURE = with_strengths(THREE, STRENGTHS)


@pytest.mark.parametrize("target", ["network", "arcs"])
def test_they_come_back(target, tmp_path):
    again = open_network(io.BytesIO(written(SURE, target, tmp_path).encode()))
    assert again.parents == SURE.parents and strengths_of(again) == STRENGTHS


def test_an_arc_of_which_none_is_given_has_none():
    assert strengths_of(with_strengths(THREE, {}))[0, 1] == Strength(0.0, 0.0)
    assert strengths_of(THREE) == {}


def test_dot(tmp_path):
    text = written(SURE, "dot", tmp_path)
    assert '"A" -> "B" [label="0.50/1.00", penwidth=4, strength=0.5, either=1];' in text
    assert '"A" -> "C" [label="0.25", penwidth=1, strength=0.25, either=0.25];' in text
    assert open_network(io.BytesIO(text.encode())).parents == SURE.parents


def test_graphml(tmp_path):
    root = ElementTree.fromstring(written(SURE, "graphml", tmp_path))
    assert [(key.get("id"), key.get("for")) for key in root.findall("{*}key")] == [
        ("strength", "edge"),
        ("either", "edge"),
        ("weight", "edge"),
        ("in_degree", "node"),
        ("out_degree", "node"),
        ("degree", "node"),
    ]
    degrees = [[int(data.text or "") for data in node] for node in root.findall(".//{*}node")]
    assert [sum(column) for column in zip(*degrees)] == [3, 3, 6]
    edges = root.findall(".//{*}edge")
    assert [[float(data.text or "") for data in edge] for edge in edges] == [
        [0.5, 1.0, 1.0],
        [0.25, 0.25, 0.25],
        [0.75, 0.8125, 0.8125],
    ]


def test_graphml_says_what_decides_directions(tmp_path):
    network = with_directions(SURE, dict.fromkeys(arcs_of(SURE), "data"))
    root = ElementTree.fromstring(written(network, "graphml", tmp_path))
    assert [edge.findall("{*}data")[-1].text for edge in root.findall(".//{*}edge")] == ["data"] * 3
    assert open_network(io.BytesIO(written(network, "graphml", tmp_path).encode())).parents == SURE.parents


def test_lists_of_arcs_have_columns(tmp_path):
    rows = list(csv.reader(written(SURE, "arcs", tmp_path).splitlines()))
    assert rows[:2] == [["from", "to", "strength", "either"], ["A", "B", "0.5", "1"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("from,to,strength,either\nA,B,0.5,1.5\n", "a strength that is no probability"),
        ("from,to,strength,either\nA,B,0.5\n", "two figures"),
        ("from,to,either,strength\nA,B,nan,0.5\n", "a strength that is no probability"),
    ],
)
def test_damaged_lists_are_reported_with_the_line(text, words):
    with pytest.raises(FormatError, match=words) as error:
        open_network(io.BytesIO(text.encode()))
    assert error.value.line == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[], [[0.5, 1.0]]], "not one for each arc"),
        ([[], [[0.5, 1.0]], [[0.5, 1.0]]], "not one for each arc"),
        ([[], [[0.5, 1.0]], [[0.5, 1.0], [0.5, 1.5]]], "no pair of probabilities"),
        ([[], [[0.5, 1.0]], [[0.5, 1.0], 0.5]], "no pair of probabilities"),
        (3, "must be of type list"),
    ],
)
def test_headers_that_belie_the_arcs_are_refused(given, words, tmp_path):
    import orjson

    header, *records = written(SURE, "network", tmp_path).splitlines()
    changed = orjson.dumps({**orjson.loads(header), "strengths": given}).decode()
    with pytest.raises(FormatError, match=words):
        open_network(io.BytesIO("\n".join([changed, *records]).encode()))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[], ["data"]], "directions in the header are not one for each arc"),
        ([[], ["data"], ["data", "chance"]], "none of data, knowledge, neither"),
        ("data", "must be of type list"),
    ],
)
def test_directions_that_belie_the_arcs_are_refused(given, words, tmp_path):
    import orjson

    header, *records = written(THREE, "network", tmp_path).splitlines()
    changed = orjson.dumps({**orjson.loads(header), "directions": given}).decode()
    with pytest.raises(FormatError, match=words):
        open_network(io.BytesIO("\n".join([changed, *records]).encode()))


def test_a_part_keeps_its_own():
    assert strengths_of(cut_network(SURE, {0, 2})) == {(0, 1): Strength(0.25, 0.25)}
    given = with_directions(THREE, dict(zip(STRENGTHS, DECIDERS)))
    assert directions_of(cut_network(given, {0, 2})) == {(0, 1): "knowledge"}


def test_undirected_edges_are_as_sure_as_either_direction():
    graph = cut_essential_graph(SURE)
    assert graph.edges == ((0, 1), (0, 2), (1, 2))
    assert graph.strengths[0, 1] == Strength(1.0, 1.0)
    collider = with_strengths(network_of([(), (), (0, 1)]), {(0, 2): Strength(0.5, 0.75)})
    assert cut_essential_graph(collider).strengths[0, 2] == Strength(0.5, 0.75)


def test_a_picture_has_lines_of_their_width_and_a_legend():
    drawing = draw_network(SURE, SURE.header.names)
    root = ElementTree.fromstring(svg_text(drawing))
    widths = [float(e.attrib["stroke-width"]) for e in root.iter() if e.get("class") == "arc"]
    assert widths == [4.0, 1.0, 3.25, *(4 * share for share in (0.25, 0.5, 0.75, 1))]
    heads = [float(e.attrib["opacity"]) for e in root.iter() if e.get("class") == "head" and "opacity" in e.attrib]
    assert heads == [0.0, 0.47, 0.74]
    titles = [e.text for e in root.iter() if e.tag.endswith("title")]
    assert "A \u2192 B\n0.500\n1.000 in either direction" in titles
    _, top, width, height = map(float, root.attrib["viewBox"].split())
    below = [float(e.attrib["y"]) for e in root.iter() if e.get("class") == "note"]
    assert max(below) < top + height and width >= 290
    assert "note" not in svg_text(draw_network(THREE, THREE.header.names)).split("</style>")[1]


def test_the_page_has_their_figures():
    page = html_text(draw_network(SURE, SURE.header.names))
    assert ",4.0,1.0,0.0,0.5,1.0]" in page


def test_heads_are_as_opaque_as_their_lines_and_as_directions_are_sure():
    pairs = [(1, 1), (0.5, 1), (0.25, 1), (0.3, 0.4), (0.1, 0.1), (0, 0)]
    assert [head_opacity(Strength(*pair)) for pair in pairs] == pytest.approx([1, 0, 0, 0.5 * 0.58, 0.37, 0])
    assert line_width(Strength(0, 0)) > 0


def test_the_line_ends_within_its_head():
    line = np.array([[0.0, 0.0], [0.0, 100.0]])
    corners = head(line, 4.0)
    assert corners[0].tolist() == [0.0, 100.0]
    assert shortened(line, 1.0)[-1].tolist() == corners[2].tolist()
    assert shortened(line, 0.0).tolist() == line.tolist()
    tiny = np.array([[0.0, 0.0], [0.0, 1.0]])
    assert shortened(tiny, 1.0)[-1, 1] > 0


def test_strengths_that_are_lists_are_no_arcs(tmp_path):
    table = pyarrow.table({"from": ["a"], "to": ["b"], "strength": [[0.5]]})
    pyarrow.parquet.write_table(table, tmp_path / "arcs.parquet")
    with pytest.raises(FormatError, match="expected a network, this is a table of data"):
        open_network(str(tmp_path / "arcs.parquet"))
