"""Files of arcs and tiers that are no CSV: an error with the line."""

from __future__ import annotations

import io

import pytest

from formats.errors import Malformed
from formats.graphs.arc_files import read_arcs, read_tiers

INDEX = {"a": 0, "b": 1, "c": 2}


@pytest.mark.parametrize("read", [read_arcs, read_tiers])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"a,b\n\nb,c\rc,a\n", ":3: a carriage return within a line"),
        (b'"b\r",a\rc\n', ":1: a carriage return within a line"),
        (b"a," + b"b" * 200_000, ":1: not a line of CSV"),
    ],
)
def test_lines_that_are_no_csv(read, text: bytes, words: str):
    with pytest.raises(Malformed) as error:
        read(io.BytesIO(text), INDEX)
    assert words in str(error.value)


def test_line_ends_of_other_systems():
    groups = read_arcs(io.BytesIO(b"from,to\r\na,b\r\nb->c\r\n"), INDEX)
    assert [arc for group in groups for arc in group.arcs()] == [(0, 1), (1, 2)]
