"""A column of labels of a table of many rows: its distinct values, and the index of each cell in few bits.

Readers decode a table batch by batch, and each batch is packed as it comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow
from pyarrow import compute

from ..packed_cells import pack, unpack, width_for


class _Part(NamedTuple):
    """Indices of some rows: packed at `width` bits, or int32 as they are if `width` is 32."""

    cells: np.ndarray
    width: int
    n_rows: int

    @classmethod
    def of(cls, indices: np.ndarray) -> _Part:
        """Pack indices from 0."""
        n_values = int(indices.max(initial=0)) + 1
        if n_values > 256:
            return cls(indices.astype(np.int32), 32, len(indices))
        width = width_for(n_values)
        return cls(pack(indices.astype(np.uint8), width), width, len(indices))

    def indices(self) -> np.ndarray:
        return self.cells if self.width == 32 else unpack(self.cells, self.width, 0, self.n_rows)


class PackedLabels:
    """A column of labels, as a `pyarrow.ChunkedArray` of a dictionary type is, packed.

    `dictionary`: distinct values in the order in which they were met; one null if there are null cells.
    """

    def __init__(self, dictionary: pyarrow.Array, parts: list[_Part]):
        self.dictionary = dictionary
        self._parts = parts

    def __len__(self) -> int:
        return sum(part.n_rows for part in self._parts)

    @property
    def type(self) -> pyarrow.DataType:
        return pyarrow.dictionary(pyarrow.int32(), self.dictionary.type)

    def indices(self) -> Iterator[np.ndarray]:
        """The index of every cell, in consecutive parts."""
        return (part.indices() for part in self._parts)

    def with_dictionary(self, dictionary: pyarrow.Array) -> PackedLabels:
        """The same cells with other values."""
        return PackedLabels(dictionary, self._parts)

    def to_pylist(self) -> list:
        return self.unpacked().to_pylist()

    def unpacked(self) -> pyarrow.ChunkedArray:
        """The column as pyarrow has it."""
        indices = np.concatenate(list(self.indices())) if self._parts else np.empty(0, dtype=np.uint8)
        return pyarrow.chunked_array([pyarrow.DictionaryArray.from_arrays(indices, self.dictionary)])


class PackedTable:
    """A table of many rows whose columns are packed, with what readers ask of a `pyarrow.Table`."""

    def __init__(self, schema: pyarrow.Schema, columns: list[pyarrow.ChunkedArray | PackedLabels]):
        self.schema = schema
        self.columns = columns

    @property
    def column_names(self) -> list[str]:
        return self.schema.names

    @property
    def num_columns(self) -> int:
        return len(self.columns)

    @property
    def num_rows(self) -> int:
        return len(self.columns[0])

    def drop_columns(self, names: list[str]) -> PackedTable:
        """The table without some columns."""
        kept = [p for p, name in enumerate(self.schema.names) if name not in names]
        schema = pyarrow.schema([self.schema.field(p) for p in kept])
        return PackedTable(schema, [self.columns[p] for p in kept])


class LabelPacker:
    """Packs the parts of a column as they are read."""

    _WAITING = 1 << 17

    def __init__(self, no_values: pyarrow.Array):
        self._dictionary = no_values
        self._parts: list[_Part] = []
        self._waiting: list[np.ndarray] = []

    def add(self, part: pyarrow.DictionaryArray) -> None:
        """Take in the next rows."""
        labels = part.dictionary
        if part.indices.null_count:
            labels = pyarrow.concat_arrays([labels, pyarrow.nulls(1, labels.type)])
        if not labels.equals(self._dictionary.slice(0, len(labels))):
            known = compute.is_in(labels, value_set=self._dictionary, skip_nulls=False)
            new = labels.filter(compute.invert(known)).unique()
            self._dictionary = pyarrow.concat_arrays([self._dictionary, new])
        place = compute.index_in(labels, value_set=self._dictionary, skip_nulls=False).to_numpy()
        indices = part.indices.fill_null(len(part.dictionary)) if part.indices.null_count else part.indices
        kind = np.uint8 if len(self._dictionary) <= 256 else np.int32
        self._waiting.append(place.astype(kind)[indices.to_numpy()])
        if sum(map(len, self._waiting)) >= self._WAITING:
            self._pack()

    def _pack(self) -> None:
        if self._waiting:
            self._parts.append(_Part.of(np.concatenate(self._waiting)))
            self._waiting.clear()

    def finish(self) -> PackedLabels:
        """The column."""
        self._pack()
        return PackedLabels(self._dictionary, self._parts)
