"""Networks as inputs: files of any format, and objects of the library; `bnsl.read` takes results of all kinds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from formats.wording import Warn

from ..networks import Network
from ..results import ArcProbabilities, Forest, ParentSets, checked_path, warn_of_claims
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


def read(path: str | os.PathLike[str]) -> Any:
    """The content of a file: a `Network`, `ParentSets`, a `Forest` or `ArcProbabilities`.

    Raises `DataError`: the file cannot be read, or holds none of these.
    """
    import formats
    from formats.detection import detect_lines
    from formats.graph_records import ArcProbabilityTable
    from formats.kinds import Kind
    from formats.textlines import Lines

    from ..running.calls import translated_errors

    source = checked_path(path)
    with translated_errors():
        found = formats.arc_probabilities_or_lines(source)
        if isinstance(found, ArcProbabilityTable):
            return ArcProbabilities(found)
        assert isinstance(found, Lines)
        kind = detect_lines(found).kind
        if kind is Kind.PARENT_SETS:
            return ParentSets(formats.open_parent_sets(found))
        if kind is Kind.FOREST:
            return Forest(formats.open_forest(found))
        return Network(formats.open_network(found, warn=warn_of_claims))
