"""The bound of a network: made by a search, written to a header, read back."""

from __future__ import annotations

import pytest

from formats.bounds import Bound, bound_in, gap_in


@pytest.mark.parametrize(("value", "score", "expected"), [(-10.0, -12.0, -9.5), (-13.0, -12.0, -11.5)])
def test_a_bound_is_rounded_outward_and_no_lower_than_the_score(value, score, expected):
    assert Bound.of(value, score, 0.5, "all networks") == Bound(expected, "all networks")


def test_a_header_states_the_bound_and_its_gap():
    bound = Bound(-9.5, "all networks")
    extra = {"total": -12.0, **bound.entries(-12.0)}
    assert extra == {"total": -12.0, "bound": -9.5, "gap": 2.5, "bound_relative_to": "all networks"}
    assert bound_in(extra) == bound
    assert gap_in(extra) == 2.5


def test_what_is_known_about_the_sets_stands_in_parentheses():
    assert Bound(-9.5, "networks of the listed sets (more exist)").networks == "networks of the listed sets"
    assert Bound(-9.5, "all networks").networks == "all networks"


def test_a_header_without_a_bound_or_a_total_has_no_gap():
    assert bound_in({"total": -12.0}) is gap_in({"total": -12.0}) is None
    assert gap_in({"total": None, "bound": -9.5}) is gap_in({"bound": -9.5}) is None
    assert bound_in({"bound": -9.5}) == Bound(-9.5, "networks of an unknown kind")
