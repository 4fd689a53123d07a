"""Directions for edges that may have either one, such that no new v-structure arises: a member of an equivalence
class.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection

import numpy as np

from formats.errors import Inconsistent
from formats.graph_records import EssentialGraph
from stages.knowledge import Knowledge

from . import Parents, positions_of, topological_order
from .orientation import oriented_graph


def consistent_extension(parents: Parents, reversible: Collection[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The network with reversible arcs turned so that, as far as possible, they form no v-structure.

    `parents` is an acyclic graph; where there is nothing to turn, it is returned as it is. The direction of
    `reversible` arcs is free; the others keep theirs. Returns the ascending parents of every variable, acyclic. Each
    of their v-structures is one of `parents`, so the moral graph has no further edge.

    Dor and Tarsi, "A simple algorithm to construct a consistent extension of a partially oriented graph" (1992):
    repeatedly remove a variable without children whose reversible neighbours are joined with all its neighbours, and
    let all its edges point to it. If there is no consistent extension, the remaining variables keep their arcs.
    """
    n = len(parents)
    neighbours: list[set[int]] = [set() for _ in range(n)]
    children: list[set[int]] = [set() for _ in range(n)]
    free: list[set[int]] = [set() for _ in range(n)]
    for child, family in enumerate(parents):
        for parent in family:
            neighbours[parent].add(child)
            neighbours[child].add(parent)
            if (parent, child) in reversible:
                free[parent].add(child)
                free[child].add(parent)
            else:
                children[parent].add(child)
    extended = [tuple(family) for family in parents]
    position = positions_of(np.array(topological_order(parents), dtype=np.int64)).tolist()
    waiting = [(-position[v], v) for v in range(n)]  # late ones first, so a consistent graph keeps its arcs
    heapq.heapify(waiting)
    is_removed = [False] * n
    while waiting:
        _, v = heapq.heappop(waiting)
        if is_removed[v] or children[v] or any(neighbours[v] - neighbours[u] - {u} for u in free[v]):
            continue
        is_removed[v] = True
        extended[v] = tuple(sorted(neighbours[v]))
        for u in neighbours[v]:
            neighbours[u].discard(v)
            children[u].discard(v)
            free[u].discard(v)
            heapq.heappush(waiting, (-position[u], u))
    return tuple(
        family if is_removed[child] else tuple(p for p in family if not is_removed[p])
        for child, family in enumerate(extended)
    )


def class_member(graph: EssentialGraph, source: str | None = None) -> tuple[tuple[int, ...], ...]:
    """Parents of every variable in a network of the equivalence class that has all arcs of the graph.

    `source` names the origin of the graph, for the error. Raises `Inconsistent` if there is none, or if the class has
    further arcs in common: the graph is then neither an essential graph nor a maximally oriented one.
    """
    parents: list[list[int]] = [[] for _ in graph.variables]
    for tail, head in graph.arcs:
        parents[head].append(tail)
    place = positions_of(np.array(topological_order(parents), dtype=np.int64))
    turned = [(a, b) if place[a] < place[b] else (b, a) for a, b in graph.edges]
    for tail, head in turned:
        parents[head].append(tail)
    extended = consistent_extension([tuple(sorted(family)) for family in parents], set(turned))
    known = Knowledge.of_arcs([variable.name for variable in graph.variables], required=graph.arcs)
    surplus = oriented_graph(extended, known).directed - set(graph.arcs)
    if surplus:
        names = " -> ".join(graph.variables[v].name for v in min(surplus))
        raise Inconsistent(
            f"this is no essential graph: beside its arcs, {names} cannot be undirected",
            source=source,
            remedy="make the essential graph of a network: bnsl convert --cpdag",
        )
    return extended
