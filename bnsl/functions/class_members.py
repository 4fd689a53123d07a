"""Networks of the class of a network: their number, all of them, or random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from formats.graph_records import Arc
from formats.json_lines.network_lines import write_network_stream
from formats.records import NetworkRecord
from formats.streams import open_output
from formats.wording import plural
from stages.graphs.essential_graphs import PartiallyDirectedGraph, list_arcs
from stages.graphs.intervention_targets import targets_of
from stages.graphs.network_classes import NetworkClass
from stages.graphs.orientation import oriented_graph
from stages.recorded_knowledge import recorded_knowledge

from ..options.shared import resolve_seed
from ..running.errors import UsageError
from .chosen_networks import Conversion, open_chosen
from .converted_contents import PreparedOutput
from .selection import ALL, COUNT

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


def convert_class(task: Conversion) -> PreparedOutput:
    """The networks of a class as a stream, or their number as text."""
    learnt, wanted = open_chosen(task), task.given.class_members or COUNT
    size = class_of(learnt.record, learnt.undirected).size
    closing = f"{plural(size, 'network')} in the class"
    if wanted == COUNT:
        return PreparedOutput(size, lambda to: _write_number(to, size), closing)
    seed = None if wanted == ALL else resolve_seed(task.given.seed, task.reporter)
    networks = members_of(learnt.record, learnt.undirected, wanted, seed)
    drawn = "" if wanted == ALL else f"; {wanted} drawn at random"
    return PreparedOutput(networks, lambda to: write_network_stream(to, networks), closing + drawn)


def _write_number(target: Any, number: int) -> None:
    with open_output(target) as stream:
        stream.write(f"{number}\n".encode())
