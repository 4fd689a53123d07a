"""Layout of readable tables, for a terminal or ``--format table``.

On a terminal tables have a limited number of rows and fit its width: names are abbreviated in the middle, text is
folded, numbers are kept whole. If that is still too wide, each row becomes several lines. rich is imported when a
table is made.
"""

from __future__ import annotations

import io
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from formats.printable import abbreviated, printable_lines
from formats.wording import plural, printable

if TYPE_CHECKING:
    from rich.table import Table

FILE_WIDTH = 120
MOST_CHARACTERS = 1_000_000
"""Largest width of a line of a table in a file."""
TEXT_WIDTH = 8
"""Least width of a column of names or text."""
COLUMN_GAP = 3


def is_terminal(target: str) -> bool:
    """Whether `target` is standard output on a terminal."""
    return target == "-" and sys.stdout.isatty()


def width_of(target: str) -> int:
    """Characters in a line of the terminal, or of a file."""
    columns = shutil.get_terminal_size((FILE_WIDTH, 50)).columns if is_terminal(target) else FILE_WIDTH
    return max(columns, 2 * TEXT_WIDTH)


def fitting_names(target: str, names: Sequence[str]) -> list[str]:
    """Names as a table shows them: on a terminal abbreviated to 2/7 of its width."""
    whole = [printable(name) for name in names]
    if not is_terminal(target):
        return whole
    return abbreviated(whole, max(TEXT_WIDTH, width_of(target) * 2 // 7))


def write_text(target: str, *parts: Table | str) -> None:
    """Write tables and lines to a file, or to standard output (``-``) in the terminal's width and colours.

    In a file a table that is too wide has long lines, one for each row.
    """
    from rich.console import Console
    from rich.measure import Measurement

    from formats.streams import open_output

    on_terminal, width = is_terminal(target), width_of(target)
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, force_terminal=on_terminal, highlight=False, emoji=False)
    for part in parts:
        if isinstance(part, str):
            console.print(printable(part), markup=False)
        elif least_width(part) <= width:
            console.print(part)
        elif not on_terminal:
            endless = console.options.update(width=MOST_CHARACTERS)
            whole = Measurement.get(console, endless, part).maximum
            Console(file=buffer, width=whole, force_terminal=False, highlight=False, emoji=False).print(part)
        else:
            console.print(stacked(part, width), markup=False)
    with open_output(target, is_laid_out=True) as stream:
        for line in buffer.getvalue().splitlines():
            stream.write(line.rstrip().encode() + b"\n")


def new_table(*columns: str, title: str | None = None) -> Table:
    """A plain table; ``>`` before a column's name means numbers, aligned right, ``!`` text that is not folded."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, title=title, title_justify="left", pad_edge=False, show_edge=False)
    for name in columns:
        mark = name[:1] if name[:1] in (">", "!") else ""
        table.add_column(
            Text(printable_lines(name.removeprefix(mark))),
            justify="right" if mark == ">" else "left",
            no_wrap=bool(mark),
            overflow="fold",
        )
    return table


def least_width(table: Table) -> int:
    """Least width of a table that keeps numbers whole; sets the least widths of their columns."""
    total = COLUMN_GAP * (len(table.columns) - 1)
    for column in table.columns:
        if column.no_wrap:
            lines = [line for cell in column.cells for line in str(cell).splitlines()]
            column.min_width = max(map(len, [*str(column.header).splitlines(), *lines]), default=0)
        total += column.min_width or TEXT_WIDTH
    return total


def stacked(table: Table, width: int) -> str:
    """The table with a line for every cell, for terminals that are too narrow for it."""
    titles = [str(column.header).replace("\n", "") for column in table.columns]
    lines = []
    for first, *cells in zip(*(column.cells for column in table.columns)):
        lines.append(str(first))
        for title, cell in zip(titles[1:], map(str, cells)):
            whole = len(title) + len(cell) + 3 <= width
            indented = textwrap.indent(textwrap.fill(cell, width - 4, break_long_words=False), "    ")
            lines += [f"  {title} {cell}"] if whole else [f"  {title}", indented]
    return "\n".join(lines)


def add_rows(table: Table, rows: Iterable[Sequence[str]], limit: int | None) -> int:
    """Add the first `limit` rows (all if None) as plain text; returns the number of rows omitted."""
    from rich.text import Text

    omitted = 0
    for number, row in enumerate(rows):
        if limit is None or number < limit:
            table.add_row(*(Text(printable(cell)) for cell in row))
        else:
            omitted += 1
    return omitted


def write_table(
    target: str, table: Table, rows: Iterable[Sequence[str]], limit: int | None, noun: str, *closing: str
) -> None:
    """Write a table with the first `limit` rows; lines below it count the omitted rows and close it."""
    omitted = add_rows(table, rows, limit)
    more = f"... {plural(omitted, f'more {noun}')}; --format table shows all, a pipe or -o FILE has them in full"
    write_text(target, table, *([more] if omitted else []), *closing)


def listed(indices: Iterable[int], names: Sequence[str]) -> str:
    """Names in one cell."""
    return ", ".join(names[index] for index in indices) or "-"
