"""Elementary algorithms on graphs for readers of networks: cycles, moral graphs, elimination.

`stages.graphs` has further ones. `stages.optimize.verify` has separate versions: a check must not share the code that
it checks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter

Parents = Sequence[Sequence[int]]
"""Parents of every variable, by index."""

Graph = list[set[int]]
"""Neighbours of every vertex of an undirected graph."""


def find_cycle(parents: Parents) -> list[int] | None:
    """A directed cycle as a list of variables, each a parent of the next, the last a parent of the first; or None."""
    try:
        TopologicalSorter(dict(enumerate(parents))).prepare()
    except CycleError as error:
        return error.args[1][:-1]
    return None


def moral_graph(parents: Parents) -> Graph:
    """Undirected graph that joins every child with its parents and the parents with each other."""
    graph: Graph = [set() for _ in parents]
    for child, parent_set in enumerate(parents):
        family = {child, *parent_set}
        for member in family:
            graph[member] |= family
    for vertex, neighbours in enumerate(graph):
        neighbours.discard(vertex)
    return graph


def elimination_bags(graph: Graph, order: Sequence[int]) -> Iterator[set[int]]:
    """Neighbours of each vertex when it is eliminated, fill-in included; in the order of `order`.

    `order` is a permutation of the vertices, first eliminated first.

    A vertex passes its later neighbours to the earliest of them only, which gives the same bags as joining all of
    them (elimination tree of sparse Cholesky factorisation) and takes one union of sets per vertex.
    """
    position = {vertex: rank for rank, vertex in enumerate(order)}
    later = [{u for u in graph[v] if position[u] > position[v]} for v in range(len(graph))]
    for vertex in order:
        bag = later[vertex]
        yield bag
        if bag:
            heir = min(bag, key=position.__getitem__)
            later[heir] |= bag
            later[heir].discard(heir)


def elimination_width(graph: Graph, order: Sequence[int]) -> int:
    """Width of an elimination order: the size of its largest bag, an upper bound on the treewidth."""
    return max(map(len, elimination_bags(graph, order)), default=0)


def largest_table(graph: Graph, order: Sequence[int], n_states: Sequence[int]) -> int:
    """Number of cells (product of states) of the largest table over a vertex and its bag."""
    bags = elimination_bags(graph, order)
    return max(math.prod((n_states[u] for u in bag), start=n_states[v]) for v, bag in zip(order, bags))
