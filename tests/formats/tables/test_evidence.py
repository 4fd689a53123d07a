"""Evidence from NAME=STATE and from tables with holes."""

from __future__ import annotations

import numpy as np
import pytest

from formats.data_records import Variable
from formats.errors import Inconsistent, Malformed, UnsuitableData
from formats.tables.evidence import find_variable, open_evidence, parse_assignments

VARIABLES = (Variable("a", ("0", "1", "2")), Variable("b=c", ("x y", "no")), Variable("w", ("<=1.5", ">1.5")))


def read(tmp_path, text, warnings=None, **options):
    path = tmp_path / "rows.csv"
    path.write_text(text)
    return open_evidence(str(path), VARIABLES, warn=([] if warnings is None else warnings).append, **options)


def test_assignments():
    assert parse_assignments(["a=1.0", "b=c=x y", "w=7"], VARIABLES) == {0: 1, 1: 0, 2: 1}
    assert parse_assignments(["a=1", "a=1"], VARIABLES) == {0: 1}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a=3"], "'a': '3' is none of the states '0', '1', '2'"),
        (["a=0", "a=1"], "two different states"),
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
    codes, is_hidden = open_evidence(str(path), variables, warn=[].append)
    np.testing.assert_array_equal(is_hidden, [[False, True, True, False], [False, False, False, True]])
    np.testing.assert_array_equal(codes, [[1, 0, 0, 0], [0, 1, 0, 0]])


def test_a_column_without_any_cell_is_hidden_throughout(tmp_path):
    assert read(tmp_path, "a,b=c,w\n,no,1\n,no,2\n").is_hidden[0].all()


def test_columns_without_names_are_taken_by_position(tmp_path):
    codes, is_hidden = read(tmp_path, "0,no,9\n,x y,1\n", header=False)
    np.testing.assert_array_equal(codes, [[0, 0], [1, 0], [1, 0]])
    assert is_hidden.sum() == 1


def test_further_spellings_of_missing_cells(tmp_path):
    assert read(tmp_path, "a,w\nunknown,1\n1,1\n", na=("unknown",)).is_hidden[0].tolist() == [True, False]


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("a,w\n5,1\n", Inconsistent, "'5' in 1 row is none of the states '0', '1', '2'"),
        ("k,l\n5,1\n", Inconsistent, "none of the columns"),
        ("a,w\n", UnsuitableData, "no rows"),
        ("", Malformed, "empty"),
    ],
)
def test_tables_that_make_no_sense(tmp_path, text, kind, message):
    with pytest.raises(kind, match=message):
        read(tmp_path, text)
