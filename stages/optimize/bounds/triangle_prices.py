"""Prices of edges and triangles of a k-tree under a treewidth bound K of two or three.

Once prices of edges gain little, each triple of variables becomes a column beside the pairs: whether it is a triangle
of a k-tree that contains the moral graph. The sets that join one variable of a triple to both others need the
triangle, and a triangle needs its edges. Rows about the cliques of all k-trees (`clique_rows`) couple edges and
triangles: how many triangles a variable and an edge are in, how many a variable has among others, and that cycles
have chords. Larger K have prices of edges alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.bounds.dual_ascent import Columns
from stages.kernels.bounds.edges import with_edges
from stages.kernels.bounds.triangles import new_triangles

from .clique_rows import (
    Point,
    Row,
    chords,
    degrees,
    links,
    most_violated,
    triangles_of_edges,
    triangles_within_edges,
    within,
)
from .cliques import Cliques
from .edge_prices import EdgePrices, code_of

MOST_VARIABLES = 40
"""Variables beyond which triangles are not priced: all triples are columns."""

WIDTHS = (2, 3)
"""Treewidth bounds for which triangles are priced."""

SCALE = 20.0
"""A row of `SCALE` entries has half the weight of a row of few entries in a step."""


class TrianglePrices(EdgePrices):
    """As `EdgePrices`, and it goes on from `prices` at the same bound.

    Rows of a triple have one code: the pair of its first two variables, and its last one. The rows before those over
    sets are about cliques of k-trees, all of them "at least" with integer coefficients, scaled.
    """

    def __init__(self, prices: EdgePrices, columns: Columns, shares: np.ndarray):
        super().__init__(columns, prices.treewidth)
        n, self.edges = self._n, prices.edges
        self._before: list[Row] = []
        self._cliques = cliques = Cliques(n, prices.edges.width)
        self._ends = cliques.pairs[:, 0] * n + cliques.pairs[:, 1]
        # Averages so far: of edges as chosen or as sets need them, of triangles as much as edges allow.
        of_pairs = prices.needs(*prices.counted(columns, shares))
        of_pairs[prices.edges.ends] = prices.edges.shares
        y = of_pairs[self._ends]
        edges_of = cliques.edges_of_triples
        self._take_rows(prices, np.argmin(y[edges_of], axis=1))
        self._take(self.codes, 0, np.concatenate((of_pairs, np.minimum(1.0, y[edges_of].min(axis=1)))))

    def _take_rows(self, prices: EdgePrices, scarcest: np.ndarray) -> None:
        """The rows of `prices` as rows of this relaxation, with the same bound.

        Instead of up to three rows of a triple, each for an edge, there is one, at the sum of their prices; the
        triangle lies in the dearest edge, and in the others by rows at these edges' prices. Without prices it lies in
        the one of the place `scarcest`.
        """
        n, cliques = self._n, self._cliques
        a, b, c = cliques.triples.T
        codes = np.stack([code_of(n, a, b, c), code_of(n, a, c, b), code_of(n, b, c, a)], axis=1)
        places = np.searchsorted(prices.codes, codes)
        is_row = np.append(prices.codes, -1)[places] == codes
        best, moving = (np.where(is_row, np.append(some, 0.0)[places], 0.0) for some in (prices.best, prices.moving))
        every = np.arange(len(codes))
        dearest = np.where(best.any(axis=1), np.argmin(best, axis=1), scarcest)
        self._within = cliques.edges_of_triples[every, dearest].astype(np.int64)
        further = (best < 0.0) | (moving < 0.0)
        further[every, dearest] = False
        for triple, place in np.argwhere(further).tolist():
            edge, column = int(cliques.edges_of_triples[triple, place]), cliques.first_triple + triple
            self._before.append(within("edge", edge, np.array([column])))
        is_arc, is_sink = prices.codes % (n + 1) == 0, is_row.any(axis=1)
        self.codes = np.concatenate((prices.codes[is_arc], codes[is_sink, 0]))
        self.best, self.moving = (
            np.concatenate((-some[further] / _scale(2), of_codes[is_arc], some[is_sink].sum(axis=1)))
            for some, of_codes in ((best, prices.best), (moving, prices.moving))
        )

    @property
    def demands(self) -> np.ndarray:
        """Demands of the rows before those over sets."""
        return self._demands

    def add_violated(self, columns: Columns, shares: np.ndarray) -> int:
        """As `EdgePrices.add_violated`, for rows over sets and rows about cliques."""
        added = super().add_violated(columns, shares)
        point = Point(self._cliques, self.edges.shares)
        kinds = (triangles_within_edges, _degree_sides, triangles_of_edges, links, chords)
        known = {row.key for row in self._before}
        new = [row for row in most_violated(kinds, point) if row.key not in known]
        before, zeros = self.n_before, np.zeros(len(new))
        self._before += new
        self.moving = np.insert(self.moving, before, zeros)
        self.best = np.insert(self.best, before, zeros)
        self._index_columns(self._all_shares())
        return added + len(new)

    def _keep_before(self, kept: np.ndarray) -> None:
        self._before = [row for row, is_kept in zip(self._before, kept.tolist()) if is_kept]

    def _places(self, codes: np.ndarray) -> np.ndarray:
        n = self._n
        pairs, thirds = codes // (n + 1), codes % (n + 1) - 1
        triples = self._cliques.triple_column[pairs // n, pairs % n, thirds] - self._cliques.first_triple
        return np.where(thirds < 0, pairs, n**2 + triples)

    def _all_shares(self) -> np.ndarray:
        """Averaged choices of all pairs, then of all triples."""
        n_pairs = len(self._ends)
        of_pairs = np.zeros(self._n**2)
        of_pairs[self._ends] = self.edges.shares[:n_pairs]
        return np.concatenate((of_pairs, self.edges.shares[n_pairs:]))

    def _index_columns(self, shares: np.ndarray) -> None:
        n, cliques, rows = self._n, self._cliques, self._before
        column = np.zeros(n**2 + len(cliques.triples), dtype=np.int64)
        column[self._ends] = np.arange(len(self._ends))
        column[n**2 :] = np.arange(cliques.first_triple, cliques.n_columns)
        none = np.empty(0, dtype=np.int64)
        sizes = np.array([len(row.columns) for row in rows], dtype=np.int64)
        scales = _scale(sizes)
        self._demands = scales * np.array([row.demand for row in rows], dtype=np.int64)
        triangles = new_triangles(
            len(self._ends),
            self._within,
            offsets_of(sizes),
            np.concatenate([none, *(row.columns for row in rows)]),
            np.repeat(scales, sizes) * np.concatenate([none, *(row.values for row in rows)]),
        )
        shares = np.concatenate((shares[self._ends], shares[n**2 :]))
        self.edges = with_edges(self.edges, self._ends, column[self._places(self.codes)], shares, triangles)

    def _triangle_codes(self, *members: np.ndarray) -> Iterator[np.ndarray]:
        low, middle, high = np.sort(np.stack(members), axis=0)
        yield code_of(self._n, low, middle, high)


def can_price_triangles(prices: EdgePrices) -> bool:
    """Whether prices of triangles may follow these of edges."""
    is_first = not isinstance(prices, TrianglePrices) and not prices.are_untried
    return is_first and prices.treewidth in WIDTHS and len(prices.edges.used) <= MOST_VARIABLES


def _scale(size: Any) -> Any:
    """The factor of a row by its number of entries."""
    return SCALE / (SCALE + size)


def _degree_sides(point: Point) -> Iterator[tuple[float, Row]]:
    """Each violated equation of degrees as two rows."""
    for lack, row in degrees(point):
        yield lack, row._replace(key=(*row.key, 1), is_equation=False)
        yield lack, Row((*row.key, -1), row.columns, -row.values, -row.demand)
