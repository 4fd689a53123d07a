"""Tables whose missing cells are kept as holes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from formats import open_dataset
from formats.data_records import Variable
from formats.errors import UnsuitableData
from formats.records import Header, NetworkRecord
from stages.fit import fit_parameters
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.independent import score_families


def write(folder, text):
    path = folder / "table.csv"
    path.write_text(text)
    return str(path)


def test_holes_are_no_state(tmp_path):
    source = write(tmp_path, "a,b\nx,1\n,2\nz,?\n")
    rows = open_dataset(source, missing="keep")
    assert rows.variables == (Variable("a", ("x", "z")), Variable("b", ("1", "2")))
    assert rows.is_hidden.tolist() == [[False, True, False], [False, False, True]]
    assert rows.codes.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert rows.n_holes == 2


def test_states_that_are_known(tmp_path):
    """A column of which nothing is seen has states all the same; a state NA takes what is spelt so."""
    variables = (Variable("b", ("1", "NA", "2")), Variable("a", ("x", "y")))
    warnings = []
    rows = open_dataset(write(tmp_path, "a,b\n,2\n,NA\n"), missing="keep", variables=variables, warn=warnings.append)
    assert rows.variables == variables
    assert rows.codes.tolist() == [[2, 1], [0, 0]]
    assert rows.is_hidden.tolist() == [[False, False], [True, True]]
    assert len(warnings) == 1 and "no cell is observed in 'a'" in warnings[0]


def test_complete_tables(tmp_path):
    source = write(tmp_path, "a,b\nx,1\ny,2\n")
    rows, complete = open_dataset(source, missing="keep"), open_dataset(source)
    assert rows.is_hidden is None and not rows.holes.any() and rows.variables == complete.variables
    assert np.array_equal(rows.codes, complete.codes)
    assert rows.fingerprint == complete.fingerprint


def test_where_holes_are_is_in_the_fingerprint(tmp_path):
    found = {
        open_dataset(write(tmp_path, f"a,b\n{rows}"), missing="keep").fingerprint
        for rows in ("0,1\n1,0\n0,1\n", "0,1\n1,0\n,1\n", "0,1\n1,\n0,1\n", "0,1\n1,0\n,\n")
    }
    assert len(found) == 4


@pytest.mark.parametrize(
    ("text", "rules", "message"),
    [
        ("a,b\n,1\n?,2\n", {}, "no cell is observed in 1 column: 'a'"),
        ("a\n" + "\n".join(map(str, range(40))) + "\n?\n", {"discretize": "hartemink:3"}, "complete rows"),
        ("a\n" + "\n".join(map(str, range(40))) + "\n?\n", {}, "1 continuous column"),
    ],
)
def test_refused(tmp_path, text, rules, message):
    with pytest.raises(UnsuitableData, match=message):
        open_dataset(write(tmp_path, text), missing="keep", **rules)


def test_numbers_are_cut_without_the_holes(tmp_path):
    numbers = "\n".join(map(str, range(40)))
    rows = open_dataset(write(tmp_path, f"a\n{numbers}\n?\n"), missing="keep", discretize="median")
    assert np.bincount(rows.codes[0, ~rows.is_hidden[0]]).tolist() == [20, 20]


def test_what_counts_complete_rows_refuses_holes(tmp_path):
    rows = open_dataset(write(tmp_path, "a,b\nx,1\n,2\n"), missing="keep")
    network = NetworkRecord(Header(rows.variables), ((), ()), np.zeros(2))
    score = partial(score_families, [(), ()], scores=["bic"])
    for count in (FamilyScorer, score, partial(fit_parameters, network)):
        with pytest.raises(UnsuitableData, match="1 missing cell: scores and counts need complete rows"):
            count(dataset=rows)
        count(dataset=rows.filled(rows.codes))
