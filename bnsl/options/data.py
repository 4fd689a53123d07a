"""Options of all commands that read a data table: layout, columns, missing cells, coding."""

import os
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypedDict

from ..results import Result
from ..running.errors import UsageError
from ..running.reporter import LineReporter
from .option import Given, Option, group_options
from .values import COLUMN_RULE, COLUMNS, DELIMITER, OBSERVED, STATES, Whole

if TYPE_CHECKING:
    from formats.data_records import Dataset, Variable
    from formats.tables.labels import Marks

    from ..running.function import Run


class KnownVariables(NamedTuple):
    """The variables that a table must have, and the file that lists them."""

    variables: "tuple[Variable, ...]"
    source: str


_Option = partial(Option, section="Data")

KEPT = {"em": "sum over them exactly", "pairs": "take each pair of columns from the rows that have both"}
"""Values of ``--missing`` that keep missing cells, and what the command then does."""


Columns = Annotated[str | Iterable[str] | None, _Option(kind=COLUMNS)]
"""Names of columns in one text or a list; a text after it is the help."""

SeveralColumns = Annotated[str | Iterable[str], _Option(kind=COLUMNS, is_several=True, is_joined=True, default=())]
"""A repeatable list of columns."""

MISSING = (
    "What to do with missing cells: {}. Cells are missing if they are empty, or ?, NA, N/A, NaN, null and the like; "
    "among numbers also None, '.' and '-'."
)
REFUSED = "refuse them (error), drop their rows (drop), or make them a state (state)"
KEEPING = "refuse them (error), drop their rows (drop), make them a state (state), or {} ({})"


def _missing(*kept: str) -> Option:
    """``--missing``, with a value of `KEPT` if the command has one."""
    done = KEEPING.format(KEPT[kept[0]], kept[0]) if kept else REFUSED
    return _Option(MISSING.format(done), default="error")


class DataOptions(TypedDict, total=False):
    """How a data table is read and coded, beside its missing cells."""

    delimiter: Annotated[
        str | None,
        _Option(
            "The character between the cells of a text table, or the word tab. It is guessed if not given.", DELIMITER
        ),
    ]
    no_header: Annotated[
        bool, _Option("The first line of the table holds data. The columns are then named V0, V1, ...")
    ]
    na: Annotated[
        str | Iterable[str],
        _Option("Read cells of this text as missing, too. May be repeated.", metavar="TEXT", is_several=True),
    ]
    not_na: Annotated[
        str | Iterable[str],
        _Option(
            "Read cells of this text as labels, although it usually marks missing cells, such as NA. May be "
            "repeated.",
            metavar="TEXT",
            is_several=True,
        ),
    ]
    discretize: Annotated[
        str | Iterable[str],
        _Option(
            "Cut numeric columns that have many values: median, quantile:K, width:K or hartemink:K. hartemink:K "
            "chooses cuts that keep the mutual information between columns. COLUMN=quantile:K or "
            "COLUMN=cuts:18,40,65 is a rule for one column. A column of at most ten whole numbers is cut only by a "
            "rule that names it, or by a rule for all numbers, '*=median'. May be repeated; the last rule for a "
            "column holds.",
            COLUMN_RULE,
            is_several=True,
        ),
    ]
    categories: Annotated[
        SeveralColumns,
        "Never cut these columns: each of their numbers is a state. A column may have up to 256 states.",
    ]
    columns: Annotated[
        SeveralColumns,
        "Read only these columns: names, patterns (age*) or ranges (first..last), separated by commas.",
    ]
    drop: Annotated[SeveralColumns, "Leave these columns out."]
    weights: Annotated[
        str | None,
        _Option(
            "Column of counts, such as freq. A row with count 3 is read as three equal rows. The column is no "
            "variable.",
            metavar="COLUMN",
        ),
    ]
    max_states: Annotated[int | None, _Option("Refuse columns with more states than this.", Whole(2, 256), "N")]
    states: Annotated[
        str | os.PathLike[str] | Mapping[str, Iterable[str]] | Result | None,
        _Option(
            'The states of columns in their order: a file of JSON {"column": ["low", "high"]}, or a network, parent '
            "sets or a table that lists states. The word observed, instead of a file, leaves out declared states "
            "that no row has, such as unused categories of Parquet.",
            STATES,
            "FILE|observed",
        ),
    ]
    unseen: Annotated[
        Literal["error", "drop", "missing"],
        _Option(
            "What to do with a row that has an unlisted state: refuse it (error), drop it (drop), or take the cell "
            "as missing (missing). --states or another input lists the states.",
            default="error",
        ),
    ]


class CompleteRows(DataOptions, total=False):
    """How a table is read by functions of complete rows."""

    missing: Annotated[Literal["error", "drop", "state"], _missing()]


class RowsWithHoles(DataOptions, total=False):
    """How a table is read by functions that sum over missing cells."""

    missing: Annotated[Literal["error", "drop", "state", "em"], _missing("em")]


class PairsOfColumns(DataOptions, total=False):
    """How a table is read by functions of pairs of columns."""

    missing: Annotated[Literal["error", "drop", "state", "pairs"], _missing("pairs")]


class InterventionOptions(TypedDict, total=False):
    """For functions that count families."""

    interventions: Annotated[
        str | None,
        _Option(
            "Column that names the variables set from outside in each row. Names are separated by ';', and an empty "
            "cell means none. A row does not count for the families of the variables that were set in it. The column "
            "is no variable.",
            metavar="COLUMN",
        ),
    ]


class Reading(Given):
    """The given options of a data table, and the reader that follows them."""

    interventions: str | None = None  # not every function has the option

    def open(
        self,
        source: Any,
        reporter: LineReporter,
        known: "KnownVariables | None" = None,
        *,
        may_be_set: bool = False,
        is_recodable: bool = False,
    ) -> "Dataset":
        """Read a table, coded with the states of `known` variables if given; cells are missing if the options keep
        them.

        With `may_be_set` no family is counted: a variable may have been set in all rows. With `is_recodable` folds
        of the rows can decide cuts (`Dataset.recoded`); a message names these columns.
        """
        from formats import open_dataset
        from formats.errors import located
        from formats.streams import source_name

        from ..tables import as_table

        table = as_table(source)
        rules = self.rules(reporter, known) | {"is_recodable": is_recodable}
        dataset = open_dataset(table, warn=reporter.warn, note=reporter.note, **rules)
        if not may_be_set:
            with located(source_name(table)):
                dataset.require_free_rows()
        _report_recoding(dataset, known, reporter)
        return dataset

    @property
    def keeps_holes(self) -> bool:
        """Whether missing cells are kept."""
        return self.missing in KEPT

    @property
    def marks(self) -> "Marks":
        """The texts of missing cells."""
        from formats.tables.labels import Marks

        return Marks(self.na, self.not_na)

    @property
    def without_coding(self) -> "Reading":
        """The options for a table whose states another table decides: without the options in `CODING`."""
        return self.changed(discretize=(), categories=(), max_states=None, states=None)

    def rules(self, reporter: LineReporter, known: "KnownVariables | None" = None) -> dict[str, Any]:
        """The options as arguments of the readers of tables; raises a usage error for options without effect."""
        from formats.streams import source_name
        from formats.wording import option_value

        levels = self._levels(reporter, known)
        lists_states = self.states not in (None, OBSERVED) or (known and any(v.states for v in known.variables))
        if self.unseen != "error" and not lists_states:
            raise UsageError("--unseen needs another input that lists the states of its variables.")
        both = [text for text in self.na if text in self.not_na]
        if both:
            raise UsageError(f"--na {option_value(both[0])} and --not-na {option_value(both[0])}: give one of them.")
        if self.interventions is not None and self.missing == "pairs":
            raise UsageError(
                "--interventions cannot be combined with --missing pairs, with other rows for each pair of columns: "
                "give --missing drop or --missing state."
            )
        rules = {name: getattr(self, name) for name in READING}
        states = rules.pop("states")
        rules["observed"] = states == OBSERVED
        if levels:
            rules |= {"levels": levels, "listed_in": states if isinstance(states, str) else "--states"}
        rules |= {"header": not rules.pop("no_header"), "missing": "keep" if self.keeps_holes else self.missing}
        if self.weights is not None:
            from stages.runtime.memory import FREE_SHARE, free_bytes

            rules["free_bytes"] = int(FREE_SHARE * free_bytes())
        if known is not None:
            rules |= {"variables": known.variables, "listed_in": source_name(known.source)}
        return rules

    def _levels(self, reporter: LineReporter, known: "KnownVariables | None") -> dict[str, tuple[str, ...]]:
        """The states by ``--states``, by column; none where the states of `known` variables hold.

        Raises `UsageError`: they are not the states of the `known` variables.
        """
        if self.states is None:
            return {}
        from formats.streams import source_name
        from formats.wording import listed

        from ..files.states import levels_of

        levels = {} if self.states == OBSERVED else levels_of(self.states, reporter)
        if known is None or not all(variable.states for variable in known.variables):
            return levels
        if not levels:
            raise UsageError(f"leave --states out: {source_name(known.source)} lists the states already.")
        others = levels.keys() - {variable.name for variable in known.variables}
        if others:
            reporter.warn(f"--states lists states of columns that are not read: {listed(map(repr, sorted(others)))}")
        for variable in known.variables:
            given = tuple(levels.get(variable.name, variable.known_states))
            if given != variable.known_states:
                raise UsageError(
                    f"--states gives {variable.name!r} the states {listed(map(repr, given))}, but "
                    f"{source_name(known.source)} lists {listed(map(repr, variable.known_states))}."
                )
        return {}

    def recorded(self) -> dict[str, Any]:
        """The options that decide how cells become codes, for the headers of results."""
        given = {name: getattr(self, name) for name in READING}
        if self.states != OBSERVED:  # the header has the states themselves
            given["states"] = self.states is not None or None
        if len(self.discretize) == 1:  # a single rule for all columns, the usual case, is recorded as typed
            given["discretize"] = self.discretize[0]
        return {name: None if value in ("error", False) else value for name, value in given.items()}


def _report_recoding(dataset: "Dataset", known: "KnownVariables | None", reporter: LineReporter) -> None:
    """Name the columns that each fold cuts anew; warn of cuts that a file lists."""
    from formats.streams import source_name
    from formats.wording import listed, plural

    if dataset.recoding is None:
        return
    learnt, kept = dataset.recoding.learnt, dataset.recoding.kept
    if learnt:
        reporter.note(
            f"the states of {plural(len(learnt), 'column')} are learnt for each fold from the other folds: "
            f"{listed(map(repr, learnt))}"
        )
    if kept and known is not None:
        reporter.warn(
            f"the cuts that {source_name(known.source)} lists hold in all folds, even if they were learnt from "
            f"these rows: {listed(map(repr, kept))}; to cut in each fold anew, give the --discretize RULE that "
            "made them"
        )


CODING = ("missing", "discretize", "categories", "max_states", "states")
"""Options that decide which states columns get."""


READING = (*group_options(RowsWithHoles), *group_options(InterventionOptions))
"""Options that decide how data are read."""


def refuse_data_options(run: "Run", why: str, names: Collection[str] = READING) -> None:
    """Refuse the options of data tables, or the given names among them, with a usage error that ends with `why`."""
    run.refuse(names, why)
