"""Rows for ``bnsl formats``, from the tables that the readers check against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from formats.schemas import Key


def list_formats() -> list[dict[str, Any]]:
    """One row per format: name, usual suffix, what it holds, whether it is read and written, meaning."""
    from formats.registry import FORMATS

    return [
        {
            "format": row.name,
            "suffix": row.suffix,
            "holds": row.kind.value,
            "reads": bool(row.reader),
            "writes": bool(row.writer),
            "meaning": row.help,
        }
        for row in FORMATS
    ]


def list_keys(name: str) -> list[dict[str, Any]]:
    """One row per key (or column) of one of our own formats; ``network`` is short for ``bnsl.network``.

    Raises
    ------
    click.UsageError
        No format of ours has this name.
    """
    from formats.schemas import ENTROPY_COLUMNS, JSONL_FORMATS, PARTS
    from formats.tables.results.entropies import ENTROPY_FORMAT

    full = name if name.startswith("bnsl.") else f"bnsl.{name}"
    if full == ENTROPY_FORMAT:
        return [_key("column", key) for key in ENTROPY_COLUMNS]
    if full not in JSONL_FORMATS:
        ours = ", ".join([*JSONL_FORMATS, ENTROPY_FORMAT])
        raise click.UsageError(f"{name!r} is none of our own formats: {ours}.")
    spec = JSONL_FORMATS[full]
    rows = []
    for key in spec.header:
        rows += [_key("header", key), *(_key(key.name, part) for part in PARTS.get(key.name, ()))]
    return rows + [_key("record", key) for key in spec.record]


def _key(where: str, key: Key) -> dict[str, Any]:
    return {
        "where": where,
        "key": key.name,
        "type": key.type + (" or null" if key.nullable else ""),
        "unit": key.unit,
        "required": key.required,
        "meaning": key.meaning,
    }
