"""Conversions of networks and lists: which network and which part of it is converted, and to what."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import formats
from formats.data_records import Dataset
from formats.detection import detect_lines
from formats.errors import Inconsistent, located
from formats.graph_records import DIRECTIONS, ArcProbabilities, BayesianNetwork, with_directions
from formats.graphs.network_files import require_parameters
from formats.graphs.structures import with_header
from formats.kinds import Kind
from formats.records import Forest, Header, Network, ParentSetRecord, ParentSetTable
from formats.registry import find_format
from formats.streams import source_name
from formats.tables.selection import matching_names
from formats.textlines import Lines
from formats.wording import plural
from stages.graphs.orientation import class_directions, network_directions
from stages.graphs.subgraphs import cut_essential_graph, cut_model, cut_network, markov_blanket, neighbourhood
from stages.recorded_knowledge import recorded_knowledge

from ..files.inputs import LearntNetwork, learnt_network, open_learnt_network, open_network_or_class
from ..files.rows import Rows
from ..options.conversions import ChoiceOptions, PartOptions
from ..options.data import DataOptions
from ..running.errors import UsageError
from ..running.reporter import Reporter
from ..tables import as_file

CONSENSUS_ORDERS = 1000
"""Number of orders searched for the consensus of a table of arc probabilities that is too large for an exact search;
``bnsl average --time`` searches more.
"""

PLAIN_LISTS = ("jkl", "pss")
"""Formats of parent sets that hold sets and scores only."""


@dataclass(frozen=True)
class Conversion:
    """One conversion.

    - `source`: a path, or a result of the library.
    - `format`, `written`: the target format, and the format of the file: a list of arcs (``arcs``) may be written as
      Parquet.
    - `names`: table that names the variables.
    """

    source: Any
    format: str
    written: str
    names: Dataset | None
    part: PartOptions
    choice: ChoiceOptions
    data_options: DataOptions
    reporter: Reporter

    @property
    def called(self) -> str:
        """The name of the source in messages."""
        return source_name(self.source) if isinstance(self.source, str) else type(self.source).__name__


@dataclass
class Converted:
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


def opened(source: Any) -> Any:
    """Arc probabilities, a record of the library, or the lines of a file."""
    if isinstance(source, str):
        return formats.arc_probabilities_or_lines(source)
    if hasattr(source, "learnt"):
        return source.learnt
    return source.record if hasattr(source, "record") else as_file(source, "file")


def kept_variables(part: PartOptions, network: Network, source: str) -> set[int] | None:
    """The variables in the part of a network that is converted; None for all."""
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


def open_chosen(task: Conversion, found: Any = None) -> LearntNetwork:
    """The network to convert, with the names and arc strengths that the options give; a table becomes its consensus.

    `found`: the result of `opened` for the source, if it is known already. Raises `UsageError`: an option does not go
    with the input.
    """
    choice = task.choice
    found = opened(task.source) if found is None else found
    if isinstance(found, ArcProbabilities):
        for name in ("index", "strengths"):
            if getattr(choice, name) is not None:
                raise UsageError(f"--{name} needs a network, and the input is a table of arc probabilities.")
        learnt = LearntNetwork(consensus_of(found, choice.threshold, task.reporter), None)
    elif choice.threshold is not None:
        raise UsageError("--threshold needs a table of arc probabilities, and the input is none.")
    elif isinstance(found, LearntNetwork):
        learnt = found
    elif not isinstance(found, Lines):
        raise UsageError(f"{task.called} is no network.")
    elif choice.index is not None:
        learnt = learnt_network(formats.pick_network(found, choice.index or None, task.reporter.warn))
    else:
        takes_class = task.part.class_members is not None or task.part.cpdag is False
        open_one = open_network_or_class if takes_class else open_learnt_network
        learnt = open_one(found, warn=task.reporter.warn)
    header = learnt.structure.header
    named = named_header(header, task.names)
    if named.names != header.names and not recorded_knowledge(header.by, header.names).is_empty:
        raise UsageError("--names cannot rename this network: its header records knowledge about arcs by name.")
    network = dataclasses.replace(learnt.structure, header=named)
    if choice.strengths is not None:
        from stages.average.strengths import with_table_strengths

        table = opened(choice.strengths)
        table = table if isinstance(table, ArcProbabilities) else formats.open_arc_probabilities(table)
        network = with_table_strengths(network, table)
    return learnt._replace(structure=network)


def named_header(header: Header, names: Dataset | None) -> Header:
    """The header with the variables of a table, if one was given."""
    if names is None:
        return header
    if names.n_variables != header.n_variables:
        raise UsageError(f"--names has {names.n_variables} columns, but the file has {header.n_variables} variables.")
    return dataclasses.replace(header, variables=names.variables)


def consensus_of(table: ArcProbabilities, threshold: float | None, reporter: Reporter) -> Network:
    """The consensus of a table of arc probabilities, above the significance threshold by default."""
    from stages.average.consensus import consensus_network
    from stages.average.strengths import pair_strengths, significance_threshold
    from stages.optimize import OptimizeOptions
    from stages.runtime.budgets import Budget

    from ..facts import consensus_facts

    if threshold is None:
        threshold = significance_threshold(pair_strengths(table).values())
    budget = Budget(evaluations=CONSENSUS_ORDERS)
    network = consensus_network(table, threshold, OptimizeOptions(seed=0), budget, reporter)
    reporter.detail(consensus_facts(network))
    return network


def with_shown_directions(network: Network, cpdag: bool | None) -> Network:
    """The network to show; its header states what decides the directions of its arcs.

    `cpdag`: take the directions of the equivalence class; None: for a learnt network only; False: show arcs as they
    stand.
    """
    header = network.header
    directions = class_directions(network) if cpdag else {} if cpdag is False else network_directions(network)
    if directions:
        return with_directions(network, directions)
    extra = {key: value for key, value in header.extra.items() if key != DIRECTIONS}
    return dataclasses.replace(network, header=dataclasses.replace(header, extra=extra))


def convert_structure(task: Conversion) -> Converted:
    """A network, or its essential graph."""
    learnt = open_chosen(task)
    network = learnt.structure
    kept = kept_variables(task.part, network, task.called)
    if task.part.cpdag:
        return convert_essential(task, network, kept)
    if kept is not None or task.format in ("dot", "arcs"):
        network = with_shown_directions(network, task.part.cpdag)
    network = network if kept is None else cut_network(network, kept)
    if task.format == "arcs":
        arcs = [(parent, child) for child, parents in enumerate(network.parents) for parent in parents]
        warn_of_isolated(network.n_variables, arcs, task.reporter)
    if find_format(task.format).kind is Kind.PARAMETERS:
        require_parameters(learnt.parameters, task.format, task.called)
    if task.written != task.format:
        return Converted(network, lambda to: formats.write_arc_table(to, network, task.written))
    whole = with_parameters(network, learnt.parameters, kept, task)
    return Converted(network, lambda to: formats.write_network(to, whole, task.format, task.reporter.warn))


def with_parameters(
    network: Network, model: BayesianNetwork | None, kept: set[int] | None, task: Conversion
) -> Network | BayesianNetwork:
    """The part of a network that is written, with its parameters if there are any.

    If a variable lost a parent, the structure is written without them, with a warning. Raises `Inconsistent`: a
    variable lost a parent, and the format needs parameters.
    """
    if model is None:
        return network
    try:
        part = model if kept is None else cut_model(model, kept)
    except Inconsistent as error:
        if find_format(task.format).kind is Kind.PARAMETERS:
            raise
        task.reporter.warn(f"written without parameters: {error.message}")
        return network
    return with_header(part, network)


def convert_essential(task: Conversion, network: Network, kept: set[int] | None) -> Converted:
    """The essential graph of a network."""
    graph = cut_essential_graph(network, kept)
    if task.format == "arcs":
        warn_of_isolated(len(graph.variables), [*graph.arcs, *graph.edges], task.reporter)
    closing = (
        f"{plural(len(graph.variables), 'variable')}, {plural(len(graph.arcs), 'arc')}, "
        f"{plural(len(graph.edges), 'undirected edge')}"
    )
    if task.written != task.format:
        return Converted(graph, lambda to: formats.write_arc_table(to, graph, task.written), closing)
    return Converted(graph, lambda to: formats.write_essential_graph(to, graph, task.format), closing)


def warn_of_isolated(n_variables: int, arcs: Iterable[tuple[int, int]], reporter: Reporter) -> None:
    """Warn of variables without arcs, since a list of arcs does not name them."""
    n_isolated = n_variables - len({variable for arc in arcs for variable in arc})
    if n_isolated:
        verb = "has" if n_isolated == 1 else "have"
        reporter.warn(
            f"{plural(n_isolated, 'variable')} {verb} no arcs; a list of arcs names only variables with arcs"
        )


def convert_readable(task: Conversion) -> Converted:
    """Content to show as a table to read, by the kind of the input: its record, with nothing to write."""
    found = opened(task.source)
    of_networks = task.part.given() or task.choice.given()
    if isinstance(found, ArcProbabilities):
        of_networks = of_networks or ("--names" if task.names else None)
        if of_networks:
            raise UsageError(f"{of_networks} needs a network; --to table shows all arc probabilities.")
        return Converted(found, _unwritten)
    kind = detect_lines(found).kind if isinstance(found, Lines) else Kind.NETWORK
    if of_networks and (kind in (Kind.FOREST, Kind.PARENT_SETS) or isinstance(found, (Forest, ParentSetTable))):
        raise UsageError(f"{of_networks} needs a network, and {task.called} is none.")
    if kind is Kind.FOREST or isinstance(found, Forest):
        if task.names:
            raise UsageError("--names is for files that number their variables; a forest names them.")
        return Converted(found if isinstance(found, Forest) else formats.open_forest(found), _unwritten)
    if kind is Kind.PARENT_SETS or isinstance(found, ParentSetTable):
        header, records = listed(found, task)
        return Converted((named_header(header, task.names).variables, records), _unwritten)
    network = open_chosen(task, found).structure
    kept = kept_variables(task.part, network, task.called)
    network = with_shown_directions(network, task.part.cpdag)
    return Converted(network if kept is None else cut_network(network, kept), _unwritten)


def _unwritten(_target: Any) -> None:
    raise ValueError("a table to read is shown, not written")


def listed(found: Any, task: Conversion) -> tuple[Header, Iterable[ParentSetRecord]]:
    """The header and the records of parent sets."""
    if isinstance(found, ParentSetTable):
        return found.header, found.records()
    return formats.open_parent_set_stream(found, warn=task.reporter.warn)


def convert_sets(task: Conversion) -> Converted:
    """Candidate parent sets, record by record."""
    record = getattr(task.source, "record", None)
    found = record if isinstance(record, ParentSetTable) else as_file(task.source, "list of parent sets")
    header, records = listed(found, task)
    if task.format in PLAIN_LISTS:
        records = _warn_of_constraints(records, task)
    else:
        records = _with_least_sets(records, header, task)
    named = named_header(header, task.names)
    made = Converted(named, _unwritten)

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


def convert_data(task: Conversion) -> Converted:
    """A data table."""
    dataset = task.data_options.open(task.source, task.reporter)
    rows = Rows(dataset.variables, [dataset.plain_codes])

    def write(target: Any) -> None:
        with formats.open_table_writer(target, dataset.variables, task.format) as writer:
            writer.write(dataset.plain_codes)

    closing = f"{plural(dataset.n_variables, 'variable')}, {plural(dataset.n_rows, 'row')}"
    return Converted(rows, write, closing)
