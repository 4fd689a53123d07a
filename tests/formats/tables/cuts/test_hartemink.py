"""Information-preserving discretization against the definition, and what it keeps that quantiles lose."""

from __future__ import annotations

import numpy as np
import pytest
from naive.discretization import join_levels as naive_join

from formats import open_dataset
from formats.errors import UnsuitableData
from formats.tables.cuts import hartemink
from formats.tables.cuts.discretization import Discretization, parse_discretization
from formats.tables.cuts.hartemink import Goal, join_levels


@pytest.mark.parametrize("seed", range(8))
def test_joins_what_the_definition_joins(seed):
    rng = np.random.default_rng(seed)
    n_states = rng.integers(2, 8, size=4).tolist()
    base = rng.integers(0, 8, size=60)
    codes = np.array([(base + rng.integers(0, 3, size=60)) * n // 10 for n in n_states], dtype=np.uint8)
    goals = {i: Goal(int(n), 2) for i, n in enumerate(n_states) if i != 1 and n > 2}
    found = join_levels(codes, n_states, goals)
    assert {c: first.tolist() for c, first in found.items()} == naive_join(codes.tolist(), n_states, goals)


def test_the_order_of_columns_does_not_matter():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 6, size=(4, 200)).astype(np.uint8)
    codes[1] = np.minimum(5, codes[0] + (codes[1] > 3))
    forward = join_levels(codes, [6] * 4, {i: Goal(6, 3) for i in range(4)})
    backward = join_levels(codes[::-1], [6] * 4, {i: Goal(6, 3) for i in range(4)})
    assert all((forward[i] == backward[3 - i]).all() for i in range(4))


def test_a_lone_column_is_cut_evenly():
    codes = np.repeat(np.arange(8, dtype=np.uint8), 5)[None, :]
    assert join_levels(codes, [8], {0: Goal(8, 4)})[0].tolist() == [0, 2, 4, 6]


def write_table(path, n_rows=400):
    """x decides c at the thresholds 0.1 and 0.15, far from its quantiles; one cell of x is missing."""
    x = np.random.default_rng(1).permutation(n_rows) / n_rows
    kind = np.where(x <= 0.1, "low", np.where(x <= 0.15, "mid", "high"))
    lines = [f"{a},{k}" for a, k in zip(x, kind)]
    path.write_text("\n".join(["x,c", *lines, "?,high"]) + "\n")
    return str(path)


def test_cuts_where_another_column_changes(tmp_path):
    source = write_table(tmp_path / "t.csv")
    dataset = open_dataset(source, discretize="hartemink:3", missing="state")
    assert dataset.variables[0].states == ("<=0.0975", "0.0975..0.1475", ">0.1475", "NA")
    assert np.bincount(dataset.codes[0]).tolist() == [40, 20, 340, 1]
    again = open_dataset(source, variables=dataset.variables, missing="state")
    assert (again.codes == dataset.codes).all()


def test_only_the_columns_of_the_rule_are_joined(tmp_path):
    rng = np.random.default_rng(2)
    (tmp_path / "t.csv").write_text("a,b\n" + "".join(f"{a},{a + b}\n" for a, b in rng.random((100, 2))))
    dataset = open_dataset(str(tmp_path / "t.csv"), discretize=["median", "b=hartemink:4,10"])
    assert [len(variable.states) for variable in dataset.variables] == [2, 4]


def test_too_many_levels(tmp_path, monkeypatch):
    monkeypatch.setattr(hartemink, "MOST_LEVELS", 10)
    with pytest.raises(UnsuitableData, match="23 levels, of 10 at most"):
        open_dataset(write_table(tmp_path / "t.csv"), discretize="hartemink:3", missing="drop")


@pytest.mark.parametrize(
    "text", ["hartemink", "hartemink:", "hartemink:1", "hartemink:3,3", "hartemink:3,257", "hartemink:3,"]
)
def test_refused_rules(text):
    with pytest.raises(ValueError, match="hartemink"):
        parse_discretization(text)


def test_rules():
    assert parse_discretization("hartemink:3") == Discretization("hartemink", 3, 20)
    assert parse_discretization("hartemink:30") == Discretization("hartemink", 30, 31)
    assert parse_discretization("hartemink:3,60") == Discretization("hartemink", 3, 60)
