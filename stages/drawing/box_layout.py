"""Places of boxes: layers, order and positions of each connected part, packing of parts, routes of arcs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from formats.pictures.text_widths import BOX_HEIGHT
from formats.sets.listed_sets import offsets_of
from stages.graphs import Parents, connected_components

from .coordinates import place_vertices
from .crossings import LayeredGraph, reduce_crossings
from .layers import assign_layers, split_layers

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
MAX_BENDS = 12_000
"""Largest number of bends of a part; with more, a cheaper layout draws straight arcs that pass behind boxes."""
ASPECT = 1.8
"""Target ratio of width to height for which layers are split."""


class Part(NamedTuple):
    """A drawing of one connected part; its corner is at the origin.

    `points[i]` are the bends of arc i, its ends (centres of boxes) included, shape (n, 2).
    """

    x: np.ndarray
    y: np.ndarray
    width: float
    height: float
    points: list[np.ndarray]


def place(
    parents: Parents, arcs: Sequence[tuple[int, int]], width: np.ndarray, height: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
    """Centres of all boxes, and the points through which each arc goes."""
    n_variables = len(parents)
    graph: list[set[int]] = [set() for _ in range(n_variables)]
    for parent, child in arcs:
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
        drawn.append((part, draw_part(own, width[part], height[part])))
    if lonely:
        drawn.append((lonely, _grid(width[lonely], height[lonely], sum(p.width * p.height for _, p in drawn))))
    corners = _pack([found for _, found in drawn])
    x, y = np.zeros(n_variables), np.zeros(n_variables)
    lines: dict[tuple[int, int], np.ndarray] = {}
    for (members, found), corner in zip(drawn, corners):
        x[members], y[members] = found.x + corner[0], found.y + corner[1]
        inner = [(p, v) for v in members for p in parents[v]]
        lines.update(zip(inner, (line + corner for line in found.points)))
    return x, y, [lines[arc] for arc in arcs]


def draw_part(parents: Parents, width: np.ndarray, height: np.ndarray) -> Part:
    """Draw a connected acyclic graph.

    `width` and `height` of the boxes: float64, shape (n_variables,), pixels.
    """
    arcs = np.array([(p, v) for v, family in enumerate(parents) for p in family], dtype=np.int64)
    layer = assign_layers(parents)
    spans = layer[arcs[:, 1]] - layer[arcs[:, 0]]
    is_cheap = int((spans - 1).sum()) > MAX_BENDS
    # A first order decides how a layer that is too wide is split; the new layers are ordered afterwards.
    rank = _ordered(_Bent(layer, arcs, is_cheap), np.zeros(len(parents)))[: len(parents)]
    limit = _width_limit(width, height)
    layer = split_layers(layer, rank, width + GAP, limit)
    bent = _Bent(layer, arcs, is_cheap)
    graph = LayeredGraph(bent.layer, bent.links, bent.started_from(rank, layer))
    reduce_crossings(graph)
    wide = np.concatenate((width, np.full(len(bent.layer) - len(width), BEND_WIDTH)))
    x = place_vertices(graph.rows, bent.links, bent.weights(len(parents)), wide, GAP)
    x -= (x - wide / 2).min()
    n = len(parents)
    tall = np.zeros(int(layer.max()) + 1)
    np.maximum.at(tall, layer, height)
    y = _heights(bent, x, tall)
    clearance = _clearances(graph.rows, x, wide, n)
    lines = (_line(route, x, y, clearance, tall[bent.layer] / 2) for route in bent.routes)
    points = [
        _from_to(line, height[route[[0, -1]]], tall[layer[route[[0, -1]]]]) for line, route in zip(lines, bent.routes)
    ]
    return Part(x[:n], y[:n], float((x + wide / 2).max()), float((y[:n] + height / 2).max()), points)


def _clearances(rows: list[np.ndarray], x: np.ndarray, width: np.ndarray, n_variables: int) -> np.ndarray:
    """Distance from each vertex to the nearest box of its layer, to the left or to the right."""
    clearance = np.full(len(x), np.inf)
    for row in rows:
        middle, half, is_box = x[row], width[row] / 2, row < n_variables
        # The border of the last box to the left of each place, and of the first one to the right.
        left = np.maximum.accumulate(np.concatenate(([-np.inf], np.where(is_box, middle + half, -np.inf)[:-1])))
        ends = np.concatenate((np.where(is_box, middle - half, np.inf)[1:], [np.inf]))
        right = np.minimum.accumulate(ends[::-1])[::-1]
        clearance[row] = np.minimum(middle - left, right - middle) - half
    return clearance


def _line(route: np.ndarray, x: np.ndarray, y: np.ndarray, clearance: np.ndarray, half: np.ndarray) -> np.ndarray:
    """The points of an arc; vertical in a layer of high boxes, and where a slanted line would touch one.

    `half` is half the height of the layer of every vertex.
    """
    points = [(x[route[0]], y[route[0]])]
    for before, vertex, after in zip(route[:-2], route[1:-1], route[2:]):
        slant = max(abs((x[vertex] - x[v]) / (y[vertex] - y[v])) for v in (before, after))
        is_straight = half[vertex] > BOX_HEIGHT / 2 or slant * half[vertex] > clearance[vertex] - 2
        heights = (-half[vertex], half[vertex]) if is_straight else (0.0,)
        points += [(x[vertex], y[vertex] + height) for height in heights]
    points.append((x[route[-1]], y[route[-1]]))
    return np.array(points)


def _from_to(line: np.ndarray, height: np.ndarray, tall: np.ndarray) -> np.ndarray:
    """The line from near the lower edge of the upper box to near the upper edge of the lower one, vertical beside
    higher boxes of their layers.

    `height` and `tall`: of both boxes, and of their layers.
    """
    first, last = line[:1], line[-1:]
    down, up = np.array([0.0, 0.5]), np.array([0.0, -0.5])
    start, end = first + down * (height[0] - BOX_HEIGHT), last + up * (height[1] - BOX_HEIGHT)
    below = [first + down * tall[0]] if tall[0] > height[0] else []
    above = [last + up * tall[1]] if tall[1] > height[1] else []
    return np.concatenate([start, *below, line[1:-1], *above, end])


def _width_limit(width: np.ndarray, height: np.ndarray) -> float:
    """Width of layers at which the drawing has the target aspect if all layers are full."""
    area = float(((width + GAP) * (height + LAYER_GAP)).sum())
    widest = float((width + GAP).max())
    return max(ASPECT * math.sqrt(area * 2 / ASPECT), 4 * widest, 900.0)


def _ordered(bent: _Bent, start: np.ndarray) -> np.ndarray:
    """Rank of every vertex in its layer once crossings are reduced."""
    graph = LayeredGraph(bent.layer, bent.links, bent.started_from(start, bent.layer[: len(start)]))
    reduce_crossings(graph)
    return graph.rank


class _Bent:
    """A graph whose arcs have a bend in every layer that they cross.

    Attributes
    ----------
    layer : ndarray of int64
        Of the variables, then of the bends.
    links : ndarray of int64, shape (n_links, 2)
        Pairs of consecutive vertices of the routes. They join consecutive layers unless arcs have no bends. Without
        bends, the order within layers treats neighbours in farther layers as if these were in the next one.
    routes : list of ndarray of int64
        The vertices along each arc.
    """

    def __init__(self, layer: np.ndarray, arcs: np.ndarray, is_cheap: bool):
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

    def started_from(self, rank: np.ndarray, layer: np.ndarray) -> np.ndarray:
        """Initial positions within layers: variables by `rank`, bends between the ends of their arcs."""
        size = np.maximum(1, np.bincount(layer, minlength=int(layer.max()) + 1))
        place = (rank + 0.5) / size[layer]
        start = np.concatenate((place, np.zeros(len(self.layer) - len(place))))
        for route in self.routes:
            if len(route) > 2:
                share = np.arange(1, len(route) - 1) / (len(route) - 1)
                start[route[1:-1]] = start[route[0]] * (1 - share) + start[route[-1]] * share
        return start

    def weights(self, n_variables: int) -> np.ndarray:
        """Weights of links: larger where they join bends, so that long arcs are straight (Gansner et al. 1993)."""
        n_bends = (self.links >= n_variables).sum(axis=1)
        span = self.layer[self.links[:, 1]] - self.layer[self.links[:, 0]]
        return np.array([1.0, 2.0, 8.0])[n_bends] / span


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
