"""What conversions make of their input: networks, the class of one, parent sets, rows, or content to read."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import formats
from formats.detection import detect_lines
from formats.errors import Inconsistent
from formats.graph_records import ArcProbabilityTable
from formats.graphs.network_files import require_parameters
from formats.graphs.structures import with_parameters
from formats.json_lines.network_lines import write_network_stream
from formats.kinds import Kind
from formats.records import Header, NetworkRecord, Parameters, ParentSetRecord, ParentSetTable, ScreeningForest
from formats.registry import find_format
from formats.streams import open_output
from formats.textlines import Lines
from formats.wording import plural
from stages.graphs.orientation import with_shown_directions
from stages.graphs.subgraphs import cut_essential_graph, cut_network, cut_parameters

from ..files.rows import Rows
from ..options.shared import resolve_seed
from ..results import Deliverable
from ..running.errors import UsageError
from ..running.reporter import LineReporter
from ..tables import as_file
from .chosen_networks import Conversion, kept_variables, named_header, open_chosen, opened
from .class_members import class_of, members_of
from .selection import ALL, COUNT

PLAIN_LISTS = ("jkl", "pss")
"""Formats of parent sets that hold sets and scores only."""


@dataclass
class PreparedOutput(Deliverable[str | bytes | None]):
    """The result of a conversion.

    - `content`: the record: a network with what decides directions, an essential graph, parameters, lists, rows.
    - `write`: writes it to a path, ``-`` or an open file.
    - `closing`: the closing line, complete once the content is written; None for the line of a network.
    - `target`: the requested output.
    """

    content: Any
    write: Callable[[Any], object]
    closing: str | None = None
    target: str = "-"

    def for_python(self) -> str | bytes | None:
        """The text, or the bytes of a binary format; None if they are in a file."""
        if self.target != "-":
            self.write(self.target)
            return None
        memory = io.BytesIO()
        self.write(memory)
        content = memory.getvalue()
        try:
            return content.decode()
        except UnicodeDecodeError:
            return content


def convert_structure(task: Conversion) -> PreparedOutput:
    """A network, or its essential graph."""
    learnt = open_chosen(task)
    network = learnt.record
    kept = kept_variables(task, network)
    if task.given.cpdag:
        return convert_essential(task, network, kept)
    if kept is not None or task.format in ("dot", "arcs"):
        network = with_shown_directions(network, task.given.cpdag)
    network = network if kept is None else cut_network(network, kept)
    if task.format == "arcs":
        arcs = [(parent, child) for child, parents in enumerate(network.parents) for parent in parents]
        warn_of_isolated(network.n_variables, arcs, task.reporter)
    if find_format(task.format).kind is Kind.PARAMETERS:
        require_parameters(learnt.model, task.format, task.called)
    if task.written != task.format:
        return PreparedOutput(network, lambda to: formats.write_arc_table(to, network, task.written))
    whole = with_kept_parameters(network, learnt.model, kept, task)
    return PreparedOutput(network, lambda to: formats.write_network(to, whole, task.format, task.reporter.warn))


def with_kept_parameters(
    network: NetworkRecord, model: Parameters | None, kept: set[int] | None, task: Conversion
) -> NetworkRecord:
    """The part of a network that is written, with its parameters if there are any.

    If a variable lost a parent, the structure is written without them, with a warning. Raises `Inconsistent`: a
    variable lost a parent, and the format needs parameters.
    """
    if model is None:
        return network
    try:
        part = model if kept is None else cut_parameters(model, kept)
    except Inconsistent as error:
        if find_format(task.format).kind is Kind.PARAMETERS:
            raise
        task.reporter.warn(f"written without parameters: {error.message}")
        return network
    return with_parameters(network, part)


def convert_essential(task: Conversion, network: NetworkRecord, kept: set[int] | None) -> PreparedOutput:
    """The essential graph of a network."""
    graph = cut_essential_graph(network, kept)
    if task.format == "arcs":
        warn_of_isolated(len(graph.variables), [*graph.arcs, *graph.edges], task.reporter)
    closing = (
        f"{plural(len(graph.variables), 'variable')}, {plural(len(graph.arcs), 'arc')}, "
        f"{plural(len(graph.edges), 'undirected edge')}"
    )
    if task.written != task.format:
        return PreparedOutput(graph, lambda to: formats.write_arc_table(to, graph, task.written), closing)
    return PreparedOutput(graph, lambda to: formats.write_essential_graph(to, graph, task.format), closing)


def warn_of_isolated(n_variables: int, arcs: Iterable[tuple[int, int]], reporter: LineReporter) -> None:
    """Warn of variables without arcs, since a list of arcs does not name them."""
    n_isolated = n_variables - len({variable for arc in arcs for variable in arc})
    if n_isolated:
        verb = "has" if n_isolated == 1 else "have"
        reporter.warn(
            f"{plural(n_isolated, 'variable')} {verb} no arcs; a list of arcs names only variables with arcs"
        )


def convert_readable(task: Conversion) -> PreparedOutput:
    """Content to show as a table to read, by the kind of the input: its record, with nothing to write."""
    found = opened(task.source)
    of_networks = task.given.of_networks
    if isinstance(found, ArcProbabilityTable):
        of_networks = of_networks or ("--names" if task.names else None)
        if of_networks:
            raise UsageError(f"{of_networks} needs a network; --to table shows all arc probabilities.")
        return PreparedOutput(found, _unwritten)
    kind = detect_lines(found).kind if isinstance(found, Lines) else Kind.NETWORK
    if of_networks and (
        kind in (Kind.FOREST, Kind.PARENT_SETS) or isinstance(found, (ScreeningForest, ParentSetTable))
    ):
        raise UsageError(f"{of_networks} needs a network, and {task.called} is none.")
    if kind is Kind.FOREST or isinstance(found, ScreeningForest):
        if task.names:
            raise UsageError("--names is for files that number their variables; a forest names them.")
        return PreparedOutput(found if isinstance(found, ScreeningForest) else formats.open_forest(found), _unwritten)
    if kind is Kind.PARENT_SETS or isinstance(found, ParentSetTable):
        header, records = listed(found, task)
        return PreparedOutput((named_header(header, task.names).variables, records), _unwritten)
    network = open_chosen(task, found).record
    kept = kept_variables(task, network)
    network = with_shown_directions(network, task.given.cpdag)
    return PreparedOutput(network if kept is None else cut_network(network, kept), _unwritten)


def _unwritten(_target: Any) -> None:
    raise ValueError("a table to read is shown, not written")


def listed(found: Any, task: Conversion) -> tuple[Header, Iterable[ParentSetRecord]]:
    """The header and the records of parent sets."""
    if isinstance(found, ParentSetTable):
        return found.header, found.records()
    return formats.open_parent_set_stream(found, warn=task.reporter.warn)


def convert_sets(task: Conversion) -> PreparedOutput:
    """Candidate parent sets, record by record."""
    record = getattr(task.source, "record", None)
    found = record if isinstance(record, ParentSetTable) else as_file(task.source, "list of parent sets")
    header, records = listed(found, task)
    if task.format in PLAIN_LISTS:
        records = _warn_of_constraints(records, task)
    else:
        records = _with_least_sets(records, header, task)
    named = named_header(header, task.names)
    made = PreparedOutput(named, _unwritten)

    def write(target: Any) -> None:
        count = formats.write_parent_sets(target, named, records, format=task.format)
        made.closing = f"parent sets of {plural(count, 'variable')}"

    made.write = write
    return made


def _with_least_sets(
    records: Iterable[ParentSetRecord], header: Header, task: Conversion
) -> Iterator[ParentSetRecord]:
    """The records; raises `Inconsistent` for one without the empty set or a set that replaces it."""
    for record in records:
        if not record.fixed and record.parents.sizes.min() > len(record.required):
            raise Inconsistent(
                f"no empty parent set is listed for {header.names[record.child]!r}: {task.format} files need it",
                remedy="bnsl optimize searches such lists as they are",
            )
        yield record


def _warn_of_constraints(records: Iterable[ParentSetRecord], task: Conversion) -> Iterator[ParentSetRecord]:
    """The records; a warning at the end counts the constraints that the target format cannot hold."""
    n_fixed = n_required = 0
    for record in records:
        n_fixed += record.fixed
        n_required += bool(record.required) and not record.fixed
        yield record
    if n_fixed or n_required:
        task.reporter.warn(
            f"{task.format} files cannot hold constraints: without the empty set, {plural(n_fixed, 'variable')} with "
            f"a fixed parent set and {n_required} with required parents list only the sets that meet them"
        )


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


def convert_data(task: Conversion) -> PreparedOutput:
    """A data table."""
    dataset = task.reading.open(task.source, task.reporter)
    rows = Rows(dataset.variables, [dataset.plain_codes])

    def write(target: Any) -> None:
        with formats.open_table_writer(target, dataset.variables, task.format) as writer:
            writer.write(dataset.plain_codes)

    closing = f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}"
    return PreparedOutput(rows, write, closing)
