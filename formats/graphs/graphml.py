"""Structures as GraphML: written for drawing programs, read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from ..errors import Inconsistent
from ..graph_records import Arc, EssentialGraph, directions_of, parts_of
from ..records import NetworkRecord
from ..textlines import Lines
from .findings import is_finding, warn_of_findings
from .parameters.xml_elements import is_in_xml, line_of, read_xml
from .structures import UNDIRECTED, UNDIRECTED_REMEDY, network_from_arcs

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_ATTRIBUTES = ("strength", "either", "weight")
"""Attributes of edges with known strengths; drawing programs use the weight as the width of the line."""
_DEGREES = ("in_degree", "out_degree", "degree")
"""Attributes of nodes: numbers of parents, of children, of all neighbours."""


def graphml_text(graph: NetworkRecord | EssentialGraph) -> str:
    """The structure as GraphML; names are the ids of the nodes, degrees their attributes; strengths and what
    decides directions are attributes of the edges.

    Raises `Inconsistent`: a name has a control character, which XML cannot hold.
    """
    names, all_arcs, all_edges, strengths = parts_of(graph)
    arcs, edges = list(all_arcs), list(all_edges)
    decided = directions_of(graph) if isinstance(graph, NetworkRecord) else {}
    for name in names:
        if not is_in_xml(name):
            raise Inconsistent(f"XML cannot hold the variable name {name!r}")
    ids = [quoteattr(name) for name in names]
    rows = ['<?xml version="1.0" encoding="UTF-8"?>', f'<graphml xmlns="{_GRAPHML}">']
    for name in _ATTRIBUTES if strengths else ():
        rows.append(f'  <key id="{name}" for="edge" attr.name="{name}" attr.type="double"/>')
    if decided:
        rows.append('  <key id="direction" for="edge" attr.name="direction" attr.type="string"/>')
    rows += [f'  <key id="{name}" for="node" attr.name="{name}" attr.type="int"/>' for name in _DEGREES]
    rows.append('  <graph id="network" edgedefault="directed">')
    incoming = Counter(child for _, child in arcs)
    outgoing = Counter(parent for parent, _ in arcs)
    undirected = Counter(v for edge in edges for v in edge)
    for v, name in enumerate(ids):
        counts = incoming[v], outgoing[v], incoming[v] + outgoing[v] + undirected[v]
        data = "".join(f'<data key="{key}">{count}</data>' for key, count in zip(_DEGREES, counts))
        rows.append(f"    <node id={name}>{data}</node>")
    for pairs, direction in ((arcs, ""), (edges, ' directed="false"')):
        for one, other in pairs:
            opened = f"    <edge{direction} source={ids[one]} target={ids[other]}"
            strength = strengths.get((one, other))
            values = () if strength is None else (strength.arc, strength.either, strength.either)
            data = "".join(f'<data key="{k}">{value:.6g}</data>' for k, value in zip(_ATTRIBUTES, values))
            data += f'<data key="direction">{decided[one, other]}</data>' if (one, other) in decided else ""
            rows.append(f"{opened}>{data}</edge>" if data else f"{opened}/>")
    return "\n".join([*rows, "  </graph>", "</graphml>"]) + "\n"


def _node_names(graph: ElementTree.Element, root: ElementTree.Element) -> dict[str | None, str | None]:
    """Names by node id: the data called ``name`` or ``label`` if all nodes have different ones, else the ids."""
    nodes = graph.findall("{*}node")
    for wanted in ("name", "label"):
        keys = {key.get("id") for key in root.findall(".//{*}key") if key.get("attr.name") == wanted}
        found: dict[str | None, str | None] = {
            node.get("id"): (data.text or "").strip()
            for node in nodes
            for data in node.findall("{*}data")
            if data.get("key") in keys
        }
        if nodes and len(found) == len(nodes) == len(set(found.values())) and all(found.values()):
            return found
    return {node.get("id"): node.get("id") for node in nodes}


def read_graphml(lines: Lines, edges: list[Arc] | None = None) -> NetworkRecord:
    """Read a directed GraphML graph; undirected edges are added to `edges`, or refused if it is None."""
    root = read_xml(lines)
    graph = root.find("{*}graph")
    if graph is None or not root.tag.endswith("graphml"):
        lines.fail("an XML file without a GraphML graph", line=1)
    name_of = _node_names(graph, root)
    names = [name for node, name in name_of.items() if node is not None and name is not None]
    if not names or len(names) < len(graph.findall("{*}node")):
        lines.fail("the graph has no nodes, or nodes without an id of their own", line=1)
    keys = {key.get("id") for key in root.findall(".//{*}key") if is_finding(key.get("attr.name", ""))}
    held = ((name_of[node.get("id")] or "", data) for node in graph.iterfind("{*}node") for data in node)
    warn_of_findings(lines, ((name, data.text) for name, data in held if data.get("key") in keys and data.text))
    position = {node: index for index, node in enumerate(name_of)}
    return network_from_arcs(names, list(_arcs(lines, graph, position, edges)))


def _arcs(
    lines: Lines, graph: ElementTree.Element, position: dict[str | None, int], edges: list[Arc] | None
) -> Iterator[Arc]:
    default = "true" if graph.get("edgedefault") == "directed" else "false"
    for edge in graph.findall("{*}edge"):
        source, target = edge.get("source"), edge.get("target")
        if source not in position or target not in position:
            lines.fail(
                f"an edge between unknown nodes {source!r} and {target!r}", kind=Inconsistent, line=line_of(edge)
            )
        arc = position[source], position[target]
        if edge.get("directed", default) == "true":
            yield arc
        elif edges is None:
            lines.fail(UNDIRECTED, kind=Inconsistent, line=line_of(edge), remedy=UNDIRECTED_REMEDY)
        else:
            edges.append(arc)
