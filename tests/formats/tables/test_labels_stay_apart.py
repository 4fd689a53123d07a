"""Labels are one state only by the rule of `formats.tables.labels`: counts by label in random columns."""

from __future__ import annotations

import csv
from collections import Counter

import pandas
import polars
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.states import are_numbers

from bnsl.running.errors import UsageError
from bnsl.tables import table_in_memory
from formats import open_dataset
from formats.errors import Inconsistent, UnsuitableData

LABELS = (
    *("1234", "01234", "1.1", "1.10", "1e5", "100000", "1e+05", "100000.0", "1", "1.0", "01", "+1", "-0", "0", "0.0"),
    *("1e-05", "0.00001", "1e+16", "10000000000000000", "10", "9", "-1", "True", "true", "TRUE", "x", "X", "1,5"),
    *("<=2", "<=2.0", ">2", "a b", "é", "9007199254740993", "9007199254740992"),
)
columns = st.lists(st.sampled_from(LABELS), min_size=1, max_size=12).flatmap(
    lambda few: st.lists(st.sampled_from(few), min_size=2, max_size=40)
)
IN_MEMORY = {
    "object": lambda cells: pandas.DataFrame({"a": pandas.Series(cells, dtype=object)}),
    "str": lambda cells: pandas.DataFrame({"a": pandas.Series(cells, dtype="str")}),
    "string[pyarrow]": lambda cells: pandas.DataFrame({"a": pandas.Series(cells, dtype="string[pyarrow]")}),
    "category": lambda cells: pandas.DataFrame({"a": pandas.Series(cells, dtype="category")}),
    "polars": lambda cells: polars.DataFrame({"a": cells}),
    "polars categories": lambda cells: polars.DataFrame({"a": polars.Series(cells, dtype=polars.Categorical)}),
    "arrow": lambda cells: pyarrow.table({"a": pyarrow.array(cells, pyarrow.large_string())}),
    "dictionary": lambda cells: pyarrow.table({"a": pyarrow.array(cells).dictionary_encode()}),
    "lists": lambda cells: {"a": cells},
}


def counts_by_label(dataset):
    """The number of rows of each state, by its name."""
    names = [dataset.variables[0].known_states[code] for code in dataset.codes[0].tolist()]
    assert set(names) == set(dataset.variables[0].known_states)
    return Counter(names)


def opened(value, **rules):
    return open_dataset(table_in_memory(value), **rules)


@pytest.mark.parametrize("kind", IN_MEMORY)
@given(cells=columns)
def test_text_in_memory(kind, cells):
    assert counts_by_label(opened(IN_MEMORY[kind](cells))) == Counter(cells)


@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@given(cells=columns)
def test_text_files(tmp_path_factory, quoting, cells):
    path = tmp_path_factory.getbasetemp() / f"labels{quoting}.csv"
    with open(path, "w", newline="") as stream:
        csv.writer(stream, quoting=quoting).writerows([["a", "b"], *([cell, "z"] for cell in cells)])
    found = counts_by_label(open_dataset(str(path), delimiter=","))
    if not are_numbers(cells):
        assert found == Counter(cells)
        return
    whole = {name.removesuffix(".0"): number for name, number in found.items()}
    assert len(whole) == len(found) and whole == Counter(cell.removesuffix(".0") for cell in cells)


@given(
    numbers=st.lists(
        st.sampled_from([0, 1, 1.0, 2.5, -3, 1e5, 100000, 1e-5, 1e16, None, float("nan")]), min_size=2, max_size=30
    ),
    dtype=st.sampled_from(["float64", "Float64", "object"]),
)
def test_numbers_in_memory(numbers, dtype):
    """Numbers of one value are one state however they are typed; holes stay holes."""
    present = [number for number in numbers if number is not None and number == number]
    if not present:
        return
    frame = pandas.DataFrame({"a": pandas.Series(numbers, dtype=dtype), "b": "x"})
    dataset = opened(frame, missing="drop")
    found = {float(name): number for name, number in counts_by_label(dataset).items()}
    assert found == {float(number): count for number, count in Counter(present).items()}


@pytest.mark.parametrize("cells", [[1, "1"], [True, "True"], ["1", 1.0], ["2.5", 2.5], ["False", 3, False]], ids=repr)
@pytest.mark.parametrize(
    "make", [lambda c: {"a": c}, lambda c: pandas.DataFrame({"a": pandas.Series(c, dtype=object)})]
)
def test_objects_of_one_text_are_refused(make, cells):
    with pytest.raises(UsageError, match="of the same text: make them differ"):
        opened(make(cells))


def test_objects_of_different_texts_stay_apart():
    cells = [1, True, "x", 1.0, None, "1.0", 2]
    dataset = opened({"a": cells}, missing="drop")
    assert counts_by_label(dataset) == {"1": 2, "True": 1, "x": 1, "1.0": 1, "2": 1}
    assert counts_by_label(opened({"a": [1.5, True, 1]})) == {"1.5": 1, "True": 1, "1": 1}
    with pytest.raises(UsageError, match="cells of type bytes: make them texts or numbers"):
        opened({"a": ["a", b"a"]})
    with pytest.raises(UsageError, match="two categories of the text '1'"):
        opened(pandas.DataFrame({"a": pandas.Categorical([1, "1"], categories=[1, "1"])}))


def test_spaces_are_part_of_labels_in_memory_and_left_out_in_text_files(tmp_path):
    cells = ["a", "a ", " a", "a\u00a0", "b"]
    for make in IN_MEMORY.values():
        assert counts_by_label(opened(make(cells))) == Counter(cells)
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{cell},z\n" for cell in cells))
    said: list[str] = []
    assert counts_by_label(open_dataset(str(path), warn=said.append)) == {"a": 4, "b": 1}
    assert "spaces around labels are left out in 1 column: 'x'" in said[0]


@pytest.mark.parametrize("label", ["NA", "?", "", "nan", "null"])
def test_usual_marks_of_missing_cells_can_be_labels(tmp_path, label):
    path = tmp_path / "d.csv"
    path.write_text(f'x,y\n"{label}",1\nDE,0\nFR,0\n"{label}",1\nN/A,0\n')
    dataset = open_dataset(str(path), not_na=(label,), missing="drop")
    assert counts_by_label(dataset) == {label: 2, "DE": 1, "FR": 1}
    frame = pandas.DataFrame({"x": [label, "DE", None], "y": [1, 0, 0]})
    assert counts_by_label(opened(frame, not_na=(label,), missing="drop")) == {label: 1, "DE": 1}
    category = pandas.DataFrame({"x": pandas.Categorical([label, "DE", None]), "y": [1, 0, 0]})
    assert counts_by_label(opened(category, missing="drop")) == {label: 1, "DE": 1}


def test_new_rows_match_states_by_the_same_rule(tmp_path):
    known = opened({"f": ["1234", "1235"], "k": ["0", "1"]}).variables
    path = tmp_path / "new.csv"
    path.write_text("f,k\n1234.0,0\n1235,1\n")
    assert open_dataset(str(path), variables=known).codes.tolist() == [[0, 1], [0, 1]]
    assert opened({"f": [1234.0, 1235.0], "k": [0, 1]}, variables=known).codes.tolist() == [[0, 1], [0, 1]]
    path.write_text("f,k\n01234,0\n1235,1\n")
    with pytest.raises(Inconsistent, match="label '01234' in 1 row is not among the states"):
        open_dataset(str(path), variables=known)
    with pytest.raises(Inconsistent, match=r"label '1234.0' in 1 row is not among"):
        opened({"f": ["1234.0", "1235"], "k": ["0", "1"]}, variables=known)


def test_missing_cells_do_not_take_a_label_of_a_header_unasked(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text("land,mine\n,yes\nDE,no\nNA,yes\n")
    known = opened({"land": ["NA", "DE"], "mine": ["yes", "no"]}, not_na=("NA",)).variables
    said: list[str] = []
    dataset = open_dataset(str(path), variables=known, note=said.append)
    assert dataset.codes[0].tolist() == [1, 0, 1]
    assert "missing cells take the state 'NA' that the header lists: 'land' (1); if NA is a label of" in said[0]
    with pytest.raises(UnsuitableData, match=r"missing cells in 1 column: 'land' \(1\)"):
        open_dataset(str(path), variables=known, not_na=("NA",))
    kept = open_dataset(str(path), variables=known, not_na=("NA",), missing="drop", note=said.append)
    assert kept.codes[0].tolist() == [0, 1] and len(said) == 1
