"""Evidence from NAME=STATE and from tables with holes."""

from __future__ import annotations

import numpy as np
import pytest

from formats.data_records import Variable
from formats.errors import Inconsistent, Malformed, UnsuitableData
from formats.tables.assignments import find_variable, parse_assignments
from formats.tables.evidence import open_evidence

VARIABLES = (Variable("a", ("0", "1", "2")), Variable("b=c", ("x y", "no")), Variable("w", ("<=1.5", ">1.5")))


def open_rows(tmp_path, text, warnings=None, **rules):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    warn = ([] if warnings is None else warnings).append
    return open_evidence(str(path), VARIABLES, **rules, warn=warn)


def read(tmp_path, text, warnings=None, **rules):
    return open_rows(tmp_path, text, warnings, **rules)[:2]


def test_assignments():
    assert parse_assignments(["a=1.0", "b=c=x y", "w=7"], VARIABLES) == {0: 1, 1: 0, 2: 1}
    assert parse_assignments(["a=1", "a=1"], VARIABLES) == {0: 1}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a=3"], "'3' is none of the states of 'a': '0', '1', '2'"),
        (["a=0", "a=1"], "two different states of .a. are given"),
        (["x=1"], "no variable 'x'"),
        (["a"], "not NAME=STATE"),
        (["b=no"], "no variable 'b'"),
    ],
)
def test_assignments_that_make_no_sense(texts, message):
    with pytest.raises(Inconsistent, match=message):
        parse_assignments(texts, VARIABLES)


def test_a_name_that_is_nearly_one():
    with pytest.raises(Inconsistent, match="did you mean 'ab'"):
        find_variable("abc", (Variable("ab"), Variable("x")))


def test_cells_are_coded_by_name_and_holes_are_hidden(tmp_path):
    warnings = []
    codes, is_hidden = read(tmp_path, "w,z,a\n2,k,0\n?,k,\n0.5,k,2.0\n", warnings)
    np.testing.assert_array_equal(is_hidden, [[False, True, False], [True] * 3, [False, True, False]])
    np.testing.assert_array_equal(codes, [[0, 0, 2], [0, 0, 0], [1, 0, 0]])
    assert "ignored: 'z'" in warnings[0] and "hidden in all rows: 'b=c'" in warnings[1]


def test_a_state_of_that_name_is_no_hole_and_holes_are_not_that_state(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\nNA,0\n,1\n?,0\nyes,\n")
    variables = (Variable("a", ("yes", "NA")), Variable("b", ("0", "1")))
    codes, is_hidden, *_ = open_evidence(str(path), variables, warn=[].append)
    np.testing.assert_array_equal(is_hidden, [[False, True, True, False], [False, False, False, True]])
    np.testing.assert_array_equal(codes, [[1, 0, 0, 0], [0, 1, 0, 0]])


def test_a_column_without_any_cell_is_hidden_throughout(tmp_path):
    assert open_rows(tmp_path, "a,b=c,w\n,no,1\n,no,2\n").is_hidden[0].all()


def test_columns_without_names_are_taken_by_position(tmp_path):
    codes, is_hidden = read(tmp_path, "0,no,9\n,x y,1\n", header=False)
    np.testing.assert_array_equal(codes, [[0, 0], [1, 0], [1, 0]])
    assert is_hidden.sum() == 1


def test_further_spellings_of_missing_cells(tmp_path):
    assert open_rows(tmp_path, "a,w\nunknown,1\n1,1\n", na=("unknown",)).is_hidden[0].tolist() == [True, False]


def test_columns_that_are_not_read_are_hidden(tmp_path):
    text = "a,b=c,w\n1,no,2\n"
    assert open_rows(tmp_path, text, drop=("a",)).is_hidden[:, 0].tolist() == [True, False, False]
    assert open_rows(tmp_path, text, columns=("a..b=c",)).is_hidden[:, 0].tolist() == [False, False, True]
    with pytest.raises(UnsuitableData, match="no column 'z', which --drop names"):
        open_rows(tmp_path, text, drop=("z",))


def test_rows_with_unknown_labels_can_be_left_out(tmp_path):
    warnings = []
    rows = open_rows(tmp_path, "a,w\n7,1\n1,2\n0,x\n2,1\n", warnings, unseen="drop")
    assert rows.codes[0].tolist() == [1, 2] and rows.codes[2].tolist() == [1, 0]
    assert [rows.row_number(i) for i in range(2)] == [2, 4]
    assert any("2 of 4 rows left out" in warning for warning in warnings)
    with pytest.raises(UnsuitableData, match="none of 1 row is left"):
        open_rows(tmp_path, "a,w\n7,1\n", unseen="drop")


@pytest.mark.parametrize("unseen", ["error", "drop"])
def test_a_predicted_column_may_hold_any_label(tmp_path, unseen):
    warnings = []
    rows = open_rows(tmp_path, "a,w\n7,1\n1,2\n", warnings, unseen=unseen, targets=(0,))
    assert rows.is_hidden[0].tolist() == [True, False] and rows.codes[2].tolist() == [0, 1]
    assert any("'a', which is predicted, has labels in 1 row" in w and "'7'" in w for w in warnings)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a,w\n1,2\n5,1\n5,1\n", r"rows\.csv:3: column 'a': label '5'"),
        ("\n\na,w\n1,2\n5,y\n", r"rows\.csv:5: column 'a': label '5'"),
        ("a,w\n1,2\n\n5,1\n", r"rows\.csv: column 'a': row 2: label '5'"),
        ('a,w,z\n1,2,"x\ny"\n5,1,z\n', r"rows\.csv: column 'a': row 2: label '5'"),
        ("a,w,b=c\n1,2,no\n1,1,maybe\n5,1,no\n", r"rows\.csv:3: column 'b=c': label 'maybe'"),
    ],
)
def test_an_unknown_label_is_named_with_its_place(tmp_path, text, place):
    with pytest.raises(Inconsistent, match=place):
        open_rows(tmp_path, text)


def test_copied_columns_are_as_they_were(tmp_path):
    rows = open_rows(tmp_path, "id,a,w\nx1,1.0,2\nx2,,1\nx3,9,1\n", unseen="drop", copies=("id", "a"))
    assert [column.name for column in rows.copies] == ["id", "a"]
    cells = [[column.labels[i].as_py() for i in column.gather(np.arange(9), rows.rows)] for column in rows.copies[:1]]
    assert cells == [["x1", "x2"]]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        (
            "a,w\n5,1\n",
            Inconsistent,
            "'5' is none of the states '0', '1', '2'\n.*--unseen drop.*--unseen missing.*--drop 'a'",
        ),
        ("k,l\n5,1\n", Inconsistent, "none of the columns"),
        ("a,w\n", UnsuitableData, "no rows"),
        ("", Malformed, "empty"),
    ],
)
def test_tables_that_make_no_sense(tmp_path, text, kind, message):
    with pytest.raises(kind, match=message):
        read(tmp_path, text)
