"""Tables as readers deliver them: of each column the distinct values, and for every cell an index of a byte or less.

Readers decode a table part by part. Each part of a column becomes indices into its own distinct values at once; at
the end the parts get common values. For a table of many rows they are packed to bits as they come.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow

from ..errors import Malformed
from ..wording import listed
from .arrow_arrays import array_of, numpy_of
from .cell_storage import MANY_ROWS, pack, return_freed, unpack, width_for

N_NARROW = 256
"""Largest number of distinct values whose indices are single bytes; other indices take four."""

_PACKED_AT_ONCE = 1 << 17
"""Smallest number of rows of a packed part; small batches wait until they have as many."""


def _width(n_values: int) -> type[np.uint8] | type[np.int32]:
    return np.uint8 if n_values <= N_NARROW else np.int32


class _Part(NamedTuple):
    """The cells of some rows."""

    values: pyarrow.Array
    cells: np.ndarray
    """Index of each cell in `values`: uint8 or int32, or packed."""
    n_rows: int
    bits: int = 8
    """Bits of a cell; cells of 8 bits and more are not packed."""

    def indices(self) -> np.ndarray:
        return self.cells if self.bits >= 8 else unpack(self.cells, self.bits, 0, self.n_rows)


class Typed(enum.Enum):
    """What the type of a column says of its labels."""

    NO = "nothing: cells of a text file"
    NUMBERS = "numbers"
    TEXT = "labels, each of them as it is"


class LabelColumn:
    """A column as indices into its distinct `values`; one of these is null if there are null cells."""

    def __init__(
        self, values: pyarrow.Array, parts: Sequence[tuple[_Part, np.ndarray | None]], typed: Typed = Typed.NO
    ):
        # Each part with the place in `values` of each of its own values; None where these are the same.
        self.values = values
        self._parts = parts
        self.typed = typed

    @classmethod
    def of(cls, parts: Sequence[_Part]) -> LabelColumn:
        """Parts that follow each other as one column."""
        first = parts[0].values
        if all(part.values is first or part.values.equals(first) for part in parts):
            return cls(first, [(part, None) for part in parts])
        known = pyarrow.concat_arrays([part.values for part in parts]).dictionary_encode("encode")
        places = numpy_of(known.indices).astype(_width(len(known.dictionary)))
        ends = np.cumsum([len(part.values) for part in parts])
        return cls(known.dictionary, list(zip(parts, np.split(places, ends[:-1]))))

    @property
    def has_cells(self) -> bool:
        """False for values without a place in a set, lists for example: only their type was kept."""
        return bool(self._parts)

    def __len__(self) -> int:
        return sum(part.n_rows for part, _ in self._parts)

    def indices(self) -> Iterator[np.ndarray]:
        """The index of every cell, in consecutive parts."""
        return (part.indices() if places is None else places[part.indices()] for part, places in self._parts)

    def cells(self) -> np.ndarray:
        """The index of every cell."""
        parts = list(self.indices())
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def with_cells(self, cells: np.ndarray) -> LabelColumn:
        """The same values with other cells."""
        return LabelColumn(self.values, [(_Part(self.values, cells, len(cells)), None)], self.typed)

    def with_values(self, values: pyarrow.Array, typed: Typed | None = None) -> LabelColumn:
        """The same cells with other values, of the same type if `typed` is None."""
        return LabelColumn(values, self._parts, typed or self.typed)

    def array(self) -> pyarrow.Array:
        """The value of every cell."""
        return self.values.take(array_of(self.cells()))


class ColumnParts:
    """A column that is read in parts; `n_expected` is its number of rows, 0 if unknown."""

    def __init__(self, n_expected: int = 0) -> None:
        self._n_expected = n_expected
        self._n_rows = 0
        self._waiting: list[_Part] = []
        self._packed: list[_Part] = []
        self._nested: pyarrow.DataType | None = None

    def add(self, part: pyarrow.Array) -> None:
        """Take in the next rows."""
        try:
            part = part if pyarrow.types.is_dictionary(part.type) else part.dictionary_encode()
        except NotImplementedError:
            self._nested = part.type
            return
        values, cells = part.dictionary, numpy_of(part.indices)
        if part.indices.null_count:
            cells = np.where(numpy_of(part.indices.is_null()), np.int32(len(values)), cells)
            values = pyarrow.concat_arrays([values, pyarrow.nulls(1, values.type)])
        self._waiting.append(_Part(values, cells.astype(_width(len(values)), copy=False), len(part)))
        self._n_rows += len(part)
        if self._is_long and sum(waiting.n_rows for waiting in self._waiting) >= _PACKED_AT_ONCE:
            self._pack()

    @property
    def _is_long(self) -> bool:
        return max(self._n_rows, self._n_expected) > MANY_ROWS

    def _pack(self) -> None:
        column = LabelColumn.of(self._waiting)
        self._waiting.clear()
        cells = column.cells()
        bits = width_for(len(column.values)) if len(column.values) <= N_NARROW else 32
        self._packed.append(_Part(column.values, pack(cells, bits) if bits < 8 else cells, len(cells), bits))

    def join(self, kind: pyarrow.DataType) -> LabelColumn:
        """The column; `kind` is its type where it has no rows."""
        if self._nested is not None:
            return LabelColumn(pyarrow.nulls(0, self._nested), [])
        if self._packed and self._waiting:
            self._pack()
        if not self._packed and not self._waiting:
            self.add(pyarrow.nulls(0, kind))
            return self.join(kind)
        return LabelColumn.of(self._packed or self._waiting)


class RawTable(NamedTuple):
    """Columns as readers deliver them."""

    names: tuple[str, ...]
    columns: Sequence[LabelColumn]
    """Their values are texts (`arrow` makes texts of other types)."""
    is_tight: bool = True
    """Whether every label of the dictionaries occurs in the column."""
    is_named: bool = True
    """Whether the names come from the input (else they are V0, V1, ...)."""
    is_coded: bool = False
    """Whether the input gives the number of states of every column, so that numbers are codes of states."""
    first_line: int | None = None
    """Line of the first row, counted from 1; None unless each row is one line of text."""
    source: str = ""
    """Name of the input."""
    levels: Mapping[str, Sequence[str]] = {}
    """The levels of categorical columns in their order."""
    row_labels: Collection[str] = ()
    """The columns with the row labels of pandas, which are no variables."""
    is_repeated: bool = False
    """Whether rows were repeated, so that their numbers are not those of the input."""

    def chosen(self, positions: Sequence[int]) -> RawTable:
        """The columns at these positions."""
        names, columns = tuple(self.names[p] for p in positions), [self.columns[p] for p in positions]
        return self._replace(names=names, columns=columns)

    def repeated(self, counts: np.ndarray) -> RawTable:
        """Each row as often as it counts."""
        columns = [column.with_cells(np.repeat(column.cells(), counts)) for column in self.columns]
        return self._replace(columns=columns, is_tight=self.is_tight and bool(counts.all()), is_repeated=True)

    def place_of(self, row: int) -> tuple[int | None, str]:
        """Line of a row (from 0), None if unknown, and words that name the row if its line is unknown."""
        if self.is_repeated:
            return None, ""
        return (None, f"row {row + 1}: ") if self.first_line is None else (self.first_line + row, "")


class TextLayout(NamedTuple):
    """The delimiter of a text table, guessed if None, and whether it has a header line."""

    delimiter: str | None = None
    header: bool = True


def check_names(names: Sequence[str], remedy: str | None = None) -> None:
    """Raise `Malformed` for columns without a name and for names that occur twice."""
    nameless = [str(position) for position, name in enumerate(names, 1) if not name]
    if nameless:
        raise Malformed(
            f"no name for {'column' if len(nameless) == 1 else 'columns'} {listed(nameless)} of {len(names)}",
            remedy=remedy or "name the column or remove it (row numbers are no variable)",
        )
    first: dict[str, int] = {}
    twice = [
        f"{name!r} (columns {first[name]} and {position})"
        for position, name in enumerate(names, 1)
        if first.setdefault(name, position) != position
    ]
    if twice:
        message = f"duplicate column names: {listed(twice)}"
        raise Malformed(message, remedy=remedy or "rename or remove the columns")


def release_memory() -> None:
    """Return memory that decoding no longer needs to the system; pyarrow and the C library would keep it."""
    pyarrow.default_memory_pool().release_unused()
    return_freed()
