"""Measures of ``bnsl evaluate`` as readable tables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from formats.wording import plural, whole

from .layout import COLUMN_GAP, add_rows, fitting_names, new_table, width_of, write_text
from .sheets import VARIABLES, Sheet, SheetColumn, write_csv, write_sheet

if TYPE_CHECKING:
    from rich.table import Table

    from bnsl.options.shared import Target
    from formats.schemas import Key


def show_measures(place: Target, records: Sequence[Mapping[str, Any]], keys: Sequence[Key]) -> None:
    """One network: a line for each measure, with its meaning. Several, and CSV: a line for each network."""
    target = place.output
    meanings = {key.name: f"{key.meaning}; {key.unit}" if key.unit else key.meaning for key in keys}
    names = [name for name in meanings if any(name in record for record in records)]
    if place.format == "csv":
        names = [*(name for name in ("network", "index") if any(name in record for record in records)), *names]
        write_csv(target, names, ([record.get(name) for name in names] for record in records))
        return
    paths = [record["network"] for record in records]
    files = ["<stdin>" if path == "-" else path.rpartition("/")[2] for path in paths]
    places = [f"#{record['index']}" if "index" in record else "" for record in records]
    files, paths = ([name + place for name, place in zip(names, places)] for names in (files, paths))
    titles = fitting_names(target, files if len(set(files)) == len(files) else paths)
    if len(records) == 1:
        view = new_table("!measure", f">{titles[0]}", "meaning")
        add_rows(view, ([name, _figure(records[0].get(name)), meanings[name]] for name in names), None)
        write_text(target, view)
        return
    columns = {name: [_figure(record.get(name)) for record in records] for name in names}
    available = width_of(target) - max(map(len, titles))
    parts: list[Table | str] = []
    for block in _blocks(columns, available):
        view = new_table("!network", *(f">{_folded(name)}" for name in block))
        add_rows(view, zip(titles, *(columns[name] for name in block)), None)
        parts += ["", view] if parts else [view]
    write_text(target, *parts)


def show_families(place: Target, records: Sequence[Mapping[str, Any]], sources: Sequence[str]) -> None:
    """Two networks side by side: a line for each variable, its parents in both and the local scores of both families.

    A sign marks the variables whose parents differ.
    """
    names = [record["variable"] for record in records]
    number = {name: position for position, name in enumerate(names)}
    columns = [SheetColumn("variable", "variable", VARIABLES), SheetColumn("", "same")]
    columns += [SheetColumn(f"parents in {n}", f"parents_{n}", VARIABLES) for n in ("1", "2")]
    scores = [key for key in records[0] if key not in ("variable", "same", "parents_1", "parents_2")]
    columns += [SheetColumn(key.replace("_", " in "), key, ",.2f") for key in scores]
    is_csv = place.format == "csv"
    rows = [
        (
            number[record["variable"]],
            record["same"] if is_csv else "" if record["same"] else "*",
            *(tuple(number[parent] for parent in record[f"parents_{n}"]) for n in (1, 2)),
            *(record[key] for key in scores),
        )
        for record in records
    ]
    n_same = sum(record["same"] for record in records)
    closing = [f"* other parents: {len(names) - n_same} of {plural(len(names), 'variable')}"]
    if len(sources) == 2:
        closing.append(f"1: {sources[0]}, 2: {sources[1]}")
    if scores:
        totals = (f"{key.replace('_', ' in ')} {math.fsum(r[key] for r in records):,.2f}" for key in scores)
        closing.append(f"sums in nats: {', '.join(totals)}")
    write_sheet(place, Sheet(columns, rows, "variable", names, closing))


def _folded(measure: str) -> str:
    """The name of a measure in two lines if it has parts."""
    head, line, tail = measure.rpartition("_")
    return f"{head}{line}\n{tail}" if head else measure


def _blocks(columns: Mapping[str, Sequence[str]], available: int) -> list[list[str]]:
    """Measures in blocks whose columns fit side by side; a single block if one of them does not fit alone."""
    widths = {
        name: COLUMN_GAP + max(map(len, [*_folded(name).split("\n"), *cells])) for name, cells in columns.items()
    }
    if max(widths.values()) > available:
        return [list(columns)]
    blocks: list[list[str]] = []
    left = 0
    for name, width in widths.items():
        if width > left:
            blocks.append([])
            left = available
        blocks[-1].append(name)
        left -= width
    return blocks


def _figure(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:,.4f}" if abs(value) < 2**53 else whole(value)
    return f"{value:,}" if isinstance(value, int) else str(value)
