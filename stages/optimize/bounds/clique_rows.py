"""Rows about the cliques of a k-tree that a fractional solution violates, with their proofs.

G is a k-tree that contains the moral graph of a network of treewidth at most K; y are its edges, t its triangles, q
its cliques of four. The separators by growth begin with every pair of variables and add the best next variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from .cliques import Cliques

VIOLATION = 0.01
"""Least violation of a row that is worth its place."""

MOST_OF_A_KIND = 100
"""Most rows of a kind in a round, the most violated first."""


class Row(NamedTuple):
    """A valid row: coefficients times columns sum to `demand` or more; to exactly this if it is an equation."""

    key: tuple[object, ...]  # kind and members; no two rows of a pool have the same
    columns: np.ndarray  # int64
    values: np.ndarray  # int64
    demand: int
    is_equation: bool = False


class Point:
    """A fractional solution: values (float64) of all columns."""

    def __init__(self, cliques: Cliques, values: np.ndarray):
        n = cliques.n_variables
        self.cliques, self.values = cliques, values
        padded = np.append(values, 0.0)
        self.y = padded[cliques.pair_column]  # shape (n, n); 0 on the diagonal
        self.t = padded[cliques.triple_column]  # shape (n, n, n)
        self.starts = np.zeros((len(cliques.pairs), n))
        self.starts[np.arange(len(cliques.pairs))[:, None], cliques.pairs] = 1.0


Violated = Iterator[tuple[float, Row]]


P = TypeVar("P", bound=Point)


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
    return Row(
        (kind, column, int(parts[0]) if kind in ("edge", "triangle") else -1), np.append(column, parts), values, 0
    )


def grown(starts: np.ndarray, gains, value, least_size: int) -> Iterator[tuple[float, np.ndarray]]:
    """Sets of variables grown from each start, at their best size: value and membership.

    `gains` has the gains of adding each variable to each set, `value` the value of each set.
    """
    inside = starts.copy()
    best, kept = np.full(len(starts), -np.inf), starts.copy()
    for size in range(2, starts.shape[1] + 1):
        if size >= least_size:
            now = value(inside)
            better = now > best + 1e-9
            best[better], kept[better] = now[better], inside[better]
        if size == starts.shape[1]:
            break
        gain = np.where(inside > 0.0, -np.inf, gains(inside))
        inside[np.arange(len(inside)), np.argmax(gain, axis=1)] = 1.0
    violated = np.flatnonzero(best > VIOLATION)
    seen: set[bytes] = set()
    for i in violated[np.argsort(-best[violated], kind="stable")].tolist():
        key = kept[i].astype(np.bool_).tobytes()
        if key not in seen:
            seen.add(key)
            yield float(best[i]), np.flatnonzero(kept[i])


def edge_counts(point: Point) -> Violated:
    """At least K variables have no more edges than a k-tree on them."""
    cliques, k = point.cliques, point.cliques.treewidth

    def value(inside: np.ndarray) -> np.ndarray:
        size = inside.sum(axis=1)
        return np.asarray(0.5 * ((inside @ point.y) * inside).sum(axis=1) - k * size + k * (k + 1) / 2)

    for lack, some in grown(point.starts, lambda inside: inside @ point.y, value, k + 1):
        columns = cliques.pair_column[some[:, None], some][np.triu_indices(len(some), 1)].astype(np.int64)
        key = ("edges", *some.tolist())
        yield lack, Row(key, columns, np.full(len(columns), -1, dtype=np.int64), -most_edges(cliques, len(some)))


def triangles_within_edges(point: Point) -> Violated:
    """The three pairs of a triangle are edges."""
    yield from _parts(point, "edge", point.cliques.edges_of_triples, point.cliques.first_triple)


def quads_within_triangles(point: Point) -> Violated:
    """The four triples of a clique are triangles."""
    yield from _parts(point, "triangle", point.cliques.triples_of_quads, point.cliques.first_quad)


def _parts(point: Point, kind: str, parts: np.ndarray, first: int) -> Violated:
    values = point.values
    lacks = values[first : first + len(parts), None] - values[parts]
    for clique, place in np.argwhere(lacks > VIOLATION).tolist():
        yield float(lacks[clique, place]), within(kind, int(parts[clique, place]), np.array([first + clique]))


def degrees(point: Point) -> Violated:
    """The link of a variable in a k-tree is a (K-1)-tree on its m >= K neighbours, with (K-1) m - K (K-1) / 2
    edges; these are the triangles at the variable.
    """
    cliques, k = point.cliques, point.cliques.treewidth
    for v in range(cliques.n_variables):
        lack = abs(0.5 * point.t[v].sum() - (k - 1) * point.y[v].sum() + k * (k - 1) / 2)
        if lack > VIOLATION:
            others = np.delete(np.arange(cliques.n_variables), v)
            a, b = np.triu_indices(len(others), 1)
            triangles = cliques.triple_column[v, others[a], others[b]]
            edges = cliques.pair_column[v, others]
            yield (
                float(lack),
                _row(("degree", v), (triangles, 1), (edges, 1 - k), demand=-k * (k - 1) // 2, equal=True),
            )


def triangles_of_edges(point: Point) -> Violated:
    """An edge of a k-tree is in at least K - 1 triangles."""
    cliques, k = point.cliques, point.cliques.treewidth
    lacks = (k - 1) * point.y - point.t.sum(axis=2)
    for a, b in cliques.pairs[lacks[tuple(cliques.pairs.T)] > VIOLATION].tolist():
        others = np.delete(np.arange(cliques.n_variables), (a, b))
        edge = cliques.pair_column[a, b]
        triangles = cliques.triple_column[a, b, others]
        yield float(lacks[a, b]), _row(("triangles", a, b), (triangles, 1), (np.array([edge]), 1 - k))


def quads_of_triangles(point: Point) -> Violated:
    """A triangle of a k-tree, K >= 3, is in at least K - 2 cliques of four."""
    cliques, k = point.cliques, point.cliques.treewidth
    assert cliques.quad_column is not None
    q = np.append(point.values, 0.0)[cliques.quad_column].sum(axis=3)
    lacks = ((k - 2) * point.t - q)[tuple(cliques.triples.T)]
    for triple in np.flatnonzero(lacks > VIOLATION).tolist():
        a, b, c = cliques.triples[triple].tolist()
        others = np.delete(np.arange(cliques.n_variables), (a, b, c))
        quads = cliques.quad_column[a, b, c, others]
        column = np.array([cliques.first_triple + triple])
        yield float(lacks[triple]), _row(("quads", a, b, c), (quads, 1), (column, 2 - k))


def quads_of_edges(point: Point) -> Violated:
    """The link of an edge in a k-tree, K >= 3, is a (K-2)-tree on the m >= K-1 variables that form triangles with it:
    (K-2) m - (K-1) (K-2) / 2 edges, which are the cliques of four at the edge.
    """
    cliques, k = point.cliques, point.cliques.treewidth
    assert cliques.quad_column is not None
    q = np.append(point.values, 0.0)[cliques.quad_column].sum(axis=(2, 3)) / 2
    lacks = np.abs(q - (k - 2) * point.t.sum(axis=2) + (k - 1) * (k - 2) / 2 * point.y)
    for a, b in cliques.pairs[lacks[tuple(cliques.pairs.T)] > VIOLATION].tolist():
        others = np.delete(np.arange(cliques.n_variables), (a, b))
        i, j = np.triu_indices(len(others), 1)
        quads = cliques.quad_column[a, b, others[i], others[j]]
        triangles = cliques.triple_column[a, b, others]
        edge = np.array([cliques.pair_column[a, b]])
        weights = ((quads, 1), (triangles, 2 - k), (edge, (k - 1) * (k - 2) // 2))
        yield float(lacks[a, b]), _row(("quad degree", a, b), *weights, equal=True)


def links(point: Point) -> Violated:
    """In the link of v, a (K-1)-tree, the m members of S that are neighbours of v have at most (K-1) m - K (K-1) / 2
    edges if m >= K - 1, else m (m - 1) / 2.

    For distinct u_1 ... u_{K-1} in S both are at most (K-1) y(v, S) - sum over i of (K-i) y[v, u_i]: the sum is at
    most K (K-1) / 2, and at most (K-1) + ... + (K-m).
    """
    cliques, k = point.cliques, point.cliques.treewidth
    weights = np.arange(k - 1, 0, -1)
    for v in range(cliques.n_variables):
        triangles, edges = point.t[v], point.y[v]
        starts = point.starts[point.starts[:, v] == 0.0]
        live = (starts @ triangles * starts).sum(axis=1) > VIOLATION
        if not live.any():
            continue
        masked = edges.copy()
        masked[v] = 1e6  # v never joins

        def gains(inside: np.ndarray, triangles=triangles, masked=masked) -> np.ndarray:
            return np.asarray(inside @ triangles - (k - 1) * masked)

        def value(inside: np.ndarray, triangles=triangles, edges=edges, v=v) -> np.ndarray:
            taken = np.where(inside > 0.0, edges, 0.0)
            largest = -np.sort(-taken, axis=1)[:, : k - 1] @ weights
            sums = 0.5 * (inside @ triangles * inside).sum(axis=1) - (k - 1) * taken.sum(axis=1) + largest
            return np.asarray(np.where(inside[:, v] > 0.0, -np.inf, sums))

        for lack, some in grown(starts[live], gains, value, max(3, k)):
            ranked = some[np.argsort(-edges[some], kind="stable")]
            a, b = np.triu_indices(len(some), 1)
            of_edges = np.full(len(ranked), k - 1, dtype=np.int64)
            of_edges[: k - 1] -= weights
            columns = np.append(cliques.triple_column[v, some[a], some[b]], cliques.pair_column[v, ranked])
            values = np.append(np.full(len(a), -1, dtype=np.int64), of_edges)
            yield (
                lack,
                Row(("link", v, *ranked[: k - 1].tolist(), -1, *some.tolist()), columns.astype(np.int64), values, 0),
            )


def chords(point: Point) -> Violated:
    """A k-tree is chordal: an edge of a cycle is in a triangle with another variable of the cycle.

    So y[ab] is at most the sum over the other edges of 1 - y and over the other variables c of t[abc]; the least sum
    is a shortest path.
    """
    cliques, n = point.cliques, point.cliques.n_variables
    live = np.flatnonzero(point.y[tuple(cliques.pairs.T)] > VIOLATION)
    first, last = cliques.pairs[live].T
    lengths = np.broadcast_to(np.maximum(0.0, 1.0 - point.y), (len(live), n, n)).copy()
    lengths += np.maximum(0.0, point.t[first, last])[:, None, :]
    each = np.arange(len(live))
    lengths[:, np.arange(n), np.arange(n)] = np.inf
    lengths[each, first, last] = np.inf
    reach = np.full((len(live), n), np.inf)
    reach[each, first] = 0.0
    before = np.full((len(live), n), -1)
    for _ in range(n):
        steps = reach[:, :, None] + lengths
        nearest = np.argmin(steps, axis=1)
        found = np.take_along_axis(steps, nearest[:, None, :], axis=1)[:, 0, :]
        shorter = found < reach - 1e-12
        if not shorter.any():
            break
        reach[shorter], before[shorter] = found[shorter], nearest[shorter]
    lacks = point.y[first, last] - reach[each, last]
    for i in np.flatnonzero(lacks > VIOLATION).tolist():
        path = [int(last[i])]
        while path[-1] != first[i]:
            path.append(int(before[i, path[-1]]))
        a, b, inner = int(first[i]), int(last[i]), path[1:-1]
        edges = cliques.pair_column[path[:-1], path[1:]]
        triangles = cliques.triple_column[a, b, inner]
        weights = ((np.array([cliques.pair_column[a, b]]), -1), (edges, -1), (triangles, 1))
        yield float(lacks[i]), _row(("chord", *path), *weights, demand=-len(edges))


def _row(key: tuple[object, ...], *weights: tuple[np.ndarray, int], demand: int = 0, equal: bool = False) -> Row:
    """A row whose columns have the same coefficient in groups."""
    columns = np.concatenate([some for some, _ in weights]).astype(np.int64)
    values = np.concatenate([np.full(len(some), value, dtype=np.int64) for some, value in weights])
    return Row(key, columns, values, demand, equal)
