"""Treewidth by trying all elimination orders, with the fill-in edges added one by one."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Collection, Iterable, Sequence

Edges = frozenset[frozenset[int]]


def moral_edges(parents: Sequence[Sequence[int]]) -> Edges:
    """Edges of the moral graph: parent and child, and any two parents of one child."""
    families = [(child, *parent_set) for child, parent_set in enumerate(parents)]
    return frozenset(frozenset(pair) for family in families for pair in itertools.combinations(family, 2))


def elimination_width(edges: Iterable[Collection[int]], order: Sequence[int]) -> int:
    """Eliminate vertices one after the other, joining the neighbours of each; the most neighbours met."""
    current = {frozenset(edge) for edge in edges}
    width = 0
    for vertex in order:
        neighbours = sorted({v for edge in current if vertex in edge for v in edge} - {vertex})
        width = max(width, len(neighbours))
        current = {edge for edge in current if vertex not in edge}
        current |= {frozenset(pair) for pair in itertools.combinations(neighbours, 2)}
    return width


def jointree_cells(edges: Iterable[Collection[int]], order: Sequence[int], n_states: Sequence[int]) -> int:
    """Cells of the tables of all cliques that elimination meets and no other one contains."""
    current = {frozenset(edge) for edge in edges}
    cliques = set()
    for vertex in order:
        neighbours = {v for edge in current if vertex in edge for v in edge} - {vertex}
        cliques.add(frozenset({vertex, *neighbours}))
        current = {edge for edge in current if vertex not in edge}
        current |= {frozenset(pair) for pair in itertools.combinations(sorted(neighbours), 2)}
    maximal = [clique for clique in cliques if not any(clique < other for other in cliques)]
    return sum(math.prod(n_states[v] for v in clique) for clique in maximal)


def treewidth(edges: Iterable[Collection[int]], n_vertices: int) -> int:
    """The smallest width of any elimination order; for up to seven vertices."""
    return _treewidth(frozenset(frozenset(edge) for edge in edges), n_vertices)


@functools.cache
def _treewidth(edges: Edges, n_vertices: int) -> int:
    return min(elimination_width(edges, order) for order in itertools.permutations(range(n_vertices)))
