"""Rules beside listed states: they must cut as the file does; --max-states counts listed states, too."""

from __future__ import annotations

import pytest

from formats import open_dataset
from formats.data_records import Variable
from formats.errors import Inconsistent, UnsuitableData

TEXT = "a,x,y\n" + "".join(f"{i % 2},{i},{(7 * i) % 30}\n" for i in range(30))


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(TEXT)
    return lambda **rules: open_dataset(str(path), **rules)


@pytest.mark.parametrize("rule", ["median", "quantile:3", "width:4", "hartemink:3,6"])
def test_the_same_rule_on_the_same_rows_agrees(read, rule):
    first = read(discretize=rule)
    again = read(discretize=rule, variables=first.variables)
    assert again.fingerprint == first.fingerprint
    assert read(variables=first.variables).fingerprint == first.fingerprint


@pytest.mark.parametrize(
    "rules", [{"discretize": "quantile:4"}, {"discretize": "x=cuts:3,9"}, {"categories": ("x",)}]
)
def test_another_rule_is_refused(read, rules):
    first = read(discretize="median")
    with pytest.raises(
        Inconsistent, match=r"column 'x': .* net.jsonl lists intervals cut at 14\n.*leave these options"
    ):
        read(variables=first.variables, listed_in="net.jsonl", **rules)


def test_columns_without_a_rule_keep_their_listed_intervals(read):
    first = read(discretize="median")
    assert read(discretize="x=median", variables=first.variables).fingerprint == first.fingerprint


def test_variables_without_states_take_the_rule(read):
    variables = tuple(Variable(name) for name in "axy")
    assert len(read(discretize="quantile:3", variables=variables).variables[1].known_states) == 3


def test_most_states_are_counted_after_cutting(read):
    with pytest.raises(UnsuitableData, match=r"too many states in 2 columns: 'x' \(3\), 'y' \(3\)"):
        read(discretize="quantile:3", max_states=2)
    first = read(discretize="hartemink:3,6", max_states=3)
    with pytest.raises(UnsuitableData, match="--max-states is 2"):
        read(variables=first.variables, max_states=2)


def test_given_spellings_of_missing_cells_win_over_listed_states(read):
    variables = (Variable("a", ("0", "1")), *read(discretize="median").variables[1:])
    assert read(variables=variables, na=("1",), missing="drop").n_rows == 15
    with_na = (Variable("a", ("0", "NA")),)
    assert read(variables=with_na, na=("1",), missing="state").codes[0].tolist() == [0, 1] * 15
