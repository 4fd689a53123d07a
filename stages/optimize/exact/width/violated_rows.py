"""Separators: rows over sets and rows over cliques (`clique_rows`) that a fractional solution violates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...bounds.width.clique_rows import (
    VIOLATION,
    CliquePoint,
    Row,
    Violated,
    chords,
    degrees,
    edge_counts,
    grown,
    links,
    most_edges,
    most_violated,
    quads_of_edges,
    quads_of_triangles,
    quads_within_triangles,
    triangles_of_edges,
    triangles_within_edges,
    within,
)
from .family_cliques import FamilyCliques


class FamilyPoint(CliquePoint):
    """A fractional solution of sets, pairs, triples and groups of four."""

    cliques: FamilyCliques

    def __init__(self, cliques: FamilyCliques, values: np.ndarray):
        super().__init__(cliques, values)
        self.shares = values[: cliques.n_sets]
        self.support = np.flatnonzero(self.shares > 1e-9)


def separate(point: FamilyPoint, only_first: bool = False) -> list[Row]:
    """Violated rows of all kinds; with `only_first` of those that raise a first bound fast."""
    kinds: list[Callable[[FamilyPoint], Violated]] = [clusters, sinks, edge_counts, triangles_within_edges]
    if not only_first:
        kinds += [degrees, triangles_of_edges, links, chords]
    if not only_first and point.cliques.has_quads:
        kinds += [stars, quads_within_triangles, quads_of_triangles, quads_of_edges]
    return most_violated(kinds, point)


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


def clusters(point: FamilyPoint) -> Violated:
    """Of the variables of a cluster, the first in an order has no parent in it (Jaakkola et al. 2010)."""
    cliques = point.cliques
    sets = point.support
    shares, members = point.shares[sets], cliques.members[sets].astype(np.float64)
    children = np.zeros((len(sets), cliques.n_variables))
    children[np.arange(len(sets)), cliques.child[sets]] = 1.0

    def gains(inside: np.ndarray) -> np.ndarray:
        hit = inside @ members.T > 0.0
        own = inside[:, cliques.child[sets]]
        return np.asarray((hit * shares) @ children + (np.where(hit, 0.0, own) * shares) @ members)

    def value(inside: np.ndarray) -> np.ndarray:
        hit = inside @ members.T > 0.0
        own = inside[:, cliques.child[sets]]
        return np.asarray((hit * own) @ shares - inside.sum(axis=1) + 1.0)

    for lack, cluster in grown(point.starts, gains, value, 2):
        outside = ~cliques.members[:, cluster].any(axis=1)
        counted = np.flatnonzero(outside & np.isin(cliques.child, cluster))
        key = ("cluster", *cluster.tolist())
        yield lack, Row(key, counted, np.ones(len(counted), dtype=np.int64), 1)


def sinks(point: FamilyPoint) -> Violated:
    """Three variables of which one has the other two as parents are a triangle, and only one of them can be it."""
    yield from _needs(point, "sink", point.cliques.sinks, point.cliques.first_triple)


def stars(point: FamilyPoint) -> Violated:
    """Four variables of which one has the other three as parents are a clique, and only one of them can be it."""
    yield from _needs(point, "star", point.cliques.stars, point.cliques.first_quad)


def _needs(point: FamilyPoint, kind: str, incidence, first: int) -> Violated:
    lacks = incidence.weights(point.shares)
    lacks -= point.values[first : first + len(lacks)]
    for clique in np.flatnonzero(lacks > VIOLATION).tolist():
        yield float(lacks[clique]), within(kind, first + clique, incidence.of(clique))
