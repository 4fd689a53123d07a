"""Headers and records as lines of this program's JSON formats."""

# Imported where needed, since loading takes time: orjson
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields
from math import isfinite
from typing import Any

import numpy as np

from ..records import Header, ParentSetRecord
from ..schemas import JSONL_FORMATS, PARENT_SETS
from ..sets.listed_sets import ListedSets

PART_SETS = 1 << 16
"""Number of sets converted to text at once; this takes several times the length of the text."""

FACTS = tuple(fact for fact in fields(ParentSetRecord) if fact.default is not MISSING)
"""Facts of a record in the order of writing; facts with the default value are not written."""


def encode_header(spec_name: str, header: Header, n_records: int | None = None) -> bytes:
    """The header line of a file in one of this program's formats."""
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
    known = record.scores[~np.isnan(record.scores)] if unknown_scores else record.scores
    if not np.isfinite(known).all():
        raise ValueError(f"a score of variable {record.child} is not finite")
    values: dict[str, Any] = {"scores": record.scores}
    for fact in FACTS:
        value = getattr(record, fact.name)
        if value != fact.default:
            _refuse_non_finite(value)
            values[fact.name] = value
    taken = {"child", "parents", *values}
    values |= {key: value for key, value in record.extra.items() if key not in taken}
    # The first keys are made as text, since orjson takes sets of different sizes only as Python objects.
    return b'{"child":%d,"parents":%b,%b' % (record.child, sets_text(record.parents), encode_fields(values)[1:])


def sets_text(sets: ListedSets) -> bytes:
    """The sets as JSON: a list of lists of indices."""
    parts = [_part_text(sets.within(first, first + PART_SETS)) for first in range(0, len(sets), PART_SETS)]
    return b"[%b]" % b",".join(parts)


def _part_text(sets: ListedSets) -> bytes:
    """``[1,2],[],[3]``: one line of bytes for each member; zero bytes are dropped."""
    sizes, members = sets.sizes, sets.members
    largest = int(members.max(initial=0))
    if largest >= len(members):  # few sets of many variables, as in each line of a network
        import orjson

        return orjson.dumps(list(sets))[1:-1]
    width = len(str(largest))
    # The digits of every index; the last line is blank, for the single line of an empty set.
    digits = np.array([*map(str, range(largest + 1)), ""], dtype=f"S{width}").view(np.uint8).reshape(-1, width)
    if not sizes.all():
        members = np.insert(members, sets.offsets[:-1][sizes == 0], largest + 1)
        sizes = np.maximum(sizes, 1)
    ends = np.cumsum(sizes)
    text = np.zeros((len(members), width + 3), dtype=np.uint8)
    text[:, 0] = ord(",")
    text[ends - sizes, 0] = ord("[")
    text[:, 1:-2] = digits[members]
    text[ends - 1, -2] = ord("]")
    text[ends[:-1] - 1, -1] = ord(",")
    return text[text != 0].tobytes()


def parent_set_chunks(header: Header, records: Iterable[ParentSetRecord]) -> Iterator[bytes]:
    """Yield the lines of a parent-set file."""
    yield encode_header(PARENT_SETS.name, header)
    for record in records:
        yield encode_record(record)
