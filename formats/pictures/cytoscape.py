"""A drawing of a network as Cytoscape.js JSON (.cyjs), which Cytoscape opens with the places of the boxes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import orjson

from ..graph_records import Drawing, directions_of, screened_of, strengths_of
from ..wording import printable


def cyjs_text(drawing: Drawing) -> str:
    """Nodes with places and degrees, edges with strengths and what decides their directions."""
    network = drawing.network
    strengths, decided, screened = strengths_of(network), directions_of(network), screened_of(network)
    children = Counter(parent for parent, _ in drawing.arcs)
    nodes = []
    for v, variable in enumerate(network.header.variables):
        name = printable(variable.name)
        about: dict[str, Any] = {"id": f"n{v}", "name": name, "shared_name": name, "label": drawing.labels[v]}
        about |= {"in_degree": len(network.parents[v]), "out_degree": children[v]}
        about |= {"degree": about["in_degree"] + about["out_degree"], "screened": v in screened}
        place = {"x": round(float(drawing.x[v]), 1), "y": round(float(drawing.y[v]), 1)}
        nodes.append({"data": about, "position": place})
    edges = []
    for number, (arc, undirected) in enumerate(zip(drawing.arcs, drawing.undirected)):
        kind = "undirected" if undirected else "directed"
        joined: dict[str, Any] = {"id": f"e{number}", "source": f"n{arc[0]}", "target": f"n{arc[1]}"}
        joined |= {"interaction": kind, "shared_interaction": kind}
        joined |= {"direction": decided[arc]} if arc in decided else {}
        joined |= strengths[arc]._asdict() | {"weight": strengths[arc].either} if arc in strengths else {}
        edges.append({"data": {("strength" if key == "arc" else key): value for key, value in joined.items()}})
    title = {"name": "Bayesian network", "shared_name": "Bayesian network"}
    elements = {"nodes": nodes, "edges": edges}
    content = {"format_version": "1.0", "generated_by": "bnsl", "data": title, "elements": elements}
    return orjson.dumps(content).decode() + "\n"
