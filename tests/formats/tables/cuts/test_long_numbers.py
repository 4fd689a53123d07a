"""Whole numbers from 2^53 on: cut as they are written, or refused; never cut as the nearest float."""

from __future__ import annotations

from decimal import Decimal

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from formats import open_dataset
from formats.data_records import Variable
from formats.errors import UnsuitableData
from formats.tables.cuts.discretization import interval_bounds, is_held, parse_discretization

FIRST = 2**53
LONG = [FIRST + k for k in range(-20, 20)]
RULES = ["median", "quantile:3", "width:3", "hartemink:3", "cuts:5", f"cuts:{FIRST}"]


@pytest.mark.parametrize("rule", RULES)
def test_a_column_is_refused_by_name(read, rule):
    with pytest.raises(UnsuitableData, match=rf"column 'id': {FIRST + 1} would be cut as {FIRST}.*\n.*--drop 'id'"):
        read(id=LONG, b=[0, 1] * 20, discretize=rule)


@pytest.mark.parametrize("kind", [pyarrow.int64(), pyarrow.uint64(), pyarrow.decimal128(30, 2)])
def test_numbers_of_arrow_are_refused_as_well(tmp_path, kind):
    path = tmp_path / "d.parquet"
    parquet.write_table(pyarrow.table({"id": pyarrow.array(LONG, pyarrow.int64()).cast(kind)}), path)
    with pytest.raises(UnsuitableData, match="column 'id'"):
        open_dataset(str(path), discretize="quantile:3")


def test_intervals_of_a_header(read):
    variables = (Variable("id", ("<=5", ">5")),)
    with pytest.raises(UnsuitableData, match="column 'id'"):
        read(id=[3, FIRST + 1], variables=variables)
    assert read(id=[3, FIRST - 1], variables=variables).codes.tolist() == [[0, 1]]
    assert interval_bounds(f"<={FIRST + 1}") is None


def test_a_cut_point_that_no_float_has():
    with pytest.raises(ValueError, match=f"{FIRST + 1} would be taken as {FIRST}"):
        parse_discretization(f"cuts:{FIRST + 1}")
    assert parse_discretization(f"cuts:{FIRST}").points == (FIRST,)


def test_numbers_that_floats_hold_are_cut(read):
    stamps = [1_700_000_000_000_000_000 + 10_000 * k for k in range(40)]
    dataset = read(at=stamps, discretize="at=cuts:1700000000000190000")
    assert dataset.codes.tolist() == [[0] * 20 + [1] * 20]


@given(st.integers(FIRST - 1000, 2**64), st.integers(-50, 50))
def test_numbers_that_are_held_keep_their_order(number, step):
    one, other = str(number), str(number + step)
    if is_held(one) and is_held(other):
        assert (float(one) < float(other)) == (step > 0) and (float(one) == float(other)) == (step == 0)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_floats_print_is_held(value):
    assert is_held(repr(value)) and (abs(value) >= FIRST or is_held(str(Decimal(value))))


def test_states_and_missing_cells_are_told_apart(read):
    """Numbers that are states count one by one, and a spelling of missing cells is one number."""
    numbers = [FIRST, FIRST + 1] * 3
    assert len(read(a=numbers).variables[0].states) == 2
    with pytest.raises(UnsuitableData, match=r"'a' \(2[24]"):
        read(a=[FIRST + k for k in range(24)])
    dataset = read(a=numbers, b=[0, 1, 0, 0, 1, 1], na=(str(FIRST),), missing="drop")
    assert (dataset.n_rows, dataset.variables[0].states) == (3, (str(FIRST + 1),))
