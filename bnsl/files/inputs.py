"""Inputs of several kinds, detected by content, and checks that inputs belong together."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from formats.wording import Warn, about, listed, plural

from ..tables import as_file, as_table

if TYPE_CHECKING:
    from formats.data_records import Dataset, Variable
    from formats.graph_records import BayesianNetwork
    from formats.records import EntropyTable, Header, Network, ParentSetTable

    from ..native_tables import StateValues
    from ..options.data import DataOptions
    from ..options.shared import ScoreOptions
    from ..running.function import Run
    from ..running.reporter import Reporter


class LearntNetwork(NamedTuple):
    """A network, and its parameters; None if its file has none.

    If `is_class`, the file has an essential graph, and the network is one of the equivalence class. Then `edges` are
    the undirected edges, the smaller index first. `values` has, by variable, the values of the states in
    the table of Python that the parameters come from.
    """

    structure: Network
    parameters: BayesianNetwork | None
    edges: tuple[tuple[int, int], ...] | None = None
    values: Mapping[str, StateValues] = {}

    @property
    def is_class(self) -> bool:
        """Whether the file has an essential graph."""
        return self.edges is not None


def open_learnt_network(source: Any, may_be_empty: bool = False, warn: Warn | None = None) -> LearntNetwork:
    """Read a network in any format, with its parameters if the file has them.

    - `may_be_empty`: whether a list of arcs may have none; its variables are then `completed`.
    - `warn`: is called about claims of the file that are ignored.
    """
    if hasattr(source, "learnt"):  # a `Network` of this package
        return source.learnt
    from formats import open_network_or_model

    return learnt_network(open_network_or_model(as_file(source, "network"), may_be_empty, warn))


def learnt_network(found: Network | BayesianNetwork) -> LearntNetwork:
    """The structure of a network, and the parameters if it has them."""
    from formats.graphs.structures import structure_of
    from formats.records import Network

    return LearntNetwork(structure_of(found), None if isinstance(found, Network) else found)


def open_network_or_class(source: Any, warn: Warn | None = None) -> LearntNetwork:
    """As `open_learnt_network`; for an essential graph, or one maximally oriented under knowledge, a network of its
    equivalence class. A list of arcs may have none: its variables are then `completed`.

    All partly directed graphs are read here. Raises `Inconsistent`: a graph with undirected edges is neither.
    """
    if hasattr(source, "learnt"):
        return source.learnt
    from formats import open_graph
    from formats.detection import detect_lines
    from formats.graph_records import EssentialGraph
    from formats.graphs.structures import network_from_parents
    from formats.kinds import Kind
    from formats.schemas import NETWORK
    from formats.textlines import as_lines
    from stages.graphs.consistent_extension import class_member

    lines = as_lines(as_file(source, "network"))
    found = detect_lines(lines)
    if found.kind is Kind.PARAMETERS or found.name == NETWORK.name:
        return open_learnt_network(lines, may_be_empty=True, warn=warn)
    graph = open_graph(lines, may_be_empty=True, warn=warn)
    if not isinstance(graph, EssentialGraph):
        return LearntNetwork(graph, None)
    member = network_from_parents(graph.variables, class_member(graph, lines.source))
    header = replace(member.header, lacks_isolated=graph.lacks_isolated)
    return LearntNetwork(replace(member, header=header), None, graph.edges)


def open_learnt_networks(source: Any, warn: Warn | None = None) -> Iterator[LearntNetwork]:
    """Read the networks of a stream, or the network or essential graph of any other file."""
    if hasattr(source, "learnt"):
        yield source.learnt
        return
    from formats import open_networks_or_models
    from formats.detection import detect_lines
    from formats.schemas import NETWORK
    from formats.textlines import as_lines

    lines = as_lines(as_file(source, "network"))
    if detect_lines(lines).name == NETWORK.name:
        yield from map(learnt_network, open_networks_or_models(lines))
    else:
        yield open_network_or_class(lines, warn)


def completed(network: Network, source: Any, names: Sequence[str], other: Any, reporter: Reporter) -> Network:
    """The network with further variables of another input, which a list of arcs cannot name because they have no
    arcs.

    A message reports them. Networks of other formats name all variables and are returned as they are.
    """
    from formats.graphs.structures import with_variables
    from formats.streams import source_name
    from formats.wording import listed

    if not network.header.lacks_isolated:
        return network
    known = set(network.header.names)
    missing = [name for name in names if name not in known]
    if missing:
        reporter.summary(
            f"{source_name(source)} is a list of arcs, which names no variable without one; "
            f"from {source_name(other)}: {listed(missing)}"
        )
    return with_variables(network, missing)


def certified_order(network: Network) -> list[int] | None:
    """The elimination order of a network's certificate, which its reader has checked; None if it has none."""
    return (network.header.extra.get("treewidth") or {}).get("elimination")


def open_record(source: Any, opened: Callable[..., Any], **settings: Any) -> Any:
    """The record of a result of this package; or, of a path, the result of a reader.

    Raises `UsageError`: it is neither, or the result of another kind.
    """
    expected = str(opened.__annotations__["return"])
    record = getattr(source, "record", None)
    if type(record).__name__ == expected:
        return record
    return opened(as_file(source, CALLED[expected]), **settings)


CALLED = {
    "ParentSetTable": "list of parent sets",
    "Network": "network",
    "Forest": "screening forest",
    "ArcProbabilities": "table of arc probabilities",
}
"""The name of each kind of record in messages."""


class MatchedTables:
    """A data table coded for each of several networks by the states that its header lists.

    Networks of different programs may list states in different orders. So the table is read again for each different
    list, except for standard input, which can be read only once. Missing cells are kept if the options ask for it.
    `may_be_set` and `is_recodable` are as in `DataOptions.open`.
    """

    def __init__(
        self,
        source: str | None,
        data_options: DataOptions,
        reporter: Reporter,
        *,
        may_be_set: bool = False,
        is_recodable: bool = False,
    ):
        self.source = source
        self.is_recodable = is_recodable
        self.may_be_set = may_be_set
        self.data_options = data_options
        self.reporter = reporter
        self._opened: dict[tuple[Variable, ...], Dataset] = {}

    def match(self, header: Header | Dataset, source: str) -> Dataset | None:
        """The table, or other rows from `source`, coded by the variables of a network; None if there is no table.

        A list of arcs does not affect the coding, as it knows neither all variables nor their states.
        """
        from formats.records import Header
        from formats.streams import is_standard_input

        from ..options.data import KnownVariables

        if self.source is None:
            return None
        if is_standard_input(self.source) and self._opened:
            return next(iter(self._opened.values()))
        knows_all = not (isinstance(header, Header) and header.lacks_isolated)
        variables = header.variables if knows_all else ()
        if variables not in self._opened:
            known = KnownVariables(variables, source) if knows_all else None
            self._opened[variables] = self.data_options.open(
                self.source, self.reporter, known, may_be_set=self.may_be_set, is_recodable=self.is_recodable
            )
        return self._opened[variables]

    def match_complete(self, header: Header, source: str) -> Dataset | None:
        """As `match`; raises `UnsuitableData` if the table has missing cells."""
        from formats.errors import located
        from formats.streams import source_name

        found = self.match(header, source)
        with located(source_name(self.source)):
            return found and found.require_complete()


def read_entropies(source: Any, data_options: DataOptions, jobs: int, run: Run) -> EntropyTable:
    """Read an entropy table, or compute the entropies of a data table."""
    return read_entropies_and_rows(source, data_options, jobs, run)[0]


def read_entropies_and_rows(
    source: Any, data_options: DataOptions, jobs: int, run: Run
) -> tuple[EntropyTable, Dataset | None]:
    """As `read_entropies`, and the data table, None if the source holds entropies."""
    from formats import labels_or_entropies, open_dataset
    from formats.records import EntropyTable
    from formats.streams import source_name
    from stages.screening.entropies import compute_entropies

    from ..options.data import refuse_data_options

    reporter = run.reporter
    rules, table = data_options.rules(reporter), as_table(source)
    opened = labels_or_entropies(
        table, rules.pop("delimiter"), rules.pop("header"), about(source_name(table), reporter.warn)
    )
    if isinstance(opened, EntropyTable):
        refuse_data_options(run, f"goes with data, and {source_name(source)} holds entropies.")
        return opened, None
    dataset = open_dataset(opened, warn=reporter.warn, note=reporter.note, **rules)
    del opened  # the labels take more memory than the data set
    return compute_entropies(dataset, jobs, reporter), dataset


def warn_of_cut_lists(table: ParentSetTable, reporter: Reporter) -> None:
    """Warn of variables whose search did not begin or ended early."""
    n, n_unsearched = table.n_variables, table.n_unsearched
    if n_unsearched:
        reporter.warn(
            f"{n_unsearched} of {n} variables were never searched: each lists one set only; "
            "go on with bnsl parentsets --resume, or give it more time"
        )
    if table.n_cut_short > n_unsearched:
        reporter.warn(f"the lists of {table.n_cut_short - n_unsearched} of {n} variables ended early")


def require_least_sets(table: ParentSetTable, source: Any) -> None:
    """Raise `Inconsistent` if some child has no least set, one within all its others (mostly the empty set)."""
    from formats.errors import Inconsistent
    from stages.lists.barred_sets import children_without_least

    lacking = [repr(table.header.names[child]) for child in children_without_least(table)]
    if lacking:
        name = str(source) if isinstance(source, str) else "SETS"
        raise Inconsistent(
            f"no empty parent set is listed for {plural(len(lacking), 'variable')}: {listed(lacking)}",
            source=name,
            remedy=f"bnsl optimize {shlex.quote(name)} searches such lists; for all else list the empty set",
        )


COUNT_APART = "--interventions COLUMN leaves out those in which a variable was set"
"""What to do in commands that have the option."""


def warn_of_interventions(
    header: Header, reporter: Reporter, remedy: str = "give rows in which nothing was set as DATA"
) -> None:
    """Warn where a structure rests on rows under intervention, and rows that may be these all count alike."""
    if header.extra.get("interventions"):
        reporter.warn(f"this was learnt from rows under intervention, and here all rows count alike: {remedy}")


def warn_of_list_terms(
    header: Header, dataset: Dataset, is_constrained: bool, source: str, reporter: Reporter
) -> None:
    """Warn where lists were made with a prior or under constraints that a search on data, which scores and chooses
    anew, does not have.
    """
    from formats.arc_priors import KEY

    if header.extra.get(KEY) not in (None, dataset.score_entries.get(KEY)):
        reporter.warn(f"{source}: made with --prior, which does not count in a search on data: give it here, too")
    options = [entry.get("options") or {} for entry in header.by]
    given = sorted({name for of in options for name in ("require", "forbid", "allow", "tiers") if of.get(name)})
    if given and not is_constrained:
        names = " and ".join(f"--{name}" for name in given)
        reporter.warn(f"{source}: made with {names}, which does not bind a search on data: give it here, too")


def warn_of_other_data(entropies: EntropyTable, header: Header, source: str, reporter: Reporter) -> None:
    """Warn if a file was made from data with another fingerprint than the entropies."""
    if header.data is not None and header.data != entropies.fingerprint:
        reporter.warn(f"{source}: these are not the data of the parent sets, or were read otherwise")


def warn_of_other_forest(header: Header, dataset: Dataset, source: str, reporter: Reporter) -> None:
    """Warn if a screening forest was made from data with another fingerprint; its arcs are used all the same."""
    if header.data is not None and header.data != dataset.fingerprint:
        reporter.warn(
            f"{source}: the forest was made from other data, or from this file with other reading options "
            "(--missing, --discretize, ...)"
        )


def require_same_scores(header: Header, dataset: Dataset, score_options: ScoreOptions, source: str) -> None:
    """Raise `Inconsistent` if the scores of a file were computed from other data or are of another kind."""
    from formats.arc_priors import KEY
    from formats.errors import Inconsistent
    from stages.scoring.scores import recorded_ess

    ess = recorded_ess(score_options.score, score_options.ess)
    ours = {"score": score_options.score, "ess": ess, "data": dataset.fingerprint}
    if header.extra.get(KEY) != dataset.score_entries.get(KEY):
        raise Inconsistent(
            "its scores cannot be used here: they contain another prior of arcs, or none",
            source=source,
            remedy="give both the same --prior",
        )
    for name, value in ours.items():
        theirs = getattr(header, name)
        if theirs != value:
            raise Inconsistent(f"its scores cannot be used here: {name} is {theirs}, here {value}", source=source)


def require_same_variables(header: Header, dataset: Dataset, source: str) -> None:
    """Raise `Inconsistent` unless a file has the variables of the data, in the same order."""
    from formats.errors import Inconsistent

    if header.names != dataset.names:
        raise Inconsistent("its variables must be the variables of the data, in their order", source=source)
