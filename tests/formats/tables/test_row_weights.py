"""A column of counts gives the table with all rows written out."""

from __future__ import annotations

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from formats import open_dataset
from formats.errors import UnsuitableData

ROWS = [("x", "1.5", 2), ("y", "", 0), ("x", "3", 4), ("", "2", 1), ("z", "9", 0), ("y", "3", 3)]
OPTIONS = {
    "dropped": {"missing": "drop"},
    "a state": {"missing": "state"},
    "cut": {"missing": "drop", "discretize": ("median", "b=cuts:1.7")},
    "one column": {"columns": ("b",), "missing": "state"},
}


def write(folder, name, rows, header="a,b,n"):
    path = folder / name
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")
    return str(path)


def written_out(rows):
    return [row[:-1] for row in rows for _ in range(row[-1])]


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_table_is_that_of_all_rows(tmp_path, options):
    counted = open_dataset(write(tmp_path, "n.csv", ROWS), weights="n", **options)
    plain = open_dataset(write(tmp_path, "all.csv", written_out(ROWS), "a,b"), **options)
    assert counted.fingerprint == plain.fingerprint
    assert counted.codes.tolist() == plain.codes.tolist() and counted.variables == plain.variables


def test_missing_cells_are_kept(tmp_path):
    counted = open_dataset(write(tmp_path, "n.csv", ROWS), missing="keep", weights="n")
    plain = open_dataset(write(tmp_path, "all.csv", written_out(ROWS), "a,b"), missing="keep")
    assert counted.fingerprint == plain.fingerprint


def test_states_of_rows_of_weight_0_do_not_occur(tmp_path):
    dataset = open_dataset(write(tmp_path, "n.csv", ROWS), weights="n", missing="drop")
    assert dataset.variables[0].states == ("x", "y") and dataset.n_rows == 9


@given(st.lists(st.tuples(st.sampled_from("pqr"), st.integers(0, 5)), min_size=1, max_size=9))
def test_parquet_with_nulls(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("weights")
    cells = [None if label == "r" else label for label, _ in rows]
    table = pyarrow.table({"a": cells, "c": ["u"] * len(rows), "n": [count for _, count in rows]})
    parquet.write_table(table, folder / "n.parquet")
    out = written_out([("" if label == "r" else label, "u", count) for label, count in rows])
    if not out:
        with pytest.raises(UnsuitableData, match="all weights are 0"):
            open_dataset(str(folder / "n.parquet"), weights="n", missing="state")
        return
    counted = open_dataset(str(folder / "n.parquet"), weights="n", missing="state")
    assert counted.fingerprint == open_dataset(write(folder, "all.csv", out, "a,c"), missing="state").fingerprint


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("x", 1, 2), ("y", 1, 2.5)], "column 'n': '2.5' in row 2 of the data is no count (1 such cell)"),
        ([("x", 1, -1), ("y", 1, "")], "'-1' in row 1 of the data is no count (2 such cells)"),
        ([("x", 1, 1), ("y", 1, "1e300")], "'1e300' in row 2"),
        ([("x", 1, 0)], "all weights are 0"),
    ],
)
def test_what_is_no_count_is_refused(tmp_path, rows, words):
    with pytest.raises(UnsuitableData) as caught:
        open_dataset(write(tmp_path, "n.csv", rows), weights="n")
    assert words in str(caught.value)


def test_the_column_is_one_beside_others(tmp_path):
    source = write(tmp_path, "n.csv", ROWS)
    for options, words in (
        ({"weights": "m"}, "no column 'm', which --weights names"),
        ({"weights": "*"}, r"--weights '\*' names 3 columns"),
        ({"weights": "n", "columns": ("n",)}, "no column is left"),
    ):
        with pytest.raises(UnsuitableData, match=words):
            open_dataset(source, **options)


def test_too_many_rows_are_refused_before_they_are_made(tmp_path):
    source = write(tmp_path, "n.csv", [("x", 1, 10**12), ("y", 2, 5)])
    with pytest.raises(UnsuitableData) as caught:
        open_dataset(source, weights="n", free_bytes=1 << 30)
    assert "sum to 1,000,000,000,005 rows of 2 columns, which take about 11,175.9 GiB; 1.0 GiB are free" in str(
        caught.value
    )
