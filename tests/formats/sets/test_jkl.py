"""jkl score files: three dialects, names, decimal commas, damage, and the real files beside the checkout."""

from __future__ import annotations

import io

import numpy as np
import pytest
from helpers.format_strategies import headers, record_lists
from helpers.places import SAMPLES
from hypothesis import given
from hypothesis import strategies as st

from formats.errors import FormatError, Inconsistent, Malformed, Truncated
from formats.records import ParentSetTable
from formats.sets.parent_sets import open_parent_set_stream, open_parent_sets, write_parent_sets

DIALECTS = ["bare", "comments_after_count", "comments_everywhere", "names", "decimal_commas"]
BARE = (SAMPLES / "bare.jkl").read_bytes()


def read(text: str | bytes, **options) -> ParentSetTable:
    content = text.encode() if isinstance(text, str) else text
    return open_parent_sets(io.BytesIO(content), **options)


def message_of(error_type, text: str | bytes, **options) -> str:
    with pytest.raises(error_type) as caught:
        read(text, **options)
    return str(caught.value)


# ---- by hand


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects_hold_the_same_scores(dialect):
    warnings = []
    table = open_parent_sets(str(SAMPLES / f"{dialect}.jkl"), warn=warnings.append)
    assert table.set_offsets.tolist() == [0, 4, 5, 7]
    assert table.scores.tolist() == [-250.125, -251.5, -255.25, -260.0, -280.0, -270.5, -275.75]
    assert table.parent_offsets.tolist() == [0, 2, 3, 4, 4, 4, 5, 5]
    assert table.parents.tolist() == [1, 2, 2, 1, 0]
    names = ("Species", "Diameter", "Height") if dialect == "names" else ("X0", "X1", "X2")
    assert table.header.names == names
    assert all(v.states is None for v in table.header.variables)
    assert (table.header.rows, table.header.data) == (None, None)
    has_score_comment = dialect.startswith("comments")
    assert table.header.score == ("bic" if has_score_comment else "unknown")
    assert any("nats" in text for text in warnings) != has_score_comment
    assert any("decimal commas" in text for text in warnings) == (dialect == "decimal_commas")


def test_written_dialect_is_bare(tmp_path):
    header, records = open_parent_set_stream(str(SAMPLES / "comments_everywhere.jkl"))
    records = sorted(records, key=lambda record: record.child)
    assert write_parent_sets(str(tmp_path / "out.jkl"), header, records, format="jkl") == 3
    assert (tmp_path / "out.jkl").read_text() == (
        "3\n0 4\n-250.125 2 1 2\n-251.5 1 2\n-255.25 1 1\n-260.0 0\n1 1\n-280.0 0\n2 2\n-270.5 1 0\n-275.75 0\n"
    )


def test_numbers_that_are_names():
    table = read("2\n7 2\n-1 1 12\n-2 0\n12 1\n-3 0\n")
    assert table.header.names == ("7", "12")
    assert table.parents.tolist() == [1]


def test_indices_out_of_order():
    table = read("2\n1 2\n-1 1 0\n-2 0\n0 1\n-3 0\n")
    assert table.header.names == ("X0", "X1")
    assert table.set_offsets.tolist() == [0, 1, 3]


# ---- errors


@pytest.mark.parametrize(
    "text, line, expected",
    [
        ("0\n", 1, "the first number must be the number of variables"),
        ("99999999999999999999\n", 1, "the first number must be the number of variables"),
        ("2\n0\n", 2, "expected 'VARIABLE NUMBER_OF_SETS', got '0'"),
        ("2\n0 one\n", 2, "expected 'VARIABLE NUMBER_OF_SETS', got '0 one'"),
        ("1\n0 1\n-1 0\n-2 0\n", 4, "expected 'VARIABLE NUMBER_OF_SETS', got '-2 0'"),
        ("1\n0 1\n-1 0\n1 1\n-2 0\n", 5, "more blocks than the 1 variable "),
        ("2\n0 1\n-1 0\n-2 1 1\n", 4, "expected 'VARIABLE NUMBER_OF_SETS', got '-2 1 1'"),
        ("2\n0 2\n-1 2 1\n-2 0\n1 1\n-1 0\n", 3, "1 parents but K is 2, got '-1 2 1'"),
        ("2\n0 2\n#c\n-1 0 1\n-2 0\n1 1\n-1 0\n", 4, "1 parents but K is 0"),
        ("2\n0 2\n-1 1 1\nx 0\n1 1\n-1 0\n", 4, "expected numbers SCORE K, got 'x 0'"),
        ("2\n0 2\n-1 1 1\n-1_0 0\n1 1\n-1 0\n", 4, "expected numbers SCORE K"),
        ("2\n0 2\n-1 1 1\n-2\n1 1\n-1 0\n", 4, "expected SCORE K PARENT1 ... PARENTK, got '-2'"),
        ("2\n0 1\n-1 0\n1 2\n-1 1 2\n-2 0\n", 4, "variable 'X1' has the unknown parent '2'"),
        ("2\na 1\n-1 0\nb 2\n-1 1 c\n-2 0\n", 4, "variable 'b' has the unknown parent 'c'"),
        ("2\n0 1\n-1 0\n0 1\n-1 0\n", 4, "a second block for variable '0' (first in line 2)"),
        ("2\n0 1\n-1 0\n1 2\n-1 1 1\n-2 0\n", 4, "variable 'X1' is among its own parents"),
        ("3\n0 1\n-1 0\n2 1\n-1 0\n1 2\n-1 2 0 0\n-2 0\n", 6, "parent set 1 names a parent twice"),
        ("2\n0 1\n-1 0\n1 0\n", 4, "expected 'VARIABLE NUMBER_OF_SETS', got '1 0'"),
        ("2\n0 1\n-1 0\n1 1\nnan 0\n", 4, "not a finite number"),
        ("2\n0 1\n-1 0\n1 1\n-inf 0\n", 4, "not a finite number"),
        ("2\n0 1\n-1 0\n\xff\xfe 1\n-2 0\n".encode("latin1"), 4, "not UTF-8 text"),
    ],
)
def test_broken_files(text, line, expected):
    message = message_of(FormatError, text)
    assert expected in message
    assert message.startswith(f"<stream>:{line}: ")


def test_cut_at_every_byte():
    for size in range(1, len(BARE) - 1):
        with pytest.raises(FormatError):
            read(BARE[:size])
    # the last line ends in the number 0 of the empty set, so its line end may be missing
    assert read(BARE[:-1]).n_sets == 7
    assert "the input is empty" in message_of(Malformed, b"")


def test_cut_between_blocks_and_inside():
    text = BARE.decode()
    assert "1 of 3 variables arrived" in message_of(Truncated, text[: text.index("1 1\n-280")])
    message = message_of(Truncated, text[: text.index("-275")])
    assert "the block of variable '2' ends early: 1 of 2 sets arrived (2 of 3 variables arrived whole)" in message
    partial = read(text[: text.index("-275")], partial=True)
    assert np.diff(partial.set_offsets).tolist() == [4, 1, 0]
    named = (SAMPLES / "names.jkl").read_text()
    message_of(Malformed, named[: named.index("Height 2")], partial=True)


def test_torn_last_number():
    text = "12\n" + "".join(f"{v} 1\n-1 0\n" for v in range(11)) + "11 2\n-2 0\n-1 1 10"
    assert read(text + "\n").parents.tolist() == [10]
    assert "has no line end" in message_of(Truncated, text)
    assert "has no line end" in message_of(Truncated, text[:-1])


def test_line_ends_and_byte_order_mark():
    plain = read(BARE)
    table = read(b"\xef\xbb\xbf" + BARE.replace(b"\n", b"\r\n"))
    assert np.array_equal(table.scores, plain.scores) and np.array_equal(table.parents, plain.parents)


@given(position=st.integers(0, 10**6), junk=st.binary(min_size=1, max_size=3))
def test_damaged_bytes_never_crash(position, junk):
    content = bytearray(BARE)
    position %= len(content)
    content[position : position + len(junk)] = junk
    try:
        read(bytes(content))
    except FormatError as error:
        assert str(error)


# ---- properties


@given(st.data())
def test_round_trip(tmp_path_factory, data):
    header = data.draw(headers())
    records = data.draw(record_lists(header, fixed=st.just(False)))
    path = str(tmp_path_factory.getbasetemp() / "round_trip.jkl")
    write_parent_sets(path, header, data.draw(st.permutations(records)), format="jkl")
    table, expected = open_parent_sets(path), ParentSetTable.from_records(header, records)
    for name in ("set_offsets", "scores", "parent_offsets", "parents"):
        assert np.array_equal(getattr(table, name), getattr(expected, name))


# ---- real files


@pytest.mark.slow
def test_real_files_of_bn_slim_and_blip(shared, tmp_path):
    paths = sorted((shared / "data" / "jkl").rglob("*.jkl.gz"))
    assert paths
    expected = {"steel_BIC": (28, 93026), "cwebkb.is": (839, 229852), "survey-5000": (6, 15)}
    for path in paths:
        table = open_parent_sets(str(path))
        assert (np.diff(table.set_offsets) > 0).all()
        name = path.name.removesuffix(".jkl.gz")
        if name in expected:
            assert (table.n_variables, table.n_sets) == expected[name]
        if table.n_sets < 10_000:
            write_parent_sets(str(tmp_path / "again"), table.header, table.records(), format="jkl")
            again = open_parent_sets(str(tmp_path / "again"))
            assert np.array_equal(again.parents, table.parents)
            assert np.array_equal(again.scores, table.scores)


def test_unknown_output_format(tmp_path):
    header, records = open_parent_set_stream(str(SAMPLES / "bare.jkl"))
    with pytest.raises(ValueError, match="unknown format"):
        write_parent_sets(str(tmp_path / "x"), header, records, format="xls")


def test_other_files_are_named():
    assert "this looks like a BIF network" in message_of(Malformed, (SAMPLES / "plain.bif").read_bytes())
    assert "this looks like a table" in message_of(Malformed, "a,b\n0,1\n")
    assert "binary data" in message_of(Malformed, b"\x00\x01\x02")
    with pytest.raises(Inconsistent):
        read("2\n0 1\n-1 0\n1 2\n-1 1 5\n-2 0\n")


def test_sets_listed_twice_count_with_the_better_score_and_the_empty_set_may_be_absent():
    warnings = []
    text = b"3\n0 4\n-2 1 1\n-3 0\n-1 1 1\n-1.5 0\n1 2\n-1 1 0\n-2 2 0 2\n2 2\n-1 1 0\n-2 1 1\n"
    _, records = open_parent_set_stream(io.BytesIO(text), warn=warnings.append)
    found = [(tuple(record.parents), record.scores.tolist(), record.required) for record in records]
    assert found == [
        (((1,), ()), [-1.0, -1.5], ()),
        (((0,), (0, 2)), [-1.0, -2.0], (0,)),
        (((0,), (1,)), [-1.0, -2.0], ()),
    ]
    assert [message for message in warnings if "listed" in message] == [
        "sets listed twice (the better score counts) for 1 variable: 'X0'",
        "no empty set is listed, and one of the listed sets must be taken, for 2 variables: 'X1', 'X2'",
    ]
