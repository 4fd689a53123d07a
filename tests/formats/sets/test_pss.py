"""URLearning score files."""

from __future__ import annotations

import io

import numpy as np
import pytest
from helpers.format_strategies import headers, record_lists, words
from helpers.places import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from formats.data_records import Variable
from formats.errors import FormatError, Inconsistent, Truncated
from formats.records import Header, ParentSetRecord, ParentSetTable
from formats.sets.parent_sets import open_parent_set_stream, open_parent_sets, write_parent_sets

SAMPLE = (SAMPLES / "scores.pss").read_bytes()


def read(text: str | bytes, **options) -> ParentSetTable:
    content = text.encode() if isinstance(text, str) else text
    return open_parent_sets(io.BytesIO(content), **options)


# ---- by hand


def test_stored_sample():
    warnings = []
    table = open_parent_sets(str(SAMPLES / "scores.pss"), warn=warnings.append)
    assert table.set_offsets.tolist() == [0, 4, 5, 7]
    assert table.scores.tolist() == [-250.125, -251.5, -255.25, -260.0, -280.0, -270.5, -275.75]
    assert table.parents.tolist() == [1, 2, 2, 1, 0]
    header = table.header
    assert (header.score, header.ess, header.rows) == ("bdeu", 10.0, 409)
    assert header.variables[0] == Variable("Species", ("Sagrei", "Distichus"))
    assert header.variables[2] == Variable("Height", None)
    assert warnings == []


def test_written_text(tmp_path):
    header = Header((Variable("a", ("0", "1")), Variable("b")), "bdeu", 5, ess=1.0)
    records = [ParentSetRecord.of(0, ((1,), ()), (-1.5, -2.0)), ParentSetRecord.of(1, ((),), (-0.1,))]
    write_parent_sets(str(tmp_path / "out.pss"), header, records, format="pss")
    assert (tmp_path / "out.pss").read_text() == (
        "META pss_version = 0.1\nMETA num_records = 5\nMETA score_type = bdeu\nMETA ess = 1.0\n\n"
        "VAR a\nMETA arity=2\nMETA values=0 1\n-1.5 b\n-2.0\n\nVAR b\n-0.1\n\n"
    )


def test_names_that_are_numbers_and_free_text():
    table = read("META pss_version = 0.1\nMETA test 0,1\n\nVAR 1\n-1 0\n-2\n\nVAR 0\n-3\n\n")
    assert table.header.names == ("1", "0")
    assert table.parents.tolist() == [1]
    assert table.header.score == "unknown"


@pytest.mark.parametrize("word", ["BIC", "bic", "MDL"])
def test_names_of_scores(word):
    assert read(f"META score_type={word}\nVAR a\n-1\n").header.score == "bic"


# ---- errors


@pytest.mark.parametrize(
    "text, line, expected",
    [
        ("META x = 1\n-1 b\nVAR a\n-1\n", 2, "a score line before the first VAR line"),
        ("META x = 1\n", 1, "no variable"),
        ("VAR a\n-1 c\n-2\n", 2, "variable 'a' has the unknown parent 'c'"),
        ("VAR a\n-1 a\n-2\n", 1, "variable 'a' is among its own parents"),
        ("VAR a\n-1 b b\n-2\nVAR b\n-1\n", 1, "names a parent twice"),
        ("VAR a\n-1\nVAR a\n-1\n", 3, "a second block for variable 'a' (first in line 1)"),
        ("VAR a\nscore\n", 2, "expected SCORE PARENT1 PARENT2 ..., got 'score'"),
        ("VAR a\nnan\n", 1, "not a finite number"),
        ("VAR a\n-1\nVAR b\n", 3, "lists no parent set"),
        ("VAR a\nMETA arity=3\nMETA values=0 1\n-1\n", 1, "do not fit arity 3"),
        ("VAR a\nMETA values=0 0\n-1\n", 1, "do not fit arity None"),
        ("VAR a\n-1\nVAR \xff\n-1\n".encode("latin1"), 3, "not UTF-8 text"),
    ],
)
def test_broken_files(text, line, expected):
    with pytest.raises(FormatError) as caught:
        read(text)
    assert expected in str(caught.value)
    assert str(caught.value).startswith(f"<stream>:{line}: ")


def test_cut_inside_any_line():
    text = SAMPLE.rstrip(b"\n") + b"\n"
    for size in range(1, len(text)):
        if text[size - 1 : size] != b"\n":
            with pytest.raises(FormatError):
                read(text[:size])


def test_missing_line_end_is_explained():
    with pytest.raises(Truncated, match="has no line end"):
        read("VAR a\n-1")


def test_damaged_ess_is_only_a_warning():
    warnings = []
    read("META score_type=bdeu\nMETA ess=x\nVAR a\n-1\n", warn=warnings.append)
    assert len(warnings) == 1 and "ess" in warnings[0]


@given(position=st.integers(0, 10**6), junk=st.binary(min_size=1, max_size=3))
def test_damaged_bytes_never_crash(position, junk):
    content = bytearray(SAMPLE)
    position %= len(content)
    content[position : position + len(junk)] = junk
    try:
        read(bytes(content))
    except FormatError as error:
        assert str(error)


@pytest.mark.parametrize(
    "variable", [Variable("a b"), Variable(""), Variable("a", ("x y", "z")), Variable("a", ("", "z"))]
)
def test_names_with_blanks_cannot_be_written(tmp_path, variable):
    with pytest.raises(Inconsistent, match="pss files cannot hold"):
        record = ParentSetRecord.of(0, ((),), (-1.0,))
        write_parent_sets(str(tmp_path / "x"), Header((variable,)), [record], format="pss")
    assert list(tmp_path.iterdir()) == []


# ---- properties


@given(st.data())
def test_round_trip(tmp_path_factory, data):
    header = data.draw(headers(words, words))
    records = data.draw(record_lists(header, fixed=st.just(False)))
    path = str(tmp_path_factory.getbasetemp() / "round_trip.pss")
    write_parent_sets(path, header, records, format="pss")
    again, found = open_parent_set_stream(path)
    assert (again.variables, again.score, again.rows) == (header.variables, header.score, header.rows)
    expected = ParentSetTable.from_records(header, records)
    table = ParentSetTable.from_records(again, found)
    for name in ("set_offsets", "scores", "parent_offsets", "parents"):
        assert np.array_equal(getattr(table, name), getattr(expected, name))


def test_sets_listed_twice_and_lists_without_the_empty_set():
    warnings = []
    text = b"VAR a\n-3\n-2 b\n-1 b\nVAR b\n-1 a\n"
    _, records = open_parent_set_stream(io.BytesIO(text), warn=warnings.append)
    found = [(tuple(record.parents), record.scores.tolist(), record.required) for record in records]
    assert found == [(((1,), ()), [-1.0, -3.0], ()), (((0,),), [-1.0], (0,))]
    assert sum("twice" in message for message in warnings) == sum("no empty" in message for message in warnings) == 1
