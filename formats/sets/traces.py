"""Traces of searches: every scored parent set in the order of evaluation; written only.

JSON lines with a header like that of parent-set files, or, for long traces, the same columns as an Arrow or Parquet
table with the header in the schema's metadata.
"""

# Imported where needed, since loading takes time: arrow_arrays, pyarrow
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from ..json_lines.jsonl_writer import encode_fields, encode_header
from ..records import ESTIMATES, Header, ParentSetRecord
from ..schemas import TRACE
from ..streams import open_output
from ..tables.results.result_tables import METADATA_KEY, batch_writer

if TYPE_CHECKING:
    import pyarrow

Write = Callable[[ParentSetRecord], None]


@contextlib.contextmanager
def open_trace(target: str, header: Header, format: str = "trace") -> Iterator[Write]:
    """Open a trace for writing; yields a function to be called with the sets of one child after the other.

    `format` is ``trace`` (JSON lines), ``arrow`` (stream), ``feather`` (Arrow file) or ``parquet``.
    """
    with open_output(target) as stream:
        if format == "trace":
            stream.write(encode_header(TRACE.name, header))
            yield lambda explored: stream.writelines(_lines(explored))
            return
        schema = _schema(header)
        with batch_writer(format, stream, schema) as writer:
            yield lambda explored: writer.write_batch(_batch(explored, schema))


def _lines(explored: ParentSetRecord) -> Iterator[bytes]:
    rows = zip(explored.parents, explored.scores.tolist(), explored.extra[ESTIMATES].tolist(), strict=True)
    for place, (parents, score, estimate) in enumerate(rows, 1):
        yield encode_fields(
            {
                "child": explored.child,
                "evaluated": place,
                "parents": parents,
                "score": score,
                "estimate": estimate,  # NaN is written as null
            }
        )


def _schema(header: Header) -> pyarrow.Schema:
    import pyarrow

    types = [
        ("child", pyarrow.int32()),
        ("evaluated", pyarrow.int64()),
        ("parents", pyarrow.list_(pyarrow.int32())),
        ("score", pyarrow.float64()),
        ("estimate", pyarrow.float64()),
    ]
    return pyarrow.schema(types, metadata={METADATA_KEY: encode_header(TRACE.name, header).strip()})


def _batch(explored: ParentSetRecord, schema: pyarrow.Schema) -> pyarrow.RecordBatch:
    import pyarrow

    from ..tables.arrow_arrays import array_of

    sets, estimates = explored.parents, explored.extra[ESTIMATES]
    n_sets = len(sets)
    columns = [
        array_of(np.full(n_sets, explored.child, dtype=np.int32)),
        array_of(np.arange(1, n_sets + 1)),
        pyarrow.ListArray.from_arrays(array_of(sets.offsets.astype(np.int32)), array_of(sets.members)),
        array_of(explored.scores),
        array_of(estimates, np.isnan(estimates)),
    ]
    return pyarrow.RecordBatch.from_arrays(columns, schema=schema)
