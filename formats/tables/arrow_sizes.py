"""The decompressed size of Arrow and Parquet files by their metadata, checked before anything is decompressed.

A file of some kilobytes may stand for thousands of millions of cells: runs of one value, compressed zeros, columns
of nulls that have a length only. Real tables take a byte for a few cells, or for some tens when compressed.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from ..errors import Malformed

if TYPE_CHECKING:
    import pyarrow

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
