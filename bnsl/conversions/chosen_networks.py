"""The network that a conversion is of: which one of the input, by which names, and which part of it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import formats
from formats.data_records import Dataset, Variable
from formats.errors import located
from formats.graph_records import ArcProbabilityTable
from formats.graphs.structures import with_parameters
from formats.records import Header, NetworkRecord
from formats.streams import source_name
from formats.tables.selection import matching_names
from formats.textlines import Lines
from stages.graphs.subgraphs import markov_blanket, neighbourhood
from stages.recorded_knowledge import recorded_knowledge

from ..files.network_inputs import read_network, read_network_or_class
from ..networks import Network
from ..options.data import Reading
from ..running.errors import UsageError
from ..running.reporter import LineReporter
from ..tables import as_file
from .selection import Selection

CONSENSUS_ORDERS = 1000
"""Number of orders searched for the consensus of a table of arc probabilities that is too large for an exact search;
``bnsl average --time`` searches more.
"""


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
    given: Selection
    reading: Reading
    reporter: LineReporter

    @property
    def called(self) -> str:
        """The name of the source in messages."""
        return source_name(self.source) if isinstance(self.source, str) else type(self.source).__name__


def opened(source: Any) -> Any:
    """Arc probabilities, another record, a network of the library, or the lines of a file."""
    if isinstance(source, str):
        return formats.arc_probabilities_or_lines(source)
    if isinstance(source, Network):
        return source
    return source.record if hasattr(source, "record") else as_file(source, "file")


def kept_variables(task: Conversion, network: NetworkRecord) -> set[int] | None:
    """The variables in the part of a network that is converted; None for all."""
    given = task.given
    if given.markov_blanket is None and given.neighbourhood is None:
        return None
    with located(task.called):
        centre = _positions(given.markov_blanket, "--markov-blanket", network)
        around = _positions(given.neighbourhood, "--neighbourhood", network)
    nearby = neighbourhood(network.parents, around, given.radius or 1)
    return markov_blanket(network.parents, centre) | nearby


def _positions(items: tuple[str, ...] | None, option: str, network: NetworkRecord) -> list[int]:
    names = network.header.names
    index = {name: position for position, name in enumerate(names)}
    return [index[name] for item in items or () for name in matching_names(item, names, option, "variable")]


def open_chosen(task: Conversion, found: Any = None) -> Network:
    """The network to convert, with the names and arc strengths that the options give.

    `found`: the result of `opened` for the source, if it is known already. Raises `UsageError`: an option does not go
    with the input.
    """
    strengths = task.given.strengths
    learnt = _chosen(task, opened(task.source) if found is None else found)
    network = named_network(learnt.record, task.names)
    if strengths is not None:
        from stages.average.strengths import with_table_strengths

        table = opened(strengths)
        table = table if isinstance(table, ArcProbabilityTable) else formats.open_arc_probabilities(table)
        network = with_table_strengths(network, table)
    return Network(network, undirected=learnt.undirected)


def _chosen(task: Conversion, found: Any) -> Network:
    """The network that the options choose; of a table of arc probabilities its consensus."""
    given, warn = task.given, task.reporter.warn
    if isinstance(found, ArcProbabilityTable):
        for name in ("index", "strengths"):
            if getattr(given, name) is not None:
                raise UsageError(f"--{name} needs a network, and the input is a table of arc probabilities.")
        return Network(consensus_of(found, given.threshold, task.reporter))
    if given.threshold is not None:
        raise UsageError("--threshold needs a table of arc probabilities, and the input is none.")
    if isinstance(found, Network):
        if given.index is not None and given.index > 1:
            raise UsageError(f"--index {given.index} needs a stream, and the input is one network.")
        return found
    if not isinstance(found, Lines):
        raise UsageError(f"{task.called} is no network.")
    if given.index is not None:
        return Network(formats.pick_network(found, given.index or None, warn))
    takes_class = given.class_members is not None or given.cpdag is False
    return (read_network_or_class if takes_class else read_network)(found, warn=warn)


def named_header(header: Header, names: Dataset | None) -> Header:
    """The header with the variables of a table, if one was given."""
    if names is None:
        return header
    if names.n_variables != header.n_variables:
        raise UsageError(f"--names has {names.n_variables} columns, but the file has {header.n_variables} variables.")
    return dataclasses.replace(header, variables=names.variables)


def named_network(network: NetworkRecord, names: Dataset | None) -> NetworkRecord:
    """The network with the variables of a table, if one was given.

    A network with parameters gets their names only: the cells of its tables are in the order of its own states.
    """
    header, parameters = network.header, network.parameters
    named = named_header(header, names)
    if named.names != header.names and not recorded_knowledge(header.by, header.names).is_empty:
        raise UsageError("--names cannot rename this network: its header records knowledge about arcs by name.")
    if parameters is None:
        return dataclasses.replace(network, header=named)
    variables = tuple(Variable(name, of.states) for name, of in zip(named.names, parameters.variables))
    return with_parameters(network, dataclasses.replace(parameters, variables=variables))


def consensus_of(table: ArcProbabilityTable, threshold: float | None, reporter: LineReporter) -> NetworkRecord:
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
