"""Tables of our own as Arrow streams, Arrow files or Parquet: written batch by batch, told by their metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

METADATA_KEY = b"bnsl"
"""Key of a schema's metadata under which the header of a table of our own stands, as JSON."""


def batch_writer(format: str, sink: Any, schema: pyarrow.Schema) -> Any:
    """A context manager with ``write_batch(batch)``.

    Parameters
    ----------
    format : str
        ``feather`` (Arrow file), ``parquet``, or anything else for an Arrow stream.
    sink : binary stream
    schema : pyarrow.Schema
    """
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
        value = orjson.loads(raw)  # refuses what is nested too deeply
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
