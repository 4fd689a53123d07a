"""The networks of a class: how many there are, all of them, random ones.

The undirected edges of an essential graph, also of an interventional one, form connected chordal graphs that are
directed independently of each other, without cycles and without v-structures (`CliquePicking`). Knowledge may direct
some edges of such a part and leave others; then members of the whole class are listed and those against the knowledge
left out, since counting them is #P-hard in general (Wienöbst, Bannach and Liśkiewicz 2021).

Wienöbst, Bannach and Liśkiewicz, "Polynomial-time algorithms for counting and sampling Markov equivalent DAGs" (AAAI
2021): every such orientation of a chordal graph begins with exactly one maximal clique in exactly one order, if
orders that begin with one of the separators before the clique in a clique tree are left out. What follows the clique
falls into smaller chordal graphs, directed independently. An orientation is given by an order of the vertices.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from stages.runtime.errors import StageError

from . import Parents, connected_components
from .essential_graphs import PartiallyDirectedGraph, essential_graph, list_arcs

MOST_LISTED = 100_000
"""Largest class that is listed to find the members which agree with knowledge."""

Members = tuple[tuple[int, ...], ...]
"""Ascending parents of every variable."""


Graph = Sequence[set[int]]
"""Neighbours of every vertex."""


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


class Pick(NamedTuple):
    """Orientations that begin with a maximal clique."""

    clique: tuple[int, ...]
    barred: list[frozenset[int]]  # separators that no order of the clique begins with, each within the next
    rest: list[frozenset[int]]  # the chordal graphs that follow, in the order of their vertices
    number: int  # of such orientations


class CliquePicking:
    """The orientations of the connected chordal subgraphs of a graph."""

    def __init__(self, graph: Graph):
        self.graph = graph
        self._picks: dict[frozenset[int], list[Pick]] = {}

    def count(self, vertices: frozenset[int]) -> int:
        """Number of orientations of a connected chordal subgraph."""
        if self._is_complete(vertices):
            return math.factorial(len(vertices))
        return sum(pick.number for pick in self._picks_of(vertices))

    def orders(self, vertices: frozenset[int]) -> Iterator[tuple[int, ...]]:
        """An order of the vertices for each orientation."""
        if self._is_complete(vertices):
            yield from itertools.permutations(sorted(vertices))
            return
        for pick in self._picks_of(vertices):
            for order in itertools.permutations(pick.clique):
                if not _is_barred(order, pick.barred):
                    for following in self.joined(pick.rest):
                        yield order + following

    def joined(self, parts: Sequence[frozenset[int]]) -> Iterator[tuple[int, ...]]:
        """The orders of several subgraphs, one after the other."""
        if not parts:
            yield ()
            return
        for order in self.orders(parts[0]):
            for following in self.joined(parts[1:]):
                yield order + following

    def draw(self, vertices: frozenset[int], rng: random.Random) -> list[int]:
        """An order for a random orientation; all are equally probable."""
        if self._is_complete(vertices):
            return rng.sample(sorted(vertices), len(vertices))
        place = rng.randrange(self.count(vertices))
        for pick in self._picks_of(vertices):
            if place < pick.number:
                break
            place -= pick.number
        order = rng.sample(pick.clique, len(pick.clique))
        # At least half of the orders of three and more vertices are left, and one of two.
        while _is_barred(order, pick.barred):
            rng.shuffle(order)
        return order + [v for part in pick.rest for v in self.draw(part, rng)]

    def _is_complete(self, vertices: frozenset[int]) -> bool:
        return all(len(self.graph[v] & vertices) == len(vertices) - 1 for v in vertices)

    def _picks_of(self, vertices: frozenset[int]) -> list[Pick]:
        if vertices not in self._picks:
            found = []
            for clique, barred in self._cliques(vertices):
                rest = self._after(clique, vertices)
                number = allowed_orders(len(clique), [len(each) for each in barred]) * math.prod(
                    map(self.count, rest)
                )
                if number:
                    found.append(Pick(tuple(sorted(clique)), barred, rest, number))
            self._picks[vertices] = found
        return self._picks[vertices]

    def _cliques(self, vertices: frozenset[int]) -> list[tuple[set[int], list[frozenset[int]]]]:
        """The maximal cliques, each with the separators on the way from the first one that lie within it.

        Maximum cardinality search gives a clique tree (Blair and Peyton 1993).
        """
        weights = dict.fromkeys(sorted(vertices), 0)
        cliques: list[set[int]] = []
        separators: list[list[frozenset[int]]] = []  # from the root to each clique
        clique_of: dict[int, int] = {}
        before = -1
        while weights:
            vertex = max(weights, key=weights.__getitem__)
            visited = frozenset(u for u in self.graph[vertex] if u in clique_of)
            if weights.pop(vertex) <= before or not cliques:
                above = [] if not cliques else separators[max(clique_of[u] for u in visited)]
                separators.append([*above, visited] if cliques else [])
                cliques.append(set(visited))
            clique_of[vertex] = len(cliques) - 1
            cliques[-1].add(vertex)
            before = len(visited)
            for u in self.graph[vertex] & weights.keys():
                weights[u] += 1
        return [
            (clique, sorted({s for s in way if s <= clique}, key=len))
            for clique, way in zip(cliques, separators, strict=True)
        ]

    def _after(self, clique: set[int], vertices: frozenset[int]) -> list[frozenset[int]]:
        """The connected subgraphs whose directions are free once all arcs leave the clique, in topological order.

        Lexicographic search that begins with the clique: vertices in the first class when one of it is first met have
        the same neighbours so far.
        """
        classes = {0: set(clique), 1: set(vertices - clique)}
        class_of = {v: number for number, members in classes.items() for v in members}
        # The class that follows each, and the one before it; -1 stands before the first and behind the last.
        after, before = {-1: 0, 0: 1, 1: -1}, {-1: 1, 0: -1, 1: 0}
        found: list[frozenset[int]] = []
        met = set(clique)
        while (first := after[-1]) != -1:
            members = classes[first]
            if not members:
                after[-1], before[after[first]] = after[first], -1
                continue
            vertex = next(iter(members))
            if vertex not in met:
                met |= members
                found += self._parts(members)
            members.discard(vertex)
            del class_of[vertex]
            near: dict[int, set[int]] = {}
            for u in self.graph[vertex]:
                if u in class_of:
                    near.setdefault(class_of[u], set()).add(u)
            for number, moved in near.items():
                if len(moved) == len(classes[number]):
                    continue
                classes[number] -= moved
                new = len(classes)
                classes[new] = moved
                class_of.update(dict.fromkeys(moved, new))
                after[before[number]], before[new] = new, before[number]
                after[new], before[number] = number, new
        return found

    def _parts(self, vertices: set[int]) -> list[frozenset[int]]:
        """Connected components of a subgraph."""
        left, found = set(vertices), []
        while left:
            part, waiting = set(), [min(left)]
            while waiting:
                vertex = waiting.pop()
                if vertex in left:
                    left.discard(vertex)
                    part.add(vertex)
                    waiting += self.graph[vertex] & left
            found.append(frozenset(part))
        return found


def allowed_orders(size: int, barred: Sequence[int]) -> int:
    """Orders of a set of this size that begin with none of several sets, each within the next, of these sizes."""
    numbers: list[int] = []  # for each barred set, its orders that begin with no smaller one
    for k, size_of_set in enumerate([*barred, size]):
        before = sum(math.factorial(size_of_set - barred[i]) * numbers[i] for i in range(k))
        numbers.append(math.factorial(size_of_set) - before)
    return numbers[-1]


def _is_barred(order: Sequence[int], barred: Sequence[frozenset[int]]) -> bool:
    return any(each == set(order[: len(each)]) for each in barred)
