"""The cells of a table: an array, or for many rows columns in 1, 2, 4 or 8 bits a cell, read like an array.

Ten million rows and 37 columns of two to four states take 76 MB instead of 370 MB. A column is unpacked where it is
used, and what was freed can be returned to the system (`return_freed`).
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator, Sequence

import numpy as np

MANY_ROWS = 1 << 22
"""Tables of more rows are packed; for others a byte a cell is little, and there is nothing to unpack."""


def width_for(n_values: int) -> int:
    """Bits of a cell of a column with `n_values` values: 1, 2, 4 or 8."""
    return next(width for width in (1, 2, 4, 8) if n_values <= 1 << width)


def pack(cells: np.ndarray, width: int) -> np.ndarray:
    """Cells (uint8, below ``2**width``) at `width` bits each, the first ones in the lowest bits; uint8."""
    if width == 8:
        return cells.copy()
    if width == 1:
        return np.packbits(cells, bitorder="little")
    per_byte = 8 // width
    packed = np.zeros(-(-len(cells) // per_byte), dtype=np.uint8)
    for place in range(per_byte):
        part = cells[place::per_byte]
        packed[: len(part)] |= part << np.uint8(place * width)
    return packed


def unpack(packed: np.ndarray, width: int, start: int, stop: int) -> np.ndarray:
    """The cells ``start:stop`` of what `pack` made; uint8, a copy."""
    per_byte = 8 // width
    first = start // per_byte
    needed = packed[first : -(-stop // per_byte)]
    if width == 8:
        return needed.copy()
    if width == 1:
        cells = np.unpackbits(needed, bitorder="little")
    else:
        cells = np.empty(len(needed) * per_byte, dtype=np.uint8)
        for place in range(per_byte):
            cells[place::per_byte] = needed >> np.uint8(place * width) & np.uint8((1 << width) - 1)
    return cells[start - first * per_byte : stop - first * per_byte]


class PackedCells:
    """A table of uint8 cells, shape (n_columns, n_rows), each column at the bits that its values need.

    It is read like an array: ``cells[column]``, ``cells[column, rows]`` and ``cells[columns, rows]`` unpack what they
    return, a loop unpacks column after column, and numpy's functions unpack everything.
    """

    dtype = np.dtype(np.uint8)
    ndim = 2

    def __init__(self, n_columns: int, n_rows: int):
        """A table of zeros."""
        self._n_rows = n_rows
        self._columns = [(pack(np.zeros(n_rows, dtype=np.uint8), 1), 1)] * n_columns

    @classmethod
    def of(cls, codes: np.ndarray) -> PackedCells:
        """The cells of an array."""
        packed = cls(*codes.shape)
        for place, column in enumerate(codes):
            packed[place] = column
        return packed

    @property
    def shape(self) -> tuple[int, int]:
        return len(self._columns), self._n_rows

    @property
    def size(self) -> int:
        return len(self._columns) * self._n_rows

    @property
    def nbytes(self) -> int:
        """Memory that the packed cells take."""
        return sum(packed.nbytes for packed, _ in self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[column] for column in range(len(self)))

    def __getitem__(self, key) -> np.ndarray:
        columns, rows = key if isinstance(key, tuple) else (key, slice(None))
        if isinstance(columns, (int, np.integer)):
            return self._cells(int(columns), rows)
        chosen: Sequence[int] = np.arange(len(self))[columns].tolist()
        first = self._cells(chosen[0], rows) if chosen else np.empty(self._n_rows, dtype=np.uint8)[rows]
        out = np.empty((len(chosen), len(first)), dtype=np.uint8)
        for place, column in enumerate(chosen):
            out[place] = first if place == 0 else self._cells(column, rows)
        return out

    def _cells(self, column: int, rows) -> np.ndarray:
        """Cells of one column in the given rows: a slice of step 1, indices, or a mask."""
        packed, width = self._columns[column]
        if isinstance(rows, slice):
            start, stop, step = rows.indices(self._n_rows)
            return unpack(packed, width, start, max(start, stop))[::step]
        return unpack(packed, width, 0, self._n_rows)[rows]

    def taken(self, columns: Sequence[int]) -> PackedCells:
        """These columns, in this order, sharing their memory with this table."""
        chosen = PackedCells(0, self._n_rows)
        chosen._columns = [self._columns[column] for column in columns]
        return chosen

    def __setitem__(self, column: int, cells: np.ndarray) -> None:
        """Replace a column (uint8, shape (n_rows,))."""
        width = width_for(int(cells.max(initial=0)) + 1)
        self._columns[column] = pack(cells, width), width

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        cells = self[:]
        return cells if dtype is None else cells.astype(dtype)


Cells = np.ndarray | PackedCells
"""A table of uint8 cells, shape (n_columns, n_rows)."""


def new_cells(n_columns: int, n_rows: int) -> Cells:
    """Cells to be filled column by column."""
    return PackedCells(n_columns, n_rows) if n_rows > MANY_ROWS else np.empty((n_columns, n_rows), dtype=np.uint8)


def taken_columns(cells: Cells, columns: Sequence[int]) -> Cells:
    """These columns, in this order."""
    return cells.taken(columns) if isinstance(cells, PackedCells) else np.ascontiguousarray(cells[columns])


def as_packed(cells: Cells) -> PackedCells:
    """The cells at the bits that their values need."""
    return cells if isinstance(cells, PackedCells) else PackedCells.of(cells)


def return_freed() -> None:
    """Return freed memory to the system, where the C library is glibc.

    Thousands of freed arrays of less than 32 MB stay in its heap, and memory behind them is not used for larger ones.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
