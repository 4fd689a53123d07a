"""Arrow streams in memory, for the tests of the Arrow formats."""

from __future__ import annotations

import pyarrow as pa


def to_stream(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
