"""A column of counts: each row stands for as many equal rows as its cell says.

Tables of frequencies (Titanic, as R has it) are such. Rows are repeated before any other decision, so states, cut
points and scores are the same as if every row were written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..data_records import Variable
from ..errors import UnsuitableData
from ..wording import Warn, option_value, plural
from .columns import Column
from .encoding_options import EncodingOptions
from .label_columns import LabelColumn
from .labels import parse_numbers
from .selection import matching_names

if TYPE_CHECKING:
    from .raw_tables import RawTable

BYTES_PER_CELL = 4
"""Memory of reading and counting a cell; measured."""

_MAX_COUNT = 1 << 53
"""Up to here every whole number is a float64."""


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


def weights_position(name: str, names: tuple[str, ...]) -> int:
    """The position of the column of counts; an `UnsuitableData` if no column, or more than one, is meant."""
    found = matching_names(name, names, "--weights")
    if len(found) > 1:
        raise UnsuitableData(
            f"--weights {option_value(name)} names {len(found)} columns; one column must hold the counts"
        )
    return names.index(found[0])


def with_repeated_rows(raw: RawTable, kept: Sequence[int], options: EncodingOptions, note: Warn) -> RawTable:
    """The kept columns but that of counts, each row as often as it stands."""
    weights = weights_position(str(options.weights), raw.names)
    name = raw.names[weights]
    counts, total = read_counts(name, raw.columns[weights])
    others = [p for p in kept if p != weights]
    if not others:
        raise UnsuitableData("no column is left but that of --weights")
    require_memory(total, len(others), options.free_bytes, name)
    note(f"{plural(len(counts), 'row')} count as {total:,} rows by --weights {option_value(name)}")
    chosen = raw.chosen(others)
    repeated = [column.with_cells(np.repeat(column.cells(), counts)) for column in chosen.columns]
    set_there = raw.set_there and raw.set_there.repeated(counts)
    return chosen._replace(columns=repeated, is_tight=raw.is_tight and bool(counts.all()), set_there=set_there)
