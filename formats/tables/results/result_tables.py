"""Tables of results, text and figures, written batch by batch: CSV, JSON lines, Arrow, Parquet."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...streams import open_output
from .batches import batch_writer

FIGURE, TEXT, NUMBER = "figure", "text", "number"
"""Types of columns: floating-point figures (NaN if missing), text, whole numbers."""


class ResultWriter:
    """Writes batches of rows.

    - `columns`: the type of each column, by its name.
    - `batches`, `schema`: for Arrow and Parquet; without them the stream gets CSV, or JSON lines.
    """

    def __init__(
        self, stream: Any, columns: Mapping[str, str], batches: Any = None, schema: Any = None, as_json: bool = False
    ):
        self._stream, self._columns = stream, columns
        self._batches, self._schema, self._as_json = batches, schema, as_json
        if batches is None and not as_json:
            self._write_text([list(columns)])

    def write(self, values: Sequence[Sequence[Any]]) -> None:
        """Append rows: the values of each column, None or NaN if missing."""
        if self._batches is not None:
            import pyarrow

            arrays = [pyarrow.array(v, type=field.type, from_pandas=True) for v, field in zip(values, self._schema)]
            self._batches.write_batch(pyarrow.RecordBatch.from_arrays(arrays, schema=self._schema))
        elif self._as_json:
            import orjson

            for row in zip(*values):
                line = orjson.dumps(dict(zip(self._columns, row)), option=orjson.OPT_SERIALIZE_NUMPY)
                self._stream.write(line + b"\n")
        else:
            # NaN differs from itself.
            rows = zip(*values)
            self._write_text([["" if cell is None or cell != cell else cell for cell in row] for row in rows])

    def _write_text(self, rows: Sequence[Sequence[Any]]) -> None:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(rows)
        self._stream.write(text.getvalue().encode())


def _schema(columns: Mapping[str, str], metadata: Mapping[bytes, bytes] | None) -> Any:
    import pyarrow

    types = {FIGURE: pyarrow.float64(), TEXT: pyarrow.string(), NUMBER: pyarrow.int64()}
    return pyarrow.schema([(name, types[kind]) for name, kind in columns.items()], metadata=metadata)


@contextlib.contextmanager
def open_result_writer(
    target: str, columns: Mapping[str, str], format: str, metadata: Mapping[bytes, bytes] | None = None
) -> Iterator[ResultWriter]:
    """Open a table of results for writing as a context manager; call ``write(values)`` for each batch.

    - `columns`: `FIGURE`, `TEXT` or `NUMBER` for each column, by its name.
    - `format`: ``csv``, ``jsonl``, ``arrow`` (IPC stream), ``feather`` (IPC file) or ``parquet``.
    - `metadata`: of the schema, for the last three.
    """
    with open_output(target) as stream:
        if format in ("csv", "jsonl"):
            yield ResultWriter(stream, columns, as_json=format == "jsonl")
            return
        schema = _schema(columns, metadata)
        with batch_writer(format, stream, schema) as batches:
            yield ResultWriter(stream, columns, batches, schema)
