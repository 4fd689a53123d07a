"""Columns read in parts, in a byte a cell or less.

Readers decode a table part by part. Each part of a column becomes indices into its distinct values at once. The parts
of a column get a common dictionary at the end; those of a column with many rows are packed as they come.
"""

from __future__ import annotations

import pyarrow

from ..freed_memory import return_freed
from ..packed_cells import MANY_ROWS
from .packed_labels import LabelPacker, PackedLabels

N_NARROW = 256
"""Up to so many distinct values the indices are single bytes, else four."""


def narrow_part(values: pyarrow.Array) -> pyarrow.Array:
    """A part of a column as indices into its distinct values, of as few bytes as they need.

    Values that have no dictionaries, lists for example, remain as they are.
    """
    try:
        part = values if pyarrow.types.is_dictionary(values.type) else values.dictionary_encode()
    except NotImplementedError:
        return values
    return _with_indices(part, "uint8" if len(part.dictionary) <= N_NARROW else "int32")


def join_parts(parts: list[pyarrow.Array]) -> pyarrow.ChunkedArray:
    """A column of one or more parts from `narrow_part`, with a common dictionary if its type has one."""
    if len(parts) == 1 or not pyarrow.types.is_dictionary(parts[0].type):
        return pyarrow.chunked_array(parts)
    column = pyarrow.chunked_array([_with_indices(part, "int32") for part in parts])
    try:
        column = column.unify_dictionaries()
    except NotImplementedError:  # of nulls alone, for example
        return column
    joined = pyarrow.chunked_array(list(map(narrow_part, column.chunks))).combine_chunks()
    return joined if isinstance(joined, pyarrow.ChunkedArray) else pyarrow.chunked_array([joined])


class ColumnParts:
    """A column that is read in parts; it may be known to have so many rows in all."""

    def __init__(self, n_expected: int = 0) -> None:
        self._n_expected = n_expected
        self._parts: list[pyarrow.Array] = []
        self._n_rows = 0
        self._packer: LabelPacker | None = None

    def add(self, values: pyarrow.Array) -> None:
        """Take in the next rows."""
        self._parts.append(narrow_part(values))
        self._n_rows += len(values)
        if max(self._n_rows, self._n_expected) > MANY_ROWS and pyarrow.types.is_dictionary(self._parts[0].type):
            if self._packer is None:
                self._packer = LabelPacker(self._parts[0].dictionary.slice(0, 0))
            for part in self._parts:
                self._packer.add(part)
            self._parts.clear()

    def join(self, kind: pyarrow.DataType) -> pyarrow.ChunkedArray | PackedLabels:
        """The column, packed if it has many rows; `kind` is its type where it has none."""
        return join_parts(self._parts or [pyarrow.nulls(0, kind)]) if self._packer is None else self._packer.finish()


def release_memory() -> None:
    """Return memory that decoding no longer needs to the system; pyarrow and the C library would keep it."""
    pyarrow.default_memory_pool().release_unused()
    return_freed()


def _with_indices(part: pyarrow.DictionaryArray, width: str) -> pyarrow.DictionaryArray:
    return pyarrow.DictionaryArray.from_arrays(part.indices.cast(width), part.dictionary)
