"""Declared states: by dictionaries of Arrow, by a file, observed ones only."""

from __future__ import annotations

import json

import numpy as np
import pyarrow
import pytest
from helpers.cases.arrow import to_stream

from formats import open_dataset
from formats.errors import Inconsistent, Malformed, UnsuitableData
from formats.tables.declared_states import read_levels
from stages.scoring.independent import score_families

LEVELS = ["lo", "hi", "never"]


def column(codes: list[int | None], levels: list) -> pyarrow.DictionaryArray:
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes, pyarrow.int8()), levels)


@pytest.fixture
def read(tmp_path):
    """Open columns, written as an Arrow stream or as text."""

    def run(columns, **options):
        path = tmp_path / "d"
        path.write_bytes(columns.encode() if isinstance(columns, str) else to_stream(pyarrow.table(columns)))
        return open_dataset(str(path), **options)

    return run


def states(dataset) -> list[tuple[str, ...]]:
    return [variable.states for variable in dataset.variables]


def test_states_without_rows_count_in_scores(read):
    given = {"x": column([0, 1] * 40, LEVELS), "y": [0, 1] * 40}
    declared, observed = read(given), read(given, observed=True)
    penalty = 0.5 * np.log(80)
    assert states(declared) == [tuple(LEVELS), ("0", "1")] and states(observed)[0] == ("lo", "hi")
    # y has a row of parameters for each of three states of x, which has one parameter more.
    by_hand = [-80 * np.log(2) - 2 * penalty, -3 * penalty]
    assert score_families([(), (0,)], declared, ["bic"])["bic"].tolist() == pytest.approx(by_hand)
    by_hand = [-80 * np.log(2) - penalty, -2 * penalty]
    assert score_families([(), (0,)], observed, ["bic"])["bic"].tolist() == pytest.approx(by_hand)


def test_a_declared_category_is_a_label_whatever_its_text(read):
    given = {"x": column([0, None, 3, 2], ["b", "a", "?", "NA"]), "y": [0, 1, 1, 0]}
    with pytest.raises(UnsuitableData, match="'NA' is a label, and 1 missing cells cannot be a state of this name"):
        read(given, missing="state")
    assert states(read(given, missing="drop")) == [("b", "a", "?", "NA"), ("0", "1")]
    kept = read(given, missing="keep")
    assert kept.is_hidden.tolist()[0] == [False, True, False, False]
    assert kept.codes[0].tolist() == [0, 0, 3, 2]
    hidden = read(given, missing="keep", na=("NA",))
    assert states(hidden)[0] == ("b", "a", "?") and hidden.is_hidden[0].tolist() == [False, True, True, False]


def test_missing_cells_beside_levels(read):
    given = {"x": column([0, None, 2], ["b", "a", "c"]), "y": [0, 1, 1]}
    assert states(read(given, missing="state"))[0] == ("b", "a", "c", "NA")
    assert states(read(given, missing="state", observed=True))[0] == ("b", "c", "NA")
    assert states(read({"x": column([0, 1], ["b", "a"])}, missing="state")) == [("b", "a")]


def test_only_a_rule_that_names_declared_numbers_cuts_them(read):
    given = {"x": column(list(range(30)), list(range(30)))}
    notes: list[str] = []
    assert len(states(read(given, discretize="median", note=notes.append))[0]) == 30
    assert notes[0].endswith("declared states of numbers not cut: 'x' (30); a rule that names the column cuts it")
    assert states(read(given, discretize="x=median")) == [("<=14", ">14")]


def test_categories_of_polars_declare_nothing_and_its_enumerations_do(read):
    field = pyarrow.field("x", column([0], ["a"]).type, metadata={"_PL_CATEGORICAL2": "0;0;u32;"})
    table = pyarrow.table([column([1, 0], ["b", "a"])], schema=pyarrow.schema([field]))
    assert states(read(table)) == [("a", "b")]


def test_too_many_levels(read):
    with pytest.raises(UnsuitableData, match=r"too many states in 1 column: 'x' \(300"):
        read({"x": pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1]), [f"s{i}" for i in range(300)])})


def test_too_many_levels_name_the_way_that_is_open(read):
    many = [f"s{i}" for i in range(300)]
    given = {"x": pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1]), many), "y": [0, 1]}
    with pytest.raises(UnsuitableData, match=r"'x' \(300, declared, 2 with rows\)") as raised:
        read(given)
    assert "--states observed leaves out those without rows" in str(raised.value.remedy)
    with pytest.raises(UnsuitableData) as raised:
        read(given, levels={"y": ("0", "1")}, listed_in="s.json")
    assert "list fewer in s.json" in str(raised.value.remedy)


def test_states_without_rows_are_named_with_a_way_out(read):
    given = {"x": column([0, 1], LEVELS), "y": [0, 1]}
    for levels, hint in (
        ({}, "; --states observed leaves them out"),
        ({"y": ("0", "1")}, "; states listed in s.json replace the declared states of a column"),
        ({"x": tuple(LEVELS)}, "column: 'x' (never)"),
    ):
        warnings: list[str] = []
        read(given, levels=levels, listed_in="s.json", note=warnings.append)
        assert warnings[-1].endswith(hint)


def test_a_list_of_states_for_text(read):
    levels = {"x": ("small", "large", "huge"), "z": ("1",)}
    warnings: list[str] = []
    dataset = read("x,y\nlarge,2\nsmall,1\n", levels=levels, listed_in="s.json", warn=warnings.append)
    assert states(dataset) == [("small", "large", "huge"), ("1", "2")]
    assert dataset.codes.tolist() == [[1, 0], [1, 0]]
    assert warnings[0].endswith("s.json lists states of columns that are not read: 'z'")
    with pytest.raises(Inconsistent, match=r"label 'tiny' in 1 row is not among the states that s\.json lists"):
        read("x,y\ntiny,2\nsmall,1\n", levels=levels, listed_in="s.json")
    kept = read("x,y\ntiny,2\nsmall,1\n", missing="keep", levels=levels, unseen="missing")
    assert kept.is_hidden.tolist() == [[True, False], [False, False]]
    assert states(read("x,y\ntiny,2\nsmall,1\n", levels=levels, unseen="drop"))[0] == levels["x"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"x": []}, "column 'x': no states"),
        ({"x": ["a", "b", "a"]}, "column 'x': states given twice: 'a'"),
        ({"x": [["a"]]}, "is no state"),
    ],
)
def test_files_of_states_are_checked(tmp_path, content, message):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(content))
    with pytest.raises(Malformed, match=message):
        read_levels(str(path))


def test_states_in_a_file_are_texts_or_numbers(tmp_path):
    path = tmp_path / "s.json"
    path.write_text('{"x": [1, 2.5, true, " b"]}')
    assert read_levels(str(path)) == {"x": ("1", "2.5", "True", "b")}
    path.write_text("x,y\n1,2\n")
    assert read_levels(str(path)) is None
