"""Columns of tables in memory with their own types: of pandas with their dtypes, of all other libraries as Arrow.

Answers take their cells from such columns, so that an observed cell comes back as it was, and a state as the value
that it had in the table learnt from.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow

from formats.tables.arrow import as_text, typed_of
from formats.tables.arrow_arrays import array_of, figures_of, text_array, text_scalar
from formats.tables.label_columns import Typed
from formats.tables.labels import UNKNOWN, Marks, are_numbers, code_of_text, find_missing, parse_numbers

from .tables import pandas_cells

if TYPE_CHECKING:
    import pandas

MISSING = -1
"""Position of no cell: a missing one."""


class ArrowColumn:
    """A column of Arrow, in one chunk; `metadata` describe its field: they name the enumerations of Polars."""

    def __init__(self, cells: pyarrow.ChunkedArray | pyarrow.Array, metadata: Mapping[bytes, bytes] | None = None):
        self.kind = cells.type
        self.metadata = metadata
        self.cells = _in_one(_without_views(cells))

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def is_float(self) -> bool:
        """Whether the mean of two values is a value of its type."""
        return pyarrow.types.is_floating(self.kind)

    def take(self, positions: np.ndarray) -> ArrowColumn:
        """The cells at these positions."""
        places = array_of(positions.astype(np.int64), positions == MISSING)
        return self._like(self.cells.take(places))

    def distinct(self) -> ArrowColumn:
        """The different values that are not missing; of a dictionary all values, in their order."""
        if not pyarrow.types.is_dictionary(self.cells.type):
            return self._like(self.cells.drop_null().unique())
        places = array_of(np.arange(len(self.cells.dictionary)))
        return self._like(_dictionary(places, self.cells.dictionary, self.cells.type))

    def labels(self) -> list[str]:
        """The cells as readers of tables see them."""
        return _labels(self.cells)

    def values(self) -> list[Any]:
        """The cells as objects."""
        return self.cells.to_pylist()

    @property
    def typed(self) -> Typed:
        """What the type says of labels."""
        return typed_of(self.cells.type)

    def numbers(self) -> np.ndarray:
        """The cells as numbers."""
        return figures_of(_plain(self.cells).cast(pyarrow.float64()))

    def with_one_of(self, values: Sequence[Any]) -> Iterator[ArrowColumn]:
        """The column with one more cell: each of the values that can be made one of its type."""
        kind = self.cells.type
        if not pyarrow.types.is_dictionary(kind):
            for cell in _of_type(values, kind):
                yield self._like(pyarrow.concat_arrays([self.cells, cell]))
            return
        for cell in _of_type(values, kind.value_type):
            known = pyarrow.concat_arrays([self.cells.dictionary, cell])
            places = self.cells.indices.cast(pyarrow.int64())
            yield self._like(
                _dictionary(pyarrow.concat_arrays([places, array_of(np.array([len(known) - 1]))]), known, kind)
            )

    def as_arrow(self) -> pyarrow.Array:
        """The column for a table of Arrow."""
        try:
            return self.cells.cast(self.kind)
        except pyarrow.ArrowException:  # a dictionary that has more values than its indices can count
            return self.cells

    def _like(self, cells: pyarrow.Array) -> ArrowColumn:
        is_extended = pyarrow.types.is_dictionary(cells.type) and len(cells.dictionary) > len(self.cells.dictionary)
        found = ArrowColumn(cells, None if is_extended else self.metadata)
        if not pyarrow.types.is_dictionary(cells.type) or cells.type.index_type == self.cells.type.index_type:
            found.kind = self.kind
        return found


class PandasColumn:
    """A column of pandas, whatever its row labels."""

    def __init__(self, cells: pandas.Series):
        self.cells = cells

    def __len__(self) -> int:
        return len(self.cells)

    @property
    def is_float(self) -> bool:
        """Whether the mean of two values is a value of its type."""
        return getattr(self.cells.dtype, "kind", "O") == "f"

    def take(self, positions: np.ndarray) -> PandasColumn:
        """The cells at these positions."""
        found = self.cells.reset_index(drop=True).reindex(positions)  # no cell has the number -1
        return PandasColumn(found.reset_index(drop=True))

    def distinct(self) -> PandasColumn:
        """The different values that are not missing; categories all, in their order."""
        import pandas

        if isinstance(self.cells.dtype, pandas.CategoricalDtype):
            places = np.arange(len(self.cells.cat.categories))
            return PandasColumn(pandas.Series(pandas.Categorical.from_codes(places, dtype=self.cells.dtype)))
        if self.cells.dtype == object:  # 1, 1.0 and True are equal, but are different labels
            values = [value for _, value in dict.fromkeys((type(value), value) for value in self.cells)]
        else:
            values = self.cells.unique()
        different = pandas.Series(values, dtype=self.cells.dtype)
        return PandasColumn(different[different.notna()] if different.hasnans else different)

    def labels(self) -> list[str]:
        """The cells as readers of tables see them."""
        return _labels(pandas_cells(self.cells))

    def values(self) -> list[Any]:
        """The cells as objects."""
        return list(self.cells)

    @property
    def typed(self) -> Typed:
        """What the type says of labels."""
        return typed_of(pandas_cells(self.cells).type)

    def numbers(self) -> np.ndarray:
        """The cells as numbers."""
        return self.cells.to_numpy(dtype=np.float64, na_value=np.nan)

    def with_one_of(self, values: Sequence[Any]) -> Iterator[PandasColumn]:
        """The column with one more cell: each of the values that can be made one of its type."""
        import pandas

        is_categorical = isinstance(self.cells.dtype, pandas.CategoricalDtype)
        of = pandas.Series(self.cells.cat.categories) if is_categorical else self.cells
        for value in values:
            with contextlib.suppress(TypeError, ValueError):
                more = pandas.concat([of, pandas.Series([value], dtype=of.dtype)], ignore_index=True)
                if is_categorical:
                    codes = [*self.cells.cat.codes, len(more) - 1]
                    kind = pandas.CategoricalDtype(more.array, ordered=self.cells.cat.ordered)
                    more = pandas.Series(pandas.Categorical.from_codes(codes, dtype=kind))
                yield PandasColumn(more)

    def as_arrow(self) -> pyarrow.Array:
        """The column for a table of Arrow."""
        import pandas

        if not isinstance(self.cells.dtype, pandas.CategoricalDtype):
            return pandas_cells(self.cells)
        codes = self.cells.cat.codes.to_numpy()
        places = pyarrow.array(codes, pyarrow.int32(), mask=codes < 0)
        known = pandas_cells(pandas.Series(self.cells.cat.categories))
        return pyarrow.DictionaryArray.from_arrays(places, known, ordered=bool(self.cells.cat.ordered))


Column = ArrowColumn | PandasColumn


def with_value(column: Column, values: Sequence[Any]) -> Column:
    """The column with one more cell: the first of the values that can be made one of its type.

    Raises `ValueError`: there is none.
    """
    found: Column
    for found in column.with_one_of(values):
        return found
    raise ValueError(f"none of {values} is of this type")


def with_label(column: Column, label: str, like: Sequence[Any] = ()) -> Column:
    """The column with one more cell, of a value with this label; the values `like` are tried first.

    Raises `ValueError`: its type has no such value.
    """
    found: Column
    numbers: list[Any] = []
    for parse in (int, float):
        with contextlib.suppress(ValueError):
            numbers.append(parse(label))
    others = [*([label == "True"] if label in ("True", "False") else []), *numbers]
    is_text = all(isinstance(value, str) for value in column.distinct().values()[:1])
    rest = [label, *others] if is_text else [*others, label]
    for found in column.with_one_of([*like, *rest]):
        made = found.take(np.array([len(found) - 1])).labels()[0]
        if _is_same(made, label):
            return found
    raise ValueError(f"{label!r} is the label of no value of this type")


def text_column(labels: Sequence[str], codes: np.ndarray, marks: Marks) -> pyarrow.Array:
    """A column of a file of text: numbers if its labels are, else texts; `MISSING` is the code of an empty cell."""
    used = np.unique(codes)
    texts = text_array(["" if code == MISSING else labels[code] for code in used.tolist()])
    is_missing = find_missing(texts, marks, Typed.NO) | (used == MISSING)
    shown = texts.filter(array_of(~is_missing))
    values = [None if gone else text for gone, text in zip(is_missing, texts.to_pylist())]
    found = text_array(values)
    if len(shown) and are_numbers(shown, parse_numbers(shown), Typed.NO):
        for kind in (pyarrow.int64(), pyarrow.float64()):
            with contextlib.suppress(pyarrow.ArrowInvalid):
                found = found.cast(kind)
                break
    return found.take(array_of(np.searchsorted(used, codes)))


def _is_same(made: str, label: str) -> bool:
    return code_of_text("", made, (label,)) != UNKNOWN


def _labels(cells: pyarrow.Array) -> list[str]:
    return as_text(_plain(cells)).fill_null(text_scalar("")).to_pylist()


def _plain(cells: pyarrow.Array) -> pyarrow.Array:
    """The values of a dictionary in their places."""
    return cells.dictionary_decode() if isinstance(cells, pyarrow.DictionaryArray) else cells


def _in_one(cells: pyarrow.ChunkedArray | pyarrow.Array) -> pyarrow.Array:
    """One array of all chunks."""
    if not isinstance(cells, pyarrow.ChunkedArray):
        return cells
    if not cells.num_chunks:
        return pyarrow.nulls(0, cells.type)
    return pyarrow.concat_arrays(cells.unify_dictionaries().chunks)


def _dictionary(places: pyarrow.Array, values: pyarrow.Array, kind: pyarrow.DataType) -> pyarrow.DictionaryArray:
    """A column with a dictionary; its indices get a wider type where they need it."""
    try:
        places = places.cast(kind.index_type)
    except pyarrow.ArrowInvalid:
        places = places.cast(pyarrow.int32())
    return pyarrow.DictionaryArray.from_arrays(places, values, ordered=kind.ordered)


_VIEWS = {pyarrow.string_view(): pyarrow.large_string(), pyarrow.binary_view(): pyarrow.large_binary()}
"""Types for which pyarrow lacks functions, and others with the same values."""


def _without_views(cells: Any) -> Any:
    kind = cells.type
    if pyarrow.types.is_dictionary(kind) and kind.value_type in _VIEWS:
        return cells.cast(pyarrow.dictionary(kind.index_type, _VIEWS[kind.value_type], kind.ordered))
    return cells.cast(_VIEWS[kind]) if kind in _VIEWS else cells


def _of_type(values: Sequence[Any], kind: pyarrow.DataType) -> Iterator[pyarrow.Array]:
    """Each of the values that is one of this type, or a text that can be read as one."""
    for value in values:
        attempts: list[Callable[[], pyarrow.Array]] = [
            lambda value=value: pyarrow.array([value], kind),  # type: ignore[misc]
            lambda value=value: pyarrow.array([value]).cast(kind),  # type: ignore[misc]
        ]
        for attempt in attempts:
            with contextlib.suppress(pyarrow.ArrowException, TypeError, ValueError, OverflowError):
                yield attempt()
                break
