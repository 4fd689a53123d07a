"""Networks as inputs: files of any format, and objects of the library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from formats.wording import Warn

from ..networks import Network
from ..tables import as_file


def read_network(source: Any, may_be_empty: bool = False, warn: Warn | None = None) -> Network:
    """Read a network in any format, with its parameters if the file has them.

    - `may_be_empty`: whether a list of arcs may have none; its variables are then `inputs.completed`.
    - `warn`: is called about claims of the file that are ignored.
    """
    if isinstance(source, Network):
        return source
    from formats import open_network

    return Network(open_network(as_file(source, "network"), may_be_empty, warn))


def read_network_or_class(source: Any, warn: Warn | None = None) -> Network:
    """As `read_network`; for an essential graph, or one maximally oriented under knowledge, a network of its
    equivalence class. A list of arcs may have none: its variables are then `inputs.completed`.

    All partly directed graphs are read here. Raises `Inconsistent`: a graph with undirected edges is neither.
    """
    if isinstance(source, Network):
        return source
    from formats import open_graph
    from formats.graph_records import EssentialGraph
    from formats.graphs.structures import network_from_parents
    from formats.textlines import as_lines
    from stages.graphs.consistent_extension import class_member

    lines = as_lines(as_file(source, "network"))
    graph = open_graph(lines, may_be_empty=True, warn=warn)
    if not isinstance(graph, EssentialGraph):
        return Network(graph)
    member = network_from_parents(graph.variables, class_member(graph, lines.source))
    header = replace(member.header, lacks_isolated=graph.lacks_isolated)
    return Network(replace(member, header=header), undirected=graph.edges)


def read_networks(source: Any, warn: Warn | None = None) -> Iterator[Network]:
    """Read the networks of a stream, or the network or essential graph of any other file."""
    if isinstance(source, Network):
        yield source
        return
    from formats import open_networks
    from formats.detection import detect_lines
    from formats.schemas import NETWORK
    from formats.textlines import as_lines

    lines = as_lines(as_file(source, "network"))
    if detect_lines(lines).name == NETWORK.name:
        yield from map(Network, open_networks(lines))
    else:
        yield read_network_or_class(lines, warn)
