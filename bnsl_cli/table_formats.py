"""In which formats data tables are written."""

from __future__ import annotations

from formats.registry import Kind, formats_of

TABLE_FORMATS = tuple(row.target for row in formats_of(Kind.DATA, written=True))
"""Choices of ``--format`` where data are written."""


def table_format(output: str) -> str:
    """The format that an output's name asks for; CSV if it asks for none."""
    name = output.lower().removesuffix(".gz").removesuffix(".zst")
    asked = (row.target for row in formats_of(Kind.DATA, written=True) if name.endswith(row.suffixes))
    return next(asked, "csv")
