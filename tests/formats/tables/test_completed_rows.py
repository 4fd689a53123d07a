"""Completed tables: filled cells are spelled as their column spells them, all others stay as they were."""

from __future__ import annotations

import numpy as np
from pyarrow import feather, parquet

from formats import open_table_writer
from formats.data_records import Variable
from formats.tables.evidence import EMPTY, CompletedRows, open_evidence

VARIABLES = (Variable("b", ("no", "yes")), Variable("a", ("0", "1", "2")), Variable("w", ("<=1.5", ">1.5")))


def completed(tmp_path, text, states, **rules):
    """Names of the columns and the rows of text, all variables filled with these states where cells are missing."""
    path = tmp_path / "rows.csv"
    path.write_text(text)
    evidence = open_evidence(str(path), VARIABLES, copies=None, **rules, warn=[].append)
    rows = CompletedRows(evidence, VARIABLES)
    n_rows = evidence.codes.shape[1]
    filled = np.where(evidence.is_hidden, np.array(states, np.uint8)[:, None], evidence.codes)
    codes = np.concatenate([rows.codes(start, filled[:, start : start + 2]) for start in range(0, n_rows, 2)], axis=1)
    names = [variable.name for variable in rows.variables]
    return names, [
        ["" if c == EMPTY else v.known_states[c] for v, c in zip(rows.variables, row)] for row in codes.T.tolist()
    ]


def test_cells_and_columns_of_the_table_stay(tmp_path):
    text = "id,w,a\nk1,0.25,1.0\nk2,,\n,7,2.0\n"
    names, rows = completed(tmp_path, text, [1, 1, 1])
    assert names == ["id", "w", "a", "b"]
    assert rows == [["k1", "0.25", "1.0", "yes"], ["k2", ">1.5", "1.0", "yes"], ["", "7", "2.0", "yes"]]


def test_a_state_that_does_not_occur_gets_the_label_of_the_network(tmp_path):
    assert completed(tmp_path, "a,b\n1,no\n?,no\n", [0, 2, 0])[1] == [["1", "no", "<=1.5"], ["2", "no", "<=1.5"]]


def test_columns_and_rows_that_are_left_out(tmp_path):
    text = "id,a,b\nx,1,no\ny,8,no\nz,,yes\nz,0,yes\n"
    names, rows = completed(tmp_path, text, [1, 2, 0], unseen="drop", drop=("id",))
    assert names == ["a", "b", "w"]
    assert [row[:2] for row in rows] == [["1", "no"], ["2", "yes"], ["0", "yes"]]


def test_more_labels_than_a_byte_holds(tmp_path):
    text = "id,a\n" + "".join(f"k{i},{i % 3 if i else ''}\n" for i in range(1000))
    _, rows = completed(tmp_path, text, [0, 1, 0])
    assert [row[0] for row in rows] == [f"k{i}" for i in range(1000)]
    assert rows[0][1] == "1"


def test_columns_by_position_get_the_names_of_the_network(tmp_path):
    assert completed(tmp_path, "no,1,9\n,1,0\n", [1, 0, 0], header=False) == (
        ["b", "a", "w"],
        [["no", "1", "9"], ["yes", "1", "0"]],
    )


def test_empty_cells_are_no_label(tmp_path):
    path, text = tmp_path / "rows.csv", "id,b,a\nk,no,0\n,yes,1\nNA,,2\n"
    path.write_text(text)
    evidence = open_evidence(str(path), VARIABLES, copies=None, warn=[].append)
    rows = CompletedRows(evidence, VARIABLES)
    assert [variable.states for variable in rows.variables][:3] == [("k", "NA"), ("no", "yes"), ("0", "1", "2")]
    codes = rows.codes(0, evidence.codes)
    assert codes[0].tolist() == [0, EMPTY, 1]
    for format, read in (("feather", feather.read_table), ("parquet", parquet.read_table)):
        with open_table_writer(str(tmp_path / format), rows.variables, format) as writer:
            writer.write(codes)
        assert read(str(tmp_path / format))["id"].to_pylist() == ["k", None, "NA"]
    with open_table_writer(str(tmp_path / "again.csv"), rows.variables) as writer:
        writer.write(codes)
    assert (tmp_path / "again.csv").read_text() == "id,b,a,w\nk,no,0,<=1.5\n,yes,1,<=1.5\nNA,no,2,<=1.5\n"
    kept = open_evidence(str(path), VARIABLES, copies=None, not_na=("",), unseen="missing", warn=[].append)
    assert CompletedRows(kept, VARIABLES).variables[0].states == ("k", "", "NA")
