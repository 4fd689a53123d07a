"""The conversions of ``bnsl convert``: which function writes which format."""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import click

from formats.kinds import STRUCTURES, Kind
from formats.lookup import find_format, formats_of, named_formats
from formats.registry import FORMATS
from formats.wording import plural

if TYPE_CHECKING:
    from formats.data_records import Dataset
    from formats.graph_records import ArcProbabilities
    from formats.records import Header, Network, ParentSetRecord
    from formats.textlines import Lines

    from .data_options import DataOptions
    from .inputs import LearntNetwork
    from .reporter import Reporter


LABEL_LENGTH = 24
"""Characters of a name in a picture; longer ones are shortened in the middle."""

CONSENSUS_ORDERS = 1000
"""Orders looked at for the consensus of a table of arc probabilities where too many variables depend on each other
to find it exactly; ``bnsl average --time`` looks at more."""

PLAIN_LISTS = ("jkl", "pss")
"""Formats of parent sets that hold sets and scores only."""


@dataclasses.dataclass(frozen=True)
class PartOptions:
    """What of a network is converted."""

    cpdag: bool
    markov_blanket: tuple[str, ...] | None
    neighbourhood: tuple[str, ...] | None
    radius: int | None

    def given(self) -> str | None:
        """An option that asks for less than the network as it is."""
        names = ("cpdag", "markov_blanket", "neighbourhood")
        return next((f"--{name.replace('_', '-')}" for name in names if getattr(self, name)), None)

    def kept(self, network: Network, source: str) -> set[int] | None:
        """The variables asked for; None for all.

        Raises
        ------
        UnsuitableData
            A name is none of the network's.
        """
        if self.markov_blanket is None and self.neighbourhood is None:
            return None
        from stages.subgraphs import markov_blanket, neighbourhood

        centre = _positions(self.markov_blanket, "--markov-blanket", network, source)
        around = _positions(self.neighbourhood, "--neighbourhood", network, source)
        return markov_blanket(network.parents, centre) | neighbourhood(
            network.parents, around, self.radius or 1
        )


def _positions(items: tuple[str, ...] | None, option: str, network: Network, source: str) -> list[int]:
    from formats.tables.selection import matching_names

    names = network.header.names
    index = {name: position for position, name in enumerate(names)}
    return [
        index[name]
        for item in items or ()
        for name in matching_names(item, names, source, option, "variable")
    ]


@dataclasses.dataclass(frozen=True)
class ChoiceOptions:
    """Which network is converted, and how sure its arcs are.

    `index` is the place in a stream of networks, from 1; 0 for the one that scores most.
    """

    index: int | None
    strengths: str | None
    threshold: float | None


class Conversion(NamedTuple):
    """One conversion asked for; `names` is the table that names the variables, if there is one.

    `written` is the format of the file where that is another one: a list of arcs may be a Parquet file.
    """

    source: str
    format: str
    written: str
    output: str
    names: Dataset | None
    part: PartOptions
    choice: ChoiceOptions
    data_options: DataOptions
    reporter: Reporter


def write_sets(task: Conversion) -> None:
    """Candidate parent sets, streamed."""
    from formats import open_parent_set_stream, write_parent_sets

    header, records = open_parent_set_stream(task.source, warn=task.reporter.warn)
    if task.format in PLAIN_LISTS:
        records = _warn_of_constraints(records, task)
    count = write_parent_sets(task.output, _named(header, task.names), records, format=task.format)
    task.reporter.summary(f"parent sets of {plural(count, 'variable')}")


def _warn_of_constraints(records: Iterable[ParentSetRecord], task: Conversion) -> Iterator[ParentSetRecord]:
    """Pass records on; tell in the end what of them the target format has no words for."""
    n_fixed = n_required = 0
    for record in records:
        n_fixed += record.fixed
        n_required += bool(record.required) and not record.fixed
        yield record
    if n_fixed or n_required:
        task.reporter.warn(
            f"{task.format} files have no words for constraints: {plural(n_fixed, 'variable')} with a fixed "
            f"parent set and {n_required} with required parents list only sets that keep to them, not the empty set"
        )


def open_chosen(task: Conversion, lines: Lines | None = None) -> LearntNetwork:
    """The network to convert, with its variables named and the strengths of its arcs where they are given.

    A table of arc probabilities becomes its consensus, as ``bnsl average`` makes it. `lines` are the source if it is
    open already.

    Raises
    ------
    click.UsageError
        An option that the input has no use for.
    """
    from formats import arc_probabilities_or_lines, open_arc_probabilities, pick_network
    from formats.graph_records import ArcProbabilities
    from stages.average.strengths import with_table_strengths

    from .inputs import LearntNetwork, open_learnt_network

    choice = task.choice
    found = arc_probabilities_or_lines(lines or task.source)
    if isinstance(found, ArcProbabilities):
        for name in ("index", "strengths"):
            if getattr(choice, name) is not None:
                raise click.UsageError(
                    f"--{name} is of networks, and the input is a table of arc probabilities."
                )
        learnt = LearntNetwork(consensus_of(found, choice.threshold, task.reporter), None)
    elif choice.threshold is not None:
        raise click.UsageError("--threshold is of tables of arc probabilities, and the input is none.")
    elif choice.index is not None:
        learnt = LearntNetwork(pick_network(found, choice.index or None), None)
    else:
        learnt = open_learnt_network(found)
    network = dataclasses.replace(learnt.structure, header=_named(learnt.structure.header, task.names))
    if choice.strengths is not None:
        network = with_table_strengths(network, open_arc_probabilities(choice.strengths))
    return learnt._replace(structure=network)


def consensus_of(table: ArcProbabilities, threshold: float | None, reporter: Reporter) -> Network:
    """The consensus of a table of arc probabilities, above the significance threshold unless one is given."""
    from stages.average.consensus import consensus_network
    from stages.average.strengths import pair_strengths, significance_threshold
    from stages.optimize import OptimizeOptions
    from stages.runtime.budgets import Budget

    from .network_tables import consensus_facts

    if threshold is None:
        threshold = significance_threshold(pair_strengths(table).values())
    budget = Budget(evaluations=CONSENSUS_ORDERS)
    network = consensus_network(table, threshold, OptimizeOptions(seed=0), budget, reporter)
    reporter.detail(consensus_facts(network))
    return network


def write_structure(task: Conversion) -> None:
    """Networks, and graphs made of them."""
    from formats import write_network
    from formats.graphs.arc_tables import write_arc_table
    from formats.graphs.networks import require_parameters
    from formats.streams import source_name
    from stages.subgraphs import cut_model, cut_network

    from .network_tables import network_facts

    learnt = open_chosen(task)
    network = learnt.structure
    kept = task.part.kept(network, source_name(task.source))
    if task.part.cpdag:
        write_essential(task, network, kept)
        return
    kind = find_format(task.format).kind
    if kind is Kind.PARAMETERS:
        model = require_parameters(learnt.parameters, task.format, source_name(task.source))
        model = model if kept is None else cut_model(model, kept)
        write_network(task.output, model, task.format, task.reporter.warn)
    network = network if kept is None else cut_network(network, kept)
    if kind is Kind.DECOMPOSITION:
        write_network(task.output, _with_elimination(network, task.reporter), task.format)
    elif task.written != task.format:
        write_arc_table(task.output, network, task.written)
    elif kind is not Kind.PARAMETERS:
        write_network(task.output, network, task.format)
    if task.format == "arcs":
        arcs = [(parent, child) for child, parents in enumerate(network.parents) for parent in parents]
        _warn_of_isolated(network.n_variables, arcs, task.reporter)
    task.reporter.summary(network_facts(network))


def write_picture(task: Conversion) -> None:
    """Pictures of networks, or of their essential graphs."""
    from formats import write_drawing
    from formats.streams import source_name
    from stages.drawing.layout import draw_network
    from stages.subgraphs import cut_essential_graph, cut_network

    from .network_tables import network_facts
    from .printable import printable
    from .short_names import shortened

    whole = open_chosen(task).structure
    kept = task.part.kept(whole, source_name(task.source))
    essential = cut_essential_graph(whole, kept) if task.part.cpdag else None
    network = whole if kept is None else cut_network(whole, kept)
    labels = shortened([printable(name) for name in network.header.names], LABEL_LENGTH)
    write_drawing(task.output, draw_network(network, labels, essential), task.format)
    task.reporter.summary(network_facts(network))


def write_essential(task: Conversion, network: Network, kept: set[int] | None) -> None:
    """The essential graph of a network."""
    from formats import write_essential_graph
    from formats.graphs.arc_tables import write_arc_table
    from stages.subgraphs import cut_essential_graph

    graph = cut_essential_graph(network, kept)
    if task.written != task.format:
        write_arc_table(task.output, graph, task.written)
    else:
        write_essential_graph(task.output, graph, task.format)
    if task.format == "arcs":
        _warn_of_isolated(len(graph.variables), [*graph.arcs, *graph.edges], task.reporter)
    task.reporter.summary(
        f"{plural(len(graph.variables), 'variable')}, {plural(len(graph.arcs), 'arc')}, "
        f"{plural(len(graph.edges), 'undirected edge')}"
    )


def _warn_of_isolated(n_variables: int, arcs: Iterable[tuple[int, int]], reporter: Reporter) -> None:
    """Say how many variables a list of arcs does not name."""
    n_isolated = n_variables - len({variable for arc in arcs for variable in arc})
    if n_isolated:
        verb = "has" if n_isolated == 1 else "have"
        reporter.warn(
            f"{plural(n_isolated, 'variable')} {verb} no arcs; a list of arcs does not name what has none"
        )


def _with_elimination(network: Network, reporter: Reporter) -> Network:
    """The network with an elimination order in its header: a good one if there is none yet."""
    from stages.evaluate.treewidth import bound_treewidth
    from stages.graphs import moral_graph

    extra = network.header.extra
    if (extra.get("treewidth") or {}).get("elimination") is not None:
        return network
    bounds = bound_treewidth(moral_graph(network.parents))
    reporter.detail(
        f"elimination order of width {bounds.upper} found; the treewidth is {bounds.lower} or more"
    )
    extra = {**extra, "treewidth": {"elimination": bounds.elimination}}
    return dataclasses.replace(network, header=dataclasses.replace(network.header, extra=extra))


def write_data(task: Conversion) -> None:
    """Data tables."""
    from formats import open_table_writer

    dataset = task.data_options.open(task.source, task.reporter)
    with open_table_writer(task.output, dataset.variables, task.format) as writer:
        writer.write(dataset.codes)
    task.reporter.summary(f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}")


def write_readable(task: Conversion) -> None:
    """A table to read, by the kind of the input."""
    from formats import arc_probabilities_or_lines, open_forest, open_parent_set_stream
    from formats.detection import detect_lines
    from formats.graph_records import ArcProbabilities
    from stages.subgraphs import cut_network

    from . import network_tables, tables

    lines = arc_probabilities_or_lines(task.source)
    if isinstance(lines, ArcProbabilities):
        tables.show_arc_probabilities(task.output, lines, tables.rows_shown(task.output, task.format))
        return
    kind = detect_lines(lines).kind
    limit = tables.rows_shown(task.output, task.format)
    if task.part.given() and kind in (Kind.FOREST, Kind.PARENT_SETS):
        raise click.UsageError(f"{task.part.given()} needs a network, and {lines.source} is none.")
    if kind is Kind.FOREST:
        tables.show_forest(task.output, open_forest(lines), limit)
    elif kind is Kind.PARENT_SETS:
        header, records = open_parent_set_stream(lines, warn=task.reporter.warn)
        tables.show_parent_sets(task.output, _named(header, task.names).variables, records, limit)
    else:
        network = open_chosen(task, lines).structure
        kept = task.part.kept(network, lines.source)
        network = network if kept is None else cut_network(network, kept)
        network_tables.show_network(task.output, network, limit)


class Family(NamedTuple):
    """Targets that one function writes, and what the help says of them."""

    targets: tuple[str, ...]
    write: Callable[[Conversion], None]
    help: str


def _written(*kinds: Kind) -> tuple[str, ...]:
    return tuple(row.target for row in formats_of(*kinds, written=True))


FAMILIES = (
    Family(_written(Kind.PARENT_SETS), write_sets, "candidate parent sets with scores"),
    Family(_written(*STRUCTURES), write_structure, "networks, their moral graph or tree decomposition"),
    Family(_written(Kind.PICTURE), write_picture, "pictures of networks"),
    Family(_written(Kind.DATA), write_data, "data tables"),
    Family(("table",), write_readable, "networks, parent sets, forests: to read"),
)
TARGETS = {target: family.write for family in FAMILIES for target in family.targets}
"""Every target format and the function that writes it."""

ESSENTIAL = tuple(row.target for row in FORMATS if row.essential_writer or row.kind is Kind.PICTURE)
"""Targets that hold undirected edges beside arcs."""

STRUCTURE_TARGETS = (*_written(*STRUCTURES, Kind.PICTURE), "table")
"""Targets that networks alone become, and the one for readers."""

*_FIRST, _LAST = _written(Kind.PARAMETERS)
WITH_PARAMETERS = f"{', '.join(_FIRST)} and {_LAST}"


def describe_targets() -> str:
    """The targets by family, as the help page shows them."""
    rows = []
    for family in FAMILIES:
        lines = textwrap.wrap(", ".join(family.targets), 42, subsequent_indent="  ")
        rows += [*lines[:-1], f"{lines[-1]:<44}{family.help}"]
    return textwrap.indent("\n".join(rows), "  ")


def guess_target(output: str) -> str:
    """The target format that an output's name means; .csv could be several things.

    Raises
    ------
    click.UsageError
        It means none.
    """
    named = [row.target for row in named_formats(output) if row.target in TARGETS]
    if len(named) == 1:
        return named[0]
    raise click.UsageError(f"give the format to write: --to {'|'.join(TARGETS)}.")


def _named(header: Header, names: Dataset | None) -> Header:
    """The header with the variables of a table, if one was given."""
    if names is None:
        return header
    if names.n_variables != header.n_variables:
        raise click.UsageError(
            f"--names has {names.n_variables} columns, but the file has {header.n_variables} variables."
        )
    return dataclasses.replace(header, variables=names.variables)
