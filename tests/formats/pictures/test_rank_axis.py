"""The picture of average ranks: places on the axis, bars, names."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from formats.pictures.rank_axis import rank_axis_text

SPACE = "{http://www.w3.org/2000/svg}"
METHODS = ["best", "second <&>", "third", "a method of a long name " * 3, "last"]
RANKS = [1.25, 2.0, 2.75, 4.0, 5.0]


def drawn(**settings):
    return ElementTree.fromstring(rank_axis_text(METHODS, RANKS, [(0, 2), (3, 4)], 1.6, ["a note"], **settings))


def test_bars_and_leads_stand_at_the_ranks():
    root = drawn()
    axis = next(line for line in root.iter(f"{SPACE}line") if line.get("class") == "line")
    left, right = float(axis.get("x1")), float(axis.get("x2"))
    places = [left + (rank - 1) / 4 * (right - left) for rank in RANKS]
    leads = [line.get("points").split()[0].split(",")[0] for line in root.iter(f"{SPACE}polyline")]
    assert [float(x) for x in leads] == pytest.approx(places, abs=0.06)
    bars = [line for line in root.iter(f"{SPACE}line") if line.get("class") == "group"]
    ends = [(float(bar.get("x1")), float(bar.get("x2"))) for bar in bars]
    assert ends == [pytest.approx((places[a] - 4, places[b] + 4), abs=0.06) for a, b in ((0, 2), (3, 4))]


def test_everything_is_named_within_the_frame():
    root = drawn()
    texts = {text.text for text in root.iter(f"{SPACE}text")}
    assert "second <&> (2.00)" in texts and "critical difference 1.60" in texts and "a note" in texts
    width, height = float(root.get("width")), float(root.get("height"))
    for text in root.iter(f"{SPACE}text"):
        assert 0 < float(text.get("x")) < width and 0 < float(text.get("y")) < height


def test_a_difference_beyond_the_axis_is_left_out():
    text = rank_axis_text(["a", "b"], [1.0, 2.0], [(0, 1)], 1.2)
    assert "critical difference" not in text and text.count('class="group"') == 1
