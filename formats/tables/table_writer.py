"""Writing data tables batch by batch: CSV, TSV, Parquet, Arrow stream and file.

CSV is assembled by table look-up of the encoded labels, a block of rows at a time, without a Python object per cell.
"""

# Imported where needed, since loading takes time: arrow_arrays, pyarrow
from __future__ import annotations

import contextlib
import gzip
import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import numpy as np

from ..data_records import MAX_STATES, Variable
from ..errors import FormatError
from ..kinds import Kind
from ..registry import load_writer
from ..streams import open_output, source_name
from .results.result_tables import batch_writer

_CSV_BLOCK = 1 << 24
_NEEDS_QUOTES = re.compile(r'[,"\n\r\t]|^ | $')
_ROW_GROUP_CELLS = 1 << 24
_MIN_GROUP_ROWS = 1 << 12


@contextlib.contextmanager
def open_table_writer(
    target: str | BinaryIO, variables: Sequence[Variable], format: str = "csv"
) -> Iterator[CsvWriter | ArrowWriter]:
    """Open a table for writing as a context manager; call ``write(codes)`` for each batch of rows.

    Codes are uint8 or int32, of shape (n_variables, n_batch_rows); -1 for an empty cell.

    - `target`: a path, which appears only when complete (gzip if it ends in ``.gz``, Zstandard if in ``.zst``), or
      ``-``, or an open binary file.
    - `variables`: names of the columns, and their states or any labels, however many.
    - `format`: ``csv`` (comma, header line), ``tsv``, ``parquet``, ``arrow`` (IPC stream) or ``feather`` (IPC file);
      the last three with dictionaries.
    Raises `FormatError`: a variable whose states are unknown; `ValueError`: no such format of data is written.
    """
    make = load_writer(format, Kind.DATA)
    for variable in variables:
        if variable.states is None:
            message = "the labels of its states are unknown"
            raise FormatError(message, source=source_name(target), column=variable.name)
    with open_output(target) as stream, _compressed(stream, target) as compressed:
        sink = _Sink(compressed)
        writer = make(sink, tuple(variables))
        try:
            yield writer
            writer.close()
        except BaseException:
            sink.discard()
            writer.close()
            raise


def _compressed(stream: BinaryIO, target: str | BinaryIO):
    name = target if isinstance(target, str) else ""
    if name.endswith(".zst"):
        import pyarrow

        # pyarrow would close the stream that it writes to.
        return pyarrow.CompressedOutputStream(pyarrow.PythonFile(_Sink(stream), mode="w"), "zstd")
    if not name.endswith(".gz"):
        return contextlib.nullcontext(stream)
    # No file name and no time inside, so that equal tables give equal bytes.
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=stream, mtime=0)


class _Sink:
    """A stream that can be disconnected, so that a failed run writes no footer as if its table were complete."""

    closed = False

    def __init__(self, stream: BinaryIO):
        self._stream: BinaryIO | None = stream

    def write(self, data) -> int:
        return len(data) if self._stream is None else self._stream.write(data)

    def flush(self) -> None:
        if self._stream is not None:
            self._stream.flush()

    def close(self) -> None:
        """The opener of the underlying stream closes it."""

    def discard(self) -> None:
        """Drop all further bytes."""
        self._stream = None


def _check_codes(codes: np.ndarray, n_variables: int) -> None:
    if codes.dtype not in (np.uint8, np.int32) or codes.ndim != 2 or len(codes) != n_variables:
        raise TypeError(f"codes must be uint8 or int32 of shape ({n_variables}, rows)")


class CsvWriter:
    """Comma, header line; cells quoted where they need it."""

    delimiter = b","

    def __init__(self, stream: _Sink, variables: tuple[Variable, ...]):
        self._stream = stream
        ends = [self.delimiter] * (len(variables) - 1) + [b"\n"]
        is_single = len(variables) == 1
        self._tables = [_cell_table(v.known_states, end, is_single) for v, end in zip(variables, ends)]
        self._width = sum(table.shape[1] for table in self._tables)
        # Cells of different lengths are padded with NUL bytes, which are removed from the lines.
        self._is_padded = any((table == 0).any() for table in self._tables)
        names = [_quoted(variable.name) for variable in variables]
        stream.write(self.delimiter.join(name.encode() for name in names) + b"\n")

    def write(self, codes: np.ndarray) -> None:
        _check_codes(codes, len(self._tables))
        step = max(1, _CSV_BLOCK // self._width)
        for start in range(0, codes.shape[1], step):
            self._stream.write(self._lines(codes[:, start : start + step]))

    def _lines(self, codes: np.ndarray) -> bytes | memoryview:
        # One row of bytes per line: each column's cells are looked up for all lines at once.
        lines = np.empty((codes.shape[1], self._width), dtype=np.uint8)
        offset = 0
        for table, column in zip(self._tables, codes):
            end = offset + table.shape[1]
            lines[:, offset:end] = table[column]
            offset = end
        return lines[lines != 0].data if self._is_padded else lines.data

    def close(self) -> None:
        """Nothing is buffered."""


class TsvWriter(CsvWriter):
    """The same with tabs."""

    delimiter = b"\t"


def _cell_table(states: tuple[str, ...], separator: bytes, is_single: bool) -> np.ndarray:
    """Bytes of each label and of an empty cell, each with the separator after it, uint8, padded with zeros to the
    longest.

    An empty label is quoted if it is the only cell of its line (`is_single`), which would be blank.
    """
    cells = [(_quoted(state) if state or is_single else "").encode() + separator for state in (*states, "")]
    width = max(map(len, cells))
    return np.frombuffer(b"".join(cell.ljust(width, b"\0") for cell in cells), np.uint8).reshape(-1, width)


def _quoted(label: str) -> str:
    """A label as a CSV cell."""
    if "\0" in label:
        raise FormatError(f"label {label!r} holds a NUL character, which CSV cannot")
    if label and not _NEEDS_QUOTES.search(label):
        return label
    return '"' + label.replace('"', '""') + '"'


class ArrowWriter:
    """An Arrow IPC stream, a record batch for each batch of rows."""

    format = "arrow"

    def __init__(self, stream: _Sink, variables: tuple[Variable, ...]):
        import pyarrow

        from .arrow_arrays import text_array

        self._dictionaries = [text_array(variable.known_states) for variable in variables]
        widths = [pyarrow.uint8() if len(labels) <= MAX_STATES else pyarrow.int32() for labels in self._dictionaries]
        types = [pyarrow.dictionary(width, pyarrow.string()) for width in widths]
        self._schema = pyarrow.schema([(v.name, label_type) for v, label_type in zip(variables, types)])
        self._writer = batch_writer(self.format, stream, self._schema)

    def _batch(self, codes: np.ndarray):
        import pyarrow

        from .arrow_arrays import array_of

        columns = [
            pyarrow.DictionaryArray.from_arrays(array_of(column, column < 0).cast(field.type.index_type), labels)
            for column, labels, field in zip(codes, self._dictionaries, self._schema)
        ]
        return pyarrow.RecordBatch.from_arrays(columns, schema=self._schema)

    def write(self, codes: np.ndarray) -> None:
        _check_codes(codes, len(self._dictionaries))
        self._writer.write_batch(self._batch(codes))

    def close(self) -> None:
        self._writer.close()


class FeatherWriter(ArrowWriter):
    """An Arrow IPC file, as Feather is since its second version: one list of states for all batches."""

    format = "feather"


class ParquetWriter(ArrowWriter):
    """Gathers batches into row groups, since each group has a constant cost per column."""

    format = "parquet"

    def __init__(self, stream: _Sink, variables: tuple[Variable, ...]):
        super().__init__(stream, variables)
        self._waiting: list[np.ndarray] = []
        self._n_waiting = 0
        self._group_rows = max(_MIN_GROUP_ROWS, _ROW_GROUP_CELLS // max(1, len(variables)))

    def write(self, codes: np.ndarray) -> None:
        _check_codes(codes, len(self._dictionaries))
        # A copy, since the caller may use its array again.
        self._waiting.append(codes.copy())
        self._n_waiting += codes.shape[1]
        if self._n_waiting >= self._group_rows:
            self._flush()

    def _flush(self) -> None:
        if self._n_waiting:
            batch = self._batch(np.concatenate(self._waiting, axis=1))
            self._writer.write_batch(batch, row_group_size=max(1, batch.num_rows))
        self._waiting, self._n_waiting = [], 0

    def close(self) -> None:
        self._flush()
        super().close()
