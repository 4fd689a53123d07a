"""Inputs of several kinds, and checks that inputs belong together; `network_inputs` reads networks."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from formats.wording import about, listed, out_of, plural

from ..tables import as_file, as_table

if TYPE_CHECKING:
    from formats.data_records import Dataset, Variable
    from formats.records import EntropyTable, Header, NetworkRecord, ParentSetTable

    from ..options.data import Reading
    from ..options.option import Given
    from ..running.function import Run
    from ..running.reporter import LineReporter


def completed(
    network: NetworkRecord, source: Any, names: Sequence[str], other: Any, reporter: LineReporter
) -> NetworkRecord:
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
    "NetworkRecord": "network",
    "ScreeningForest": "screening forest",
    "ArcProbabilityTable": "table of arc probabilities",
}
"""The name of each kind of record in messages."""


class MatchedTables:
    """A data table coded for each of several networks by the states that its header lists.

    Networks of different programs may list states in different orders. So the table is read again for each different
    list, except for standard input, which can be read only once. Missing cells are kept if the options ask for it.
    `may_be_set` and `is_recodable` are as in `Reading.open`.
    """

    def __init__(
        self,
        source: str | None,
        data_options: Reading,
        reporter: LineReporter,
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


def read_entropies(source: Any, data_options: Reading, jobs: int, run: Run) -> EntropyTable:
    """Read an entropy table, or compute the entropies of a data table."""
    return read_entropies_and_rows(source, data_options, jobs, run)[0]


def read_entropies_and_rows(
    source: Any, data_options: Reading, jobs: int, run: Run
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
        refuse_data_options(
            run, f"applies to data, and {source_name(source)} holds entropies: give it to bnsl entropy."
        )
        return opened, None
    dataset = open_dataset(opened, warn=reporter.warn, note=reporter.note, **rules)
    del opened  # the labels take more memory than the data set
    return compute_entropies(dataset, jobs, reporter), dataset


def warn_of_cut_lists(table: ParentSetTable, reporter: LineReporter) -> None:
    """Warn of variables whose search did not begin or ended early."""
    n, n_unsearched = table.n_variables, table.n_unsearched
    if n_unsearched:
        reporter.warn(
            f"{out_of(n_unsearched, n, 'variable')} were never searched, and list one set each: "
            "go on with bnsl parentsets --resume, or give it more time"
        )
    if table.n_cut_short > n_unsearched:
        n_early = table.n_cut_short - n_unsearched
        reporter.warn(f"the lists of {out_of(n_early, n, 'variable')} ended early")


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
            remedy=f"bnsl optimize {shlex.quote(name)} searches such lists; other commands need the empty set",
        )


COUNT_APART = "--interventions COLUMN leaves out those in which a variable was set"
"""What to do in commands that have the option."""


def warn_of_interventions(
    header: Header, reporter: LineReporter, remedy: str = "give rows in which nothing was set as DATA"
) -> None:
    """Warn where a structure rests on rows under intervention, and rows that may be these all count alike."""
    if header.extra.get("interventions"):
        reporter.warn(f"the input was learnt from rows under intervention, but here all rows count alike: {remedy}")


def warn_of_list_terms(
    header: Header, dataset: Dataset, is_constrained: bool, source: str, reporter: LineReporter
) -> None:
    """Warn where lists were made with a prior or under constraints that a search on data, which scores and chooses
    anew, does not have.
    """
    from formats.arc_priors import KEY

    if header.extra.get(KEY) not in (None, dataset.score_entries.get(KEY)):
        reporter.warn(
            f"{source} was made with --prior, which a search on data does not take from it: give it here, too"
        )
    options = [entry.get("options") or {} for entry in header.by]
    given = sorted({name for of in options for name in ("require", "forbid", "allow", "tiers") if of.get(name)})
    if given and not is_constrained:
        names = " and ".join(f"--{name}" for name in given)
        reporter.warn(
            f"{source} was made with {names}, which a search on data does not take from it: give it here, too"
        )


def warn_of_other_data(entropies: EntropyTable, header: Header, source: str, reporter: LineReporter) -> None:
    """Warn if a file was made from data with another fingerprint than the entropies."""
    if header.data is not None and header.data != entropies.fingerprint:
        reporter.warn(
            f"{source}: the parent sets were made from other data, or from this file with other reading options "
            "(--missing, --discretize, ...)"
        )


def warn_of_other_forest(header: Header, dataset: Dataset, source: str, reporter: LineReporter) -> None:
    """Warn if a screening forest was made from data with another fingerprint; its arcs are used all the same."""
    if header.data is not None and header.data != dataset.fingerprint:
        reporter.warn(
            f"{source}: the forest was made from other data, or from this file with other reading options "
            "(--missing, --discretize, ...)"
        )


def require_same_scores(header: Header, dataset: Dataset, given: Given, source: str) -> None:
    """Raise `Inconsistent` if the scores of a file were computed from other data or are of another kind."""
    from formats.arc_priors import KEY
    from formats.errors import Inconsistent
    from stages.scoring.scores import recorded_ess

    ess = recorded_ess(given.score, given.ess)
    ours = {"score": given.score, "ess": ess, "data": dataset.fingerprint}
    if header.extra.get(KEY) != dataset.score_entries.get(KEY):
        raise Inconsistent(
            "its scores cannot be used here: they contain another prior of arcs, or none",
            source=source,
            remedy="make both with the same --prior",
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
