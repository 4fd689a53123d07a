"""Networks and consensus networks as tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bnsl.facts import network_facts, told_facts

from .sheets import VARIABLES, Sheet, SheetColumn, write_sheet

if TYPE_CHECKING:
    from bnsl.options.shared import Target
    from formats.records import NetworkRecord

Directions = Mapping[tuple[int, int], str]
"""What decides the direction of each arc; empty if it is not shown."""

DIRECTION = SheetColumn("direction", "direction")


def show_network(target: Target, network: NetworkRecord, directions: Directions | None = None) -> None:
    """Children with their parents and local scores, or arcs with their strengths; and the facts of the header.

    A column has the `directions` if they are given.
    """
    from formats.graph_records import strengths_of

    directions = directions or {}
    if strengths_of(network):
        show_strengths(target, network, directions)
        return
    has_scores = not all(math.isnan(score) for score in network.scores)
    columns = [
        SheetColumn("child", "child", VARIABLES),
        SheetColumn("<- parents", "parents", VARIABLES),
        *([DIRECTION] if directions else []),
        *([SheetColumn("local score", "local_score", ",.2f")] if has_scores else []),
    ]
    rows = (
        (
            child,
            tuple(parents),
            *([", ".join(directions[p, child] for p in parents)] if directions else []),
            *([float(network.scores[child])] if has_scores else []),
        )
        for child, parents in enumerate(network.parents)
    )
    write_sheet(target, Sheet(columns, rows, "variable", network.header.names, [network_facts(network)]))


def show_strengths(target: Target, network: NetworkRecord, directions: Directions) -> None:
    """The arcs of a network with their strengths, the strongest first, and the facts of the header."""
    from formats.graph_records import strengths_of

    columns = [
        *(SheetColumn(name, name, VARIABLES) for name in ("parent", "child")),
        *([DIRECTION] if directions else []),
        *(SheetColumn(name, name, ",.4f") for name in ("strength", "either")),
    ]
    strongest = sorted(strengths_of(network).items(), key=lambda item: (-item[1].arc, item[0]))
    rows = (
        (parent, child, *([directions[parent, child]] if directions else []), strength.arc, strength.either)
        for (parent, child), strength in strongest
    )
    write_sheet(target, Sheet(columns, rows, "arc", network.header.names, told_facts(network).splitlines()))
