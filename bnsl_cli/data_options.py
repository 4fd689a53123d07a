"""Options of every command that reads a data table: how it is read, which columns, and how cells become codes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .parameter_types import COLUMNS, DISCRETIZATION, Delimiter
from .stage_command import Decorator, option, packed

if TYPE_CHECKING:
    from formats.records import Dataset, Variable

    from .reporter import Reporter


class KnownVariables(NamedTuple):
    """The variables that data are to have, and the file that lists them."""

    variables: tuple[Variable, ...]
    source: str


@dataclass(frozen=True)
class DataOptions:
    """How a data table is read and coded."""

    delimiter: str | None
    no_header: bool
    missing: str
    na: tuple[str, ...]
    discretize: tuple[str, ...]
    categories: tuple[str, ...]
    columns: tuple[str, ...]
    drop: tuple[str, ...]
    max_states: int | None
    unseen: str

    def open(self, source: str, reporter: Reporter, known: KnownVariables | None = None) -> Dataset:
        """Read a table, coded with the states of `known` variables if given."""
        from formats import open_dataset
        from formats.streams import source_name

        if known is None:
            return open_dataset(source, warn=reporter.warn, **self.rules())
        rules = {**self.rules(), "variables": known.variables, "listed_in": source_name(known.source)}
        return open_dataset(source, warn=reporter.warn, **rules)

    def rules(self) -> dict[str, Any]:
        """The options as the readers of tables call them."""
        rules = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"header": not rules.pop("no_header"), **rules}

    def recorded(self) -> dict[str, Any]:
        """The options that decide how cells become codes, for the header of what is made from them."""
        given: dict[str, Any] = {
            "missing": self.missing,
            "na": self.na,
            # one rule for all columns, the usual case, is recorded as it is typed
            "discretize": self.discretize[0] if len(self.discretize) == 1 else self.discretize,
            "categories": self.categories,
            "columns": self.columns,
            "drop": self.drop,
            "unseen": self.unseen,
        }
        return {name: None if value == "error" else value for name, value in given.items()}


def _columns_option(name: str, help: str) -> Decorator:
    """A repeatable list of columns; the callback gets one tuple."""

    def callback(_ctx: click.Context, _parameter: click.Parameter, lists: Iterable[tuple[str, ...]]):
        return tuple(itertools.chain.from_iterable(lists))

    return option(name, type=COLUMNS, multiple=True, callback=callback, section="Data", help=help)


data_options = packed(
    "data_options",
    DataOptions,
    option(
        "--delimiter",
        type=Delimiter(),
        section="Data",
        help="Character between cells of a text table, or 'tab'; guessed if not given.",
    ),
    option(
        "--no-header", is_flag=True, section="Data", help="The first line holds data; names are V0, V1, ..."
    ),
    option(
        "--missing",
        type=click.Choice(["error", "drop", "state"]),
        default="error",
        show_default=True,
        section="Data",
        help="Missing cells (empty, ?, NA, N/A, NaN, null and the like; among numbers also None, '.', '-'): "
        "refuse them, drop their rows, or make them a state.",
    ),
    option(
        "--na",
        multiple=True,
        metavar="TEXT",
        section="Data",
        help="Cells of this text are missing, too; repeatable.",
    ),
    option(
        "--discretize",
        type=DISCRETIZATION,
        multiple=True,
        section="Data",
        help="Cut numeric columns with many values: median, quantile:K, width:K, or hartemink:K, which keeps what "
        "columns tell of one another; of one column by COLUMN=quantile:K or COLUMN=cuts:18,40,65. Repeatable, the "
        "last rule for a column holds.",
    ),
    _columns_option("--categories", "Columns whose numbers are states, however many (up to 256); never cut."),
    _columns_option(
        "--columns",
        "Read these columns only: names, patterns (age*) or ranges (first..last), with commas between.",
    ),
    _columns_option("--drop", "Leave these columns out."),
    option(
        "--max-states",
        type=click.IntRange(2, 256),
        metavar="N",
        section="Data",
        help="Refuse columns with more states than this.",
    ),
    option(
        "--unseen",
        type=click.Choice(["error", "drop"]),
        default="error",
        show_default=True,
        section="Data",
        help="Rows with a state that the other input does not know: refuse or drop them.",
    ),
)
