"""Drawings: boxes apart, arcs downward from border to border, the same each time."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.format_strategies import networks, words
from hypothesis import given

from formats.data_records import Variable
from formats.graph_records import Drawing, Strength, with_strengths
from formats.records import Header, NetworkRecord
from stages.drawing import box_layout
from stages.drawing.crossings import fewest_crossings
from stages.drawing.network_drawing import draw_network


def network_of(parents) -> NetworkRecord:
    header = Header(tuple(Variable(f"V{v}") for v in range(len(parents))))
    return NetworkRecord(header, tuple(map(tuple, parents)), np.full(len(parents), np.nan))


def random_network(n_variables: int, n_parents: int, seed: int) -> NetworkRecord:
    rng = np.random.default_rng(seed)
    families = [
        sorted(rng.choice(v, size=min(v, rng.integers(0, n_parents + 1)), replace=False).tolist())
        for v in range(n_variables)
    ]
    return network_of(families)


def check_apart(x, y, width, height) -> None:
    aside = np.abs(x[:, None] - x) >= (width[:, None] + width) / 2 + 1
    apart = aside | (np.abs(y[:, None] - y) >= (height[:, None] + height) / 2 + 1)
    np.fill_diagonal(apart, True)
    assert apart.all()


def check(drawing: Drawing) -> None:
    x, y, width, height = drawing.x, drawing.y, drawing.width, drawing.height
    check_apart(x, y, width, height)
    for (parent, child), line in zip(drawing.arcs, drawing.lines):
        assert (np.diff(line[:, 1]) > 0).all()
        for v, end in ((parent, line[0]), (child, line[-1])):
            aside, down = abs(end[0] - x[v]) - width[v] / 2, abs(end[1] - y[v]) - height[v] / 2
            assert max(aside, down) == pytest.approx(0, abs=1e-6)


@given(network=networks(words))
def test_small_networks(network: NetworkRecord):
    drawing = draw_network(network, network.header.names)
    check(drawing)
    assert set(drawing.arcs) == {(p, v) for v, family in enumerate(network.parents) for p in family}
    assert drawing.labels == network.header.names


@pytest.mark.slow
@pytest.mark.parametrize(("n_variables", "n_parents"), [(60, 2), (150, 4)])
def test_larger_networks(n_variables: int, n_parents: int):
    network = random_network(n_variables, n_parents, seed=1)
    drawing = draw_network(network, network.header.names)
    check(drawing)
    again = draw_network(network, network.header.names)
    assert all(np.array_equal(a, b) for a, b in zip(drawing.lines, again.lines))


def test_boxes_of_different_heights():
    rng = np.random.default_rng(4)
    sizes = np.column_stack((rng.uniform(40, 160, 40), rng.choice([0.0, 30.0, 120.0], 40))).tolist()
    drawing = draw_network(random_network(40, 2, seed=3), [f"V{v}" for v in range(40)], below=sizes)
    check(drawing)


def test_weak_arcs_go_around_strong_ones():
    """Twelve parents of one variable: its strongest parent stands above it, wherever that is in their order."""
    for strong in range(12):
        network = network_of([()] * 12 + [tuple(range(12))])
        strengths = {(p, 12): Strength(*([1.0] if p == strong else [0.02]) * 2) for p in range(12)}
        drawing = draw_network(with_strengths(network, strengths), network.header.names)
        aside = np.abs(drawing.x[:12] - drawing.x[12])
        assert aside[strong] == aside.min() and aside[strong] < drawing.width[strong] / 2


def test_layers_of_a_tower_move_together():
    """A chain of 60 variables, each with a second parent two before it: less than 40 pixels a layer."""
    families = [tuple(range(max(0, v - 2), v)) for v in range(60)]
    drawing = draw_network(network_of(families), [f"V{v}" for v in range(60)])
    check(drawing)
    assert np.ptp(drawing.y) < 60 * 40


def test_more_starts_leave_fewer_crossings(monkeypatch: pytest.MonkeyPatch):
    found: dict[int, list[int]] = {1: [], 20: []}
    for starts, counts in found.items():
        monkeypatch.setattr(box_layout, "STARTS", starts)
        monkeypatch.setattr(box_layout, "fewest_crossings", lambda *a, c=counts: c.append(fewest_crossings(*a)))
        for seed in range(5):
            network = random_network(20, 2, seed)
            draw_network(network, network.header.names)
    assert all(few <= many for many, few in zip(found[1], found[20], strict=True))
    assert sum(found[20]) < sum(found[1])


def test_arcs_of_the_cheaper_layout_turn_beside_their_boxes_only(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(box_layout, "MAX_BENDS", 0)
    drawing = draw_network(random_network(60, 3, seed=2), [f"V{v}" for v in range(60)])
    check(drawing)
    assert {len(line) for line in drawing.lines} == {2, 3, 4}


def test_a_star_becomes_no_strip():
    drawing = draw_network(network_of([(), *[(0,)] * 200]), [f"variable {v}" for v in range(201)])
    check(drawing)
    wide, high = np.ptp(drawing.x), np.ptp(drawing.y)
    assert wide < 5 * high


def test_variables_without_arcs_come_in_rows():
    drawing = draw_network(network_of([()] * 100), [f"V{v}" for v in range(100)])
    check(drawing)
    assert 2 < len(set(drawing.y.tolist())) < 50


def test_undirected_edges_are_reported():
    network = network_of([(), (0,), (0,), (1, 2)])
    drawing = draw_network(network, list("abcd"), [(0, 1), (0, 2)])
    assert dict(zip(drawing.arcs, drawing.undirected)) == {(0, 1): True, (0, 2): True, (1, 3): False, (2, 3): False}


def test_small_parts_stand_below_one_another_beside_a_tall_one():
    """A chain of twelve variables and eight pairs: the pairs take two columns beside it, not eight."""
    chain = [(), *((v,) for v in range(11))]
    pairs = [family for k in range(8) for family in ((), (12 + 2 * k,))]
    drawing = draw_network(network_of([*chain, *pairs]), [f"X{v}" for v in range(28)])
    check(drawing)
    places = {round(float(x)) for x in drawing.x[12:]}
    assert len(places) <= 2
    assert float(drawing.y.max()) == drawing.y[:12].max()
