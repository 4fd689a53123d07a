"""Arcs as groups: the pairs that they stand for, what a header records of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.errors import Inconsistent
from formats.graphs.arc_files import parse_arcs
from formats.graphs.arc_groups import LISTED_ARCS, ArcGroup, group_of, grouped_arcs, recorded_arcs, resolved_arcs

ARCS = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)))
NAMES = ["a", "b", "x1", "x2", "x*", "a->b"]
INDEX = {name: position for position, name in enumerate(NAMES)}


def pairs(groups: list[ArcGroup]) -> set[tuple[int, int]]:
    return {arc for group in groups for arc in group.arcs()}


@given(ARCS)
def test_groups_stand_for_the_arcs_they_are_made_of(arcs):
    assert pairs(grouped_arcs(arcs)) == arcs


def test_children_of_the_same_parents_are_one_group():
    everyone = range(40)
    arcs = [(a, b) for a in range(30) for b in everyone if a != b]
    assert grouped_arcs(arcs) == [group_of(range(30), everyone)]
    assert grouped_arcs([(0, 2), (1, 2), (0, 3)]) == [group_of((0, 1), (2,)), group_of((0,), (3,))]


@given(ARCS, st.lists(st.sampled_from(["x*->a", "x?->x1", "*->b", "a->*", "x*->x1", "[ab]->[ab]"])))
def test_what_is_recorded_is_read_again(arcs, patterns):
    groups = [*grouped_arcs(arcs), *(parse_arcs(pattern, INDEX) for pattern in patterns)]
    items = recorded_arcs(groups, NAMES)
    assert pairs(resolved_arcs(items, INDEX)) == pairs(groups)
    part = {name: INDEX[name] for name in ("b", "x2", "a->b")}
    expected = {(a, b) for a, b in pairs(groups) if {a, b} <= set(part.values()) and a != b}
    assert {(a, b) for a, b in pairs(resolved_arcs(items, part)) if a != b} == expected


def test_single_arcs_are_listed_and_patterns_recorded_as_such():
    groups = [parse_arcs("x?->a", INDEX), *grouped_arcs([(1, 0), (0, 1)])]
    assert recorded_arcs(groups, NAMES) == ["b->a", "a->b", {"from": "x?", "to": ["a"]}]


def test_many_arcs_of_a_file_are_recorded_in_groups():
    names = [f"v{i}" for i in range(80)]
    arcs = [(a, b) for a in range(20) for b in range(80) if a != b]
    assert len(arcs) > LISTED_ARCS
    assert recorded_arcs(grouped_arcs(arcs), names) == [{"from": names[:20], "to": names}]


@pytest.mark.parametrize("item", [{"from": "a"}, {"from": "a", "to": [1]}, {}, 3])
def test_an_item_that_is_no_group_is_an_error(item):
    with pytest.raises(Inconsistent, match="neither a pattern nor a list"):
        resolved_arcs([item], INDEX)
