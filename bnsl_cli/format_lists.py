"""Rows for ``bnsl formats``, from the tables that the readers check against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from formats.schemas import Key

HOLDS = {"bnsl.parentsets": "parent sets", "bnsl.network": "network", "bnsl.forest": "screening forest"}
ENTROPY = "bnsl.entropy"


def list_formats() -> list[dict[str, Any]]:
    """One row per format: name, usual suffix, what it holds, whether it is read and written, meaning."""
    from formats.schemas import EXCHANGE_FORMATS, JSONL_FORMATS

    rows = [
        _row(spec.name, spec.suffix, HOLDS[spec.name], True, True, f"JSON lines: {spec.meaning}")
        for spec in JSONL_FORMATS.values()
    ]
    rows.append(_row(ENTROPY, ".arrow", "entropies", True, True, "Arrow IPC stream: one row per variable"))
    rows += [_row(f.name, f.suffix, f.holds, f.reads, f.writes, f.meaning) for f in EXCHANGE_FORMATS]
    return rows


def _row(name: str, suffix: str, holds: str, reads: bool, writes: bool, meaning: str) -> dict[str, Any]:
    return {
        "format": name,
        "suffix": suffix,
        "holds": holds,
        "reads": reads,
        "writes": writes,
        "meaning": meaning,
    }


def list_keys(name: str) -> list[dict[str, Any]]:
    """One row per key (or column) of one of our own formats; ``network`` is short for ``bnsl.network``.

    Raises
    ------
    click.UsageError
        No format of ours has this name.
    """
    from formats.schemas import ENTROPY_COLUMNS, JSONL_FORMATS

    full = name if name.startswith("bnsl.") else f"bnsl.{name}"
    if full == ENTROPY:
        return [_key("column", key) for key in ENTROPY_COLUMNS]
    if full not in JSONL_FORMATS:
        ours = ", ".join([*JSONL_FORMATS, ENTROPY])
        raise click.UsageError(f"{name!r} is none of our own formats: {ours}.")
    spec = JSONL_FORMATS[full]
    return [_key("header", key) for key in spec.header] + [_key("record", key) for key in spec.record]


def _key(where: str, key: Key) -> dict[str, Any]:
    return {
        "where": where,
        "key": key.name,
        "type": key.type + (" or null" if key.nullable else ""),
        "unit": key.unit,
        "required": key.required,
        "meaning": key.meaning,
    }
