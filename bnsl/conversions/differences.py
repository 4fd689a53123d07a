"""Draw the differences of two networks: arcs in both, in one of them, and in other directions."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path
from typing import Any

import formats
from formats.graph_records import ADDED, MARKS, MISSING, ONE_SIDED, REVERSED, UNDECIDED, Differences, directions_of
from formats.graphs.structures import network_from_parents
from formats.pictures.rendered import NoRenderer
from formats.printable import abbreviated
from formats.wording import plural, printable
from stages.drawing.network_drawing import draw_network, turned
from stages.evaluate.alignment import align_parents
from stages.evaluate.differences import Pairs, differences, pairs_of
from stages.graphs import topological_order
from stages.graphs.orientation import with_shown_directions
from stages.graphs.subgraphs import cut_network

from ..files.inputs import completed
from ..files.network_inputs import read_network_or_class
from ..networks import Network
from ..running.errors import RunError
from .chosen_networks import Conversion, kept_variables, open_chosen
from .converted_contents import PreparedOutput
from .pictures import LABEL_LENGTH


def convert_differences(task: Conversion) -> PreparedOutput:
    """A picture of two networks over the same variables, laid out together.

    Arcs have no heads where nothing decides their direction. Raises `Inconsistent`: the variables differ.
    """
    ours, theirs = open_chosen(task), read_network_or_class(task.given.compare, task.reporter.warn)
    called = _called(task.source, task.given.compare)
    first = completed(ours.record, task.source, theirs.variables, task.given.compare, task.reporter)
    second = completed(theirs.record, task.given.compare, first.header.names, task.source, task.reporter)
    names = first.header.names
    align_parents(names, second, called[1])  # refuses other variables
    place = {name: number for number, name in enumerate(names)}
    both = [
        _pairs(Network(record, undirected=of.undirected), task.given.cpdag, place)
        for record, of in ((first, ours), (second, theirs))
    ]
    found = {frozenset(each.arc): each for each in differences(*both)}
    rank = {variable: number for number, variable in enumerate(topological_order(first.parents))}
    families: list[list[int]] = [[] for _ in names]
    for pair in found:
        above, below = sorted(pair, key=rank.__getitem__)
        families[below].append(above)
    joined = network_from_parents(first.header.variables, families)
    kept = kept_variables(task, joined)
    shown = range(len(names)) if kept is None else sorted(kept)
    drawn = joined if kept is None else cut_network(joined, kept)
    of_arcs = [found[frozenset((shown[p], shown[c]))] for c, family in enumerate(drawn.parents) for p in family]

    closing = _closing(Counter(each.mark for each in of_arcs), *called)

    def write(target: Any) -> None:
        labels = abbreviated([printable(name) for name in drawn.header.names], LABEL_LENGTH)
        words = dict(zip(("", *MARKS), _words(*called)))
        of_drawing = Differences(tuple(each.mark for each in of_arcs), words)
        arcs = [(shown.index(each.arc[0]), shown.index(each.arc[1])) for each in of_arcs]
        loose = [each.is_undirected for each in of_arcs]
        drawing = turned(draw_network(drawn, labels), arcs, loose, of_drawing)
        drawing = dataclasses.replace(drawing, title=f"Differences of {called[0]} and {called[1]}", facts=(closing,))
        try:
            formats.write_drawing(target, drawing, task.format)
        except NoRenderer as error:
            raise RunError(str(error)) from error

    return PreparedOutput(drawn, write, closing)


def _called(first: Any, second: Any) -> tuple[str, str]:
    """What the picture calls the two networks: the names of the files, with their folders if both names are equal."""
    files = [each if isinstance(each, str) and each != "-" else "" for each in (first, second)]
    short = [Path(each).name for each in files]
    ours, theirs = map(printable, files if short[0] == short[1] else short)
    return ours or "the first network", theirs or "the other network"


def _pairs(network: Network, cpdag: bool | None, place: dict[str, int]) -> Pairs:
    """The pairs that a network joins. A pair has no direction if a picture of the network draws it without a head."""
    shown = with_shown_directions(network.record, cpdag)
    undecided = {arc for arc, word in directions_of(shown).items() if word == UNDECIDED}
    undecided |= set(network.undirected or ()) if cpdag is not False else set()
    return pairs_of(shown.parents, undecided, [place[name] for name in network.variables])


def _words(first: str, second: str) -> tuple[str, ...]:
    """What no mark and each of `MARKS` means."""
    of = {
        ADDED: f"only in {first}",
        MISSING: f"only in {second}",
        REVERSED: f"reversed; the head is as in {first}",
        ONE_SIDED: "in both, with a direction in one of them",
    }
    return ("in both", *(of[mark] for mark in MARKS))


def _closing(counts: Counter[str], first: str, second: str) -> str:
    """The line about the picture."""
    alone = f"{counts[ADDED]:,} only in {first}, {counts[MISSING]:,} only in {second}"
    one_sided = f", {counts[ONE_SIDED]:,} with a direction in one of them" if counts[ONE_SIDED] else ""
    return f"{plural(counts[''], 'arc')} in both, {alone}, {counts[REVERSED]:,} reversed{one_sided}"
