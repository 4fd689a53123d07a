"""What callers in Python give to read: paths, and tables of other libraries where data are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .options.values import TABLES
from .running.errors import UsageError


def as_table(source: Any) -> Any:
    """What the readers of `formats` take: a path, or a table in memory.

    Raises `UsageError`: it is neither a path nor a table.
    """
    if isinstance(source, str):
        return source
    called = type(source).__name__
    is_table = isinstance(source, Mapping) or hasattr(source, "__arrow_c_stream__")
    if not is_table or hasattr(source, "record"):
        raise UsageError(f"a {called} is no table: give a path, {TABLES}")
    import pyarrow

    from formats.streams import TableInMemory

    def batches() -> pyarrow.RecordBatchReader:
        table = pyarrow.table(dict(source)) if isinstance(source, Mapping) else source
        return pyarrow.RecordBatchReader.from_stream(table)

    return TableInMemory(f"<{called}>", batches)


def as_file(source: Any, what: str) -> Any:
    """A path, or the lines of a file that is open.

    Raises `UsageError`: it is something else; `what` is what the file holds.
    """
    if isinstance(source, str) or hasattr(source, "readable") or hasattr(source, "beginning"):
        return source
    raise UsageError(
        f"a {type(source).__name__} is no {what}: give a path, or what a function of this package returned"
    )
