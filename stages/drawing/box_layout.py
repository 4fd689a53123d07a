"""Places of boxes: layers, order and positions of each connected part, packing of parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from formats.graph_records import Arc
from formats.sets.listed_sets import offsets_of
from stages.graphs import Parents, connected_components

from .coordinates import place_vertices
from .crossings import LayeredGraph, fewest_crossings
from .layers import assign_layers, split_layers
from .routes import Places, draw_routes

GAP = 14.0
"""Space between neighbours of a layer, pixels."""
BEND_WIDTH = 2.0
"""Width of an arc that passes through a layer."""
LAYER_GAP = 46.0
"""Minimum space between layers; wider for long horizontal offsets."""
LEAST_LAYER_GAP = 14.0
"""Smallest share of `LAYER_GAP` to which the layers of a tower move together, pixels."""
TOWER = 1000.0
"""Height from which a drawing that is higher than wide is a tower, pixels."""
PART_GAP = 48.0
STARTS = 20
"""Number of orders of a small part from which crossings are reduced; random but for the first."""
ORDERED = 6000
"""Number of variables and bends in all these orders together; a larger part has fewer starts, at least one."""
MAX_BENDS = 12_000
"""Largest number of bends of a part; with more, a cheaper layout draws straight arcs that pass behind boxes."""
ASPECT = 1.8
"""Target ratio of width to height for which layers are split."""

Orders = dict[tuple[bytes, ...], LayeredGraph]
"""Graphs with few crossings, by what their orders follow from: layers, links, weights and first places."""


class Part(NamedTuple):
    """A drawing of one connected part; its corner is at the origin.

    `points[i]` is the line of arc i as points from the edge of one box to the edge of the other, shape (n, 2).
    """

    x: np.ndarray
    y: np.ndarray
    width: float
    height: float
    points: list[np.ndarray]


def place(
    parents: Parents, weight: Mapping[Arc, float], width: np.ndarray, height: np.ndarray, orders: Orders | None = None
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Centres of all boxes, and the points through which each arc goes, in the order of `weight`.

    - `weight`: positive, of every arc; the larger, the straighter the arc is.
    - `orders`: of earlier calls; calls that differ in sizes alone find most of theirs there.
    """
    orders = {} if orders is None else orders
    n_variables = len(parents)
    graph: list[set[int]] = [set() for _ in range(n_variables)]
    for parent, child in weight:
        graph[parent].add(child)
        graph[child].add(parent)
    components = connected_components(graph)
    lonely = [component[0] for component in components if len(component) == 1]
    parts = [component for component in components if len(component) > 1]
    number = np.zeros(n_variables, dtype=np.int64)
    drawn: list[tuple[list[int], Part]] = []
    for part in parts:
        number[part] = np.arange(len(part))
        own = [[int(number[p]) for p in parents[v]] for v in part]
        own_weight = np.array([weight[p, v] for v in part for p in parents[v]])
        drawn.append((part, draw_part(own, own_weight, width[part], height[part], orders)))
    if lonely:
        drawn.append((lonely, _grid(width[lonely], height[lonely], sum(p.width * p.height for _, p in drawn))))
    corners = _pack([found for _, found in drawn])
    x, y = np.zeros(n_variables), np.zeros(n_variables)
    lines: dict[Arc, np.ndarray] = {}
    for (members, found), corner in zip(drawn, corners):
        x[members], y[members] = found.x + corner[0], found.y + corner[1]
        inner = [(p, v) for v in members for p in parents[v]]
        lines.update(zip(inner, (line + corner for line in found.points)))
    return x, y, [lines[arc] for arc in weight]


def draw_part(parents: Parents, weight: np.ndarray, width: np.ndarray, height: np.ndarray, orders: Orders) -> Part:
    """Draw a connected acyclic graph.

    `weight` of the arcs, by child and then by parent: float64, shape (n_arcs,). `width` and `height` of the boxes:
    float64, shape (n_variables,), pixels. New orders are added to `orders`.
    """
    n = len(parents)
    arcs = np.array([(p, v) for v, family in enumerate(parents) for p in family], dtype=np.int64)
    layer = assign_layers(parents)
    spans = layer[arcs[:, 1]] - layer[arcs[:, 0]]
    is_cheap = int((spans - 1).sum()) > MAX_BENDS
    # A first order decides how a layer that is too wide is split; the new layers are ordered afterwards.
    bent = _Bent(layer, arcs, weight, is_cheap)
    graph = bent.ordered(np.full(n, 0.5), orders)
    rank = np.array(graph.rank[:n])
    split = split_layers(layer, rank, width + GAP, _width_limit(width, height))
    if not np.array_equal(split, layer):
        bent = _Bent(split, arcs, weight, is_cheap)
        graph = bent.ordered((rank + 0.5) / np.bincount(layer)[layer], orders)
    rows = [np.array(row) for row in graph.rows]
    wide = np.concatenate((width, np.full(len(bent.layer) - n, BEND_WIDTH)))
    x = place_vertices(rows, bent.links, bent.stiffness(n), wide, GAP)
    x -= (x - wide / 2).min()
    tall = np.zeros(len(rows))
    np.maximum.at(tall, split, height)
    y = _heights(bent, x, tall)
    points = draw_routes(bent.routes, rows, Places(x, y, wide, height))
    return Part(x[:n], y[:n], float((x + wide / 2).max()), float((y[:n] + height / 2).max()), points)


def _width_limit(width: np.ndarray, height: np.ndarray) -> float:
    """Width of layers at which the drawing has the target aspect if all layers are full."""
    area = float(((width + GAP) * (height + LAYER_GAP)).sum())
    widest = float((width + GAP).max())
    return max(ASPECT * math.sqrt(area * 2 / ASPECT), 4 * widest, 900.0)


class _Bent:
    """A graph whose arcs have a bend in every layer that they cross.

    Attributes
    ----------
    layer : ndarray of int64
        Of the variables, then of the bends.
    links : ndarray of int64, shape (n_links, 2)
        Pairs of consecutive vertices of the routes. They join consecutive layers unless arcs have no bends. Without
        bends, the order within layers treats neighbours in farther layers as if these were in the next one.
    weight : ndarray of float64, shape (n_links,)
        Of the arc of every link.
    routes : list of ndarray of int64
        The vertices along each arc.
    """

    def __init__(self, layer: np.ndarray, arcs: np.ndarray, weight: np.ndarray, is_cheap: bool):
        n = len(layer)
        upper, lower = layer[arcs[:, 0]], layer[arcs[:, 1]]
        n_bends = np.zeros(len(arcs), dtype=np.int64) if is_cheap else lower - upper - 1
        first = n + offsets_of(n_bends)
        owner = np.repeat(np.arange(len(arcs)), n_bends)
        # Bends are numbered arc by arc, from the top: the k-th of an arc is k layers below its parent.
        step = np.arange(len(owner)) - (first[:-1] - n)[owner] + 1
        self.layer = np.concatenate((layer, upper[owner] + step))
        self.routes = [
            np.array([parent, *range(first[i], first[i + 1]), child])
            for i, (parent, child) in enumerate(arcs.tolist())
        ]
        self.links = np.concatenate([np.column_stack((r[:-1], r[1:])) for r in self.routes])
        self.weight = np.repeat(weight, n_bends + 1)

    def ordered(self, place: np.ndarray, orders: Orders) -> LayeredGraph:
        """The graph with few crossings, from the order of the `place` (0 to 1) of each variable and random ones."""
        key = tuple(each.tobytes() for each in (self.layer, self.links, self.weight, place))
        if key in orders:
            return orders[key]
        graph = LayeredGraph(self.layer, self.links, self.weight)
        rng = np.random.default_rng(0)
        others = max(1, min(STARTS, ORDERED // len(self.layer))) - 1
        places = chain([place], (rng.random(len(place)) for _ in range(others)))
        fewest_crossings(graph, map(self._with_bends, places))
        orders[key] = graph
        return graph

    def _with_bends(self, place: np.ndarray) -> np.ndarray:
        """Places in layers of variables and bends, these between the ends of their arcs."""
        start = np.concatenate((place, np.zeros(len(self.layer) - len(place))))
        for route in self.routes:
            if len(route) > 2:
                share = np.arange(1, len(route) - 1) / (len(route) - 1)
                start[route[1:-1]] = start[route[0]] * (1 - share) + start[route[-1]] * share
        return start

    def stiffness(self, n_variables: int) -> np.ndarray:
        """How straight each link is to be: more where it joins bends, so that long arcs are straight (Gansner et al.
        1993), and by the square of the weight of its arc, so that many weak arcs do not outweigh a strong one.
        """
        n_bends = (self.links >= n_variables).sum(axis=1)
        span = self.layer[self.links[:, 1]] - self.layer[self.links[:, 0]]
        return self.weight**2 * np.array([1.0, 2.0, 8.0])[n_bends] / span


def _heights(bent: _Bent, x: np.ndarray, tall: np.ndarray) -> np.ndarray:
    """Vertical positions: layers are farther apart if links between them have large horizontal offsets, and closer in
    a drawing that would be a tower.

    `tall`: height of every layer.
    """
    aside = np.zeros(len(tall))
    upper, lower = bent.layer[bent.links[:, 0]], bent.layer[bent.links[:, 1]]
    slant = np.abs(x[bent.links[:, 0]] - x[bent.links[:, 1]]) / (lower - upper)
    np.maximum.at(aside, upper, slant)
    gaps = LAYER_GAP + np.minimum(180.0, 0.1 * aside)
    room = max(float(np.ptp(x)), TOWER) - float(tall.sum())
    gaps *= min(1.0, max(LEAST_LAYER_GAP / LAYER_GAP, room / max(float(gaps.sum()), 1.0)))
    top = np.concatenate(([0.0], np.cumsum((tall + gaps)[:-1])))
    return (top + tall / 2)[bent.layer]


def _grid(width: np.ndarray, height: np.ndarray, area: float) -> Part:
    """Variables without arcs, in rows."""
    limit = max(600.0, math.sqrt(ASPECT * (area + float(((width + GAP) * (height + GAP)).sum()))))
    x, y = np.zeros(len(width)), np.zeros(len(width))
    left = top = right = bottom = 0.0
    for i, (own, tall) in enumerate(zip(width.tolist(), height.tolist())):
        if left and left + own > limit:
            left, top = 0.0, bottom + GAP
        x[i], y[i] = left + own / 2, top + tall / 2
        left += own + GAP
        right, bottom = max(right, left - GAP), max(bottom, top + tall)
    return Part(x, y, right, bottom, [])


def _pack(parts: Sequence[Part]) -> list[tuple[float, float]]:
    """Upper left corners of parts packed in rows, the tallest first; a grid comes last.

    Lower parts of a row stand below one another, as far as its height allows.
    """
    area = sum((p.width + PART_GAP) * (p.height + PART_GAP) for p in parts)
    limit = max([math.sqrt(ASPECT * area), *(p.width for p in parts)], default=0.0)
    corners = [(0.0, 0.0)] * len(parts)
    top = left = 0.0  # of the row, of its last column
    height = width = filled = 0.0  # of the row; of the column, and where its next part begins
    for i in sorted(range(len(parts)), key=lambda i: (not parts[i].points, -parts[i].height, i)):
        part = parts[i]
        if not width or filled + part.height > height or left + part.width > limit:
            left += width + PART_GAP if width else 0.0
            if left and left + part.width > limit:
                top, left, height = top + height + PART_GAP, 0.0, 0.0
            width, filled, height = 0.0, 0.0, max(height, part.height)
        corners[i] = (left, top + filled)
        width, filled = max(width, part.width), filled + part.height + PART_GAP
    return corners
