"""No arc passes through a box that is not at its ends, by the places of many points on its curve."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.graph_records import Drawing
from formats.pictures.arrows import path
from stages.drawing.network_drawing import draw_network

from .test_box_layout import check, network_of, random_network


def points_of(text: str) -> np.ndarray:
    """Points on the lines and cubics of a path of an SVG picture, from its text alone; shape (n, 2)."""
    share = np.linspace(0, 1, 41)[:, None]
    found, at = [], np.zeros(2)
    for letter, numbers in re.findall(r"([MLC])([^MLC]*)", text):
        given_points = np.array([float(n) for n in re.findall(r"-?[\d.]+", numbers)]).reshape(-1, 2)
        if letter == "C":
            one, other, end = given_points
            rest = 1 - share
            curve = rest**3 * at + 3 * rest**2 * share * one + 3 * rest * share**2 * other + share**3 * end
            found.append(curve)
        elif letter == "L":
            found.append(at + share * (given_points[0] - at))
        at = given_points[-1]
    return np.concatenate(found)


def boxes_hit(drawing: Drawing, room: float = 0.0) -> list[tuple[int, tuple[int, int]]]:
    """Boxes, each larger by `room` on all sides, and arcs between others that pass through them."""
    hits = []
    for arc, line in zip(drawing.arcs, drawing.lines):
        x, y = points_of(path(line)).T[:, :, None]
        aside = np.abs(x - drawing.x) < drawing.width / 2 + room
        inside = aside & (np.abs(y - drawing.y) < drawing.height / 2 + room)
        hits += [(v, arc) for v in np.flatnonzero(inside.any(axis=0)).tolist() if v not in arc]
    return hits


@given(n_variables=st.integers(2, 50), n_parents=st.integers(1, 5), seed=st.integers(0, 10**6), is_tall=st.booleans())
def test_arcs_pass_by_boxes(n_variables: int, n_parents: int, seed: int, is_tall: bool):
    rng = np.random.default_rng(seed)
    labels = ["V" * int(rng.integers(1, 20)) for _ in range(n_variables)]
    below = np.column_stack((rng.uniform(20, 160, n_variables), rng.choice([0.0, 30.0, 120.0], n_variables)))
    network = random_network(n_variables, n_parents, seed)
    drawing = draw_network(network, labels, below=below.tolist() if is_tall else None)
    check(drawing)
    assert not boxes_hit(drawing, room=2.0)
    again = draw_network(network, labels, below=below.tolist() if is_tall else None)
    assert all(np.array_equal(a, b) for a, b in zip(drawing.lines, again.lines))


@pytest.mark.slow
@pytest.mark.parametrize(("n_variables", "n_parents"), [(100, 6), (200, 3), (300, 2)])
def test_arcs_pass_by_boxes_of_larger_networks(n_variables: int, n_parents: int):
    network = random_network(n_variables, n_parents, seed=1)
    assert not boxes_hit(draw_network(network, network.header.names), room=2.0)


def test_a_line_that_nothing_hinders_is_straight():
    drawing = draw_network(network_of([(), (0,), (0,), (0,)]), list("abcd"))
    assert [len(line) for line in drawing.lines] == [2, 2, 2]
