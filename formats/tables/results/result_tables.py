"""Tables of our own: of results, text and figures, written batch by batch; and the header that identifies one.

Arrow and Parquet files have the header, JSON, in the metadata of their schema.
"""

# Imported where needed, since loading takes time: arrow_arrays, orjson, pyarrow, pyarrow.parquet
from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ...streams import open_output

if TYPE_CHECKING:
    import pyarrow

FIGURE, TEXT, NUMBER = "figure", "text", "number"
"""Types of columns: floating-point figures (NaN if missing), text, whole numbers."""

METADATA_KEY = b"bnsl"
"""Key of a schema's metadata that holds the header of a table of our own, as JSON."""

Write = Callable[[Sequence[Sequence[Any]]], object]
"""Appends rows: the values of each column, None or NaN if missing."""


@contextlib.contextmanager
def open_result_writer(
    target: str, columns: Mapping[str, str], format: str, metadata: Mapping[bytes, bytes] | None = None
) -> Iterator[Write]:
    """Open a table of results for writing as a context manager; call what it gives with the values of each batch.

    - `columns`: `FIGURE`, `TEXT` or `NUMBER` for each column, by its name.
    - `format`: ``csv``, ``jsonl``, ``arrow`` (IPC stream), ``feather`` (IPC file) or ``parquet``.
    - `metadata`: of the schema, for the last three.
    """
    with open_output(target) as stream:
        if format == "csv":
            _write_csv(stream, [list(columns)])
            yield lambda values: _write_csv(stream, zip(*values))
        elif format == "jsonl":
            import orjson

            yield lambda values: stream.writelines(
                orjson.dumps(dict(zip(columns, row)), option=orjson.OPT_SERIALIZE_NUMPY) + b"\n"
                for row in zip(*values)
            )
        else:
            import pyarrow

            none = [arrow_column([], kind) for kind in columns.values()]
            schema = pyarrow.RecordBatch.from_arrays(none, list(columns), metadata=metadata).schema
            with batch_writer(format, stream, schema) as batches:
                yield lambda values: batches.write_batch(
                    pyarrow.RecordBatch.from_arrays(list(map(arrow_column, values, columns.values())), schema=schema)
                )


class _Lines(list[str]):
    """Line ends as the writer of the standard library makes them; here lines end in a line feed."""

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Lines of cells, quoted where needed; the library quotes a carriage return only if one ends its lines."""
    lines = _Lines()
    csv.writer(lines, lineterminator="\r\n").writerows(rows)
    return "".join(lines)


def _write_csv(stream: BinaryIO, rows: Iterable[Sequence[Any]]) -> None:
    # NaN differs from itself.
    cells = (["" if cell is None or cell != cell else cell for cell in row] for row in rows)
    stream.write(csv_text(cells).encode())


def arrow_column(values: Sequence[Any], kind: str) -> pyarrow.Array:
    """A column of `FIGURE`, `TEXT` or `NUMBER`; null for None and NaN."""
    from ..arrow_arrays import array_of, text_array

    if kind == TEXT:
        return text_array(values)
    if kind == FIGURE:
        figures = np.array(values, dtype=np.float64)
        return array_of(figures, np.isnan(figures))
    is_null = np.array([value is None for value in values], dtype=np.bool_)
    return array_of(np.array([value or 0 for value in values], dtype=np.int64), is_null)


def batch_writer(format: str, sink: Any, schema: pyarrow.Schema) -> Any:
    """A context manager with ``write_batch`` and ``write_table``: Parquet, Arrow file (``feather``) or stream."""
    import pyarrow

    if format == "parquet":
        import pyarrow.parquet as parquet

        return parquet.ParquetWriter(sink, schema)
    opened = pyarrow.ipc.new_file if format == "feather" else pyarrow.ipc.new_stream
    return opened(sink, schema)


def own_header(table: Any) -> dict[str, Any]:
    """The header in the metadata of a table of our own, or of its schema; empty where there is none to be read."""
    import orjson

    metadata = getattr(getattr(table, "schema", table), "metadata", None)
    raw = (metadata or {}).get(METADATA_KEY, b"{}")
    try:
        value = orjson.loads(raw)  # refuses JSON that is nested too deeply
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def is_own(table: Any, format: str) -> bool:
    """Whether a decoded table is one of our own, whose header names this format."""
    return own_header(table).get("format") == format
