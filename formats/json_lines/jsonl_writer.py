"""Headers and records as lines of our JSON formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isfinite, isnan
from typing import Any

from ..records import Header, ParentSetRecord
from ..schemas import JSONL_FORMATS, PARENT_SETS


def encode_header(spec_name: str, header: Header, n_records: int | None = None) -> bytes:
    """The header line of a file of one of our formats."""
    fields: dict[str, Any] = {"format": spec_name, "version": JSONL_FORMATS[spec_name].version}
    fields["score"] = header.score
    if header.ess is not None:
        fields["ess"] = header.ess
    fields["rows"] = header.rows
    fields["variables"] = [{"name": v.name, "states": v.states} for v in header.variables]
    fields["data"] = header.data
    if n_records is not None:
        fields["records"] = n_records
    fields |= {key: value for key, value in header.extra.items() if key not in fields}
    fields["by"] = header.by
    if header.created is not None:
        fields["created"] = header.created
    _refuse_non_finite(header.extra)
    return encode_fields(fields)


def encode_fields(fields: dict[str, Any]) -> bytes:
    """One line of JSON."""
    import orjson

    return orjson.dumps(fields, option=orjson.OPT_SERIALIZE_NUMPY) + b"\n"


def _refuse_non_finite(value: Any) -> None:
    # orjson would write NaN and infinities as null without a word
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            _refuse_non_finite(item)
    elif isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} cannot be written as JSON")


def encode_record(record: ParentSetRecord, unknown_scores: bool = False) -> bytes:
    """The line of one record; sets must be in order (`BlockChecker` and the stages see to that).

    Raises
    ------
    ValueError
        A score is not finite (with `unknown_scores` NaN is written as null).
    """

    scores: tuple[float | None, ...] = record.scores
    if unknown_scores:
        scores = tuple(None if isnan(score) else score for score in record.scores)
    if not all(isfinite(score) for score in scores if score is not None):
        raise ValueError(f"a score of variable {record.child} is not finite")
    fields: dict[str, Any] = {"child": record.child, "parents": record.parents, "scores": scores}
    if record.required:
        fields["required"] = record.required
    if record.evaluated is not None:
        fields["evaluated"] = record.evaluated
    for flag in ("fixed", "complete"):
        if getattr(record, flag):
            fields[flag] = True
    for bound in ("unlisted", "left_out"):
        if getattr(record, bound) is not None:
            _refuse_non_finite(float(getattr(record, bound)))
            fields[bound] = getattr(record, bound)
    fields |= {key: value for key, value in record.extra.items() if key not in fields}
    return encode_fields(fields)


def parent_set_chunks(header: Header, records: Iterable[ParentSetRecord]) -> Iterator[bytes]:
    """Yield the lines of a parent-set file."""
    yield encode_header(PARENT_SETS.name, header)
    for record in records:
        yield encode_record(record)
