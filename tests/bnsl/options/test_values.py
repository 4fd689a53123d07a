"""Values of options: what each type takes from a text and from Python, and what it says of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bnsl.options.values import (
    ARCS,
    COLUMNS,
    DURATION,
    FLAG,
    INPUT,
    OUTPUT,
    SEED,
    SIZE,
    TEXT,
    Choice,
    Number,
    Whole,
    limits_text,
)


@pytest.mark.parametrize(
    ("kind", "value", "taken"),
    [
        (TEXT, Path("a/b"), "a/b"),
        (TEXT, 3, "3"),
        (FLAG, 1, True),
        (Choice(("bic", "bdeu")), "BDeu", "bdeu"),
        (Whole(1, 9), "7", 7),
        (Whole(1, 9), 7.0, 7),
        (Number(0, 1), "0.5", 0.5),
        (Number(0), 3, 3.0),
        (DURATION, 90, 90.0),
        (DURATION, "1h30m", 5400.0),
        (SIZE, "1.5GiB", 3 << 29),
        (SIZE, 1000, 1000),
        (SEED, 7, 7),
        (COLUMNS, "a, b", ("a", "b")),
        (COLUMNS, ["a", "b,c"], ("a", "b,c")),
        (INPUT, Path("d.csv"), "d.csv"),
        (INPUT, {"a": [1]}, {"a": [1]}),
        (ARCS, ("a", "b,c"), 'a,"b,c"'),
        (ARCS, "a->b", "a->b"),
        (OUTPUT, Path("n.bif"), "n.bif"),
    ],
)
def test_values_are_taken(kind: Any, value: Any, taken: Any):
    assert kind.take(value) == taken


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (FLAG, "yes", "True or False"),
        (Choice(("bic", "bdeu")), "aic", "one of bic, bdeu"),
        (Whole(1, 9), 10, "from 1 to 9"),
        (Whole(1), 0, "at least 1"),
        (Whole(1), 1.5, "a whole number"),
        (Whole(0), True, "a whole number"),
        (Whole(0), 2**63, "at least 0"),
        (Number(0, 1), float("nan"), "a finite number"),
        (Number(0, 1, is_open=True), 0, "above 0 and below 1"),
        (Number(0, 1, open_most=True), 1, "at least 0 and below 1"),
        (DURATION, "soon", "'soon' is not a time; write it like 30s, 10m, 2h or 1h30m"),
        (SEED, -1, "'-1' is not a whole number from 0 to 2^63 - 1"),
        (COLUMNS, "a,,b", "'a,,b' is not a list of columns; write it like age,sex or 'x*'"),
        (INPUT, [1, 2], "a list cannot be read: give a path, a result, a dict of columns, a list of dicts, or "
         "anything with __arrow_c_stream__ (pandas, Polars, DuckDB, pyarrow)"),
        (ARCS, 3, "an arc such as 'a->b' or ('a', 'b'), or the path of a file of arcs"),
    ],
)  # fmt: skip
def test_other_values_are_refused(kind: Any, value: Any, said: str):
    with pytest.raises(ValueError) as raised:
        kind.take(value)
    assert str(raised.value) == said


def test_limits_in_words():
    assert limits_text(1, None) == "at least 1"
    assert limits_text(None, 3) == "at most 3"
    assert limits_text(0, 1) == "from 0 to 1"
    assert limits_text(0, 1, True, True) == "above 0 and below 1"
