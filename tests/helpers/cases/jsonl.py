"""A small parent-set file as JSON lines, whole or broken, for the tests of the JSON-lines formats."""

from __future__ import annotations

import io
import json

import pytest

from formats.records import ParentSetTable
from formats.sets.parent_sets import open_parent_sets

HEADER = {
    "format": "bnsl.parentsets",
    "version": 1,
    "score": "bic",
    "rows": 10,
    "variables": [{"name": name, "states": ["0", "1"]} for name in "abcd"],
    "data": "sha256:1",
}
RECORDS = [
    {"child": 0, "parents": [[1, 3], [1], []], "scores": [-1.5, -2.5, -3.5]},
    {"child": 1, "parents": [[]], "scores": [-4]},
    {"child": 2, "parents": [[0], []], "scores": [-5.25, -6]},
    {"child": 3, "parents": [[2]], "scores": [-7.0], "fixed": True},
]


def stream_of(*objects, end="\n") -> io.BytesIO:
    texts = [item if isinstance(item, str) else json.dumps(item) for item in objects]
    return io.BytesIO(("\n".join(texts) + end).encode())


def read(*objects, end="\n", **options) -> ParentSetTable:
    return open_parent_sets(stream_of(*objects, end=end), **options)


def changed(index: int, **changes) -> list[dict]:
    """The sample records with one of them changed; a value of None removes a key."""
    records = [dict(record) for record in RECORDS]
    records[index] = {k: v for k, v in (records[index] | changes).items() if v is not None}
    return records


def message_of(error_type, *objects, end="\n", **options) -> str:
    with pytest.raises(error_type) as caught:
        read(*objects, end=end, **options)
    return str(caught.value)
