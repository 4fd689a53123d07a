"""Arrow streams and files (Feather) and Parquet: decoding them, and their columns as labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .encoding import RawTable, Warn, check_names
from .errors import Malformed, Truncated, UnsuitableData
from .sniff import describe

if TYPE_CHECKING:
    import pyarrow

_END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"


def read_table(data: bytes, kind: str, source: str, warn: Warn) -> pyarrow.Table:
    """Decode an Arrow stream, an Arrow file or Parquet.

    Parameters
    ----------
    data : bytes
    kind : str
        As `sniff` names it: ``arrow-stream``, ``arrow-file``, ``parquet``.
    source : str
    warn : callable

    Raises
    ------
    Truncated
        The input ends before its end marker or inside a message.
    Malformed
        It cannot be decoded.
    """
    import pyarrow

    try:
        table = _decode(data, kind)
        table.validate(full=True)  # damaged offsets and indices would be followed without a look
    except (pyarrow.ArrowException, ValueError, OSError, KeyError, MemoryError) as error:
        if _is_cut(data, kind):
            raise Truncated(f"{describe(kind)} that ends early", source=source) from None
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise Malformed(f"cannot decode {describe(kind)}: {reason}", source=source) from None
    if kind == "arrow-stream" and not data.endswith(_END_OF_STREAM):
        warn(f"{source}: the Arrow stream has no end marker and may be incomplete")
    return table


def _decode(data: bytes, kind: str) -> pyarrow.Table:
    import pyarrow

    if kind == "parquet":
        from pyarrow import parquet

        return parquet.read_table(pyarrow.BufferReader(data))
    open_reader = pyarrow.ipc.open_file if kind == "arrow-file" else pyarrow.ipc.open_stream
    return open_reader(pyarrow.BufferReader(data)).read_all()


def _is_cut(data: bytes, kind: str) -> bool:
    ending = {"parquet": b"PAR1", "arrow-file": b"ARROW1", "arrow-stream": _END_OF_STREAM}[kind]
    return not data.endswith(ending) or len(data) <= 2 * len(ending)


def label_columns(table: pyarrow.Table, source: str, warn: Warn) -> RawTable:
    """All columns as dictionary-encoded text, whatever their type.

    Numbers become their shortest decimal text (whole floats without a point), truth values ``true`` and ``false``,
    dates ISO 8601. Row labels that pandas stores (``__index_level_0__``) are left out.

    Raises
    ------
    UnsuitableData
        A column of lists or other nested values.
    """
    table = _without_pandas_index(table, source, warn)
    names = tuple(name.strip() for name in table.column_names)
    check_names(names, source)
    columns = [_as_labels(column, name, source) for name, column in zip(names, table.columns)]
    return RawTable(names, columns, source, is_tight=False)


def _without_pandas_index(table: pyarrow.Table, source: str, warn: Warn) -> pyarrow.Table:
    names = [name for name in table.column_names if name.startswith("__index_level_")]
    if names:
        warn(f"{source}: the row labels of pandas are left out")
    return table.drop_columns(names)


def _as_labels(column: pyarrow.ChunkedArray, name: str, source: str) -> pyarrow.ChunkedArray:
    import pyarrow

    label_type = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    try:
        if not pyarrow.types.is_dictionary(column.type):
            # in one piece if it can be, so that there is one dictionary to convert
            encoded = column.combine_chunks().dictionary_encode()
            column = (
                encoded if isinstance(encoded, pyarrow.ChunkedArray) else pyarrow.chunked_array([encoded])
            )
        chunks = [
            pyarrow.DictionaryArray.from_arrays(
                chunk.indices.cast("int32"), chunk.dictionary.cast("string").fill_null("")
            )
            for chunk in column.chunks
        ]
    except (pyarrow.ArrowException, NotImplementedError, UnicodeDecodeError):
        raise UnsuitableData(
            f"values of type {column.type} cannot be states",
            source=source,
            column=name,
            remedy="convert the column to text or numbers, or remove it",
        ) from None
    return pyarrow.chunked_array(chunks, type=label_type)
