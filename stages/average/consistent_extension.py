"""Directions for edges that may have either, so that no new v-structure arises."""

from __future__ import annotations

import heapq
from collections.abc import Collection

import numpy as np

from stages.graphs import Parents, positions_of, topological_order


def consistent_extension(parents: Parents, reversible: Collection[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """The network with reversible arcs turned so that they form no v-structure, as far as that is possible.

    Parameters
    ----------
    parents : sequence of sequence of int
        Of an acyclic graph; where there is nothing to turn, it is returned as it is.
    reversible : collection of (int, int)
        Arcs of the graph whose direction is free; the others keep theirs.

    Returns
    -------
    tuple of tuple of int
        Ascending parents of every variable, acyclic; a v-structure of it is one of `parents`, so that its moral graph
        has no further edge.

    Notes
    -----
    Dor and Tarsi, "A simple algorithm to construct a consistent extension of a partially oriented graph" (1992):
    repeatedly remove a variable without children whose reversible neighbours are joined with all its neighbours, and
    let all its edges point to it. Variables that are left, because there is no consistent extension, keep their arcs.
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
    waiting = [(-position[v], v) for v in range(n)]  # late ones first: a consistent graph keeps its arcs
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
