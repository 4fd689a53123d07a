"""Drawings of networks: sizes of boxes, weights of arcs, the layout."""

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
"""Weight of an arc of probability 0 in the layout."""


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
    strengths = strengths_of(network)
    weight = {arc: max(strengths[arc].either, LEAST_WEIGHT) if arc in strengths else 1.0 for arc in arcs}
    clusters = None
    if len(labels) > MOST_UNCLUSTERED:
        x, y, lines, clusters = place_clusters(network.parents, labels, width, height, weight)
    else:
        x, y, lines = place(network.parents, weight, width, height)
    return Drawing(
        network,
        tuple(labels),
        x,
        y,
        width,
        height,
        tuple(arcs),
        tuple(arc in undecided for arc in arcs),
        tuple(lines),
        clusters=clusters,
    )


def turned(drawing: Drawing, arcs: Sequence[Arc], undirected: Sequence[bool], differences: Differences) -> Drawing:
    """The drawing with its arcs in these directions, with these marks."""
    lines = [line if arc == own else line[::-1] for arc, own, line in zip(arcs, drawing.arcs, drawing.lines)]
    return replace(
        drawing, arcs=tuple(arcs), undirected=tuple(undirected), lines=tuple(lines), differences=differences
    )
