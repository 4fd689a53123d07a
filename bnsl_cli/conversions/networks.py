"""Conversions of networks: to other formats, essential graphs and pictures; and a table to read of any input."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import click

import formats
from formats.detection import detect_lines
from formats.errors import located
from formats.graph_records import DIRECTIONS, UNDECIDED, ArcProbabilities, directions_of, with_directions
from formats.graphs.networks import require_parameters
from formats.kinds import Kind
from formats.records import Network
from formats.registry import find_format
from formats.streams import source_name
from formats.tables.selection import matching_names
from formats.textlines import Lines
from formats.wording import plural, printable
from stages.average.strengths import pair_strengths, significance_threshold, with_table_strengths
from stages.graphs import moral_graph
from stages.graphs.orientation import decide_directions, network_directions
from stages.graphs.subgraphs import cut_essential_graph, cut_model, cut_network, markov_blanket, neighbourhood
from stages.optimize import OptimizeOptions
from stages.recorded_knowledge import recorded_knowledge
from stages.runtime.budgets import Budget

from ..files.inputs import LearntNetwork, open_learnt_network
from ..running.reporter import Reporter
from ..tables.networks import consensus_facts, network_facts, show_network
from ..tables.printable import abbreviated
from ..tables.stage_results import show_arc_probabilities, show_forest, show_parent_sets
from .other_kinds import named_header
from .task import Conversion, PartOptions

LABEL_LENGTH = 24
"""Characters of a name in a picture; longer ones are abbreviated in the middle."""

CONSENSUS_ORDERS = 1000
"""Orders searched for the consensus of a table of arc probabilities if it is too large to be found exactly;
``bnsl average --time`` searches more."""


def kept_variables(part: PartOptions, network: Network, source: str) -> set[int] | None:
    """The variables of the part of a network that is converted; None for all."""
    if part.markov_blanket is None and part.neighbourhood is None:
        return None
    with located(source):
        centre = _positions(part.markov_blanket, "--markov-blanket", network)
        around = _positions(part.neighbourhood, "--neighbourhood", network)
    nearby = neighbourhood(network.parents, around, part.radius or 1)
    return markov_blanket(network.parents, centre) | nearby


def _positions(items: tuple[str, ...] | None, option: str, network: Network) -> list[int]:
    names = network.header.names
    index = {name: position for position, name in enumerate(names)}
    return [index[name] for item in items or () for name in matching_names(item, names, option, "variable")]


def open_chosen(task: Conversion, lines: Lines | None = None) -> LearntNetwork:
    """The network to convert, with the names and arc strengths that the options give; a table becomes its consensus.

    `lines`: the source if it is open already.
    Raises `click.UsageError`: an option does not go with the input.
    """
    choice = task.choice
    found = formats.arc_probabilities_or_lines(lines or task.source)
    if isinstance(found, ArcProbabilities):
        for name in ("index", "strengths"):
            if getattr(choice, name) is not None:
                raise click.UsageError(f"--{name} is of networks, and the input is a table of arc probabilities.")
        learnt = LearntNetwork(consensus_of(found, choice.threshold, task.reporter), None)
    elif choice.threshold is not None:
        raise click.UsageError("--threshold is of tables of arc probabilities, and the input is none.")
    elif choice.index is not None:
        learnt = LearntNetwork(formats.pick_network(found, choice.index or None), None)
    else:
        learnt = open_learnt_network(found)
    header = learnt.structure.header
    named = named_header(header, task.names)
    if named.names != header.names and not recorded_knowledge(header.by, header.names).is_empty:
        raise click.UsageError("--names: the header of the network records knowledge about arcs by its own names.")
    network = dataclasses.replace(learnt.structure, header=named)
    if choice.strengths is not None:
        network = with_table_strengths(network, formats.open_arc_probabilities(choice.strengths))
    return learnt._replace(structure=network)


def consensus_of(table: ArcProbabilities, threshold: float | None, reporter: Reporter) -> Network:
    """The consensus of a table of arc probabilities, above the significance threshold unless one is given."""
    from stages.average.consensus import consensus_network  # few conversions need it

    if threshold is None:
        threshold = significance_threshold(pair_strengths(table).values())
    budget = Budget(evaluations=CONSENSUS_ORDERS)
    network = consensus_network(table, threshold, OptimizeOptions(seed=0), budget, reporter)
    reporter.detail(consensus_facts(network))
    return network


def with_shown_directions(network: Network, cpdag: bool | None) -> Network:
    """The network with what decides the directions of its arcs, as it is to be shown, in its header.

    `cpdag`: those of the equivalence class; if None, of a learnt network only; if false, none, so that arcs are shown
    as they stand.
    """
    header = network.header
    if cpdag:
        directions = decide_directions(network.parents, recorded_knowledge(header.by, header.names))
    else:
        directions = {} if cpdag is False else network_directions(network)
    if directions:
        return with_directions(network, directions)
    extra = {key: value for key, value in header.extra.items() if key != DIRECTIONS}
    return dataclasses.replace(network, header=dataclasses.replace(header, extra=extra))


def write_structure(task: Conversion) -> None:
    """Write a network, or a graph derived from it."""
    learnt = open_chosen(task)
    network = learnt.structure
    kept = kept_variables(task.part, network, source_name(task.source))
    if task.part.cpdag:
        write_essential(task, network, kept)
        return
    if kept is not None or task.format in ("dot", "arcs"):
        network = with_shown_directions(network, task.part.cpdag)
    kind = find_format(task.format).kind
    if kind is Kind.PARAMETERS:
        model = require_parameters(learnt.parameters, task.format, source_name(task.source))
        model = model if kept is None else cut_model(model, kept)
        formats.write_network(task.output, model, task.format, task.reporter.warn)
    network = network if kept is None else cut_network(network, kept)
    if kind is Kind.DECOMPOSITION:
        formats.write_network(task.output, _with_elimination(network, task.reporter), task.format)
    elif task.written != task.format:
        formats.write_arc_table(task.output, network, task.written)
    elif kind is not Kind.PARAMETERS:
        formats.write_network(task.output, network, task.format)
    if task.format == "arcs":
        arcs = [(parent, child) for child, parents in enumerate(network.parents) for parent in parents]
        _warn_of_isolated(network.n_variables, arcs, task.reporter)
    task.reporter.summary(network_facts(network))


def write_picture(task: Conversion) -> None:
    """Write a picture of a network; arcs whose direction nothing decides have no heads."""
    from stages.drawing.layout import draw_network

    whole = open_chosen(task).structure
    kept = kept_variables(task.part, whole, source_name(task.source))
    whole = with_shown_directions(whole, task.part.cpdag)
    network = whole if kept is None else cut_network(whole, kept)
    undecided = {arc for arc, word in directions_of(network).items() if word == UNDECIDED}
    labels = abbreviated([printable(name) for name in network.header.names], LABEL_LENGTH)
    formats.write_drawing(task.output, draw_network(network, labels, undecided), task.format)
    task.reporter.summary(network_facts(network))


def write_essential(task: Conversion, network: Network, kept: set[int] | None) -> None:
    """Write the essential graph of a network."""
    graph = cut_essential_graph(network, kept)
    if task.written != task.format:
        formats.write_arc_table(task.output, graph, task.written)
    else:
        formats.write_essential_graph(task.output, graph, task.format)
    if task.format == "arcs":
        _warn_of_isolated(len(graph.variables), [*graph.arcs, *graph.edges], task.reporter)
    task.reporter.summary(
        f"{plural(len(graph.variables), 'variable')}, {plural(len(graph.arcs), 'arc')}, "
        f"{plural(len(graph.edges), 'undirected edge')}"
    )


def _warn_of_isolated(n_variables: int, arcs: Iterable[tuple[int, int]], reporter: Reporter) -> None:
    """Warn of variables without arcs, which a list of arcs does not name."""
    n_isolated = n_variables - len({variable for arc in arcs for variable in arc})
    if n_isolated:
        verb = "has" if n_isolated == 1 else "have"
        reporter.warn(f"{plural(n_isolated, 'variable')} {verb} no arcs; a list of arcs does not name what has none")


def _with_elimination(network: Network, reporter: Reporter) -> Network:
    """The network with an elimination order in its header: that of an upper bound if there is none."""
    from stages.graphs.treewidth import bound_treewidth

    extra = network.header.extra
    if (extra.get("treewidth") or {}).get("elimination") is not None:
        return network
    bounds = bound_treewidth(moral_graph(network.parents))
    reporter.detail(f"elimination order of width {bounds.upper} found; the treewidth is {bounds.lower} or more")
    extra = {**extra, "treewidth": {"elimination": bounds.elimination}}
    return dataclasses.replace(network, header=dataclasses.replace(network.header, extra=extra))


def write_readable(task: Conversion) -> None:
    """Write a table to read, by the kind of the input."""
    lines = formats.arc_probabilities_or_lines(task.source)
    of_networks = task.part.given() or task.choice.given()
    if isinstance(lines, ArcProbabilities):
        of_networks = of_networks or ("--names" if task.names else None)
        if of_networks:
            raise click.UsageError(f"{of_networks} needs a network; --to table shows all arc probabilities.")
        show_arc_probabilities(task.output, lines, None)
        return
    kind = detect_lines(lines).kind
    if of_networks and kind in (Kind.FOREST, Kind.PARENT_SETS):
        raise click.UsageError(f"{of_networks} needs a network, and {lines.source} is none.")
    if kind is Kind.FOREST:
        if task.names:
            raise click.UsageError("--names is for files that number their variables; a forest names them.")
        show_forest(task.output, formats.open_forest(lines), None)
    elif kind is Kind.PARENT_SETS:
        header, records = formats.open_parent_set_stream(lines, warn=task.reporter.warn)
        show_parent_sets(task.output, named_header(header, task.names).variables, records, None)
    else:
        network = open_chosen(task, lines).structure
        kept = kept_variables(task.part, network, lines.source)
        network = with_shown_directions(network, task.part.cpdag)
        network = network if kept is None else cut_network(network, kept)
        show_network(task.output, network, None, directions_of(network))
