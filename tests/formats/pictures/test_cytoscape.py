"""The Cytoscape file has every node with its place, and every edge with what is known about it."""

from __future__ import annotations

import json

from formats.pictures.cytoscape import cyjs_text

from .test_pictures import drawing_of


def test_nodes_and_edges():
    drawing = drawing_of()
    elements = json.loads(cyjs_text(drawing))["elements"]
    assert [node["position"] for node in elements["nodes"]] == [
        {"x": 0, "y": 0},
        {"x": 0, "y": 72},
        {"x": 5, "y": 152},
    ]
    degrees = [[node["data"][key] for key in ("in_degree", "out_degree", "degree")] for node in elements["nodes"]]
    assert degrees == [[0, 2, 2], [1, 1, 2], [2, 0, 2]]
    ends = [
        (edge["data"]["source"], edge["data"]["target"], edge["data"]["interaction"]) for edge in elements["edges"]
    ]
    assert ends == [("n0", "n1", "undirected"), ("n0", "n2", "directed"), ("n1", "n2", "directed")]
    assert "strength" not in elements["edges"][0]["data"]


def test_facts_about_edges():
    drawing = drawing_of()
    drawing.network.header.extra["strengths"] = [[], [[0.5, 1.0]], [[0.5, 0.75], [0.4, 0.9]]]
    drawing.network.header.extra["directions"] = [[], ["neither"], ["data", "knowledge"]]
    edge = json.loads(cyjs_text(drawing))["elements"]["edges"][1]["data"]
    facts = {key: edge[key] for key in ("strength", "either", "weight", "direction")}
    assert facts == {"strength": 0.5, "either": 0.75, "weight": 0.75, "direction": "data"}
