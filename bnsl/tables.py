"""Tables of other libraries as this one reads them: anything with ``__arrow_c_stream__``, dicts of columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .running.errors import UsageError

KNOWN = "a dict of columns, or anything with __arrow_c_stream__ (pandas, Polars, DuckDB, pyarrow)"


def table_in_memory(value: Any) -> Any:
    """A table as the readers of `formats` take it.

    Raises `UsageError`: it is no table.
    """
    called = type(value).__name__
    if not isinstance(value, Mapping) and not hasattr(value, "__arrow_c_stream__"):
        raise UsageError(f"a {called} is no table: give a path, {KNOWN}")
    import pyarrow

    from formats.streams import TableInMemory

    def batches() -> pyarrow.RecordBatchReader:
        table = pyarrow.table(dict(value)) if isinstance(value, Mapping) else value
        return pyarrow.RecordBatchReader.from_stream(table)

    return TableInMemory(f"<{called}>", batches)
