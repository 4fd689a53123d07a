"""Rows about the cliques of a k-tree that a fractional solution violates, with their proofs.

G is a k-tree that contains the moral graph of a network of treewidth at most K; y are its edges, t its triangles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from stages.kernels.bounds.triangles import grow_links, shortest_detour

from .cliques import Cliques

VIOLATION = 0.003
"""Least violation of a row that is worth its place."""

MOST_STARTS = 2000
"""Most triangles of a variable from which sets of its neighbours grow, the largest first."""

MOST_OF_A_KIND = 100
"""Most rows of a kind in a round, the most violated first."""


class Row(NamedTuple):
    """A valid row: coefficients times columns sum to `demand` or more; to exactly this if it is an equation."""

    key: tuple[object, ...]  # kind and members; no two rows of a pool have the same
    columns: np.ndarray  # int64
    values: np.ndarray  # int64
    demand: int
    is_equation: bool = False


class CliquePoint:
    """A fractional solution: values (float64) of all columns."""

    def __init__(self, cliques: Cliques, values: np.ndarray):
        self.cliques, self.values = cliques, values
        padded = np.append(values, 0.0)
        self.y = padded[cliques.pair_column]  # shape (n, n); 0 on the diagonal
        self.t = padded[cliques.triple_column]  # shape (n, n, n); 0 for triples that are no columns

    @cached_property
    def t_most(self) -> np.ndarray:
        """The values of triples; of one that is no column the least of its pairs, shape (n, n, n)."""
        y = self.y
        least = np.minimum(np.minimum(y[:, :, None], y[:, None, :]), y[None, :, :])
        return np.where(self.cliques.triple_column < 0, least, self.t)

    def columns_of(self, a: Any, b: Any, c: Any) -> np.ndarray:
        """The columns of triples; of one that is no column its pair of the least value.

        Members are int64, single ones or arrays, and do not repeat.
        """
        columns, pairs = self.cliques.triple_column[a, b, c], self.cliques.pair_column
        edges = np.stack(np.broadcast_arrays(pairs[a, b], pairs[a, c], pairs[b, c]))
        scarcest = np.take_along_axis(edges, np.argmin(self.values[edges], axis=0)[None], axis=0)[0]
        return np.where(columns < 0, scarcest, columns)


Violated = Iterator[tuple[float, Row]]


P = TypeVar("P", bound=CliquePoint)


def most_violated(kinds: Iterable[Callable[[P], Violated]], point: P) -> list[Row]:
    """Violated rows of each kind, the most violated first."""
    rows = []
    for kind in kinds:
        found = sorted(kind(point), key=lambda each: -each[0])
        rows += [row for _, row in found[:MOST_OF_A_KIND]]
    return rows


def most_edges(cliques: Cliques, size: int) -> int:
    """The most edges among this number of variables, at least K: a k-tree's."""
    k = cliques.treewidth
    return k * size - k * (k + 1) // 2


def within(kind: str, column: int, parts: np.ndarray) -> Row:
    """The columns `parts` sum to no more than one column."""
    values = np.full(1 + len(parts), -1, dtype=np.int64)
    values[0] = 1
    return Row((kind, column, int(parts[0]) if kind == "edge" else -1), np.append(column, parts), values, 0)


def edge_counts(point: CliquePoint) -> Violated:
    """More than K variables have no more edges than a k-tree on them; pays on sparse lists (alarm).

    Sets of variables grow from each pair, by the one that has most edges to them, and are kept at their worst size.
    """
    cliques, k, y = point.cliques, point.cliques.treewidth, point.y
    every = np.arange(len(cliques.pairs))
    inside = np.zeros((len(every), cliques.n_variables))
    inside[every[:, None], cliques.pairs] = 1.0
    worst, kept = np.full(len(every), VIOLATION), np.zeros_like(inside)
    for size in range(3, cliques.n_variables + 1):
        inside[every, np.argmax(np.where(inside > 0.0, -np.inf, inside @ y), axis=1)] = 1.0
        if size > k:
            excess = 0.5 * ((inside @ y) * inside).sum(axis=1) - most_edges(cliques, size)
            is_worse = excess > worst + 1e-9
            worst[is_worse], kept[is_worse] = excess[is_worse], inside[is_worse]
    found = {kept[i].tobytes(): (float(worst[i]), np.flatnonzero(kept[i])) for i in np.flatnonzero(worst > VIOLATION)}
    for excess, some in found.values():
        columns = cliques.pair_column[some[:, None], some][np.triu_indices(len(some), 1)].astype(np.int64)
        key = ("edges", *some.tolist())
        yield excess, Row(key, columns, np.full(len(columns), -1, dtype=np.int64), -most_edges(cliques, len(some)))


def triangles_within_edges(point: CliquePoint) -> Violated:
    """The three pairs of a triangle are edges; pays within 2 on sparse lists (alarm)."""
    edges, first = point.cliques.edges_of_triples, point.cliques.first_triple
    lacks = point.values[first : first + len(edges), None] - point.values[edges]
    for triple, place in np.argwhere(lacks > VIOLATION).tolist():
        yield float(lacks[triple, place]), within("edge", int(edges[triple, place]), np.array([first + triple]))


def least_degrees(point: CliquePoint) -> Violated:
    """The link of a variable in a k-tree is a (K-1)-tree on its m >= K neighbours, with (K-1) m - K (K-1) / 2 edges;
    these are the triangles at the variable.

    It has no fewer; a triple that is no column counts as much as one of its pairs. Pays within 3 and 4 on few
    variables (nltcs).
    """
    cliques, k = point.cliques, point.cliques.treewidth
    lacks = _missing_at(point, point.t_most)
    for v in np.flatnonzero(lacks > VIOLATION).tolist():
        triangles = point.columns_of(v, *_pairs_beside(cliques, v))
        weights = ((triangles, 1), (_edges_at(cliques, v), 1 - k))
        yield float(lacks[v]), _row(("least degree", v), *weights, demand=-k * (k - 1) // 2)


def most_degrees(point: CliquePoint) -> Violated:
    """A variable has no more triangles than in `least_degrees`; triples that are no columns do not count.

    Pays within 2 on sparse lists (alarm).
    """
    cliques, k = point.cliques, point.cliques.treewidth
    lacks = -_missing_at(point, point.t)
    for v in np.flatnonzero(lacks > VIOLATION).tolist():
        triangles = cliques.triple_column[v, *_pairs_beside(cliques, v)]
        weights = ((triangles[triangles >= 0], -1), (_edges_at(cliques, v), k - 1))
        yield float(lacks[v]), _row(("most degree", v), *weights, demand=k * (k - 1) // 2)


def _missing_at(point: CliquePoint, t: np.ndarray) -> np.ndarray:
    """How many triangles each variable lacks by `least_degrees`, if `t` are the triangles; negative for too many."""
    k = point.cliques.treewidth
    return np.asarray((k - 1) * point.y.sum(axis=1) - k * (k - 1) / 2 - 0.5 * t.sum(axis=(1, 2)))


def _pairs_beside(cliques: Cliques, v: int) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of other variables."""
    others = np.delete(np.arange(cliques.n_variables), v)
    a, b = np.triu_indices(len(others), 1)
    return others[a], others[b]


def _edges_at(cliques: Cliques, v: int) -> np.ndarray:
    return np.delete(cliques.pair_column[v], v)


def triangles_of_edges(point: CliquePoint) -> Violated:
    """An edge of a k-tree is in at least K - 1 triangles."""
    cliques, k = point.cliques, point.cliques.treewidth
    lacks = (k - 1) * point.y - point.t_most.sum(axis=2)
    for a, b in cliques.pairs[lacks[tuple(cliques.pairs.T)] > VIOLATION].tolist():
        others = np.delete(np.arange(cliques.n_variables), (a, b))
        edge = cliques.pair_column[a, b]
        triangles = point.columns_of(a, b, others)
        yield float(lacks[a, b]), _row(("triangles", a, b), (triangles, 1), (np.array([edge]), 1 - k))


def links(point: CliquePoint) -> Violated:
    """In the link of v, a (K-1)-tree, the m members of S that are neighbours of v have at most (K-1) m - K (K-1) / 2
    edges if m >= K - 1, else m (m - 1) / 2.

    For distinct u_1 ... u_{K-1} in S both are at most (K-1) y(v, S) - sum over i of (K-i) y[v, u_i]: the sum is at
    most K (K-1) / 2, and at most (K-1) + ... + (K-m).
    """
    cliques, k = point.cliques, point.cliques.treewidth
    weights = np.arange(k - 1, 0, -1)
    for v in range(cliques.n_variables):
        # Others gain nothing: they are in no triangle with v.
        near = np.flatnonzero(point.t[v].any(axis=1))
        triangles, edges = point.t[v][np.ix_(near, near)], point.y[v, near]
        starts = np.stack(np.nonzero(np.triu(triangles) > VIOLATION), axis=1)
        if len(starts) > MOST_STARTS:
            starts = starts[np.argsort(-triangles[tuple(starts.T)], kind="stable")[:MOST_STARTS]]
        orders, lacks = np.empty((len(starts), len(near)), dtype=np.int64), np.empty(len(starts))
        sizes = grow_links(triangles, edges, k, starts, orders, lacks)
        found = {}
        for i in np.flatnonzero(lacks > VIOLATION).tolist():
            some = np.sort(near[orders[i, : sizes[i]]])
            found[some.tobytes()] = float(lacks[i]), some
        for lack, some in found.values():
            ranked = some[np.argsort(-point.y[v, some], kind="stable")]
            a, b = np.triu_indices(len(some), 1)
            columns = cliques.triple_column[v, some[a], some[b]]
            columns = columns[columns >= 0]
            of_edges = np.full(len(ranked), k - 1, dtype=np.int64)
            of_edges[: k - 1] -= weights
            values = np.append(np.full(len(columns), -1, dtype=np.int64), of_edges)
            columns = np.append(columns, cliques.pair_column[v, ranked]).astype(np.int64)
            yield lack, Row(("link", v, *ranked[: k - 1].tolist(), -1, *some.tolist()), columns, values, 0)


def chords(point: CliquePoint) -> Violated:
    """A k-tree is chordal: an edge of a cycle is in a triangle with another variable of the cycle.

    So y[ab] is at most the sum over the other edges of 1 - y and over the other variables c of t[abc]; the least sum
    is a shortest path.
    """
    cliques = point.cliques
    paths = np.empty(cliques.n_variables, dtype=np.int64)
    lengths = np.maximum(0.0, 1.0 - point.y)
    np.fill_diagonal(lengths, np.inf)
    for a, b in cliques.pairs[point.y[tuple(cliques.pairs.T)] > VIOLATION].tolist():
        most = point.y[a, b] - VIOLATION
        length, size = shortest_detour(lengths, np.maximum(0.0, point.t_most[a, b]), a, b, most, paths)
        if size > 0:
            path = paths[:size]
            edges, triangles = (
                cliques.pair_column[path[:-1], path[1:]],
                point.columns_of(path[0], path[-1], path[1:-1]),
            )
            weights = ((np.array([cliques.pair_column[a, b]]), -1), (edges, -1), (triangles, 1))
            yield float(point.y[a, b] - length), _row(("chord", *path.tolist()), *weights, demand=-len(edges))


def violated_rows(point: CliquePoint) -> list[Row]:
    """Violated rows that couple edges and triangles."""
    kinds = [triangles_within_edges, least_degrees, most_degrees, triangles_of_edges, links, chords]
    return most_violated(kinds, point)


def _row(key: tuple[object, ...], *weights: tuple[np.ndarray, int], demand: int = 0) -> Row:
    """A row whose columns have the same coefficient in groups; a column that occurs twice has the sum."""
    columns = np.concatenate([some for some, _ in weights]).astype(np.int64)
    values = np.concatenate([np.full(len(some), value, dtype=np.int64) for some, value in weights])
    unique, places = np.unique(columns, return_inverse=True)
    if len(unique) < len(columns):
        sums = np.bincount(places, values, len(unique)).astype(np.int64)
        columns, values = unique[sums != 0], sums[sums != 0]
    return Row(key, columns, values, demand)
