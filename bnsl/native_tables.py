"""Tables in memory with their own columns (`native_columns`): where the cells of answers come from."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow

from formats.tables.arrow import row_label_names, typed_table
from formats.tables.arrow_arrays import text_array
from formats.tables.cuts.discretization import cuts_of_labels
from formats.tables.label_columns import Typed
from formats.tables.labels import MISSING_STATE, UNKNOWN, Marks, code_known_states, find_missing

from .native_columns import MISSING, ArrowColumn, Column, PandasColumn, with_label
from .tables import Table, arrow_table, is_pandas, table_in_memory

if TYPE_CHECKING:
    from formats.data_records import Variable
    from formats.streams import TableInMemory


class NativeTable:
    """A table of pandas, or one of Arrow.

    - `index`: the row labels of pandas; None for Arrow.
    """

    def __init__(self, table: Any):
        self.table = table
        self.index = table.index if is_pandas(table) else None

    @functools.cached_property
    def _places(self) -> dict[str, int]:
        names = self.table.columns if self.index is not None else self.table.column_names
        return {str(name).strip(): place for place, name in enumerate(names)}

    def column(self, name: str, rows: np.ndarray | None = None) -> Column | None:
        """The column of this name, as readers see it, in all rows or some of them (bool); None if there is none."""
        place = self._places.get(name)
        if place is None:
            return None
        found: Column
        if self.index is None:
            found = ArrowColumn(self.table.column(place), self.table.schema.field(place).metadata)
        else:
            found = PandasColumn(self.table.iloc[:, place])
        return found if rows is None else found.take(np.flatnonzero(rows))

    def answers(self, columns: Mapping[str, Any], rows: np.ndarray | None) -> Table:
        """A table of answers about its rows, or some of them (bool): arrays of Arrow, or native columns."""
        if self.index is not None:
            titles = {name: self.table.columns[place] for name, place in self._places.items()}
            index = self.index if rows is None else self.index[rows]
            return table_of(columns, index, titles, self.table.columns.name)
        return table_of(columns)

    def completed(self, columns: Mapping[str, Any], rows: np.ndarray | None) -> Table:
        """As `answers`, of a completed table: one of Arrow keeps what pandas says of row labels and names."""
        if self.index is not None:
            return self.answers(columns, rows)
        schema = self.table.schema
        described = {key: value for key, value in (schema.metadata or {}).items() if key == b"pandas"}
        arrow = {name: c.as_arrow() if isinstance(c, PandasColumn) else c for name, c in columns.items()}
        labels = {name: self.column(name, rows) for name in row_label_names(schema)}
        return table_of(arrow | labels, metadata=described)

    def as_source(self, value: Any) -> TableInMemory:
        """The table for readers; `value` names it in messages."""
        return table_in_memory(self.table, type(value).__name__)


def table_of(
    columns: Mapping[str, Any],
    index: Any = None,
    titles: Mapping[str, Any] = {},
    title: Any = None,
    metadata: Mapping[bytes, bytes] | None = None,
) -> Table:
    """A table of answers: arrays of Arrow, and native columns.

    - `index`: the row labels for pandas; None for their numbers.
    - `titles`, `title`: the names of columns in pandas where they are no texts, and the name of their row.
    - `metadata`: of the Arrow table that columns come from.
    """
    arrays = {
        name: column.as_arrow() if isinstance(column, (ArrowColumn, PandasColumn)) else column
        for name, column in columns.items()
    }
    fields = [
        pyarrow.field(name, array.type, metadata=getattr(columns[name], "metadata", None))
        for name, array in arrays.items()
    ]
    schema = pyarrow.schema(fields, metadata=metadata)
    arrow = pyarrow.Table.from_arrays(list(arrays.values()), schema=schema)
    series = {name: column.cells for name, column in columns.items() if isinstance(column, PandasColumn)}
    named = [titles.get(name, name) for name in columns] if titles else None
    return Table(arrow, index, series, named, title)


class StateValues:
    """The values of the states of a variable in the column that it was learnt from: the position of each."""

    def __init__(self, column: Column, positions: np.ndarray):
        self.column = column
        self._positions = positions

    def of_codes(self, codes: np.ndarray) -> Column:
        """The values of these states; missing for the code -1."""
        return self.column.take(np.where(codes < 0, MISSING, self._positions[codes]))


def state_values(table: NativeTable, variables: Sequence[Variable], marks: Marks) -> dict[str, StateValues]:
    """The values of the states of variables, by name; without those whose states are no values of their column, such
    as intervals of numbers.
    """
    found = {}
    for variable in variables:
        column = table.column(variable.name)
        states = variable.known_states
        if column is None or cuts_of_labels(tuple(s for s in states if s != MISSING_STATE)) is not None:
            continue
        with contextlib.suppress(ValueError):
            found[variable.name] = _values_of(column.distinct(), variable, marks)
    return found


def _values_of(column: Column, variable: Variable, marks: Marks) -> StateValues:
    """The values of the states in a column of distinct values.

    Raises `ValueError`: a state is the label of no value of its type.
    """
    states = variable.known_states
    positions = np.array(_positions(tuple(column.labels()), states, marks, column.typed))
    for code in np.flatnonzero(positions == MISSING).tolist():
        if states[code] != MISSING_STATE:
            column = with_label(column, states[code])
            positions[code] = len(column) - 1
    return StateValues(column, positions)


@functools.lru_cache(maxsize=256)
def _positions(labels: tuple[str, ...], states: tuple[str, ...], marks: Marks, typed: Typed) -> list[int]:
    """The place in `labels` of each state: of the label that is spelled like it, else of one that reads like it.

    The same few labels in thousands of columns are usual.
    """
    texts = text_array(labels)
    missing = find_missing(texts, marks, typed)
    codes = code_known_states("", texts, states, missing, typed)
    found: dict[int, int] = {}
    for place, code in enumerate(np.where(missing, UNKNOWN, codes).tolist()):
        if code not in found or labels[place] == states[code]:
            found[code] = place
    return [found.get(code, MISSING) for code in range(len(states))]


def native_table(value: Any) -> NativeTable | None:
    """A table in memory, or in a file of Arrow or Parquet, with its columns as they are; None for text."""
    if not isinstance(value, str):
        return NativeTable(value if is_pandas(value) else arrow_table(value))
    found = typed_table(value)
    return None if found is None else NativeTable(found)


def values_learnt(data: Any, variables: Sequence[Variable], marks: Marks) -> dict[str, StateValues]:
    """As `state_values`, of a table or a file; none of a file of text, whose cells are texts."""
    table = native_table(data)
    return {} if table is None else state_values(table, variables, marks)
