"""Arrow streams and files (Feather) and Parquet: decoding them, and their columns as labels.

The decompressed size is checked by the metadata before anything is decompressed. A file of some kilobytes may stand
for thousands of millions of cells: runs of one value, compressed zeros, columns of nulls that have a length only.
Real tables take a byte for a few cells, or for some tens when compressed.
"""

# Imported where needed, since loading takes time: pyarrow.parquet
from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

import pyarrow
from pyarrow import compute

from ..errors import Malformed, Truncated, UnsuitableData
from ..streams import TableInMemory, open_input, read_bytes
from ..wording import Warn, ignore
from .arrow_arrays import text_scalar
from .declared_states import declares_levels
from .foreign_conventions import without_row_numbers
from .label_columns import ColumnParts, LabelColumn, RawTable, TextLayout, Typed, check_names, release_memory
from .results.result_tables import own_header

_FILE_MARK = b"ARROW1"
PARQUET_MARK = b"PAR1"
ARROW_MARKS = (_FILE_MARK, b"\xff\xff\xff\xff")
_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"
_ZEROS = r"^(-?[0-9]+(?:\.[0-9]*[1-9])?)(?:\.0*|0*)$"
"""The zeros at the end of a decimal number: the group is what stays."""
_CELLS_AT_ONCE = 1 << 21
"""Cells of a Parquet file decoded per call, some hundredths of a second; between calls signals are handled."""
_LEAST_ROWS = 1 << 13
"""Least rows decoded per call: each batch costs a tenth of a millisecond per column."""
_COLUMNS_AT_ONCE = _CELLS_AT_ONCE // _LEAST_ROWS
"""Columns of a Parquet file decoded per call at most: decoded cells take twelve bytes, their labels one."""


FREE_CELLS = 1 << 25
"""Cells that any file may stand for; as labels they take some 150 MiB."""
CELLS_PER_BYTE = 200
"""Largest number of cells per byte of the file beyond that."""
FREE_BYTES = 128 << 20
BYTES_PER_BYTE = 200
"""The same of decompressed bytes."""

_REMEDY = "if that is meant, write the table uncompressed, or as text"

# Slots of the flatbuffers of Arrow's Message.fbs, and the types of messages that have buffers.
_HEADER_TYPE, _HEADER = 1, 2
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3
_DICTIONARY_DATA, _BUFFERS, _COMPRESSION = 1, 2, 3


def read_memory(source: TableInMemory) -> pyarrow.Table | RawTable:
    """The table of another library; raises `Malformed` where pyarrow cannot convert it."""
    try:
        reader = source.batches()
        return _read_batches(reader, reader.schema)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        raise Malformed(f"this is no table: {str(error).splitlines()[0][:200]}") from None


def read_arrow(data: bytes, layout: TextLayout | None = None, warn: Warn = ignore) -> pyarrow.Table | RawTable:
    """Decode an Arrow stream or an Arrow file; the layout has no effect.

    A table of our own comes as it is, of others the columns, whose values keep their types (`label_columns`).

    Raises `Truncated`: the input ends before its end marker or inside a message; `Malformed`: it cannot be decoded.
    """
    _check_messages(data)
    is_file = data.startswith(_FILE_MARK)

    def read(stream: pyarrow.BufferReader) -> pyarrow.Table | RawTable:
        reader = pyarrow.ipc.open_file(stream) if is_file else pyarrow.ipc.open_stream(stream)
        batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
        return _read_batches(batches, reader.schema, len(data))

    ending = _FILE_MARK if is_file else _END_OF_STREAM
    table = _decode(data, "an Arrow file" if is_file else "an Arrow stream", ending, read)
    if not is_file and not data.endswith(ending):
        warn("the Arrow stream has no end marker and may be incomplete")
    return table


def read_parquet(data: bytes, layout: TextLayout | None = None, warn: Warn = ignore) -> pyarrow.Table | RawTable:
    """Decode Parquet; parameters, result and errors as in `read_arrow`."""

    def read(stream: pyarrow.BufferReader) -> pyarrow.Table | RawTable:
        import pyarrow.parquet as parquet

        metadata = parquet.read_metadata(stream)
        groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
        refuse_many_cells(sum(group.num_rows for group in groups), metadata.num_columns, len(data))
        refuse_much(sum(group.total_byte_size for group in groups), len(data))
        stream.seek(0)
        opened = parquet.ParquetFile(stream, metadata=metadata)
        schema = opened.schema_arrow
        if own_header(schema):
            return _read_batches(opened.iter_batches(_LEAST_ROWS), schema)
        columns: list[LabelColumn] = []
        for names, kinds in _blocks(schema, metadata.num_columns):
            rows_at_once = max(_LEAST_ROWS, _CELLS_AT_ONCE // max(1, len(kinds)))
            # Decoding threads save no time here, and pyarrow never returns the memory that they freed.
            batches = opened.iter_batches(rows_at_once, columns=names, use_threads=False)
            columns += _joined(batches, kinds, metadata.num_rows)[0]
        return _raw(schema, columns)

    return _decode(data, "a Parquet file", PARQUET_MARK, read)


def _blocks(schema: pyarrow.Schema, n_leaves: int) -> Iterator[tuple[list[str] | None, list[pyarrow.DataType]]]:
    """The columns in blocks that are decoded one after the other: their names and types.

    Returns None for all columns if names cannot select single ones: a name also selects the columns nested in it, and
    columns whose names continue it after a point.
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


def _read_batches(
    batches: Iterable[pyarrow.RecordBatch], schema: pyarrow.Schema, size: int | None = None
) -> pyarrow.Table | RawTable:
    """The table of these batches; the columns of foreign tables become indices into their distinct values.

    Raises `Malformed`: it has too many cells for a file of `size` bytes.
    """
    table: pyarrow.Table | RawTable
    if own_header(schema):
        table = pyarrow.Table.from_batches(map(_checked, batches), schema)
        n_rows = table.num_rows
    else:
        columns, n_rows = _joined(batches, schema.types)
        table = _raw(schema, columns)
    if size is not None:
        refuse_many_cells(n_rows, len(schema), size)
    return table


def _joined(
    batches: Iterable[pyarrow.RecordBatch], kinds: Sequence[pyarrow.DataType], n_expected: int = 0
) -> tuple[list[LabelColumn], int]:
    """The columns of these batches, of the types `kinds`, and the number of their rows.

    `n_expected` is that number if it is known before they are read.
    """
    parts = [ColumnParts(n_expected) for _ in kinds]
    n_rows = 0
    for batch in map(_checked, batches):
        n_rows += batch.num_rows
        for own, column in zip(parts, batch.columns):
            own.add(column)
    columns = [parts.pop(0).join(kind) for kind in kinds]
    release_memory()
    return columns, n_rows


def _checked(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    """The batch with offsets and indices validated, which pyarrow would otherwise follow out of bounds."""
    batch.validate()
    for column in batch.columns:  # one by one: Python handles signals between the calls
        column.validate(full=True)
    return batch


def _check_messages(data: bytes) -> None:
    """Refuse data that expand out of proportion; the reader reports damage."""
    # The messages of a file stand behind its mark, as in a stream.
    start = 8 if data.startswith(_FILE_MARK) else 0
    expanded = 0
    try:
        for message in pyarrow.ipc.MessageReader.open_stream(pyarrow.py_buffer(data)[start:]):
            expanded += check_message(message, len(data))
            refuse_much(expanded, len(data))
    except (pyarrow.ArrowException, OSError, StopIteration):
        return


def _decode(
    data: bytes, called: str, ending: bytes, read: Callable[[pyarrow.BufferReader], pyarrow.Table | RawTable]
) -> pyarrow.Table | RawTable:
    try:
        return read(pyarrow.BufferReader(data))
    except (pyarrow.ArrowException, ValueError, OSError, KeyError, MemoryError) as error:
        # Without its end mark a table was cut off; Parquet has the same mark at both ends, so a mark alone proves
        # nothing.
        if not data.endswith(ending) or len(data) <= 2 * len(ending):
            raise Truncated(f"{called} that ends early") from None
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise Malformed(f"cannot decode {called}: {reason}") from None


def labelled(table: pyarrow.Table | RawTable) -> RawTable:
    """A decoded table with columns of indices, also if it is one of our own."""
    if isinstance(table, RawTable):
        return table
    return _raw(table.schema, _joined(table.to_batches(), table.schema.types)[0])


def _raw(schema: pyarrow.Schema, columns: Sequence[LabelColumn]) -> RawTable:
    """A decoded table; `label_columns` lists the levels of its categorical columns."""
    levels: dict[str, Sequence[str]] = {field.name: () for field in schema if declares_levels(field)}
    return RawTable(
        tuple(schema.names), columns, is_tight=False, levels=levels, row_labels=frozenset(row_label_names(schema))
    )


def row_label_names(schema: pyarrow.Schema) -> list[str]:
    """The columns that hold the row labels of pandas, by its metadata or by the name that pandas gives them."""
    try:
        described = (schema.pandas_metadata or {}).get("index_columns", [])
    except ValueError:  # metadata that pandas did not write
        described = []
    return [name for name in schema.names if name.startswith("__index_level_") or name in described]


def typed_table(source: str) -> pyarrow.Table | None:
    """The table in a file of Arrow or Parquet, with the types of its columns; None for one of another kind, and for
    a pipe, which can be read only once.

    Raises `FormatError`: it cannot be read.
    """
    if not os.path.isfile(source):
        return None
    with open_input(source) as stream:
        head = stream.peek(len(_FILE_MARK))
    if not head.startswith((PARQUET_MARK, *ARROW_MARKS)):
        return None
    data = pyarrow.BufferReader(read_bytes(source))
    if head.startswith(PARQUET_MARK):
        import pyarrow.parquet as parquet

        return parquet.read_table(data)
    return (pyarrow.ipc.open_file if head.startswith(_FILE_MARK) else pyarrow.ipc.open_stream)(data).read_all()


def label_columns(table: pyarrow.Table | RawTable, warn: Warn) -> RawTable:
    """The columns with their values as text, whatever their type.

    Numbers become their shortest decimal text (whole floats without a point), truth values ``True`` and ``False``
    (as pandas writes them to text), dates ISO 8601, without a fraction of zeros; a missing number is null. Row labels
    of pandas are dropped.
    Raises `UnsuitableData`: a column of lists or other nested values.
    """
    decoded = labelled(table)
    pairs = list(zip(decoded.names, decoded.columns))
    kept = [(name.strip(), column) for name, column in pairs if name not in decoded.row_labels]
    if len(kept) < len(pairs):
        warn("the row labels of pandas are left out")
    texts = [_with_texts(column, name) for name, column in kept]
    categorical = {name.strip() for name in decoded.levels}
    levels = {
        name: text.values.drop_null().to_pylist() for (name, _), text in zip(kept, texts) if name in categorical
    }
    names, columns = without_row_numbers(tuple(name for name, _ in kept), texts, warn)
    check_names(names)
    return decoded._replace(names=names, columns=columns, levels=levels)


def _with_texts(column: LabelColumn, name: str) -> LabelColumn:
    if column.has_cells:
        with contextlib.suppress(pyarrow.ArrowException, NotImplementedError, UnicodeDecodeError):
            return column.with_values(as_text(column.values), typed_of(column.values.type))
    raise UnsuitableData(
        f"values of type {column.values.type} cannot be states",
        column=name,
        remedy="convert the column to text or numbers, or remove it",
    )


_FRACTION = r"\.(?:(\d*[1-9])0*|0+)(Z|[+-]\d\d:?\d\d)?$"
"""The fraction of the seconds of a time; zeros at its end depend on the unit of the column alone."""


def as_text(values: pyarrow.Array) -> pyarrow.StringArray:
    """Values as labels; missing ones are null."""
    kind = values.type
    if pyarrow.types.is_boolean(kind):
        return compute.if_else(values, text_scalar("True"), text_scalar("False"))
    if pyarrow.types.is_floating(kind):
        values = compute.if_else(compute.is_nan(values), pyarrow.nulls(1, kind)[0], values)
    texts = values.cast("string")
    if pyarrow.types.is_timestamp(kind) or pyarrow.types.is_time(kind):
        texts = compute.replace_substring_regex(texts, _FRACTION, r".\1\2")
        texts = compute.replace_substring_regex(texts, r"\.(Z|[+-]\d\d:?\d\d)?$", r"\1")
    return compute.replace_substring_regex(texts, _ZEROS, r"\1") if pyarrow.types.is_decimal(kind) else texts


def typed_of(kind: pyarrow.DataType) -> Typed:
    """What a type says of labels; nothing for truth values, which other programs write in another way."""
    if pyarrow.types.is_dictionary(kind):
        kind = kind.value_type
    if pyarrow.types.is_boolean(kind):
        return Typed.NO
    is_number = pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind) or pyarrow.types.is_decimal(kind)
    return Typed.NUMBERS if is_number else Typed.TEXT


def refuse_many_cells(n_rows: int, n_columns: int, size: int) -> None:
    """Raise `Malformed` if a file of `size` bytes has too many cells."""
    if n_rows * max(1, n_columns) > max(FREE_CELLS, CELLS_PER_BYTE * size):
        claim = f"{size:,} bytes stand for {n_rows:,} rows of {n_columns:,} columns, too many to be true"
        raise Malformed(claim, remedy=_REMEDY)


def refuse_much(expanded: int, size: int) -> None:
    """Raise `Malformed` if a file of `size` bytes expands to too many bytes."""
    if expanded > max(FREE_BYTES, BYTES_PER_BYTE * size):
        claim = f"{size:,} bytes expand to {expanded >> 20:,} MiB, more than {BYTES_PER_BYTE}-fold"
        raise Malformed(claim, remedy=_REMEDY)


def check_message(message: pyarrow.Message, size: int) -> int:
    """Decompressed size of the compressed buffers of a message, as it claims, in bytes.

    Raises `Malformed`: the message claims too many rows for a file of `size` bytes.
    """
    raw = message.metadata.to_pybytes()
    try:
        batch = _batch_of(raw)
        if batch is None:
            return 0
        (n_rows,) = struct.unpack_from("<q", raw, _field(raw, batch, 0) or len(raw))
        refuse_many_cells(n_rows, 1, size)
        is_compressed = _field(raw, batch, _COMPRESSION)
        return _claimed_bytes(raw, batch, message.body.to_pybytes()) if is_compressed else 0
    except (struct.error, IndexError, TypeError):
        return 0  # damaged, which the reader reports


def _batch_of(raw: bytes) -> int | None:
    """Position of the record batch in the metadata of a message."""
    root = struct.unpack_from("<I", raw)[0]
    kind, header = _field(raw, root, _HEADER_TYPE), _field(raw, root, _HEADER)
    if not kind or not header or raw[kind] not in (_DICTIONARY_BATCH, _RECORD_BATCH):
        return None
    table = _followed(raw, header)
    if raw[kind] == _DICTIONARY_BATCH:
        # A dictionary's values are a record batch inside the message.
        table = _followed(raw, _field(raw, table, _DICTIONARY_DATA))
    return table


def _claimed_bytes(raw: bytes, batch: int, body: bytes) -> int:
    """Sum of the lengths that stand before the compressed bytes of every buffer."""
    vector = _followed(raw, _field(raw, batch, _BUFFERS))
    (count,) = struct.unpack_from("<I", raw, vector)
    total = 0
    for k in range(count):
        # A buffer is given by offset and length in the body; compressed, its first eight bytes are the length before
        # compression.
        offset, length = struct.unpack_from("<qq", raw, vector + 4 + 16 * k)
        if length >= 8:
            total += max(0, struct.unpack_from("<q", body, offset)[0])
    return total


def _field(raw: bytes, table: int, slot: int) -> int:
    """Position of a field of a flatbuffer's table, 0 if it is absent."""
    (to_vtable,) = struct.unpack_from("<i", raw, table)
    # A table begins with the offset back to its vtable: two lengths, then for each slot where in the table its field
    # is.
    vtable = table - to_vtable
    (size,) = struct.unpack_from("<H", raw, vtable)
    if 6 + 2 * slot > size:
        return 0
    (offset,) = struct.unpack_from("<H", raw, vtable + 4 + 2 * slot)
    return table + offset if offset else 0


def _followed(raw: bytes, place: int) -> int:
    """The position to which the offset at a place points."""
    return place + struct.unpack_from("<I", raw, place)[0]
