"""Networks of the class of a network: their number, all of them, or random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from formats.graph_records import Arc
from formats.records import NetworkRecord
from stages.graphs.essential_graphs import PartiallyDirectedGraph, list_arcs
from stages.graphs.intervention_targets import targets_of
from stages.graphs.network_classes import NetworkClass
from stages.graphs.orientation import oriented_graph
from stages.recorded_knowledge import recorded_knowledge

from ..running.errors import UsageError
from .selection import ALL

MOST_WRITTEN = 10_000
"""A larger class is not written whole."""


def class_of(network: NetworkRecord, undirected: Sequence[Arc] | None) -> NetworkClass:
    """The class of a network, under the knowledge and the interventions that its header records; or that of an
    essential graph, which has its arcs but for the `undirected` ones.
    """
    parents, header = network.parents, network.header
    if undirected is None:
        knowledge = recorded_knowledge(header.by, header.names)
        graph = oriented_graph(parents, knowledge, targets_of(header))
        return NetworkClass(graph, parents)
    edges = frozenset(undirected)
    arcs = frozenset((a, b) for a, b in list_arcs(parents) if (min(a, b), max(a, b)) not in edges)
    return NetworkClass(PartiallyDirectedGraph(arcs, edges), parents)


def members_of(
    network: NetworkRecord, undirected: Sequence[Arc] | None, wanted: str | int, seed: int | None
) -> Iterator[NetworkRecord]:
    """All networks of a class (`class_of`), or this number of random ones; without local scores.

    Raises `UsageError` if all of them are more than `MOST_WRITTEN`.
    """
    found, header = class_of(network, undirected), network.header
    kept = {name: value for name, value in header.extra.items() if name == "interventions"}
    if wanted == ALL and found.size > MOST_WRITTEN:
        raise UsageError(
            f"--class all: the class has {found.size:,} networks, more than the {MOST_WRITTEN:,} that it writes; "
            "draw some of them: --class 100."
        )
    rng = random.Random(seed)
    members = iter(found) if wanted == ALL else (found.draw(rng) for _ in range(int(wanted)))
    unknown = np.full(len(network.parents), np.nan)
    return (NetworkRecord(replace(header, extra=kept), parents, unknown) for parents in members)
