"""Crossing reduction within layers: barycentre sweeps, then exchanges of neighbours."""

from __future__ import annotations

from bisect import bisect_right, insort

import numpy as np

SWEEPS = 24
"""Sweeps down and up; measured on the networks of the bnlearn repository: later ones rarely improve."""

PATIENCE = 6
"""Sweeps without improvement after which the search ends."""

EXCHANGE_LIMIT = 4000
"""Maximum number of vertices for exchanges of neighbours; the time is quadratic in the arcs of a vertex."""


class LayeredGraph:
    """Vertices in layers, joined by links.

    Attributes `rows` (list of int64): vertices of every layer, from left to right. `above`, `below` (list of int64):
    neighbours of every vertex one layer up and one down.
    """

    def __init__(self, layer: np.ndarray, links: np.ndarray, start: np.ndarray):
        """`links` are pairs (upper, lower), shape (n_links, 2); `start` gives the initial order of each layer."""
        n_layers = int(layer.max()) + 1 if len(layer) else 0
        order = np.lexsort((start, layer))
        self.rows = np.split(order, np.searchsorted(layer[order], np.arange(1, n_layers)))
        self.above = _neighbours(links[:, 1], links[:, 0], len(layer))
        self.below = _neighbours(links[:, 0], links[:, 1], len(layer))
        self.rank = np.empty(len(layer), dtype=np.int64)
        for row in self.rows:
            self.rank[row] = np.arange(len(row))

    def crossings(self) -> int:
        """Pairs of links that cross."""
        rank, count = self.rank, 0
        for row in self.rows:
            seen: list[int] = []
            for v in row.tolist():
                # A link crosses the links from vertices further left that end further right; links of one vertex do
                # not cross.
                ends = np.sort(rank[self.below[v]]).tolist()
                count += sum(len(seen) - bisect_right(seen, end) for end in ends)
                for end in ends:
                    insort(seen, end)
        return count

    def sort_row(self, row: int, neighbours: list[np.ndarray]) -> None:
        """Sort one layer by the mean rank of the neighbours; vertices without neighbours keep their position."""
        vertices = self.rows[row]
        lengths = np.array([len(neighbours[v]) for v in vertices])
        if not lengths.any():
            return
        ends = np.concatenate([neighbours[v] for v in vertices])
        owner = np.repeat(np.arange(len(vertices)), lengths)
        sums = np.bincount(owner, weights=self.rank[ends], minlength=len(vertices))
        has = lengths > 0
        places = np.arange(len(vertices), dtype=np.float64)
        # Vertices without neighbours are interpolated, by their present places, between vertices with neighbours.
        key = np.interp(places, places[has], sums[has] / lengths[has])
        key[has] = sums[has] / lengths[has]
        self.set_row(row, vertices[np.argsort(key, kind="stable")])

    def set_row(self, row: int, vertices: np.ndarray) -> None:
        """Set the order of a layer."""
        self.rows[row] = vertices
        self.rank[vertices] = np.arange(len(vertices))


def _neighbours(ends: np.ndarray, others: np.ndarray, n_vertices: int) -> list[np.ndarray]:
    order = np.argsort(ends, kind="stable")
    return np.split(others[order], np.searchsorted(ends[order], np.arange(1, n_vertices)))


def reduce_crossings(graph: LayeredGraph) -> None:
    """Order the layers of `graph` so that few links cross."""
    best, rows = graph.crossings(), list(graph.rows)
    stale = 0
    for sweep in range(SWEEPS):
        if sweep % 2 == 0:
            for row in range(1, len(graph.rows)):
                graph.sort_row(row, graph.above)
        else:
            for row in range(len(graph.rows) - 2, -1, -1):
                graph.sort_row(row, graph.below)
        if len(graph.rank) <= EXCHANGE_LIMIT:
            _exchange_neighbours(graph)
        count = graph.crossings()
        stale = 0 if count < best else stale + 1
        if count < best:
            best, rows = count, list(graph.rows)
        if stale == PATIENCE or best == 0:
            break
    for row, vertices in enumerate(rows):
        graph.set_row(row, vertices)


def _exchange_neighbours(graph: LayeredGraph) -> None:
    """Exchange neighbours in a layer while this reduces crossings (transposition of Gansner et al. 1993)."""
    for row in range(len(graph.rows)):
        vertices = graph.rows[row].tolist()
        ends = {
            v: (np.sort(graph.rank[graph.above[v]]).tolist(), np.sort(graph.rank[graph.below[v]]).tolist())
            for v in vertices
        }
        improved = True
        while improved:
            improved = False
            for i in range(len(vertices) - 1):
                left, right = vertices[i], vertices[i + 1]
                gain = sum(_inversions(a, b) - _inversions(b, a) for a, b in zip(ends[left], ends[right]))
                if gain > 0:
                    vertices[i], vertices[i + 1] = right, left
                    improved = True
        graph.set_row(row, np.array(vertices, dtype=np.int64))


def _inversions(left: list[int], right: list[int]) -> int:
    """Crossings between the links of a vertex and of the one to its right; `left` and `right` are the sorted ranks of
    their ends.
    """
    count = at = 0
    for end in left:
        while at < len(right) and right[at] < end:
            at += 1
        count += at
    return count
