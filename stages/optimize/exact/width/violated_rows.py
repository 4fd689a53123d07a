"""Rows that a fractional solution violates: acyclicity, sets within cliques, and cliques (`clique_rows`)."""

from __future__ import annotations

import numpy as np

from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import costs_of
from stages.runtime.budgets import Budget

from ...bounds.cut_pool import CutPool
from ...bounds.separators import add_violated, make_point
from ...bounds.width.clique_rows import (
    VIOLATION,
    CliquePoint,
    Row,
    Violated,
    edge_counts,
    most_edges,
    most_violated,
    triangles_within_edges,
    violated_rows,
    within,
)
from ..fractional import CycleSeparator, SharedArcs
from ..node import SEPARATORS, SHARE_TOLERANCE
from .family_cliques import FamilyCliques


class FamilyPoint(CliquePoint):
    """A fractional solution of sets, pairs and triples."""

    cliques: FamilyCliques

    def __init__(self, cliques: FamilyCliques, values: np.ndarray):
        super().__init__(cliques, values)
        self.shares = values[: cliques.n_sets]


class AcyclicRows:
    """Cuts of acyclic networks, by the separators of the exact search of any width."""

    def __init__(self, lists: SetLists, rng: np.random.Generator, budget: Budget):
        self._pool = CutPool(lists, costs_of(lists))
        self._separators = (*SEPARATORS, CycleSeparator(SharedArcs(lists), 1.0 - SHARE_TOLERANCE))
        self._rng, self._budget = rng, budget

    def violated(self, shares: np.ndarray) -> list[Row]:
        """New cuts that these shares of the sets (float64, shape (n_sets,)) violate."""
        pool, first = self._pool, len(self._pool)
        point = make_point(pool.lists, shares, SHARE_TOLERANCE)
        add_violated(self._separators, point, pool, self._rng, self._budget)
        cuts = [pool.row(number) for number in range(first, len(pool))]
        return [
            Row(("cut", number), cut.sets.astype(np.int64), cut.weights.astype(np.int64), cut.demand)
            for number, cut in enumerate(cuts, first)
        ]


def separate(point: FamilyPoint, only_first: bool = False) -> list[Row]:
    """Violated rows of cliques, of all kinds; with `only_first` of those that raise a first bound fast."""
    first = [sinks, edge_counts]
    if only_first:
        return most_violated([*first, triangles_within_edges], point)
    return most_violated(first, point) + violated_rows(point)


def first_rows(cliques: FamilyCliques) -> list[Row]:
    """The rows that every programme has: the number of edges, and an edge for each arc.

    A k-tree has K n - K (K + 1) / 2 edges. Of the arcs between two variables an acyclic network has one, and it is an
    edge.
    """
    pairs = np.arange(cliques.first_pair, cliques.first_triple)
    rows = [
        Row(("edges",), pairs, np.ones(len(pairs), dtype=np.int64), most_edges(cliques, cliques.n_variables), True)
    ]
    for pair in range(len(cliques.pairs)):
        sets = cliques.arcs.of(pair)
        if len(sets):
            rows.append(within("arc", cliques.first_pair + pair, sets))
    return rows


def sinks(point: FamilyPoint) -> Violated:
    """Three variables of which one has the other two as parents are a triangle, and only one of them can be it."""
    joining, first = point.cliques.sinks, point.cliques.first_triple
    lacks = joining.weights(point.shares) - point.values[first:]
    for triple in np.flatnonzero(lacks > VIOLATION).tolist():
        yield float(lacks[triple]), within("sink", first + triple, joining.of(triple))
