"""Prices of the edges that sets need under a treewidth bound.

The moral graph of a network of treewidth at most K lies in a K-tree, which has few edges
(`stages.kernels.bounds.edges`). There are two kinds of rows; in each, at most one of the sets is taken in a network,
and only if the edge is there:

- the sets that hold an arc between u and v need the edge uv;
- for three variables, the sets that join one of them to both others make a triangle, and need each of its edges: two
  such sets would close a cycle.

Rows of the first kind alone hold in every network of at most K parents each; parents that become adjacent are what
narrows the bound. At any prices, the cheapest choice of sets less the worth of the dearest edges bounds the cost of
all networks within the treewidth. At prices of zero it is the bound for networks of any width. `triangle_prices` goes
on from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from math import comb

import numpy as np

from formats.sets.listed_sets import offsets_of
from stages.kernels.bounds.edges import EdgeRows, choose_dearest, join_rows, new_edges, price_sets, with_edges
from stages.kernels.bounds.lagrangian import SetCuts
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import keep_sets

from ..rounding import EPSILON
from .cliques import joined

MOST_VARIABLES = 2000
"""Variables beyond which no edges are priced: tables over pairs then take more than 100 MB."""

MOST_WIDTH = 5
"""Treewidth beyond which no edges are priced. At 6 neither they nor triangles gained on nltcs and plants (16 and 69
variables; two seeds, 10 and 30 s), at 8 nothing and 44 of 5,400 nats (one seed).
"""

MOST_PAIRED = 100_000_000
"""Pairs of parents in the lists beyond which no edges are priced: an evaluation of all sets would take a second."""

MOST_PEBBLED = 8_000_000
"""Limit on cubed variables times treewidth beyond which a choice of edges keeps their number only."""

MOST_ADDED = 3000
"""Rows added at once, the most violated ones."""

LEAST_VIOLATION = 0.005
"""Least share by which a row that is added is violated."""

ROW_WORK, ENTRY_WORK, PEBBLE_WORK = 10, 1, 4
"""Work of a step for each row and edge, of pricing for each row that counts a set, and for each edge looked at in a
search for pebbles; in sets looked at.
"""


class EdgePrices:
    """The rows found so far, and their multipliers; `treewidth` is None where no edges are priced."""

    most_joined = 2  # parents that a row joins to their child

    def __init__(self, lists: SetLists, treewidth: int | None):
        self._n = n = len(lists.set_offsets) - 1
        self.treewidth = treewidth
        width = treewidth or 0
        self.edges = new_edges(n if width else 0, width, n**3 * width <= MOST_PEBBLED)
        # int64, ascending: the pair of each row times n + 1, plus 0 for arcs or 1 + the third variable of a triangle.
        self.codes = np.empty(0, dtype=np.int64)
        # float64, shape (n_rows,): the moving multipliers in nats; and the best ones. Of the rows over sets they are
        # minus the prices. Before these stand the rows over edges and triangles, none here.
        self.moving = np.zeros(0)
        self.best = np.zeros(0)
        self._pebbling: float | None = 0.0  # work of the choice of edges in a step; None if unknown

    @property
    def work(self) -> int:
        """Work of a step besides the work on sets."""
        entries = ENTRY_WORK * len(self.edges.triangles.columns)
        return ROW_WORK * (len(self.moving) + len(self.edges.shares)) + entries + int(self._pebbling or 0)

    @property
    def n_before(self) -> int:
        """Number of rows before those over sets."""
        return len(self.edges.triangles.offsets) - 1

    @property
    def demands(self) -> np.ndarray:
        """Demands of the rows before those over sets."""
        return np.empty(0)

    @property
    def is_new(self) -> bool:
        """Whether the work of a step with the present kind of rows is unknown."""
        return self._pebbling is None

    def count(self, looked: int, n_steps: int) -> None:
        """Take the work of a step from the edges looked at for pebbles in some steps."""
        self._pebbling = PEBBLE_WORK * looked / n_steps

    @property
    def are_zero(self) -> bool:
        """Whether the bound at the moving multipliers holds for networks of any width."""
        return not self.moving.any()

    @property
    def are_untried(self) -> bool:
        """Whether there are rows, but no prices yet that raised the bound."""
        return len(self.codes) > 0 and not self.best.any()

    def joined(self, cuts: SetCuts, lists: SetLists) -> SetCuts:
        """`cuts`, followed by the rows over the sets of `lists`."""
        if not len(self.moving):
            return cuts
        cuts = cuts._replace(demands=np.concatenate((cuts.demands, self.demands)))
        offsets, by_others = (
            np.empty(len(cuts.offsets), dtype=np.int64),
            np.full((2, self._n_others), -1, dtype=np.int32),
        )
        room = 2 * len(cuts.cuts) + len(lists.parents)
        while True:
            counting = np.empty(room, dtype=np.uint32)
            total = join_rows(lists, self._rows, cuts, by_others, offsets, counting)
            if total <= room:
                demands = np.concatenate((cuts.demands, np.zeros(len(self.codes))))
                return SetCuts(offsets=offsets, cuts=counting[:total], demands=demands)
            room = total

    def priced(self, lists: SetLists, costs: np.ndarray) -> tuple[np.ndarray, float]:
        """The costs of the sets with the moving prices in them, and the worth of the dearest edges.

        Both are in nats; costs are rounded down and the worth up. So the least of these costs in networks of any
        width, less the worth, is at most the cost of every network within the treewidth.
        """
        if self.are_zero:
            return costs, 0.0
        n_before, edges = self.n_before, self.edges
        prices, sums, by_others = -self.moving[n_before:], np.zeros(len(costs)), np.zeros(self._n_others)
        for child in range(self._n):
            price_sets(lists, child, self._rows, prices, by_others, sums)
        # Terms are non-negative: one unit for each sum, two for the factor.
        priced = (costs + sums) * (1.0 - (_rows_of_sets(lists) + 3) * EPSILON)
        # A term has up to five roundings, with its scale and its coefficient; each of its sums has one.
        terms, rows = edges.triangles, np.repeat(np.arange(n_before), np.diff(edges.triangles.offsets))
        of_rows = terms.values * self.moving[rows]
        n_columns, of_columns = len(edges.shares), np.concatenate((edges.needed, terms.columns))
        given = np.concatenate((prices, of_rows))
        worths = np.bincount(of_columns, given, n_columns)
        sizes = np.bincount(of_columns, np.abs(given), n_columns)
        counts = np.bincount(of_columns, minlength=n_columns)
        margins = (counts + self._n + 8) * EPSILON * sizes
        # An edge has the worth of its triangles, too.
        first = len(edges.ends)
        margins[:first] += np.bincount(terms.within, (self._n + 8) * EPSILON * sizes[first:], first)
        edges.worths[:] = -(worths + margins)
        choose_dearest(edges)
        demanded = self.moving[:n_before] * self.demands
        parts = np.concatenate((-edges.worths[:first][edges.chosen[:first]], -demanded))
        return priced, math.fsum(parts.tolist()) + 8.0 * EPSILON * float(np.abs(parts).sum())

    @property
    def _n_others(self) -> int:
        """Number of pairs of variables, or of triples where some rows are about four."""
        return self._n ** (3 if len(self._rows.fours) else 2)

    def add_violated(self, lists: SetLists, shares: np.ndarray) -> int:
        """Add rows that the averaged choices violate: `shares` of the sets of `lists`; returns their number."""
        if self.treewidth is None:
            return 0
        all_codes, counted = self._with_columns(*self.counted(lists, shares))
        if not len(all_codes):
            return 0
        places = self._places(all_codes)
        if not len(self.edges.shares):
            # The first averages of edges: what the sets need, within their number.
            needs = self.needs(all_codes, counted)
            kept = needs * min(1.0, self.edges.most / float(needs.sum()))
            self._pebbling = None
        else:
            kept = self._all_shares()
        violation = counted - kept[places]
        violation[np.isin(all_codes, self.codes)] = 0.0
        most = np.argsort(-violation, kind="stable")[:MOST_ADDED]
        new = all_codes[most[violation[most] > LEAST_VIOLATION]]
        self._take(np.concatenate((self.codes, new)), len(new), kept)
        return len(new)

    def counted(self, lists: SetLists, shares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The codes of all rows that count sets with a share, and the sums of their shares."""
        support = np.flatnonzero(shares > 0.0)
        found = list(self._entries(keep_sets(lists, support)))
        none = np.empty(0, dtype=np.int64)
        all_codes, inverse = np.unique(np.concatenate([none, *(codes for codes, _ in found)]), return_inverse=True)
        counts = np.concatenate([np.empty(0), *(shares[support[sets]] for _, sets in found)])
        return all_codes, np.bincount(inverse, weights=counts, minlength=len(all_codes))

    def needs(self, codes: np.ndarray, counted: np.ndarray) -> np.ndarray:
        """The least share of every pair, shape (n * n,), by the shares of the sets that rows of these codes count."""
        needs = np.zeros(self._n**2)
        np.maximum.at(needs, codes // (self._n + 1), counted)
        return needs

    def drop(self) -> None:
        """Leave out the rows whose price is zero; none before the first prices that raise the bound."""
        if not self.best.any():
            return
        kept = (self.moving != 0.0) | (self.best != 0.0)
        self._keep_before(kept[: self.n_before])
        of_sets = kept[self.n_before :]
        self.moving, self.best = self.moving[kept], self.best[kept]
        self._take(self.codes[of_sets], 0, self._all_shares())

    def keep(self) -> None:
        """The moving multipliers are the best ones so far."""
        self.best = self.moving.copy()

    def go_back(self) -> None:
        """Return to the best multipliers."""
        self.moving = self.best.copy()

    def _with_columns(self, codes: np.ndarray, counted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows whose sets need a column that there is or can be."""
        return codes, counted

    def _keep_before(self, kept: np.ndarray) -> None:
        """Leave out rows before those over sets; `kept` is bool, one for each."""

    def _places(self, codes: np.ndarray) -> np.ndarray:
        """Where `_all_shares` has what the sets of each row need."""
        return codes // (self._n + 1)

    def _all_shares(self) -> np.ndarray:
        """Averaged choices of all pairs; zero for edges that no row needs."""
        shares = np.zeros(self._n**2)
        shares[self.edges.ends] = self.edges.shares
        return shares

    def _take(self, codes: np.ndarray, n_new: int, shares: np.ndarray) -> None:
        """Rows of these codes, the last `n_new` with a price of zero; `shares` of all pairs."""
        order, n, n_before = np.argsort(codes), self._n, len(self.moving) + n_new - len(codes)
        self.codes = codes[order]
        order = np.concatenate((np.arange(n_before), n_before + order))
        self.moving = np.concatenate((self.moving, np.zeros(n_new)))[order]
        self.best = np.concatenate((self.best, np.zeros(n_new)))[order]
        self._index_columns(shares)
        n_first = int(np.searchsorted(self.codes, first_of_fours(n)))
        pairs, thirds = self.codes[:n_first] // (n + 1), self.codes[:n_first] % (n + 1) - 1
        arcs = np.full(n**2, -1, dtype=np.int32)
        of_arcs, of_triangles = np.flatnonzero(thirds < 0), np.flatnonzero(thirds >= 0)
        u, v = pairs[of_arcs] // n, pairs[of_arcs] % n
        arcs[u * n + v] = arcs[v * n + u] = of_arcs
        u, v, third = pairs[of_triangles] // n, pairs[of_triangles] % n, thirds[of_triangles]
        # The edge's place among the three: by whether the third variable is the least, in the middle or the greatest.
        triangles = np.sort(np.stack((u, v, third), axis=1), axis=1)
        offsets, others, each, rows = _by_member(
            n, triangles, (third > u).astype(np.int64) + (third > v), of_triangles
        )
        fours, places = members_of_fours(n, self.codes[n_first:])
        four_offsets, four_others, each_four, four_rows = _by_member(
            n, fours, places, np.arange(n_first, len(self.codes))
        )
        self._rows = EdgeRows(
            arcs=arcs,
            offsets=offsets,
            others=others,
            triangles=each,
            rows=rows,
            four_offsets=four_offsets,
            four_others=four_others,
            fours=each_four,
            four_rows=four_rows,
        )

    def _index_columns(self, shares: np.ndarray) -> None:
        """Take the columns that the rows need; `shares` has the averaged choices of all columns (`_all_shares`)."""
        ends, needed = np.unique(self._places(self.codes), return_inverse=True)
        self.edges = with_edges(self.edges, ends, needed, shares[ends])

    def _entries(self, lists: SetLists) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Codes of rows, and for each a set that the row counts; all rows of all sets in turn."""
        for sets, members in joined(lists, self.most_joined):
            for code in self._codes(*members):
                yield code, sets

    def _codes(self, *members: np.ndarray) -> Iterator[np.ndarray]:
        """The codes of the rows of these cliques, a child and some parents: one for each edge."""
        if len(members) == 2:
            yield code_of(self._n, *members, -1)
            return
        for u, v, third in zip(members, members[1:] + members[:1], members[2:] + members[:2], strict=True):
            yield code_of(self._n, u, v, third)


def _by_member(n: int, cliques: np.ndarray, places: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Rows by clique and place, indexed by the members of the cliques: as the triangles of `EdgeRows`.

    `cliques` (int64, shape (n_rows, size), each ascending) has the clique of each row.
    """
    size = cliques.shape[1]
    powers = n ** np.arange(size - 1, -1, -1)
    codes, inverse = np.unique(cliques @ powers, return_inverse=True)
    table = np.full((len(codes), size), -1, dtype=np.int32)
    table[inverse, places] = rows
    each = codes[:, None] // powers % n
    members = each.T.ravel()
    others = np.concatenate([np.delete(each, k, axis=1) @ powers[1:] for k in range(size)])
    by_member = np.argsort(members, kind="stable")
    return (
        offsets_of(np.bincount(members, minlength=n)),
        others[by_member].astype(np.int32),
        np.tile(np.arange(len(codes), dtype=np.int32), size)[by_member],
        table,
    )


def first_of_fours(n: int) -> int:
    """The least code of a row about four variables."""
    return n**2 * (n + 1)


def members_of_fours(n: int, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The four variables of each row, ascending, and the place of the variable that its triangle leaves out."""
    codes = codes - first_of_fours(n)
    return (codes // 4)[:, None] // n ** np.arange(3, -1, -1) % n, codes % 4


def can_price(lists: SetLists, treewidth: int | None) -> bool:
    """Whether some networks are wider than the treewidth, and prices of edges are affordable and may gain."""
    n, sizes = len(lists.set_offsets) - 1, np.diff(lists.parent_offsets)
    is_bound = treewidth is not None and 0 < treewidth < min(n - 1, MOST_WIDTH + 1)
    return is_bound and n <= MOST_VARIABLES and int(np.sum(sizes * (sizes - 1))) <= 2 * MOST_PAIRED


def pricing_work(lists: SetLists) -> int:
    """Work of `EdgePrices.priced`."""
    return ENTRY_WORK * int(_rows_of_sets(lists).sum())


def _rows_of_sets(lists: SetLists) -> np.ndarray:
    """The number of rows that may count each set: one for an arc, three for a triangle, four for four variables."""
    sizes = np.diff(lists.parent_offsets)
    of_size = np.array([comb(k, 1) + 3 * comb(k, 2) + 4 * comb(k, 3) for k in range(int(sizes.max(initial=0)) + 1)])
    return np.asarray(of_size[sizes])


def code_of(n: int, u: np.ndarray, v: np.ndarray, third: np.ndarray | int) -> np.ndarray:
    """The code of a row: its edge and the third variable of its triangle, -1 for arcs."""
    return (np.minimum(u, v) * n + np.maximum(u, v)) * (n + 1) + third + 1
