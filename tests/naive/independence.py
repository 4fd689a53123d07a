"""D-separation in the moral graph of ancestors, and what it says about a graph as a map of another."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

Graph = Sequence[set[int]]
"""Parents of every variable."""


def ancestors_of(graph: Graph, variables: Iterable[int]) -> set[int]:
    """The variables and all from which a directed path leads to them."""
    found = set(variables)
    while True:
        more = set().union(*(graph[v] for v in found)) - found
        if not more:
            return found
        found |= more


def descendants_of(graph: Graph, variable: int) -> set[int]:
    """The variable and all to which a directed path leads from it."""
    return {v for v in range(len(graph)) if variable in ancestors_of(graph, [v])}


def are_separated(graph: Graph, one: int, other: int, given: Iterable[int]) -> bool:
    """True when `given` d-separates the two variables (Lauritzen's criterion)."""
    given = set(given)
    involved = ancestors_of(graph, given | {one, other})
    linked = {v: set() for v in involved}
    for v in involved:
        for a, b in itertools.combinations(graph[v] | {v}, 2):
            linked[a].add(b)
            linked[b].add(a)
    reached, waiting = {one}, [one]
    while waiting:
        for v in linked[waiting.pop()] - reached - given:
            reached.add(v)
            waiting.append(v)
    return other not in reached


def is_independence_map(graph: Graph, truth: Graph) -> bool:
    """Every variable is separated in `truth` from its non-descendants in `graph` by its parents there."""
    for v in range(len(graph)):
        others = set(range(len(graph))) - descendants_of(graph, v) - graph[v]
        if not all(are_separated(truth, v, other, graph[v]) for other in others):
            return False
    return True


def is_minimal(graph: Graph, truth: Graph) -> bool:
    """No arc of an independence map can go: the other parents do not separate its ends in `truth`."""
    return all(
        not are_separated(truth, child, parent, graph[child] - {parent})
        for child in range(len(graph))
        for parent in graph[child]
    )
