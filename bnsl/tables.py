"""Tables of other libraries as this one reads them: anything with ``__arrow_c_stream__``, dicts of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .running.errors import UsageError

KNOWN = "a dict of columns, or anything with __arrow_c_stream__ (pandas, Polars, DuckDB, pyarrow)"


def as_table(source: Any) -> Any:
    """What the readers of `formats` take: a path, or a table in memory.

    Raises `UsageError`: it is neither a path nor a table.
    """
    if isinstance(source, str):
        return source
    called = type(source).__name__
    if not isinstance(source, Mapping) and not hasattr(source, "__arrow_c_stream__"):
        raise UsageError(f"a {called} is no table: give a path, {KNOWN}")
    import pyarrow

    from formats.streams import TableInMemory

    def batches() -> pyarrow.RecordBatchReader:
        table = pyarrow.table(dict(source)) if isinstance(source, Mapping) else source
        return pyarrow.RecordBatchReader.from_stream(table)

    return TableInMemory(f"<{called}>", batches)
