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
    from formats.data_records import Dataset, IncompleteDataset, Variable

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
        """Read a complete table, coded with the states of `known` variables if given."""
        from formats import open_dataset

        return open_dataset(source, warn=reporter.warn, **self.rules(known))

    def open_incomplete(
        self, source: str, reporter: Reporter, known: KnownVariables | None = None
    ) -> IncompleteDataset:
        """The same of a table whose holes stay holes."""
        from formats import open_incomplete

        return open_incomplete(source, warn=reporter.warn, **self.rules(known))

    @property
    def keeps_holes(self) -> bool:
        """Whether missing cells stay missing."""
        return self.missing in KEPT

    def rules(self, known: KnownVariables | None = None) -> dict[str, Any]:
        """The options as the readers of tables call them."""
        from formats.streams import source_name

        rules = {field.name: getattr(self, field.name) for field in fields(self)}
        rules |= {
            "header": not rules.pop("no_header"),
            "missing": "keep" if self.keeps_holes else self.missing,
        }
        if known is not None:
            rules |= {"variables": known.variables, "listed_in": source_name(known.source)}
        return rules

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


KEPT = {
    "em": "sum over them exactly",
    "pairs": "take each pair of columns from the rows that have both",
}
"""Values of ``--missing`` for which missing cells stay missing, and what is done then."""


def _columns_option(name: str, help: str) -> Decorator:
    """A repeatable list of columns; the callback gets one tuple."""

    def callback(_ctx: click.Context, _parameter: click.Parameter, lists: Iterable[tuple[str, ...]]):
        return tuple(itertools.chain.from_iterable(lists))

    return option(name, type=COLUMNS, multiple=True, callback=callback, section="Data", help=help)


def _missing_option(kept: str | None) -> Decorator:
    """``--missing``, with a way of keeping missing cells if the command has one."""
    done = "refuse them, drop their rows, or make them a state"
    if kept is not None:
        done = f"refuse them, drop their rows, make them a state, or {KEPT[kept]} ({kept})"
    return option(
        "--missing",
        type=click.Choice(["error", "drop", "state", *([kept] if kept else [])]),
        default="error",
        show_default=True,
        section="Data",
        help="Missing cells (empty, ?, NA, N/A, NaN, null and the like; among numbers also None, '.', '-'): "
        f"{done}.",
    )


_LAYOUT = (
    option(
        "--delimiter",
        type=Delimiter(),
        section="Data",
        help="Character between cells of a text table, or 'tab'; guessed if not given.",
    ),
    option(
        "--no-header", is_flag=True, section="Data", help="The first line holds data; names are V0, V1, ..."
    ),
)
_CODING = (
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


def data_options_with(kept: str | None = None) -> Decorator:
    """The options of a command that reads tables; `kept` is what it can do with holes, see `KEPT`."""
    return packed("data_options", DataOptions, *_LAYOUT, _missing_option(kept), *_CODING)


data_options = data_options_with()
