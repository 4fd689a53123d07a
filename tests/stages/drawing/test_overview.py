"""Large networks: clusters of limited size, frames apart with their boxes inside, links between frames."""

from __future__ import annotations

import numpy as np
import pytest

from formats.pictures.text_widths import text_width
from stages.drawing import box_layout, network_drawing
from stages.drawing.network_drawing import draw_network
from stages.drawing.overview import FIRST_VIEW, TITLE, find_clusters

from .test_box_layout import check_apart, network_of, random_network


def test_clusters_are_what_strong_arcs_join():
    inside = [(a, b) for start in (0, 4) for a in range(start, start + 4) for b in range(a + 1, start + 4)]
    weight = dict.fromkeys(inside, 1.0) | {(3, 4): 0.5}
    assert find_clusters(9, weight, 4) == [[0, 1, 2, 3], [4, 5, 6, 7], [8]]


@pytest.mark.parametrize("seed", range(3))
def test_clusters_divide_the_variables(seed: int):
    network = random_network(200, 3, seed)
    weight = {(p, v): 1.0 for v, family in enumerate(network.parents) for p in family}
    groups = find_clusters(200, weight, 20)
    assert sorted(v for group in groups for v in group) == list(range(200))
    assert max(map(len, groups)) <= 40
    assert find_clusters(200, weight, 20) == groups


def test_frames_are_apart_and_hold_their_boxes(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(network_drawing, "MOST_UNCLUSTERED", 100)
    network = random_network(150, 3, seed=1)
    drawing = draw_network(network, network.header.names)
    found = drawing.clusters
    assert found is not None and 5 <= len(found.titles) <= 30
    check_apart(drawing.x, drawing.y, drawing.width, drawing.height)
    check_apart(found.x, found.y, found.width, found.height)
    for axis, half, frame, own in (
        (drawing.x, drawing.width / 2, found.x, found.width / 2),
        (drawing.y, drawing.height / 2, found.y, found.height / 2),
    ):
        assert (np.abs(axis - frame[found.of]) + half <= own[found.of]).all()
    for arc, line in zip(drawing.arcs, drawing.lines):
        number = found.of[arc[0]]
        if number == found.of[arc[1]]:
            assert (np.abs(line[:, 0] - found.x[number]) <= found.width[number] / 2).all()
    crossing = sum(found.of[p] != found.of[v] for p, v in drawing.arcs)
    assert 0 < sum(link.n_arcs for link in found.links) <= crossing


def test_links_do_not_pass_through_frames(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(network_drawing, "MOST_UNCLUSTERED", 100)
    found = draw_network(random_network(300, 3, seed=2), [f"V{v}" for v in range(300)]).clusters
    assert found is not None
    for link in found.links:
        share = np.linspace(0, 1, 50)[:, None]
        ways = [a + share * (b - a) for a, b in zip(link.line[:-1], link.line[1:])]
        for x, y in np.concatenate(ways):
            inside = (np.abs(found.x - x) < found.width / 2 - 1) & (np.abs(found.y - y) < found.height / 2 - 1)
            assert not inside.any()


def test_a_network_without_arcs_is_one_frame(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(network_drawing, "MOST_UNCLUSTERED", 10)
    found = draw_network(network_of([()] * 20), [f"V{v}" for v in range(20)]).clusters
    assert found is not None and found.titles == ("20 without arcs",) and not found.links


def test_titles_fit_into_their_frames_and_can_be_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(network_drawing, "MOST_UNCLUSTERED", 100)
    network = random_network(300, 3, seed=2)
    for labels in ([f"V{v}" for v in range(300)], [f"A_LONG_NAME_OF_A_VARIABLE_{v}" for v in range(300)]):
        found = draw_network(network, labels).clusters
        assert found is not None
        for title, width in zip(found.titles, found.width):
            assert text_width(title, found.title_size) < width - found.title_size / 2
        across = max(np.ptp(found.x), np.ptp(found.y))
        assert found.title_size > 0.5 * TITLE * across / FIRST_VIEW


def test_frames_are_ordered_once(monkeypatch):
    ordered = []
    fewest = box_layout.fewest_crossings
    monkeypatch.setattr(box_layout, "fewest_crossings", lambda *given: [ordered.append(1), fewest(*given)])
    parents = [[], [0], [0], [1, 2], [1]]
    weight = {(p, v): 1.0 for v, family in enumerate(parents) for p in family}
    width, height, orders = np.full(5, 90.0), np.full(5, 30.0), box_layout.Orders()
    for size in (1.0, 1.5, 1.0):
        again = box_layout.place(parents, weight, size * width, height, orders)
    assert len(ordered) == 1
    first = box_layout.place(parents, weight, width, height)
    assert np.array_equal(first[:2], again[:2]) and all(map(np.array_equal, first[2], again[2]))
