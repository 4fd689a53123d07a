"""Routes of arcs around boxes: taut strings through the free windows of the layers, then curves that stay in them.

Between two layers there are no boxes. In a layer, an arc passes through a window between boxes. A curve whose places
at the upper and at the lower border of a layer lie in the window, and that is monotone between them, touches no box
of the layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from formats.pictures.curves import curve_at
from formats.pictures.text_widths import BOX_HEIGHT

from .coordinates import isotonic

CLEARANCE = 5.0
"""Space between an arc and a box that it passes, pixels."""
INSET = 5.0
"""Least distance between the end of an arc and the corners of its box, pixels."""
ASIDE = 3.0
"""How far aside from its box an arc may be at the border of the layer, pixels; the less, the steeper it arrives."""
SPACE = 10.0
"""Space between arcs that pass through a window or leave a box side by side, if there is as much, pixels."""

Level = tuple[float, float, float]
"""A height with its window: the least and the largest place there."""


class Places(NamedTuple):
    """Where vertices are; arrays of float64, shape (n_vertices,), variables before bends, but for `height`."""

    x: np.ndarray
    y: np.ndarray
    width: np.ndarray
    height: np.ndarray
    """Of the variables."""


def draw_routes(routes: Sequence[np.ndarray], rows: Sequence[np.ndarray], places: Places) -> list[np.ndarray]:
    """The points of each arc from the lower edge of its upper box to the upper edge of its lower one.

    `routes` are the vertices along each arc, a variable at either end and bends between; `rows` those of every layer,
    from left to right. Layers are more than twice `CLEARANCE` apart.
    """
    x, y, width, height = (values.tolist() for values in places)
    down, up = _windows(routes, rows, places)
    lines, first = [], 0
    for route in routes:
        last = first + len(route) - 2
        ends = []
        for v, sign, (_, low, high) in ((int(route[0]), 1, down[first]), (int(route[-1]), -1, up[last])):
            share = (width[v] / 2 - INSET) / (width[v] / 2 + ASIDE)
            edge = (y[v] + sign * height[v] / 2, *(x[v] + share * (place - x[v]) for place in (low, high)))
            ends.append([(y[v] + sign * (height[v] - BOX_HEIGHT) / 2, x[v], x[v]), edge])
        borders = [level for link in range(first, last + 1) for level in (down[link], up[link])]
        lines.append(_draw_route([*ends[0], *borders, *reversed(ends[1])]))
        first = last + 1
    return lines


def _windows(
    routes: Sequence[np.ndarray], rows: Sequence[np.ndarray], places: Places
) -> tuple[list[Level], list[Level]]:
    """The windows of all links of the routes, in their order, where they leave the layer of their upper vertex and
    where they enter that of their lower one.

    The windows at a border are disjoint and in the order of the layer, so arcs cross no more often than this says.
    They are around the straight links, as far as boxes let these pass.
    """
    x, y, width, height = places
    reach, rank, group = np.empty(len(x)), np.empty(len(x)), np.empty(len(x), dtype=np.int64)
    left, right = np.empty(len(x)), np.empty(len(x))
    n_groups = 0
    for row in rows:
        is_box = row < len(height)
        reach[row] = height[row[is_box]].max(initial=0.0) / 2 + CLEARANCE
        rank[row] = np.arange(len(row))
        # A box has a window of its own; the bends between two boxes share one.
        group[row] = n_groups + np.cumsum(is_box | np.concatenate(([True], is_box[:-1])))
        n_groups = int(group[row[-1]])
        start, end = x[row] - width[row] / 2, x[row] + width[row] / 2
        before = np.concatenate(([-np.inf], np.where(is_box, end + CLEARANCE, -np.inf)[:-1]))
        after = np.concatenate((np.where(is_box, start - CLEARANCE, np.inf)[1:], [np.inf]))
        left[row] = np.where(is_box, start - ASIDE, np.maximum.accumulate(before))
        right[row] = np.where(is_box, end + ASIDE, np.minimum.accumulate(after[::-1])[::-1])
    links = np.concatenate([np.column_stack((route[:-1], route[1:])) for route in routes])
    found: list[list[Level]] = []
    for own, other, sign in ((links[:, 0], links[:, 1], 1), (links[:, 1], links[:, 0], -1)):
        wanted = x[own] + (x[other] - x[own]) * reach[own] / np.abs(y[other] - y[own])
        low, high = left[own], right[own]
        order = np.lexsort((x[other], rank[own], group[own]))
        for some in np.split(order, np.flatnonzero(np.diff(group[own][order])) + 1):
            if len(some) > 1:
                _part_window(some, wanted, low, high)
        found.append(list(zip((y[own] + sign * reach[own]).tolist(), low.tolist(), high.tolist())))
    return found[0], found[1]


def _part_window(links: np.ndarray, wanted: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
    """Divide the common window of some links, given from left to right, near where each would be."""
    left, right = low[links[0]], high[links[0]]
    space = min(SPACE, (right - left) / len(links))
    offset = space * np.arange(len(links))
    place = isotonic(wanted[links] - offset, np.ones(len(links)))
    place = np.clip(place, left, right - offset[-1]) + offset
    middle = (place[1:] + place[:-1]) / 2
    low[links[1:]], high[links[:-1]] = middle + space / 4, middle - space / 4


def _draw_route(levels: Sequence[Level]) -> np.ndarray:
    """The points of an arc whose curve stays in all windows, shape (n_points, 2); few where it is nearly straight.

    The heights ascend strictly. The first and the last level are the places inside its boxes that the arc aims at;
    the line begins and ends at the levels next to them.
    """
    at, places = _taut_string(levels)
    y, low, high = np.array(levels[1:-1]).T
    x = np.interp(y, [levels[i][0] for i in at], places)
    kept = np.zeros(len(y), dtype=bool)
    kept[[0, -1, *(i - 1 for i in at[1:-1])]] = True
    while True:
        line = np.column_stack((x, y))[kept]
        curve = curve_at(line, y)
        # The string itself is in all windows, so this ends with all levels at the latest.
        outside = ~kept & ((curve < low) | (curve > high))
        if not outside.any():
            return line
        kept |= outside


def _taut_string(levels: Sequence[Level]) -> tuple[list[int], list[float]]:
    """The shortest line through all windows, from the first level to the last, whose windows are points: the levels
    where it turns, both ends included, and its places there.
    """
    y, low, high = zip(*levels)
    last = len(y) - 1
    start, x = 0, low[0]
    at, places = [start], [x]
    while start < last:
        # Slopes of straight lines from the last turn through all windows to `level`, and which ones bound them.
        least, most = -np.inf, np.inf
        bounds_least = bounds_most = start
        turn, border = last, low
        for level in range(start + 1, last + 1):
            down = y[level] - y[start]
            left, right = (low[level] - x) / down, (high[level] - x) / down
            if left > most or right < least:
                turn, border = (bounds_most, high) if left > most else (bounds_least, low)
                break
            if left >= least:
                least, bounds_least = left, level
            if right <= most:
                most, bounds_most = right, level
        start, x = turn, border[turn]
        at.append(start)
        places.append(x)
    return at, places
