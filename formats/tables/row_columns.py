"""Columns about the rows of a table, which are no variables: counts, and what was set from outside.

By a column of counts each row stands for as many equal rows as its cell says; tables of frequencies (Titanic, as R
has it) are such. Rows are repeated before any other decision, so states, cut points and scores are the same as if
every row were written out.

A column of interventions names the variables that were set in each row, several with ``;`` between. An empty or
missing cell says that nothing was set. Names must be names of columns; columns that are not read are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..data_records import Interventions, Variable
from ..errors import UnsuitableData
from ..wording import Warn, listed, option_value, plural
from .columns import Column
from .encoding_options import EncodingOptions
from .label_columns import LabelColumn, RawTable
from .labels import Marks, parse_numbers
from .selection import matching_names

BYTES_PER_CELL = 4
"""Memory of reading and counting a cell; measured."""

_MAX_COUNT = 1 << 53
"""Up to here every whole number is a float64."""


SEPARATOR = ";"
"""Between the names of a cell."""


class SetColumns(NamedTuple):
    """The columns that were set in each row, by name."""

    names: list[tuple[str, ...]]
    """The different cells: the columns that each names."""
    of_row: np.ndarray
    """Index into `names` of every row."""

    def repeated(self, counts: np.ndarray) -> SetColumns:
        """Each row as often as it counts."""
        return SetColumns(self.names, np.repeat(self.of_row, counts))

    def renamed(self, new: Mapping[str, str]) -> SetColumns:
        """With other names for columns."""
        return SetColumns([tuple(new.get(name, name) for name in names) for names in self.names], self.of_row)

    def settled(self, rows: np.ndarray | None, variables: Sequence[Variable]) -> Interventions | None:
        """What was set in the rows kept (bool; None for all), by indices of variables; None if nothing was."""
        of_row = self.of_row if rows is None else self.of_row[rows]
        position = {variable.name: index for index, variable in enumerate(variables)}
        sets = [tuple(sorted({position[name] for name in names if name in position})) for names in self.names]
        targets = tuple(sorted({sets[k] for k in np.unique(of_row).tolist()}))
        place = np.array([targets.index(each) if each in targets else -1 for each in sets], dtype=np.int32)
        return Interventions(targets, place[of_row]) if any(targets) else None


def with_meant_rows(
    raw: RawTable, kept: Sequence[int], options: EncodingOptions, note: Warn
) -> tuple[RawTable, SetColumns | None]:
    """The kept columns but those about the rows, each row as often as it stands; and what was set in the rows, if a
    column says so.
    """
    set_there = None
    if options.interventions is not None:
        position = _only_position(
            options.interventions, raw.names, "interventions", "must say what was set in each row"
        )
        kept = _without(kept, position, "interventions")
        name = raw.names[position]
        known = [other for other in raw.names if other not in (name, options.weights)]
        set_there = read_interventions(name, raw.columns[position], known, options.marks, raw.place_of)
    if options.weights is None:
        return raw.chosen(kept), set_there
    position = _only_position(options.weights, raw.names, "weights", "must hold the counts")
    name = raw.names[position]
    counts, total = read_counts(name, raw.columns[position])
    kept = _without(kept, position, "weights")
    require_memory(total, len(kept), options.free_bytes, name)
    note(f"{plural(len(counts), 'row')} count as {total:,} rows by --weights {option_value(name)}")
    return raw.chosen(kept).repeated(counts), set_there and set_there.repeated(counts)


def _only_position(pattern: str, names: Sequence[str], option: str, use: str) -> int:
    """The position of the column of an option; an `UnsuitableData` if no column, or more than one, is meant."""
    found = matching_names(pattern, names, f"--{option}")
    if len(found) > 1:
        raise UnsuitableData(f"--{option} {option_value(pattern)} names {len(found)} columns; one {use}")
    return names.index(found[0])


def _without(kept: Sequence[int], position: int, option: str) -> list[int]:
    """The kept positions but that of the column of an option."""
    others = [p for p in kept if p != position]
    if not others:
        raise UnsuitableData(f"no column is left but that of --{option}")
    return others


def read_interventions(
    name: str,
    column: LabelColumn,
    names: Sequence[str],
    marks: Marks,
    place_of: Callable[[int], tuple[int | None, str]],
) -> SetColumns:
    """What a column says was set in each row.

    - `names`: the names of all columns of the table but this one.
    - `marks`: the texts of missing cells.
    - `place_of`: the line of a row (from 0), None if unknown, and words that name the row.
    Raises `UnsuitableData`: a cell names no column.
    """
    cells = Column.of(Variable(name), column, marks)
    cells.classify(False, missing_is_hole=True)
    missing = np.zeros(len(cells.labels), dtype=np.bool_) if cells.missing is None else cells.missing
    known = set(names)
    of_label: list[tuple[str, ...]] = []
    unknown: list[str | None] = []
    for label, is_missing in zip(cells.labels.to_pylist(), missing.tolist()):
        text = "" if is_missing else label
        parts = [text] if text in known else [part.strip() for part in text.split(SEPARATOR)]
        named = tuple(part for part in parts if part)
        of_label.append(named)
        unknown.append(next((part for part in named if part not in known), None))
    of_row = cells.gather(np.arange(len(of_label)))
    if any(unknown):
        is_bad = cells.gather(np.array([part is not None for part in unknown]))
        if is_bad.any():
            row = int(np.argmax(is_bad))
            line, words = place_of(row)
            raise UnsuitableData(
                f"{words}{unknown[of_row[row]]!r} is no column of the table, so it was not set",
                line=line,
                column=name,
                remedy=f"each cell names the columns set in its row, with {SEPARATOR!r} between, or is empty: "
                f"{listed(map(repr, names))}",
            )
    return SetColumns(of_label, of_row)


def read_counts(name: str, column: LabelColumn) -> tuple[np.ndarray, int]:
    """How often each row stands, int64, shape (n_rows,), by a column of counts; and the sum.

    Raises `UnsuitableData`: a cell is not a whole number from 0 to 2^53, or all are 0.
    """
    cells = Column.of(Variable(name), column)
    values = parse_numbers(cells.labels)
    is_count = (values >= 0) & (values <= _MAX_COUNT) & (values == np.floor(values))
    rows = cells.count_labels()
    n_bad = int(rows[~is_count].sum())
    if n_bad:
        position = int(np.argmin(cells.gather(is_count)))
        label = cells.labels[int(cells.gather(np.arange(len(values)))[position])].as_py()
        raise UnsuitableData(
            f"{label!r} in row {position + 1:,} of the data is no count ({plural(n_bad, 'such cell')})",
            column=name,
            remedy="--weights takes whole numbers from 0, the number of rows that a row stands for; fractions do "
            "not tell how many rows were observed",
        )
    whole = np.where(is_count, values, 0).astype(np.int64)
    total = sum(int(n) * int(count) for n, count in zip(rows, whole))
    if total == 0:
        raise UnsuitableData("all weights are 0: no rows", column=name)
    return cells.gather(whole), total


def require_memory(n_rows: int, n_columns: int, free: int | None, name: str) -> None:
    """Raise `UnsuitableData` if repeated rows need more than `free` bytes; None is no limit."""
    needed = n_rows * (n_columns + 1) * BYTES_PER_CELL  # and an index of rows
    if free is not None and needed > free:
        raise UnsuitableData(
            f"the counts sum to {n_rows:,} rows of {plural(n_columns, 'column')}, which take about "
            f"{needed / (1 << 30):,.1f} GiB; {free / (1 << 30):,.1f} GiB are free",
            column=name,
            remedy="leave out columns (--drop), or give a sample of the rows",
        )
