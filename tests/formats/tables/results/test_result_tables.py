"""Tables of results in each form."""

from __future__ import annotations

import json
import math

import pytest

from formats.tables.results.result_tables import FIGURE, NUMBER, TEXT, open_result_writer

COLUMNS = {"name": TEXT, "p": FIGURE, "n": NUMBER}
BATCHES = ([["a", "b,c"], [0.1, math.nan], [1, 2]], [[None], [1 / 3], [3]])
ROWS = [("a", 0.1, 1), ("b,c", None, 2), (None, 1 / 3, 3)]


@pytest.mark.parametrize("format", ["csv", "jsonl", "arrow", "feather", "parquet"])
def test_every_form_has_the_rows(tmp_path, format):
    path = tmp_path / "out"
    with open_result_writer(str(path), COLUMNS, format) as write:
        for batch in BATCHES:
            write(batch)
    assert rows_of(path, format) == ROWS


def rows_of(path, format):
    if format == "csv":
        assert path.read_text() == 'name,p,n\na,0.1,1\n"b,c",,2\n,0.3333333333333333,3\n'
        return ROWS
    if format == "jsonl":
        return [tuple(json.loads(line).values()) for line in path.read_text().splitlines()]
    import pyarrow
    from pyarrow import parquet

    if format == "parquet":
        table = parquet.read_table(path)
    else:
        opened = pyarrow.ipc.open_file if format == "feather" else pyarrow.ipc.open_stream
        table = opened(path.read_bytes()).read_all()
    return [tuple(row.values()) for row in table.to_pylist()]
