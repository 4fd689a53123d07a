"""Treewidth by trying every next vertex to eliminate, with the fill-in edges added one by one."""

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


def eliminated(edges: Edges, vertex: int) -> tuple[frozenset[int], Edges]:
    """The neighbours of a vertex, and the edges without it, with its neighbours joined."""
    neighbours = frozenset(v for edge in edges if vertex in edge for v in edge) - {vertex}
    rest = frozenset(edge for edge in edges if vertex not in edge)
    return neighbours, rest | {frozenset(pair) for pair in itertools.combinations(neighbours, 2)}


def elimination_width(edges: Iterable[Collection[int]], order: Sequence[int]) -> int:
    """Eliminate vertices one after the other, joining the neighbours of each; the most neighbours met."""
    current = frozenset(frozenset(edge) for edge in edges)
    width = 0
    for vertex in order:
        neighbours, current = eliminated(current, vertex)
        width = max(width, len(neighbours))
    return width


def jointree_cells(edges: Iterable[Collection[int]], order: Sequence[int], n_states: Sequence[int]) -> int:
    """Cells of the tables of all cliques that elimination meets and no other one contains."""
    current = frozenset(frozenset(edge) for edge in edges)
    cliques = set()
    for vertex in order:
        neighbours, current = eliminated(current, vertex)
        cliques.add(neighbours | {vertex})
    maximal = [clique for clique in cliques if not any(clique < other for other in cliques)]
    return sum(math.prod(n_states[v] for v in clique) for clique in maximal)


def treewidth(edges: Iterable[Collection[int]]) -> int:
    """The smallest width of any elimination order.

    What is left of a graph does not depend on the order in which vertices went, so each remainder is looked at once.
    """
    return _treewidth(frozenset(frozenset(edge) for edge in edges))


@functools.lru_cache(1 << 14)
def _treewidth(edges: Edges) -> int:
    choices = (eliminated(edges, vertex) for vertex in frozenset().union(*edges))
    return min((max(len(neighbours), _treewidth(rest)) for neighbours, rest in choices), default=0)
