"""Arrow streams and files (Feather) and Parquet: decoding them, and their columns as labels."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import pyarrow
from pyarrow import compute, parquet

from ..errors import Malformed, Truncated, UnsuitableData
from ..wording import Warn, ignore
from .arrow_sizes import check_message, refuse_many_cells, refuse_much
from .conventions import without_row_numbers
from .encoding import RawTable, TextLayout, check_names
from .label_parts import ColumnParts, join_parts, narrow_part, release_memory
from .packed_labels import PackedLabels, PackedTable
from .results.batches import own_header

_FILE_MARK = b"ARROW1"
PARQUET_MARK = b"PAR1"
ARROW_MARKS = (_FILE_MARK, b"\xff\xff\xff\xff")
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"
_CELLS_AT_ONCE = 1 << 21
"""Cells of a Parquet file decoded per call, some hundredths of a second; between calls signals are handled."""
_LEAST_ROWS = 1 << 13
"""Least rows decoded per call: each batch costs a tenth of a millisecond per column."""
_COLUMNS_AT_ONCE = _CELLS_AT_ONCE // _LEAST_ROWS
"""Columns of a Parquet file decoded per call at most: decoded cells take twelve bytes, their labels one."""


def read_arrow(
    data: bytes, source: str, layout: TextLayout | None = None, warn: Warn = ignore
) -> pyarrow.Table | PackedTable:
    """Decode an Arrow stream or an Arrow file; the layout has no effect.

    Raises `Truncated`: the input ends before its end marker or inside a message; `Malformed`: it cannot be decoded.
    """
    _check_messages(data, source)
    if data.startswith(_FILE_MARK):

        def read_file(stream: pyarrow.BufferReader) -> pyarrow.Table | PackedTable:
            reader = pyarrow.ipc.open_file(stream)
            return _read_batches(map(reader.get_batch, range(reader.num_record_batches)), reader.schema)

        return _decode(data, "an Arrow file", _FILE_MARK, source, read_file)

    def read_stream(stream: pyarrow.BufferReader) -> pyarrow.Table | PackedTable:
        reader = pyarrow.ipc.open_stream(stream)
        return _read_batches(reader, reader.schema)

    table = _decode(data, "an Arrow stream", _END_OF_STREAM, source, read_stream)
    if not data.endswith(_END_OF_STREAM):
        warn(f"{source}: the Arrow stream has no end marker and may be incomplete")
    return table


def read_parquet(
    data: bytes, source: str, layout: TextLayout | None = None, warn: Warn = ignore
) -> pyarrow.Table | PackedTable:
    """Decode Parquet; parameters and errors as in `read_arrow`."""

    def read(stream: pyarrow.BufferReader) -> pyarrow.Table | PackedTable:
        metadata = parquet.read_metadata(stream)
        groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
        refuse_many_cells(sum(group.num_rows for group in groups), metadata.num_columns, len(data), source)
        refuse_much(sum(group.total_byte_size for group in groups), len(data), source)
        stream.seek(0)
        opened = parquet.ParquetFile(stream, metadata=metadata)
        schema = opened.schema_arrow
        if own_header(schema):
            return _read_batches(opened.iter_batches(_LEAST_ROWS), schema)
        columns = []
        for names, kinds in _blocks(schema, metadata.num_columns):
            rows_at_once = max(_LEAST_ROWS, _CELLS_AT_ONCE // max(1, len(kinds)))
            columns += _joined(opened.iter_batches(rows_at_once, columns=names), kinds, metadata.num_rows)
        return _table(columns, schema)

    return _decode(data, "a Parquet file", PARQUET_MARK, source, read)


def _blocks(schema: pyarrow.Schema, n_leaves: int) -> Iterator[tuple[list[str] | None, list[pyarrow.DataType]]]:
    """The columns in blocks that are decoded one after the other: their names and types.

    All columns (None) where names do not select them one by one: a name also selects what is nested in it, and names
    that go on after a point.
    """
    names, kinds = schema.names, schema.types
    # Ordered so that what goes on after a point comes right after the name.
    ordered = sorted(name.replace(".", "\0") for name in names)
    selects_more = any(later.startswith(name + "\0") for name, later in pairwise(ordered))
    if selects_more or not len(set(names)) == len(names) == n_leaves:
        yield None, kinds
        return
    for first in range(0, len(names), _COLUMNS_AT_ONCE):
        block = slice(first, first + _COLUMNS_AT_ONCE)
        yield names[block], kinds[block]


def _read_batches(batches: Iterable[pyarrow.RecordBatch], schema: pyarrow.Schema) -> pyarrow.Table | PackedTable:
    """The table of these batches; the columns of foreign tables become indices into their distinct values."""
    if own_header(schema):
        return pyarrow.Table.from_batches(map(_checked, batches), schema)
    return _table(_joined(batches, schema.types), schema)


def _table(columns: list[pyarrow.ChunkedArray | PackedLabels], schema: pyarrow.Schema) -> pyarrow.Table | PackedTable:
    release_memory()
    if any(isinstance(column, PackedLabels) for column in columns):
        return PackedTable(schema, columns)
    return pyarrow.table(columns, names=schema.names)


def _joined(
    batches: Iterable[pyarrow.RecordBatch], kinds: Sequence[pyarrow.DataType], n_rows: int = 0
) -> list[pyarrow.ChunkedArray | PackedLabels]:
    """The columns of these batches, of the types `kinds`, as indices into their distinct values.

    `n_rows` is the number of rows if it is known before they are read.
    """
    parts = [ColumnParts(n_rows) for _ in kinds]
    for batch in map(_checked, batches):
        for own, column in zip(parts, batch.columns):
            own.add(column)
    columns = []
    for kind in kinds:
        columns.append(parts.pop(0).join(kind))
    return columns


def _checked(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The batch with offsets and indices validated, which pyarrow would otherwise follow out of bounds."""
    batch.validate()
    for column in batch.columns:  # one by one: Python handles signals between the calls
        column.validate(full=True)
    return batch


def _check_messages(data: bytes, source: str) -> None:
    """Refuse data that expand out of proportion; the reader reports damage."""
    # The messages of a file stand behind its mark, as in a stream.
    start = 8 if data.startswith(_FILE_MARK) else 0
    expanded = 0
    try:
        for message in pyarrow.ipc.MessageReader.open_stream(pyarrow.py_buffer(data)[start:]):
            expanded += check_message(message, len(data), source)
            refuse_much(expanded, len(data), source)
    except (pyarrow.ArrowException, OSError, StopIteration):
        return


def _decode(
    data: bytes,
    called: str,
    ending: bytes,
    source: str,
    read: Callable[[pyarrow.BufferReader], pyarrow.Table | PackedTable],
) -> pyarrow.Table | PackedTable:
    try:
        table = read(pyarrow.BufferReader(data))
        refuse_many_cells(table.num_rows, table.num_columns, len(data), source)
    except (pyarrow.ArrowException, ValueError, OSError, KeyError, MemoryError) as error:
        # Without its end mark a table was cut off; Parquet has the same mark at both ends, so a mark alone proves
        # nothing.
        if not data.endswith(ending) or len(data) <= 2 * len(ending):
            raise Truncated(f"{called} that ends early", source=source) from None
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise Malformed(f"cannot decode {called}: {reason}", source=source) from None
    return table


def label_columns(table: pyarrow.Table | PackedTable, source: str, warn: Warn) -> RawTable:
    """All columns as dictionary-encoded text, whatever their type.

    Numbers become their shortest decimal text (whole floats without a point), truth values ``True`` and ``False``
    (as pandas writes them to text), dates ISO 8601. The index columns of pandas (``__index_level_0__``) are dropped.

    Raises `UnsuitableData`: a column of lists or other nested values.
    """
    index = [name for name in table.column_names if name.startswith("__index_level_")]
    if index:
        warn(f"{source}: the row labels of pandas are left out")
    table = table.drop_columns(index)
    names = tuple(name.strip() for name in table.column_names)
    labelled = [_as_labels(column, name, source) for name, column in zip(names, table.columns)]
    names, columns = without_row_numbers(names, labelled, source, warn)
    check_names(names, source)
    return RawTable(names, columns, source, is_tight=False)


def _as_labels(
    column: pyarrow.ChunkedArray | PackedLabels, name: str, source: str
) -> pyarrow.ChunkedArray | PackedLabels:
    with contextlib.suppress(pyarrow.ArrowException, NotImplementedError, UnicodeDecodeError):
        if isinstance(column, PackedLabels):
            return column.with_dictionary(_as_text(column.dictionary))
        column = join_parts(list(map(narrow_part, column.chunks or [pyarrow.nulls(0, column.type)])))
        if pyarrow.types.is_dictionary(column.type):
            return pyarrow.chunked_array(
                pyarrow.DictionaryArray.from_arrays(chunk.indices, _as_text(chunk.dictionary))
                for chunk in column.chunks
            )
    raise UnsuitableData(
        f"values of type {column.type} cannot be states",
        source=source,
        column=name,
        remedy="convert the column to text or numbers, or remove it",
    )


def _as_text(values: pyarrow.Array) -> pyarrow.StringArray:
    if pyarrow.types.is_boolean(values.type):
        values = compute.if_else(values, "True", "False")
    return values.cast("string").fill_null("")
