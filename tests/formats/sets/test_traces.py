"""Traces of searches: what other programs read."""

from __future__ import annotations

import json

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from formats.data_records import Variable
from formats.records import ESTIMATES, Header, ParentSetRecord
from formats.schemas import TRACE, key_problem
from formats.sets.traces import open_trace

HEADER = Header((Variable("a"), Variable("b"), Variable("c")), "bic", 9, "sha256:1")


CHILDREN = (
    ParentSetRecord.of(
        0, [(), (2,), (1, 2)], [-5.0, -4.5, -3.25], extra={ESTIMATES: np.array([np.nan, np.nan, -3.5])}
    ),
    ParentSetRecord.of(2, [()], [-1.0], extra={ESTIMATES: np.array([np.nan])}),
)
ROWS = [
    {"child": 0, "evaluated": 1, "parents": [], "score": -5.0, "estimate": None},
    {"child": 0, "evaluated": 2, "parents": [2], "score": -4.5, "estimate": None},
    {"child": 0, "evaluated": 3, "parents": [1, 2], "score": -3.25, "estimate": -3.5},
    {"child": 2, "evaluated": 1, "parents": [], "score": -1.0, "estimate": None},
]


def write_all(path, format):
    with open_trace(str(path), HEADER, format) as write:
        for explored in CHILDREN:
            write(explored)


def test_json_lines(tmp_path):
    write_all(tmp_path / "trace", "trace")
    header, *rows = map(json.loads, (tmp_path / "trace").read_text().splitlines())
    assert header["format"] == "bnsl.trace" and key_problem(header, TRACE.header) is None
    assert rows == ROWS
    assert all(key_problem(row, TRACE.record) is None and set(row) == {k.name for k in TRACE.record} for row in rows)


@pytest.mark.parametrize("format", ["arrow", "feather", "parquet"])
def test_tables(tmp_path, format):
    path = tmp_path / "trace"
    write_all(path, format)
    if format == "parquet":
        table = pyarrow.parquet.read_table(path)
    else:
        opened = pyarrow.ipc.open_file if format == "feather" else pyarrow.ipc.open_stream
        table = opened(path.read_bytes()).read_all()
    assert table.to_pylist() == ROWS
    assert json.loads(table.schema.metadata[b"bnsl"])["format"] == "bnsl.trace"
