"""Tables of our own as Arrow streams, Arrow files or Parquet, identified by a header in the schema's metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

METADATA_KEY = b"bnsl"
"""Key of a schema's metadata that holds the header of a table of our own, as JSON."""


def batch_writer(format: str, sink: Any, schema: pyarrow.Schema) -> Any:
    """A context manager with ``write_batch`` and ``write_table``: Parquet, Arrow file (``feather``) or stream."""
    import pyarrow

    if format == "parquet":
        from pyarrow import parquet

        return parquet.ParquetWriter(sink, schema)
    opened = pyarrow.ipc.new_file if format == "feather" else pyarrow.ipc.new_stream
    return opened(sink, schema)


def own_header(schema: pyarrow.Schema) -> dict[str, Any]:
    """The header in the metadata of a table of our own; empty where there is none that can be read."""
    import orjson

    raw = (schema.metadata or {}).get(METADATA_KEY, b"{}")
    try:
        value = orjson.loads(raw)  # refuses JSON that is nested too deeply
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def is_own(schema: pyarrow.Schema, format: str) -> bool:
    """Whether the header of a table names a format of our own."""
    return own_header(schema).get("format") == format
