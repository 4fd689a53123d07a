"""Tables read under the states that a header lists."""

from __future__ import annotations

import numpy as np
import pytest

from formats import open_dataset
from formats.data_records import Variable
from formats.errors import Inconsistent, UnsuitableData


def states(dataset):
    return [variable.states for variable in dataset.variables]


TWO = ["x", "y"]


class TestStatesOfAHeader:
    header = (Variable("b", ("y", "x", "z")), Variable("a", ("1", "0")))

    def test_order_and_codes_are_those_of_the_header(self, read):
        warnings = []
        dataset = read(a=["0", "1.0"], c=TWO, b=["x", "x"], variables=self.header, warn=warnings.append)
        assert dataset.variables == self.header
        assert dataset.codes.tolist() == [[1, 1], [1, 0]]
        assert len(warnings) == 1 and "ignored: 'c'" in warnings[0]

    def test_absent_column(self, read):
        with pytest.raises(Inconsistent, match="no column 'b', which the header lists"):
            read(a=["0", "1"], variables=self.header)

    def test_unknown_label(self, read):
        columns = {"a": ["0", "1", "7", "7"], "b": ["x", "w", "x", "x"]}
        with pytest.raises(Inconsistent) as caught:
            read(**columns, variables=self.header)
        assert "column 'b': label 'w' in 1 row is not among the states that the header lists ('y', 'x', 'z')" in str(
            caught.value
        )
        assert "1 more column alike" in str(caught.value) and "--unseen drop" in str(caught.value)
        warnings = []
        dataset = read(**columns, variables=self.header, unseen="drop", warn=warnings.append)
        assert dataset.codes.tolist() == [[1], [1]]
        assert "3 of 4 rows left out: labels that the header does not list" in warnings[0]

    def test_missing_cells(self, read):
        columns = {"a": ["0", "?"], "b": ["x", "y"]}
        with pytest.raises(UnsuitableData, match="missing cells in 1 column: 'a'"):
            read(**columns, variables=self.header)
        assert read(**columns, variables=self.header, missing="drop").n_rows == 1
        with pytest.raises(Inconsistent, match=r"label '\?'"):
            read(**columns, variables=self.header, missing="state")
        with_state = (self.header[0], Variable("a", ("0", "1", "NA")))
        assert read(**columns, variables=with_state).codes.tolist() == [[1, 0], [0, 2]]

    def test_labels_of_incomplete_rows_alone(self, read):
        """Such labels became no states when the header was made, so the same table can be read again."""
        columns = {"a": ["p", "q", "r", "r"], "b": ["x", "?", "y", "x"]}
        header = read(**columns, missing="drop").variables
        assert header[0].states == ("p", "r")
        assert read(**columns, variables=header, missing="drop").n_rows == 3
        with pytest.raises(Inconsistent, match="label 's' in 1 row"):
            read(a=["s", "s"], b=["?", "x"], variables=header, missing="drop")

    def test_numbers_into_intervals(self, read):
        train = read(a=list(range(40)), b=TWO * 20, discretize="quantile:4")
        test = read(a=[-100, 9, 9.5, 1e9], b=["x", "x", "y", "y"], variables=train.variables)
        assert train.variables[0].states == ("<=9", "9..19", "19..29", ">29")
        assert test.codes[0].tolist() == [0, 0, 1, 3]
        many = read(a=np.linspace(0, 39, 3000).tolist(), b=TWO * 1500, variables=train.variables)
        assert np.bincount(many.codes[0]).sum() == 3000
        with pytest.raises(Inconsistent, match="label 'w'"):
            read(a=[1, "w"], b=TWO, variables=train.variables)

    def test_states_unknown(self, read):
        dataset = read(a=["2", "10"], b=TWO, variables=(Variable("b"), Variable("a")))
        assert states(dataset) == [("x", "y"), ("2", "10")]

    def test_without_names_the_position_decides(self, read, tmp_path):
        (tmp_path / "n.csv").write_text("y,1\nx,0\n")
        dataset = open_dataset(str(tmp_path / "n.csv"), header=False, variables=self.header)
        assert dataset.names == ("b", "a") and dataset.codes.tolist() == [[0, 1], [0, 1]]
        with pytest.raises(Inconsistent, match="no columns 'b', 'a'"):
            open_dataset(str(tmp_path / "n.csv"), header=False, variables=(*self.header, Variable("c")))


def test_cells_with_unknown_labels_may_be_missing(tmp_path):
    path, warnings = tmp_path / "d.csv", []
    path.write_text("a,b\nx,0\nother,1\n,1\n")
    header = (Variable("a", ("x", "y")), Variable("b", ("0", "1")))
    known = {"variables": header, "unseen": "missing", "warn": warnings.append}
    kept = open_dataset(str(path), missing="keep", **known)
    assert (
        kept.is_hidden.tolist() == [[False, True, True], [False] * 3] and "taken as missing: 'a' (1)" in warnings[0]
    )
    assert open_dataset(str(path), missing="drop", **known).codes.tolist() == [[0], [0]]
    with pytest.raises(UnsuitableData, match=r"missing cells in 1 column: 'a' \(2\)"):
        open_dataset(str(path), **known)
    known["variables"] = (Variable("a", ("x", "NA")), header[1])
    assert open_dataset(str(path), missing="state", **known).codes.tolist() == [[0, 1, 1], [0, 1, 1]]
