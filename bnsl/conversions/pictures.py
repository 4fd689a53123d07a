"""Draw networks, with bars or tables of their probabilities if asked for."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import formats
from formats.errors import Inconsistent
from formats.graph_records import UNDECIDED, Probabilities, directions_of
from formats.graphs.network_files import require_parameters
from formats.pictures.boxes import sizes_below
from formats.pictures.rendered import NoRenderer
from formats.printable import abbreviated
from formats.wording import printable
from stages.drawing.network_drawing import draw_network
from stages.graphs.orientation import with_shown_directions
from stages.graphs.subgraphs import cut_network, cut_parameters

from ..networks import Network
from ..running.errors import RunError
from .chosen_networks import Conversion, kept_variables, open_chosen
from .converted_contents import PreparedOutput

LABEL_LENGTH = 24
"""Characters of a name in a picture; longer ones are abbreviated in the middle."""

MOST_WITH_BARS = 40
"""Largest number of variables of a page whose boxes show bars by default."""


def convert_picture(task: Conversion) -> PreparedOutput:
    """A picture of a network; arcs whose direction nothing decides have no heads."""
    from ..facts import origin_facts, told_facts

    learnt = open_chosen(task)
    whole = learnt.record
    kept = kept_variables(task, whole)
    whole = with_shown_directions(whole, task.given.cpdag)
    network = whole if kept is None else cut_network(whole, kept)
    undecided = {arc for arc, word in directions_of(network).items() if word == UNDECIDED}
    labels = abbreviated([printable(name) for name in network.header.names], LABEL_LENGTH)
    found = probabilities_of(learnt, kept, task)
    shown, absent = (None, found) if isinstance(found, str) else (found, "")
    boxes = task.given.boxes or ("bars" if shown and network.n_variables <= MOST_WITH_BARS else "names")
    below = sizes_below(shown, boxes, labels) if shown and boxes != "names" else None

    def write(target: Any) -> None:
        drawing = draw_network(network, labels, undecided, below)
        drawing = dataclasses.replace(
            drawing,
            probabilities=shown,
            absent=absent,
            boxes=boxes,
            title=_title(task.source, target, kept is not None) or drawing.title,
            facts=tuple(filter(None, (told_facts(network), origin_facts(network.header)))),
        )
        try:
            formats.write_drawing(target, drawing, task.format)
        except NoRenderer as error:
            raise RunError(str(error)) from error

    return PreparedOutput(network, write)


def _title(source: Any, target: Any, is_part: bool) -> str:
    """The name of the file that holds the network, else of the one that is written; empty if neither has a name."""
    named = next((each for each in (source, target) if isinstance(each, str) and each != "-"), "")
    return f"Part of {Path(named).name}" if named and is_part else Path(named).name


def probabilities_of(learnt: Network, kept: set[int] | None, task: Conversion) -> Probabilities | str:
    """What a picture shows of probabilities: on request, and in a page without ``--boxes names``; if it shows none,
    why, or nothing where none were wanted.

    Of a part of a network, the marginals are the ones in the whole network; tables and answers go with a part that
    keeps all parents. Raises `Inconsistent`: the network has no parameters, and boxes are to show them.
    """
    boxes, model = task.given.boxes, learnt.model
    is_asked = boxes in ("bars", "tables")
    if is_asked:
        model = require_parameters(model, f"--boxes {boxes}", task.called)
    if model is None or not (is_asked or (task.format == "html" and boxes != "names")):
        return ""
    from stages.inference.shown_probabilities import shown_probabilities

    part = model
    note = ""
    if kept is not None:
        try:
            part = cut_parameters(model, kept)
        except Inconsistent:
            note = "Probabilities of the whole network; findings are set in its page, as this part lacks parents."
    found = shown_probabilities(model if note else part, None if kept else learnt.record.certified_order)
    if isinstance(found, str):
        if is_asked:
            raise Inconsistent(found)
        task.reporter.warn(found)
        return found
    if not note:
        return found
    if boxes == "tables":
        raise Inconsistent("--boxes tables: a variable of this part lacks a parent, on which its table depends")
    order = sorted(kept or ())
    return Probabilities(tuple(found.states[v] for v in order), tuple(found.marginals[v] for v in order), note=note)
