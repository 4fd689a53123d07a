"""Tables of other libraries as input, and tables of answers as output to these libraries.

A table in memory becomes an Arrow table: texts and numbers stay, categories keep their order, and row labels of
pandas do not become a variable. Answers about its rows are a `Table` with the row labels of the input.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from formats.wording import type_of, with_article

from .object_cells import array_of_cells, is_of_several_kinds, refuse_equal_texts, texts_of
from .options.values import TABLES
from .running.errors import UsageError

if TYPE_CHECKING:
    import pyarrow
    from matplotlib.axes import Axes

    from formats.streams import Source, TableInMemory

MOST_SHOWN = 30
"""Most rows in the display of a table."""


def as_table(source: Any) -> Source:
    """An input for the readers of `formats`: a path, or a table in memory.

    Raises `UsageError`: the input is neither a path nor a table.
    """
    from formats.streams import TableInMemory

    return source if isinstance(source, (str, TableInMemory)) else table_in_memory(source)


def as_file(source: Any, what: str) -> Any:
    """A path, or the lines of a file that is open.

    Raises `UsageError`: the input is something else. `what` names the expected content.
    """
    if isinstance(source, str) or hasattr(source, "readable") or hasattr(source, "beginning"):
        return source
    raise UsageError(f"{type_of(source)} is no {what}: give a path, or what a function of this package returned")


def imported(module: str) -> Any:
    """A module of a package that bnsl does not require.

    Raises `ImportError`: the package is not installed; the message says how to install it.
    """
    package = module.partition(".")[0]
    try:
        importlib.import_module(package)
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ImportError(f"the package {package} is not installed: pip install {package}") from None


def in_memory(source: Any) -> Any:
    """The input if it is a table in memory; None if it is a path."""
    return None if isinstance(source, str) else source


def table_in_memory(value: Any, called: str | None = None) -> TableInMemory:
    """A table in the form that the readers of `formats` take.

    - `value`: a data frame, anything with ``__arrow_c_stream__``, a dict of columns, a dict of the cells of one row,
      a list of such dicts, or an array of numpy. The array is structured, or has two dimensions; its columns are then
      called V0, V1, ...
    - `called`: the name of the table in messages; if None, the name of its type.

    Raises `UsageError`: the value is no table.
    """
    from formats.streams import TableInMemory

    called = called or type(value).__name__
    if hasattr(value, "record"):
        raise UsageError(f"{with_article(called)} is no table: give a path, {TABLES}")
    try:
        table = _converted(value)
    except (TypeError, ValueError) as error:  # pyarrow raises ValueErrors or TypeErrors
        raise UsageError(f"{with_article(called)} that is no table: {str(error).splitlines()[0][:200]}") from None
    if table is None:
        raise UsageError(f"{with_article(called)} is no table: give a path, {TABLES}")
    return TableInMemory(f"<{called}>", lambda: _reader(table))


def arrow_table(value: Any) -> pyarrow.Table:
    """The Arrow table of a table in memory. `value` is an input or a result of `table_in_memory`."""
    import pyarrow

    table = value.batches().read_all() if hasattr(value, "batches") else _converted(value)
    return table if isinstance(table, pyarrow.Table) else pyarrow.table(table)


def _reader(table: Any) -> pyarrow.RecordBatchReader:
    import pyarrow

    return pyarrow.RecordBatchReader.from_stream(table)


def _converted(value: Any) -> Any:
    """The table for pyarrow; None if it is no table."""
    import pyarrow

    if isinstance(value, Table):
        value = value.to_arrow()
    if is_pandas(value):
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


def is_pandas(value: Any) -> bool:
    """Whether it is a data frame of pandas."""
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
        is_list = isinstance(cells, (list, tuple))
        return array_of_cells(cells) if is_list else pyarrow.array(cells, from_pandas=True)
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
    """A data frame without its row labels."""
    import pyarrow

    if frame.columns.nlevels > 1:
        raise ValueError("its columns have several levels of names; join them: df.columns.map('_'.join)")
    arrays = [pandas_cells(frame.iloc[:, position]) for position in range(frame.shape[1])]
    return pyarrow.Table.from_arrays(arrays, names=[str(name) for name in frame.columns])


def pandas_cells(column: Any) -> pyarrow.Array:
    """A column of pandas; categories that are no numbers, intervals, periods and mixed cells as texts."""
    import pandas
    import pyarrow

    if isinstance(column.dtype, pandas.CategoricalDtype):
        known = column.cat.categories
        if known.dtype.kind in "iuf":
            labels = pyarrow.array(known.to_numpy())
        else:
            labels = pyarrow.array([str(category) for category in known], pyarrow.string())
            refuse_equal_texts(labels.to_pylist(), column.name)
        codes = pyarrow.array(column.cat.codes.to_numpy(), mask=(column.cat.codes < 0).to_numpy())
        return pyarrow.DictionaryArray.from_arrays(codes.cast(pyarrow.int32()), labels)
    if isinstance(column.dtype, (pandas.IntervalDtype, pandas.PeriodDtype)) or column.dtype.kind == "m":
        texts = [None if pandas.isna(cell) else str(cell) for cell in column]
        return pyarrow.array(texts, pyarrow.string())
    return _whole(_array(column.sparse.to_dense() if isinstance(column.dtype, pandas.SparseDtype) else column))


def _whole(array: Any) -> pyarrow.Array:
    """One array of all chunks."""
    return array.combine_chunks() if hasattr(array, "combine_chunks") else array


class Table:
    """A table of answers, which other libraries can read as an Arrow table.

    - `index`: the row labels for pandas; None if rows are numbered.
    - `series`: the columns that pandas gets in place of columns of the Arrow table.
    - `titles`, `title`: the column labels for pandas, and the name of these labels.
    """

    def __init__(
        self,
        arrow: pyarrow.Table,
        index: Any = None,
        series: Mapping[str, Any] | None = None,
        titles: Sequence[Any] | None = None,
        title: Any = None,
    ):
        self._arrow = arrow
        self._index = index
        self._series = series or {}
        self._titles = titles
        self._title = title

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._arrow.column_names

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
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
        """A data frame of pandas. Its columns have the types, and its rows the labels, of the input."""
        pandas = imported("pandas")
        others = self._arrow.drop_columns(list(self._series))
        frame = others.to_pandas() if others.num_columns else pandas.DataFrame(index=range(len(self)))
        if self._series:
            own = {
                name: self._series[name].set_axis(frame.index) if name in self._series else frame[name]
                for name in self.column_names
            }
            frame = pandas.DataFrame(own, index=frame.index)
        if self._index is not None:
            frame.index = self._index
        if self._titles is not None:
            frame.columns = pandas.Index(self._titles, name=self._title)
        return frame

    def to_polars(self) -> Any:
        """A data frame of Polars."""
        return imported("polars").from_arrow(self._arrow)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what the table holds by matplotlib: effects, distributions, a family's table, a search's score.

        - `ax`: the axes to draw on; None for a new figure.

        Raises `UsageError`: nothing that these columns hold is drawn; `ImportError`: matplotlib is not installed.
        """
        from .plots import plot

        return plot([self._arrow], ax)

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
