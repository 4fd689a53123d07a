"""Tables of values: to read, or the same as CSV with whole names and figures in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from formats.printable import escaped

from .layout import fitting_names, listed, new_table, write_table

if TYPE_CHECKING:
    from bnsl.options.shared import Target

VARIABLES = "variables"
"""Shape of columns whose cells are the position of a variable, or a tuple of positions."""


class SheetColumn(NamedTuple):
    """A column: its title to read, its name in CSV, and how its values are shown."""

    title: str
    name: str
    shape: str = ""  # `VARIABLES`, the format of figures, or nothing for text


@dataclass(frozen=True)
class Sheet:
    """A table of values; `names` are the variables', `noun` is what a row is, `closing` are lines below it."""

    columns: Sequence[SheetColumn]
    rows: Iterable[Sequence[Any]]
    noun: str
    names: Sequence[str] = ()
    closing: Sequence[str] = ()


def write_sheet(target: Target, sheet: Sheet) -> None:
    """Write the table in the format that is asked for."""
    if target.format == "csv":
        rows = ([_plain(cell, sheet, column) for cell, column in zip(row, sheet.columns)] for row in sheet.rows)
        write_csv(target.output, [column.name for column in sheet.columns], rows)
        return
    names = fitting_names(target.output, sheet.names)
    view = new_table(*(f">{c.title}" if c.shape not in ("", VARIABLES) else c.title for c in sheet.columns))
    cells = ([_shown(cell, names, column.shape) for cell, column in zip(row, sheet.columns)] for row in sheet.rows)
    write_table(target.output, view, cells, target.rows_shown, sheet.noun, *sheet.closing)


def write_csv(target: str, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a line of names and a line for each row; None is an empty cell."""
    from formats.streams import open_output
    from formats.tables.results.result_tables import csv_text

    with open_output(target) as stream:
        stream.write(escaped(csv_text([names, *rows])).encode())


def _plain(cell: Any, sheet: Sheet, column: SheetColumn) -> Any:
    if column.shape != VARIABLES:
        return cell
    return ",".join(sheet.names[v] for v in cell) if isinstance(cell, tuple) else sheet.names[cell]


def _shown(cell: Any, names: Sequence[str], shape: str) -> str:
    if shape == VARIABLES:
        return listed(cell, names) if isinstance(cell, tuple) else names[cell]
    return "-" if cell is None else format(cell, shape)
