"""Directions of the edges of a chordal graph without cycles and without v-structures: number, list, random ones.

Wienöbst, Bannach and Liśkiewicz, "Polynomial-time algorithms for counting and sampling Markov equivalent DAGs" (AAAI
2021): every such orientation begins with exactly one maximal clique in exactly one order, if orders that begin with
one of the separators before the clique in a clique tree are left out. What follows the clique falls into smaller
chordal graphs, directed independently. An orientation is given by an order of the vertices.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

Graph = Sequence[set[int]]
"""Neighbours of every vertex."""


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
