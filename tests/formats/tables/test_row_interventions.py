"""A column of interventions: what is read, and what is refused where."""

from __future__ import annotations

import pyarrow
import pytest
from pyarrow import parquet

from formats import open_dataset
from formats.errors import UnsuitableData

ROWS = ["x,0,", "y,1,a", "x,1,b; a", ",0,b", "y,0,NA", "x,1,a"]


def write(folder, rows=ROWS, header="a,b,set"):
    path = folder / "d.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return str(path)


def sets_of(dataset) -> list[tuple[int, ...]]:
    given = dataset.interventions
    return [given.targets[k] for k in given.of_row]


def test_names_by_row(tmp_path):
    dataset = open_dataset(write(tmp_path), interventions="set", missing="state")
    assert dataset.names == ("a", "b")
    assert sets_of(dataset) == [(), (0,), (0, 1), (1,), (), (0,)]
    assert dataset.is_free(0).tolist() == [True, False, False, True, True, False]
    assert dataset.is_free(1).tolist() == [True, True, False, False, True, True]


def test_rows_that_are_dropped_and_counted(tmp_path):
    dropped = open_dataset(write(tmp_path), interventions="set", missing="drop")
    assert sets_of(dropped) == [(), (0,), (0, 1), (), (0,)]
    rows = [f"{row},{count}" for row, count in zip(ROWS, (2, 0, 1, 3, 1, 1))]
    counted = open_dataset(write(tmp_path, rows, "a,b,set,n"), interventions="set", weights="n", missing="state")
    assert sets_of(counted) == [(), (), (0, 1), (1,), (1,), (1,), (), (0,)]


def test_columns_that_are_not_read(tmp_path):
    dataset = open_dataset(write(tmp_path), interventions="set", columns=("a",), missing="state")
    assert sets_of(dataset) == [(), (0,), (0,), (), (), (0,)]
    dataset = open_dataset(write(tmp_path), interventions="set", drop=("a",))
    assert sets_of(dataset) == [(), (), (0,), (0,), (), ()]


def test_the_fingerprint_depends_on_what_was_set(tmp_path):
    with_sets = open_dataset(write(tmp_path), interventions="set", missing="state")
    others = open_dataset(write(tmp_path, ["x,0,a", *ROWS[1:]]), interventions="set", missing="state")
    without = open_dataset(write(tmp_path), drop=("set",), missing="state")
    nothing = open_dataset(
        write(tmp_path, [row[: row.rindex(",") + 1] for row in ROWS]), interventions="set", missing="state"
    )
    assert len({with_sets.fingerprint, others.fingerprint, without.fingerprint}) == 3
    assert nothing.interventions is None and nothing.fingerprint == without.fingerprint


def test_parquet_with_nulls(tmp_path):
    table = pyarrow.table({"a": ["x", "y", "x"], "b": ["0", "1", "1"], "set": [None, "a;b", "b"]})
    parquet.write_table(table, tmp_path / "d.parquet")
    assert sets_of(open_dataset(str(tmp_path / "d.parquet"), interventions="set")) == [(), (0, 1), (1,)]


def test_a_name_with_a_semicolon_is_one_name(tmp_path):
    dataset = open_dataset(
        write(tmp_path, ["0,0,a;b", "1,1,", "0,1,b"], "a;b,b,set"), delimiter=",", interventions="set"
    )
    assert sets_of(dataset) == [(0,), (), (1,)]


@pytest.mark.parametrize(
    ("rows", "header", "settings", "message"),
    [
        (["0,0,", "1,1,a;q"], "a,b,set", {}, r"d.csv:3: column 'set': 'q' is no column of the table"),
        (["0,0,", "1,1,set"], "a,b,set", {}, "'set' is no column"),
        (["0,,2", "1,q,1"], "a,set,n", {"weights": "n"}, "'q' is no column"),
        (["0,0,"], "a,b,set", {"interventions": "none"}, "no column 'none', which --interventions names"),
        (["0,0,"], "a,b,set", {"interventions": "*"}, "names 3 columns"),
        (["a", "b"], "set", {}, "no column is left"),
    ],
)
def test_refusals(tmp_path, rows, header, settings, message):
    with pytest.raises(UnsuitableData, match=message):
        open_dataset(write(tmp_path, rows, header), **{"interventions": "set", **settings})
