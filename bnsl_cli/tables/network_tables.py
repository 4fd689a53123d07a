"""Networks and consensus networks as tables, and the claims of their headers in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bnsl.facts import consensus_facts, network_facts

from .layout import fitting_names, listed, new_table, write_table

if TYPE_CHECKING:
    from bnsl.options.shared import OutputOptions
    from formats.records import Network

Directions = Mapping[tuple[int, int], str]
"""What decides the direction of each arc; empty if it is not shown."""


def known_directions(network: Network) -> Directions:
    """What decides the direction of each arc of a new network; empty if its header has a digest of the knowledge."""
    from formats.errors import Inconsistent
    from stages.graphs.orientation import network_directions

    try:
        return network_directions(network)
    except Inconsistent:
        return {}


def deliver_network(target: OutputOptions, network: Network, file_format: str) -> bool:
    """Show a newly learnt network as a table if requested, else write it; returns whether it was written."""
    from formats import write_network

    if target.is_table:
        show_network(target.output, network, target.rows_shown, known_directions(network))
    else:
        write_network(target.output, network, file_format)
    return not target.is_table


def show_network(target: str, network: Network, limit: int | None, directions: Directions | None = None) -> None:
    """Children with their parents and local scores, or arcs with their strengths; and the facts of the header.

    A column has the `directions` if they are given.
    """
    from formats.graph_records import strengths_of

    directions = directions or {}
    if strengths_of(network):
        show_strengths(target, network, limit, directions)
        return
    names = fitting_names(target, network.header.names)
    view = new_table("child", "<- parents", *(["direction"] if directions else []), ">local score")
    rows = (
        (
            names[child],
            listed(parents, names),
            *([", ".join(directions[p, child] for p in parents)] if directions else []),
            f"{network.scores[child]:,.2f}",
        )
        for child, parents in enumerate(network.parents)
    )
    write_table(target, view, rows, limit, "variable", network_facts(network))


def show_strengths(target: str, network: Network, limit: int | None, directions: Directions) -> None:
    """The arcs of a network with their strengths, the strongest first, and the facts of the header."""
    from formats.graph_records import strengths_of

    names = fitting_names(target, network.header.names)
    view = new_table("parent", "child", *(["direction"] if directions else []), ">strength", ">either")
    strongest = sorted(strengths_of(network).items(), key=lambda item: (-item[1].arc, item[0]))
    cells = (
        [
            names[parent],
            names[child],
            *([directions[parent, child]] if directions else []),
            f"{strength.arc:.4f}",
            f"{strength.either:.4f}",
        ]
        for (parent, child), strength in strongest
    )
    facts = consensus_facts if "agreement" in network.header.extra else network_facts
    write_table(target, view, cells, limit, "arc", facts(network))
