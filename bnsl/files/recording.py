"""Provenance in headers, figures of the run, JSON lines."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from formats.printable import escaped

if TYPE_CHECKING:
    from formats.records import Header, ParentSetRecord


def used_options(options: Any, taken: Collection[str]) -> dict[str, Any]:
    """The options that the method reads (`taken`) and that have an effect.

    They are fields of the record `options`. A field that needs another is omitted if the other is not given, and the
    equivalent sample size if the score has none.
    """
    from stages.methods import own_options
    from stages.scoring.scores import recorded_ess

    fields = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    values = {name: value for name, value in fields.items() if name in taken}
    for name, about in own_options(type(options)).items():
        if about.needs in fields and fields[about.needs] is None:
            values.pop(name, None)
    if "ess" in values:
        values["ess"] = recorded_ess(options.score, options.ess)
    return values


def record_command(header: Header, stage: str, values: Mapping[str, Any]) -> Header:
    """The header with one more entry in ``by``: a command and its options; options with the value None or ``()`` are
    left out.
    """
    from formats.provenance import append_command

    options = {name: value for name, value in values.items() if value is not None and value != ()}
    return append_command(header, stage, options)


def json_text(value: Any, indent: int | None = None) -> str:
    """Valid JSON: null stands for a number that is not finite, and lone surrogates are escaped."""
    return json.dumps(_valid(value), indent=indent, allow_nan=False)


def _valid(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _valid(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_valid(item) for item in value]
    if isinstance(value, str):
        return escaped(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_stats(target: str | None, figures: Mapping[str, Any]) -> None:
    """Write the figures of a run as JSON to the file of ``--stats``, if there is one."""
    if target is not None:
        write_json(target, figures)


def write_json(target: str, fields: Mapping[str, Any]) -> None:
    """Write one JSON object over several lines."""
    from formats.streams import open_output

    with open_output(target) as stream:
        stream.write(json_text(fields, indent=1).encode() + b"\n")


def tallied(records: Iterable[ParentSetRecord], counts: dict[str, Any]) -> Iterator[ParentSetRecord]:
    """The records, counted for ``--stats`` as they pass."""
    counts |= {"variables": 0, "sets": 0, "evaluations": 0}
    for record in records:
        counts["variables"] += 1
        counts["sets"] += len(record.parents)
        counts["evaluations"] += record.evaluated or 0
        yield record


def write_json_lines(target: str, objects: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object per line."""
    from formats.streams import open_output

    with open_output(target) as stream:
        for fields in objects:
            stream.write(json_text(fields).encode() + b"\n")
