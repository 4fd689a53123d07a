"""Adjustment sets: variables over which a sum gives the effect of one variable on another.

The graph has no hidden common causes. Sources: Shpitser, VanderWeele and Robins 2010 (criterion), Perkovic, Textor,
Kalisch and Maathuis 2018 (essential graphs), Henckel, Perkovic and Maathuis 2022 (optimal set).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from formats.graphs.algorithms import Graph, moral_graph

from . import Parents
from .d_separation import ancestors, descendants, open_path


class Adjustment:
    """The adjustment sets for the effect of `cause` on `effect`, two variables of an acyclic graph.

    With `undirected`, the undirected edges of its essential graph, the sets hold in all networks of the equivalence
    class. A possibly directed path has no arc against its direction.

    - `causal`: the vertices of (possibly) directed paths from the cause to the effect, without the cause.
    - `undecided`: the causal vertices that an undirected edge joins to the cause. If there is one, the networks of
      the class have different effects, and no set holds in all.
    - `forbidden`: vertices of no adjustment set: the cause, and (possible) descendants of the causal vertices.
    - `back_door`: the parents in the graph without the first arcs of the directed paths.
    """

    def __init__(self, parents: Parents, cause: int, effect: int, undirected: Collection[tuple[int, int]] = ()):
        self.parents, self.cause, self.effect = parents, cause, effect
        possible = [list(family) for family in parents]
        for a, b in undirected:
            possible[a].append(b)
            possible[b].append(a)
        possible[cause] = []  # no path returns to the cause
        self.causal = (descendants(possible, [cause]) & ancestors(possible, [effect])) - {cause}
        edges = [edge for edge in undirected if cause in edge]
        self.undecided = {v for edge in edges for v in edge} & self.causal
        self.forbidden = descendants(possible, self.causal) | {cause}
        self.back_door = [
            tuple(p for p in family if p != cause or v not in self.causal) for v, family in enumerate(parents)
        ]

    def open_path(self, given: Collection[int]) -> list[int] | None:
        """A path that is open given the set and carries no effect; None if there is none."""
        return open_path(self.back_door, self.cause, self.effect, given)

    def is_valid(self, given: Collection[int]) -> bool:
        """Whether this is an adjustment set."""
        is_allowed = not (self.undecided or set(given) & (self.forbidden | {self.effect}))
        return is_allowed and self.open_path(given) is None

    def optimal(self) -> set[int] | None:
        """The adjustment set of least asymptotic variance: parents of causal vertices that are not forbidden.

        None if the cause has no directed path to the effect, or no set holds in all networks of the class.
        """
        if not self.causal or self.undecided:
            return None
        return {p for v in self.causal for p in self.parents[v]} - self.forbidden

    def minimal(self) -> Iterator[frozenset[int]]:
        """The adjustment sets of which no proper subset is one; none if the effect is a parent of the cause, or if no
        set holds in all networks of the class.
        """
        return iter(()) if self.undecided else self.separators(self.cause, self.effect)

    def separators(self, first: int, second: int) -> Iterator[frozenset[int]]:
        """The minimal sets that d-separate two variables in the back-door graph.

        They are the minimal separators in the moral graph of the ancestors of both (Tian, Paz and Pearl 1998) in
        which forbidden vertices are eliminated, since none may be in a set.
        """
        kept = ancestors(self.back_door, [first, second])
        graph = moral_graph([family if v in kept else () for v, family in enumerate(self.back_door)])
        for vertex in (self.forbidden & kept) - {first, second}:
            around = graph[vertex]
            for u in around:
                graph[u] = (graph[u] | around) - {u, vertex}
            graph[vertex] = set()
        return minimal_separators(graph, first, second)


def minimal_separators(graph: Graph, first: int, second: int) -> Iterator[frozenset[int]]:
    """The minimal sets of vertices that separate two vertices, each once.

    From a separator the next ones follow by adding one of its vertices to the component of `first` (Kloks and Kratsch
    1998).
    """
    found: set[frozenset[int]] = set()
    waiting = [frozenset({first})]  # connected parts around the first vertex
    for part in waiting:  # grows during the iteration
        border = _neighbours(graph, part)
        if second in border:
            continue
        separator = frozenset(_neighbours(graph, _component(graph, second, border)))
        if separator not in found:
            found.add(separator)
            yield separator
            inner = _component(graph, first, separator)
            waiting += [frozenset(inner | {vertex}) for vertex in sorted(separator)]


def _neighbours(graph: Graph, part: Collection[int]) -> set[int]:
    """The vertices beside a part of the graph."""
    return {u for v in part for u in graph[v]} - set(part)


def _component(graph: Graph, start: int, without: Iterable[int]) -> set[int]:
    """The vertices that are reached from `start` without passing some others."""
    found, barred, waiting = {start}, set(without), [start]
    while waiting:
        new = graph[waiting.pop()] - found - barred
        found |= new
        waiting += new
    return found
