"""Knowledge files of Tetrad, and patterns of names in files of arcs and tiers."""

from __future__ import annotations

import io

import pytest

from formats.errors import FormatError, Inconsistent
from formats.graph_records import Arc
from formats.graphs.arc_files import parse_arcs, read_arcs, read_tiers
from formats.graphs.arc_groups import ArcGroup, group_of
from formats.graphs.tetrad_knowledge import GivenKnowledge, read_knowledge

INDEX = {name: position for position, name in enumerate(["a", "b", "c", "x1", "x2", "my var"])}


def read(text: str, content: str = "tiers") -> GivenKnowledge:
    return read_knowledge(io.BytesIO(text.encode()), INDEX, content)


def arcs_of(groups: list[ArcGroup]) -> list[Arc]:
    return [arc for group in groups for arc in group.arcs()]


def test_all_sections():
    text = """/knowledge
// written by Tetrad
addtemporal

2* x1 x2
1- a
3 c "my var"

forbiddirect

b a

requiredirect

a x1
"""
    for content in ("tiers", "required", "forbidden"):
        found = read(text, content)
        assert found.tiers == [[0], [3, 4], [2, 5]]
        assert found.required == [(0, 3)]
        assert set(arcs_of(found.forbidden)) == {(1, 0), (3, 4), (4, 3), (0, 2), (0, 5)}


def test_groups_and_commas():
    found = read("/knowledge comma\nforbiddengroup\na, b\nc, my var\nrequiredgroup\na\nb\n")
    assert set(arcs_of(found.forbidden)) == {(0, 2), (0, 5), (1, 2), (1, 5)} and found.required == [(0, 1)]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("/knowledge\nforbiddirect\na y\n", 3, "'y' is no variable"),
        ("/knowledge\nforbiddirect\na b c\n", 3, "two names, this line has 3"),
        ("/knowledge\naddtemporal\n1 a\n2 b a\n", 4, "'a' is in a tier already"),
        ("/knowledge\naddtemporal\nfirst a\n", 3, "'first' is no tier"),
        ("/knowledge\n1 a\n", 2, "'1' is no section"),
        ("/knowledge\nforbiddengroup\na b\nrequiredirect\na b\n", 4, "lacks its second line"),
    ],
)
def test_damage_is_reported_with_the_line(text: str, line: int, words: str):
    with pytest.raises(FormatError, match=words) as error:
        read(text)
    assert error.value.line == line


def test_other_files_are_read_as_ever():
    assert read("a b\nc\n").tiers == [[0, 1], [2]]
    assert read("\na,b\n", "required") == GivenKnowledge([(0, 1)], [], [])
    assert read("a->b\n", "forbidden") == GivenKnowledge([], [group_of((0,), (1,))], [])
    assert read("a->b\n", "allowed") == GivenKnowledge([], [], [], [group_of((0,), (1,))])


def test_patterns_stand_for_all_variables_like_them():
    assert parse_arcs("x*->a", INDEX).arcs() == [(3, 0), (4, 0)]
    assert parse_arcs("x*,x?", INDEX).arcs() == [(3, 4), (4, 3)]
    assert parse_arcs("*->c", INDEX).arcs() == [(0, 2), (1, 2), (3, 2), (4, 2), (5, 2)]
    assert arcs_of(read_arcs(io.BytesIO(b'a->x[12]\n["b", "my*"]\n'), INDEX)) == [(0, 3), (0, 4), (1, 5)]
    assert read_tiers(io.BytesIO(b"x*\na,my*\n"), INDEX) == [[3, 4], [0, 5]]


def test_names_come_before_patterns():
    index = {"a*": 0, "ab": 1, "c": 2, "*->c": 3}
    assert parse_arcs("a*->c", index).arcs() == [(0, 2)]
    assert parse_arcs("*->c,ab", index).arcs() == [(3, 1)]
    assert parse_arcs("a?->c", index).arcs() == [(0, 2), (1, 2)]


@pytest.mark.parametrize("text", ["y*->a", "a->y*", "y->a"])
def test_patterns_that_nothing_is_like_are_errors(text: str):
    with pytest.raises(Inconsistent, match=r"'y[*]?' is no variable of the data"):
        parse_arcs(text, INDEX)
