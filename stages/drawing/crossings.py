"""Crossing reduction within layers: barycentre sweeps, then exchanges of neighbours; the best of several starts."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable

import numpy as np

SWEEPS = 24
"""Sweeps down and up; measured on the networks of the bnlearn repository: later ones rarely improve."""

PATIENCE = 6
"""Sweeps without improvement after which the search ends."""

EXCHANGE_LIMIT = 4000
"""Maximum number of vertices for exchanges of neighbours; the time is quadratic in the arcs of a vertex."""


Near = list[list[tuple[int, float]]]
"""Neighbours of every vertex in a layer beside its own, each with the weight of the link."""


class LayeredGraph:
    """Vertices in layers, joined by links.

    Attributes `rows`: vertices of every layer, from left to right; `rank`: place of every vertex in its layer.
    `above`, `below`: neighbours of every vertex one layer up and one down.
    """

    def __init__(self, layer: np.ndarray, links: np.ndarray, weight: np.ndarray):
        """`links` are pairs (upper, lower), shape (n_links, 2), each with a positive `weight`."""
        self.layer = layer
        self.above: Near = [[] for _ in layer]
        self.below: Near = [[] for _ in layer]
        for (upper, lower), each in zip(links.tolist(), weight.tolist()):
            self.above[lower].append((upper, each))
            self.below[upper].append((lower, each))
        self.rank = [0] * len(layer)
        self.start(np.zeros(len(layer)))

    def start(self, place: np.ndarray) -> None:
        """Order each layer by the places of its vertices."""
        order = np.lexsort((place, self.layer))
        cuts = np.flatnonzero(np.diff(self.layer[order])) + 1
        self.rows = [row.tolist() for row in np.split(order, cuts)]
        for number, row in enumerate(self.rows):
            self.set_row(number, row)

    def set_row(self, number: int, vertices: list[int]) -> None:
        """Set the order of a layer."""
        self.rows[number] = vertices
        for place, v in enumerate(vertices):
            self.rank[v] = place

    def ends(self, near: Near, vertex: int) -> list[int]:
        """Places of the neighbours of a vertex, ascending."""
        return sorted([self.rank[u] for u, _ in near[vertex]])

    def crossings(self) -> int:
        """Pairs of links that cross."""
        count = 0
        for row in self.rows:
            seen: list[int] = []
            for v in row:
                # A link crosses the links from vertices further left that end further right; links of one vertex do
                # not cross.
                ends = self.ends(self.below, v)
                for end in ends:
                    count += len(seen) - bisect_right(seen, end)
                for end in ends:
                    insort(seen, end)
        return count

    def sort_row(self, number: int, near: Near) -> None:
        """Sort one layer by the weighted mean place of the neighbours; vertices without any keep their position."""
        row, rank = self.rows[number], self.rank
        known = [i for i, v in enumerate(row) if near[v]]
        if not known:
            return
        means = [
            sum([rank[u] * weight for u, weight in near[row[i]]]) / sum([weight for _, weight in near[row[i]]])
            for i in known
        ]
        if len(known) < len(row):
            # Vertices without neighbours are interpolated, by their present places, between vertices with neighbours.
            means = np.interp(np.arange(len(row)), known, means).tolist()
        self.set_row(number, [row[i] for i in sorted(range(len(row)), key=means.__getitem__)])


def fewest_crossings(graph: LayeredGraph, starts: Iterable[np.ndarray]) -> int:
    """Order the layers as is best of what `reduce_crossings` makes of some starts, which are places of the vertices;
    returns the number of crossings.
    """
    best, rows = None, graph.rows
    for start in starts:
        graph.start(start)
        count = reduce_crossings(graph)
        if best is None or count < best:
            best, rows = count, list(graph.rows)
        if not best:
            break
    for number, row in enumerate(rows):
        graph.set_row(number, row)
    return best or 0


def reduce_crossings(graph: LayeredGraph) -> int:
    """Order the layers of `graph`, from their present order, so that few links cross; returns how many do."""
    best, rows = graph.crossings(), list(graph.rows)
    stale = 0
    for sweep in range(SWEEPS):
        if sweep % 2 == 0:
            for number in range(1, len(graph.rows)):
                graph.sort_row(number, graph.above)
        else:
            for number in range(len(graph.rows) - 2, -1, -1):
                graph.sort_row(number, graph.below)
        if len(graph.rank) <= EXCHANGE_LIMIT:
            _exchange_neighbours(graph, with_ties=sweep % 4 >= 2)
        count = graph.crossings()
        stale = 0 if count < best else stale + 1
        if count < best:
            best, rows = count, list(graph.rows)
        if stale == PATIENCE or best == 0:
            break
    for number, row in enumerate(rows):
        graph.set_row(number, row)
    return best


def _exchange_neighbours(graph: LayeredGraph, with_ties: bool) -> None:
    """Exchange neighbours in a layer while this reduces crossings (transposition of Gansner et al. 1993).

    `with_ties`: first also once where it changes nothing, which leaves many local optima.
    """
    for number in range(len(graph.rows)):
        row = list(graph.rows[number])
        ends = {v: (graph.ends(graph.above, v), graph.ends(graph.below, v)) for v in row}
        least, pairs = 0 if with_ties else 1, list(range(len(row) - 1))
        while pairs:
            exchanged = []
            for i in pairs:
                (a, b), (c, d) = ends[row[i]], ends[row[i + 1]]
                if _inversions(a, c) + _inversions(b, d) >= _inversions(c, a) + _inversions(d, b) + least:
                    row[i], row[i + 1] = row[i + 1], row[i]
                    exchanged.append(i)
            # Other pairs are as they were.
            least, pairs = 1, sorted({j for i in exchanged for j in (i - 1, i + 1) if 0 <= j < len(row) - 1})
        graph.set_row(number, row)


def _inversions(left: list[int], right: list[int]) -> int:
    """Crossings between the links of a vertex and of the one to its right; `left` and `right` are the sorted ranks of
    their ends.
    """
    if not left or not right or left[-1] <= right[0]:
        return 0
    count = at = 0
    for end in left:
        while at < len(right) and right[at] < end:
            at += 1
        count += at
    return count
