"""Which columns of a table `--discretize` cuts, and what is said of it."""

from __future__ import annotations

import pytest

from formats.errors import UnsuitableData

TWO = ["x", "y"]


def states(dataset):
    return [variable.states for variable in dataset.variables]


def test_median(read):
    numbers = list(range(1, 31))
    columns = {"a": numbers, "b": TWO * 15, "c": ["0", "1"] * 15, "d": ["0.5", "1", "2"] * 10}
    dataset = read(**columns, discretize="median")
    assert states(dataset) == [("<=15", ">15"), ("x", "y"), ("0", "1"), ("<=1", ">1")]
    assert dataset.codes[0].tolist() == [0] * 15 + [1] * 15


def test_columns_of_k_numbers_stay(read):
    dataset = read(a=list(range(5)) * 6, b=list(range(6)) * 5, discretize=("quantile:5", "b=quantile:5"))
    assert states(dataset)[0] == ("0", "1", "2", "3", "4")
    assert states(dataset)[1] == ("<=1", "1..2", "2..3", "3..4", ">4")
    assert len(states(read(a=list(range(30)), discretize="width:30"))[0]) == 30


@pytest.mark.parametrize("rule", ["a=cuts:0,5", "a=median", "[ac]=quantile:3"])
@pytest.mark.parametrize("stray", ["inf", "-Infinity", "1e999", "low"])
def test_a_rule_for_a_column_with_text_is_refused(read, rule, stray):
    columns = {"a": [1.5, 2, stray, 7, "nan?", -3], "b": ["x", "y"] * 3}
    with pytest.raises(UnsuitableData, match=rf"--discretize names 1 column .*'a' \(.*{stray!r}\)"):
        read(**columns, discretize=rule)
    assert len(states(read(**columns, discretize=("median", rule, "a=median"), categories=("a",)))[0]) == 6
    assert len(states(read(**columns, discretize=("median", "cuts:0,5")))[0]) == 6  # a rule for all columns
    rest = read(**columns, discretize=rule, na=(stray, "nan?"), missing="drop")
    assert rest.n_rows == 4 and states(rest)[0][0].startswith("<=")


def test_scales_are_cut_by_name_or_with_all_columns(read):
    ten, eleven, halves = list(range(10)) * 11, list(range(11)) * 10, [0, 0.5] * 50 + list(range(10))
    columns = {"ten": ten, "eleven": eleven, "halves": halves, "named": ten}
    notes = []
    dataset = read(**columns, discretize=("median", "nam*=median"), note=notes.append)
    assert [len(s) for s in states(dataset)] == [10, 2, 2, 2]
    assert "3 columns cut:\n  'eleven' at 5: 2 states\n  'halves' at 0.5: 2 states" in notes[0]
    assert "1 column of few whole numbers stay states: 'ten' (10)" in notes[1]
    assert "--discretize ten=median" in notes[1]
    everything = read(**columns, text=["x", "inf"] * 55, discretize="*=median")
    assert [len(s) for s in states(everything)] == [2, 2, 2, 2, 2] and states(everything)[4] == ("inf", "x")
    assert [len(s) for s in states(read(**columns, discretize=("*=median", "ten=quantile:5")))] == [5, 2, 2, 2]
    assert len(states(read(**columns, discretize="median", max_states=9))[0]) == 2  # refused if it stayed
    assert len(states(read(**columns, discretize="cuts:4"))[0]) == 2  # cut points are given for all columns


def test_cuts_are_reported_as_they_are_in_the_end(read):
    notes = []
    read(a=[*range(1, 31), "?"], missing="state", discretize="median", note=notes.append)
    read(a=[*range(30)], discretize="cuts:50", note=notes.append)
    read(**{f"c{i}": list(range(30)) for i in range(21)}, discretize="quantile:20", note=notes.append)
    assert notes[0].endswith("1 column cut:\n  'a' at 15: 3 states")
    assert notes[1].endswith("'a': all values in <=50")
    assert "18, 20" not in notes[2] and " and 9 more: 20 states" in notes[2] and notes[2].endswith("and 1 more")


def test_with_missing_cells(read):
    numbers = [*range(1, 31), "?"]
    assert states(read(a=numbers, missing="state", discretize="median")) == [("<=15", ">15", "NA")]
    assert states(read(a=numbers, missing="drop", discretize="median")) == [("<=15", ">15")]


def test_cuts_come_from_the_rows_kept(read):
    dataset = read(a=list(range(40)), b=["x"] * 30 + ["?"] * 10, missing="drop", discretize="median")
    assert states(dataset)[0] == ("<=14", ">14")


def test_text_columns_are_not_cut(read):
    with pytest.raises(UnsuitableData, match="too many states"):
        read(a=[f"s{i}" for i in range(300)], discretize="median")


def test_reading_the_result_again_changes_nothing(read):
    dataset = read(a=[-5, 0.5, 100, 7, 12, 9, 8] * 5, discretize="quantile:4")
    labels = [dataset.variables[0].states[code] for code in dataset.codes[0]]
    assert read(a=labels).fingerprint == dataset.fingerprint
