"""Drawings of networks: sizes of boxes, the layout, lines between the borders of boxes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from formats.graph_records import Arc, Differences, Drawing, strengths_of
from formats.pictures.text_widths import BOX_HEIGHT, BOX_PADDING, text_width
from formats.records import NetworkRecord

from .box_layout import place
from .overview import place_clusters

MOST_UNCLUSTERED = 300
"""Largest number of variables that are drawn in layers as a whole; more are drawn in clusters."""
LEAST_WEIGHT = 0.01
"""Weight of an arc of probability 0 in the search for clusters."""


def draw_network(
    network: NetworkRecord,
    labels: Sequence[str],
    undecided: Collection[Arc] = (),
    below: Sequence[tuple[float, float]] | None = None,
) -> Drawing:
    """Lay out a network.

    `labels` are the labels of the boxes; `undecided` arcs are drawn without arrowheads. `below`: width and height of
    what each box shows below its label, pixels; None: nothing. Networks of more than `MOST_UNCLUSTERED` variables
    are drawn in clusters.
    """
    arcs = [(p, child) for child, family in enumerate(network.parents) for p in family]
    width = np.array([text_width(label) + 2 * BOX_PADDING for label in labels])
    width = np.maximum(width, BOX_HEIGHT)
    height = np.full(len(labels), BOX_HEIGHT)
    if below is not None:
        sizes = np.array(below, dtype=np.float64).reshape(-1, 2)
        width, height = np.maximum(width, sizes[:, 0]), height + sizes[:, 1]
    clusters = None
    if len(labels) > MOST_UNCLUSTERED:
        strengths = strengths_of(network)
        weight = {arc: max(strengths[arc].either, LEAST_WEIGHT) if arc in strengths else 1.0 for arc in arcs}
        x, y, points, clusters = place_clusters(network.parents, arcs, labels, width, height, weight)
    else:
        x, y, points = place(network.parents, arcs, width, height)
    half = width / 2
    return Drawing(
        network,
        tuple(labels),
        x,
        y,
        width,
        height,
        tuple(arcs),
        tuple(arc in undecided for arc in arcs),
        tuple(_clipped(line, half[parent], half[child]) for line, (parent, child) in zip(points, arcs)),
        clusters=clusters,
    )


def turned(drawing: Drawing, arcs: Sequence[Arc], undirected: Sequence[bool], differences: Differences) -> Drawing:
    """The drawing with its arcs in these directions, with these marks."""
    lines = [line if arc == own else line[::-1] for arc, own, line in zip(arcs, drawing.arcs, drawing.lines)]
    return replace(
        drawing, arcs=tuple(arcs), undirected=tuple(undirected), lines=tuple(lines), differences=differences
    )


def _clipped(line: np.ndarray, above: float, below: float) -> np.ndarray:
    """The line between the borders of the two boxes at its ends, given by half their widths."""
    line = line.copy()
    line[0] = _border(line[0], line[1], above)
    line[-1] = _border(line[-1], line[-2], below)
    return line


def _border(centre: np.ndarray, towards: np.ndarray, half: float) -> np.ndarray:
    """The point where the line to another point leaves a box, from the centre of the part near an edge of it."""
    aside, down = np.abs(towards - centre)
    share = min(half / aside if aside else np.inf, BOX_HEIGHT / 2 / down if down else np.inf, 1.0)
    return centre + share * (towards - centre)
