"""The networks of a class: how many there are, all of them, random ones.

The undirected edges of an essential graph, also of an interventional one, form connected chordal graphs that are
directed independently of each other (`clique_picking`). Knowledge may direct some edges of such a part and leave
others; then members of the whole class are listed and those against the knowledge left out, since counting them is
#P-hard in general (Wienöbst, Bannach and Liśkiewicz 2021).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cached_property

from stages.runtime.errors import StageError

from . import Parents, connected_components
from .clique_picking import CliquePicking
from .essential_graphs import PartiallyDirectedGraph, essential_graph, list_arcs

MOST_LISTED = 100_000
"""Largest class that is listed to find the members which agree with knowledge."""

Members = tuple[tuple[int, ...], ...]
"""Ascending parents of every variable."""


class NetworkClass:
    """The networks that have all arcs of a graph, its edges in some direction, and no other v-structures.

    `graph` is an essential graph, or a maximally oriented one; `parents` is one of its networks.
    """

    def __init__(self, graph: PartiallyDirectedGraph, parents: Parents):
        self.graph, self.parents = graph, parents
        self._neighbours: list[set[int]] = [set() for _ in parents]
        self._fixed: list[set[int]] = [set() for _ in parents]
        for a, b in graph.undirected:
            self._neighbours[a].add(b)
            self._neighbours[b].add(a)
        for tail, head in graph.directed:
            self._fixed[head].add(tail)
        # Then every direction of a part goes with every one of the others.
        self._is_chain_graph = all(self._fixed[a] == self._fixed[b] for a, b in graph.undirected)
        self._picking = CliquePicking(self._neighbours)

    @cached_property
    def _parts(self) -> list[frozenset[int]]:
        return [frozenset(part) for part in connected_components(self._neighbours) if len(part) > 1]

    @cached_property
    def size(self) -> int:
        """Number of networks.

        Raises `StageError` if knowledge directs a part of the edges that belong together, in a class too large to
        list.
        """
        if not self._is_chain_graph:
            return len(self._listed)
        size = 1
        for part in self._parts:
            size *= self._picking.count(part)
        return size

    @cached_property
    def _listed(self) -> list[Members]:
        """The networks of the whole class that have the arcs."""
        whole = NetworkClass(essential_graph(self.parents), self.parents)
        if whole.size > MOST_LISTED:
            raise StageError(
                f"the class without the knowledge has {whole.size:,} networks: too many to find those that agree\n"
                "  give the essential graph without knowledge, or knowledge that directs more edges"
            )
        return [m for m in whole if self.graph.directed <= list_arcs(m)]

    def __iter__(self) -> Iterator[Members]:
        if not self._is_chain_graph:
            yield from self._listed
            return
        for order in self._picking.joined(self._parts):
            yield self._member(order)

    def draw(self, rng: random.Random) -> Members:
        """A random network; all are equally probable."""
        if not self._is_chain_graph:
            return self._listed[rng.randrange(self.size)]
        return self._member([v for part in self._parts for v in self._picking.draw(part, rng)])

    def _member(self, order: Sequence[int]) -> Members:
        """The network whose edges lead from earlier to later vertices of an order."""
        families = [set(fixed) for fixed in self._fixed]
        met: set[int] = set()
        for vertex in order:
            families[vertex] |= self._neighbours[vertex] & met
            met.add(vertex)
        return tuple(tuple(sorted(family)) for family in families)
