"""Headers and records as lines of our JSON formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from math import isfinite, isnan
from typing import Any

from ..records import Header, ListFacts, ParentSetRecord
from ..schemas import JSONL_FORMATS, PARENT_SETS

FACTS = tuple(fact for fact in fields(ListFacts) if fact.name != "extra")
"""Facts of a record in the order in which they are written; those with the default value are not."""


def encode_header(spec_name: str, header: Header, n_records: int | None = None) -> bytes:
    """The header line of a file of one of our formats."""
    values: dict[str, Any] = {"format": spec_name, "version": JSONL_FORMATS[spec_name].version}
    values["score"] = header.score
    if header.ess is not None:
        values["ess"] = header.ess
    values["rows"] = header.rows
    values["variables"] = [{"name": v.name, "states": v.states} for v in header.variables]
    values["data"] = header.data
    if n_records is not None:
        values["records"] = n_records
    values |= {key: value for key, value in header.extra.items() if key not in values}
    values["by"] = header.by
    if header.created is not None:
        values["created"] = header.created
    _refuse_non_finite(header.extra)
    return encode_fields(values)


def encode_fields(values: dict[str, Any]) -> bytes:
    """One line of JSON."""
    import orjson

    return orjson.dumps(values, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n"


def _refuse_non_finite(value: Any) -> None:
    # orjson would silently write NaN and infinities as null.
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            _refuse_non_finite(item)
    elif isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} cannot be written as JSON")


def encode_record(record: ParentSetRecord, unknown_scores: bool = False) -> bytes:
    """The line of one record, whose sets must be in order; with `unknown_scores` NaN is written as null.

    Raises `ValueError`: a score is not finite.
    """
    scores: tuple[float | None, ...] = record.scores
    if unknown_scores:
        scores = tuple(None if isnan(score) else score for score in record.scores)
    if not all(isfinite(score) for score in scores if score is not None):
        raise ValueError(f"a score of variable {record.child} is not finite")
    values: dict[str, Any] = {"child": record.child, "parents": record.parents, "scores": scores}
    for fact in FACTS:
        value = getattr(record, fact.name)
        if value != fact.default:
            _refuse_non_finite(value)
            values[fact.name] = value
    values |= {key: value for key, value in record.extra.items() if key not in values}
    return encode_fields(values)


def parent_set_chunks(header: Header, records: Iterable[ParentSetRecord]) -> Iterator[bytes]:
    """Yield the lines of a parent-set file."""
    yield encode_header(PARENT_SETS.name, header)
    for record in records:
        yield encode_record(record)
