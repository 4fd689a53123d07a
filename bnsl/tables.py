"""Tables of other libraries as input, and tables of answers as output to these libraries.

A table in memory becomes an Arrow table: texts and numbers stay, categories keep their order, and row labels of
pandas do not become a variable. Answers about its rows are a `Table` with the row labels of the input.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .object_cells import is_of_several_kinds, refuse_equal_texts, texts_of
from .options.values import TABLES
from .running.errors import UsageError

if TYPE_CHECKING:
    import pyarrow

    from formats.streams import Source, TableInMemory

MOST_SHOWN = 30
"""Most rows in the display of a table."""


def as_table(source: Any) -> Source:
    """An input for the readers of `formats`: a path, or a table in memory.

    Raises `UsageError`: it is neither a path nor a table.
    """
    from formats.streams import TableInMemory

    return source if isinstance(source, (str, TableInMemory)) else table_in_memory(source)


def as_file(source: Any, what: str) -> Any:
    """A path, or the lines of a file that is open.

    Raises `UsageError`: it is something else; `what` names the expected content.
    """
    if isinstance(source, str) or hasattr(source, "readable") or hasattr(source, "beginning"):
        return source
    raise UsageError(
        f"a {type(source).__name__} is no {what}: give a path, or what a function of this package returned"
    )


def in_memory(source: Any) -> Any:
    """The table if it is one in memory; None for a path."""
    return None if isinstance(source, str) else source


def table_in_memory(value: Any) -> TableInMemory:
    """A table in the form that the readers of `formats` take.

    `value`: a data frame, anything with ``__arrow_c_stream__``, a dict of columns or of the cells of one row, a list
    of such rows, a structured array of numpy, or one of two dimensions, whose columns are called V0, V1, ...

    Raises `UsageError`: it is no table.
    """
    from formats.streams import TableInMemory

    called = type(value).__name__
    if hasattr(value, "record"):
        raise UsageError(f"a {called} is no table: give a path, {TABLES}")
    try:
        table = _converted(value)
    except (TypeError, ValueError) as error:  # pyarrow raises ValueErrors or TypeErrors
        raise UsageError(f"a {called} that is no table: {str(error).splitlines()[0][:200]}") from None
    if table is None:
        raise UsageError(f"a {called} is no table: give a path, {TABLES}")
    return TableInMemory(f"<{called}>", lambda: _reader(table))


def arrow_table(value: Any) -> pyarrow.Table:
    """A table in memory as an Arrow table; `value` as in `table_in_memory`."""
    import pyarrow

    table = _converted(value)
    return table if isinstance(table, pyarrow.Table) else pyarrow.table(table)


def _reader(table: Any) -> pyarrow.RecordBatchReader:
    import pyarrow

    return pyarrow.RecordBatchReader.from_stream(table)


def _converted(value: Any) -> Any:
    """The table for pyarrow; None if it is no table."""
    import pyarrow

    if isinstance(value, Table):
        value = value.to_arrow()
    if _is_pandas(value):
        return _from_pandas(value)
    if isinstance(value, Mapping):
        columns = {str(name): cells if _is_column(cells) else [cells] for name, cells in value.items()}
        arrays = [_array(cells) for cells in columns.values()]
        return pyarrow.Table.from_arrays(arrays, names=list(columns))
    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        names = list(dict.fromkeys(str(name) for row in value for name in row))
        arrays = [_array([row.get(name) for row in value]) for name in names]
        return pyarrow.Table.from_arrays(arrays, names=names)
    if hasattr(value, "__arrow_c_stream__"):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        return _from_numpy(value)
    return None


def _is_pandas(value: Any) -> bool:
    return type(value).__module__.split(".")[0] == "pandas" and hasattr(value, "columns")


def _is_column(cells: Any) -> bool:
    return not isinstance(cells, (str, bytes)) and hasattr(cells, "__len__")


def _array(cells: Any) -> pyarrow.Array:
    """A column; values of different types become texts that differ."""
    import pyarrow

    if isinstance(cells, (pyarrow.Array, pyarrow.ChunkedArray)):
        return cells.combine_chunks() if isinstance(cells, pyarrow.ChunkedArray) else cells
    name = getattr(cells, "name", None)
    if is_of_several_kinds(cells):
        return texts_of(cells, name)
    try:
        return pyarrow.array(cells, from_pandas=True)
    except pyarrow.ArrowNotImplementedError:
        kind = getattr(cells, "dtype", "such a type")
        column = "a column" if name is None else f"column {name!r}"
        raise ValueError(f"{column} has cells of {kind}: make them numbers or texts") from None
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        return texts_of(cells, name)  # whole numbers beyond 2^53 beside others


def _from_numpy(value: Any) -> pyarrow.Table | None:
    import pyarrow

    if value.dtype.names:
        return pyarrow.table({name: value[name] for name in value.dtype.names})
    if value.ndim != 2:
        return None
    return pyarrow.Table.from_arrays(
        [_array(column) for column in value.T], names=[f"V{position}" for position in range(value.shape[1])]
    )


def _from_pandas(frame: Any) -> pyarrow.Table:
    """A data frame without its row labels; intervals and mixed cells as texts."""
    import pandas
    import pyarrow

    if frame.columns.nlevels > 1:
        raise ValueError("its columns have several levels of names; join them: df.columns.map('_'.join)")
    arrays = []
    for position in range(frame.shape[1]):
        column = frame.iloc[:, position]
        if isinstance(column.dtype, pandas.CategoricalDtype):
            labels = [str(category) for category in column.cat.categories]
            refuse_equal_texts(labels, column.name)
            codes = pyarrow.array(column.cat.codes.to_numpy(), mask=(column.cat.codes < 0).to_numpy())
            arrays.append(pyarrow.DictionaryArray.from_arrays(codes.cast(pyarrow.int32()), labels))
        elif isinstance(column.dtype, (pandas.IntervalDtype, pandas.PeriodDtype)) or column.dtype.kind == "m":
            arrays.append(pyarrow.array([None if pandas.isna(cell) else str(cell) for cell in column]))
        elif isinstance(column.dtype, pandas.SparseDtype):
            arrays.append(_array(column.sparse.to_dense()))
        else:
            arrays.append(_array(column))
    return pyarrow.Table.from_arrays([_whole(array) for array in arrays], names=[str(n) for n in frame.columns])


def _whole(array: Any) -> pyarrow.Array:
    """One array of all chunks."""
    return array.combine_chunks() if hasattr(array, "combine_chunks") else array


class Table:
    """A table of answers, one row for each row of the input table: an Arrow table that other libraries can read.

    - `source`: the input table.
    - `rows` (bool): which rows of the input are answered; None for all.
    - `keeps_types`: whether columns take the types of input columns of the same name.
    """

    def __init__(self, arrow: pyarrow.Table, source: Any = None, rows: Any = None, keeps_types: bool = False):
        self._arrow = arrow
        self._source = source
        self._rows = rows
        self._keeps_types = keeps_types

    @property
    def column_names(self) -> list[str]:
        """Names of the columns."""
        return self._arrow.column_names

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self._arrow.shape

    def __len__(self) -> int:
        return self._arrow.num_rows

    def __getitem__(self, column: str) -> pyarrow.ChunkedArray:
        return self._arrow[column]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_pylist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self._arrow.equals(other._arrow)

    __hash__ = None  # type: ignore[assignment]

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return self._arrow.to_pylist()

    def to_arrow(self) -> pyarrow.Table:
        """The Arrow table."""
        return self._arrow

    def to_pandas(self) -> Any:
        """A data frame with the row labels of the input."""
        frame = self._arrow.to_pandas()
        if self._source is not None and _is_pandas(self._source):
            index = self._source.index
            frame.index = index if self._rows is None else index[self._rows]
            for name in self._source.columns if self._keeps_types else ():
                with contextlib.suppress(TypeError, ValueError):  # a filled cell is no value of the type
                    frame[str(name)] = frame[str(name)].astype(self._source[name].dtype)
        return frame

    def to_polars(self) -> Any:
        """A data frame of Polars."""
        import polars

        return polars.from_arrow(self._arrow)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._arrow.__arrow_c_stream__(requested_schema)

    def _texts(self) -> list[list[str]]:
        shown = self._arrow.slice(0, MOST_SHOWN).to_pylist()
        return [[_shown(cell) for cell in row.values()] for row in shown]

    def __repr__(self) -> str:
        rows = [list(self.column_names), *self._texts()]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join([*lines, *self._rest()])

    def _rest(self) -> list[str]:
        return [f"... {len(self):,} rows"] if len(self) > MOST_SHOWN else []

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in self.column_names)
        body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in self._texts())
        rest = "".join(f"<p>{escape(text)}</p>" for text in self._rest())
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _shown(cell: Any) -> str:
    if isinstance(cell, float):
        return f"{cell:.6g}"
    if isinstance(cell, Sequence) and not isinstance(cell, str):
        return ", ".join(map(_shown, cell))
    return "" if cell is None else str(cell)


def completed(source: Any, filled: pyarrow.Table, how: str, seed: int | None) -> Table:
    """A table with its missing cells filled in; each column keeps its type.

    `filled` has all cells as texts. An interval that fills a number becomes the median of the observed numbers in it,
    or a random one of these if `how` is ``drawn``; if none is observed, the middle of the interval.
    """
    import pyarrow

    table = _converted(source)
    given = pyarrow.table(table) if not isinstance(table, pyarrow.Table) else table
    columns = []
    for name in filled.column_names:
        labels = filled[name].cast(pyarrow.string())
        if name not in given.column_names:
            columns.append(labels)
            continue
        columns.append(_restored(given[name], labels, how, seed))
    return Table(pyarrow.table(columns, names=filled.column_names), source, keeps_types=True)


def _restored(observed: pyarrow.ChunkedArray, labels: pyarrow.ChunkedArray, how: str, seed: int | None) -> Any:
    """The observed cells, and labels in place of missing ones, in the type of the observed cells."""
    import pyarrow
    from pyarrow import compute

    kind = observed.type.value_type if pyarrow.types.is_dictionary(observed.type) else observed.type
    plain = observed.cast(kind)
    is_hole = compute.is_null(plain, nan_is_null=True)
    if not compute.any(is_hole).as_py():
        return observed
    if pyarrow.types.is_floating(kind) or pyarrow.types.is_integer(kind):
        labels = _numbers_of(plain, labels, how, seed)
    for wanted in (kind, labels.type, pyarrow.string()):  # the median of whole numbers may not be whole
        try:
            return compute.if_else(is_hole, labels.cast(wanted), plain.cast(wanted))
        except pyarrow.ArrowInvalid:
            continue
    raise TypeError(f"cells of {kind} cannot be filled")


def _middle(low: float, high: float) -> float:
    """The middle of an interval, or its finite end if there is only one."""
    ends = [end for end in (low, high) if math.isfinite(end)]
    return sum(ends) / len(ends)


def _numbers_of(observed: Any, labels: Any, how: str, seed: int | None) -> Any:
    """Labels of numbers or intervals as numbers; the labels themselves if one is neither."""
    import numpy as np
    import pyarrow

    from formats.tables.cuts.discretization import interval_bounds

    texts = labels.to_pylist()
    values = observed.cast(pyarrow.float64()).drop_null().to_numpy()
    choices: dict[str, Any] = {}
    for text in dict.fromkeys(texts):
        bounds = interval_bounds(text)
        try:
            number = float(text) if bounds is None else _middle(*bounds)
        except ValueError:
            return labels
        within = [] if bounds is None else values[(values > bounds[0]) & (values <= bounds[1])]
        choices[text] = within if len(within) else np.array([number])
    rng = np.random.default_rng(seed)
    medians = {text: np.median(within) for text, within in choices.items()}
    numbers = [rng.choice(choices[text]) if how == "drawn" else medians[text] for text in texts]
    return pyarrow.chunked_array([pyarrow.array(numbers, pyarrow.float64())])
