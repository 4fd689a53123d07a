"""Prices of edges and triangles of a k-tree under a treewidth bound K of two or more.

Once prices of edges gain little, triples of variables become columns beside the pairs: whether each is a triangle of
a k-tree that contains the moral graph. A set of two parents needs the triangle of child and parents; a set of three
parents needs all four triangles of child and parents. A larger set needs the triangles of its subsets. A triangle
needs its edges.
Rows about the cliques of all k-trees (`clique_rows`) couple edges and triangles: how many triangles a variable and an
edge are in, how many a variable has among others, and that cycles have chords. Of many variables the triples become
columns as they are met; in rows that ask for more triangles an edge then stands in for each of the others.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.bounds.edges import with_edges
from stages.kernels.bounds.lagrangian import cuts_by_set, no_cuts
from stages.kernels.bounds.triangles import new_triangles
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import costs_of

from .clique_rows import CliquePoint, Row, violated_rows, within
from .cliques import Cliques
from .edge_prices import LEAST_VIOLATION, EdgePrices, code_of, first_of_fours, members_of_fours

MOST_COMPLETE, MOST_VARIABLES = 40, 160
"""Variables up to which all triples are columns; beyond, triples that sets need, and triples whose pairs all have a
share. Variables beyond which triangles are not priced: tables over triples then take more than 100 MB.
"""

LEAST_SHARE = 0.01
"""Least share of three pairs whose triple becomes a column."""

SCALE = 20.0
"""A row of `SCALE` entries has half the weight of a row of few entries in a step."""


class TrianglePrices(EdgePrices):
    """As `EdgePrices`, and it goes on from `prices` at the same bound.

    Rows of a triple have one code: the pair of its first two variables, and its last one. Rows of four variables have
    a code for each triangle (`members_of_fours`). Before the rows over sets stand rows about cliques of k-trees, all
    of them "at least" with integer coefficients, scaled.
    """

    most_joined = 3

    def __init__(self, prices: EdgePrices, lists: SetLists, shares: np.ndarray):
        super().__init__(lists, prices.treewidth)
        n, self.edges = self._n, prices.edges
        self._before: list[Row] = []
        self._within = np.empty(0, dtype=np.int64)  # for each triple the column of the edge that it lies in
        # Averages so far: of edges as chosen or as sets need them, of triangles as much as edges allow.
        codes, counted = prices.counted(lists, shares)
        of_pairs = prices.needs(codes, counted)
        of_pairs[prices.edges.ends] = prices.edges.shares
        needed = np.concatenate((prices.codes, codes[counted > LEAST_VIOLATION]))
        self.is_complete = n <= MOST_COMPLETE  # whether all triples are columns
        met = None if self.is_complete else np.vstack((self._triples_of(needed), _met(of_pairs, n)))
        triples = None if met is None else np.unique(met, axis=0)
        self._cliques = cliques = Cliques(n, prices.edges.width, triples=triples)
        self._ends = cliques.pairs[:, 0] * n + cliques.pairs[:, 1]
        y = of_pairs[self._ends]
        edges_of = cliques.edges_of_triples
        self._take_rows(prices, np.argmin(y[edges_of], axis=1))
        self._take(self.codes, 0, np.concatenate((of_pairs, np.minimum(1.0, y[edges_of].min(axis=1)))))

    def _triples_of(self, codes: np.ndarray) -> np.ndarray:
        """The triples that sets of these rows need; int64, shape (n_triples, 3), each ascending."""
        n = self._n
        of_triples = codes[(codes % (n + 1) > 0) & (codes < first_of_fours(n))]
        pairs, thirds = of_triples // (n + 1), of_triples % (n + 1) - 1
        return np.unique(np.sort(np.stack((pairs // n, pairs % n, thirds), axis=1), axis=1), axis=0)

    def _with_columns(self, codes: np.ndarray, counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not self.is_complete:
            shares = self._all_shares()
            needed = self._triples_of(codes[counted > LEAST_VIOLATION])
            found = np.vstack((needed, _met(shares[: self._n**2], self._n)))
            found = np.unique(found[self._cliques.triple_column[tuple(found.T)] < 0], axis=0)
            if len(found):
                self._add_triples(found, shares)
            are_columns = self._places(codes) >= 0
            codes, counted = codes[are_columns], counted[are_columns]
        return codes, counted

    def _add_triples(self, triples: np.ndarray, shares: np.ndarray) -> None:
        """Further triples as columns; `shares` as in `_all_shares`."""
        cliques = Cliques(self._n, self._cliques.treewidth, triples=np.vstack((self._cliques.triples, triples)))
        edges_of = cliques.edges_of_triples[len(self._cliques.triples) :]
        y = shares[self._ends][edges_of]
        self._cliques = cliques
        self._within = np.concatenate((self._within, edges_of[np.arange(len(y)), np.argmin(y, axis=1)]))
        self._index_columns(np.concatenate((shares, y.min(axis=1))))

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

    def add_violated(self, lists: SetLists, shares: np.ndarray) -> int:
        """As `EdgePrices.add_violated`, for rows over sets and rows about cliques."""
        added = super().add_violated(lists, shares)
        # Rows of one key differ in the pairs that stand in for triples.
        known = {(row.key, row.columns.tobytes()) for row in self._before}
        found = violated_rows(CliquePoint(self._cliques, self.edges.shares))
        new = [row for row in found if (row.key, row.columns.tobytes()) not in known]
        before, zeros = self.n_before, np.zeros(len(new))
        self._before += new
        self.moving = np.insert(self.moving, before, zeros)
        self.best = np.insert(self.best, before, zeros)
        self._index_columns(self._all_shares())
        return added + len(new)

    def _keep_before(self, kept: np.ndarray) -> None:
        self._before = [row for row, is_kept in zip(self._before, kept.tolist()) if is_kept]

    def _places(self, codes: np.ndarray) -> np.ndarray:
        n, first = self._n, first_of_fours(self._n)
        pairs, thirds = codes // (n + 1), codes % (n + 1) - 1
        fours, left_out = members_of_fours(n, codes[codes >= first])
        kept = np.arange(4) != left_out[:, None]
        members = np.stack((pairs // n, pairs % n, thirds), axis=1)
        members[codes >= first] = fours[kept].reshape(-1, 3)
        triples = self._cliques.triple_column[tuple(members.T % n)] - self._cliques.first_triple
        return np.where(members[:, 2] < 0, pairs, np.where(triples < 0, -1, n**2 + triples))

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

    def _codes(self, *members: np.ndarray) -> Iterator[np.ndarray]:
        n = self._n
        if len(members) == 2:
            yield from super()._codes(*members)
            return
        some = np.sort(np.stack(members), axis=0)
        if len(members) == 3:
            yield code_of(n, *some)
            return
        code = first_of_fours(n) + 4 * (n ** np.arange(3, -1, -1) @ some)
        for left_out in range(4):
            yield code + left_out


def can_price_triangles(prices: EdgePrices) -> bool:
    """Whether prices of triangles may follow these of edges."""
    is_first = not isinstance(prices, TrianglePrices) and not prices.are_untried
    return is_first and prices.edges.width >= 2 and len(prices.edges.used) <= MOST_VARIABLES


def warm_up(lists: SetLists) -> None:
    """Compile what prices of edges and triangles need, on tiny lists of four variables or more."""
    costs, shares = costs_of(lists), np.ones(len(lists.scores))
    edges = EdgePrices(lists, 2)
    edges.add_violated(lists, shares)
    for prices in (edges, TrianglePrices(edges, lists, shares)):
        prices.add_violated(lists, shares)
        prices.moving[prices.n_before :] -= 1.0
        prices.priced(lists, costs)
        prices.joined(cuts_by_set(no_cuts(), len(costs)), lists)


def _scale(size: Any) -> Any:
    """The factor of a row by its number of entries."""
    return SCALE / (SCALE + size)


def _met(of_pairs: np.ndarray, n: int) -> np.ndarray:
    """The triples whose three pairs have a share; `of_pairs` (float64, shape (n * n,)) has the shares of pairs."""
    is_edge = of_pairs.reshape(n, n) > LEAST_SHARE
    a, b = np.nonzero(is_edge)
    # Pairs are ascending: the third variable is after both.
    edges, c = np.nonzero(is_edge[a] & is_edge[b])
    return np.stack((a[edges], b[edges], c), axis=1)
