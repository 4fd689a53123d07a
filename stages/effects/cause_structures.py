"""The structures of a source, as far as effects of one variable depend on them.

Networks are counted; of an essential graph, each parent set that its orientations allow counts once (IDA: Maathuis,
Kalisch and Bühlmann 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from formats.errors import Inconsistent
from stages.graphs import Parents, children_of, topological_order
from stages.graphs.consistent_extension import consistent_extension
from stages.graphs.d_separation import descendants
from stages.graphs.essential_graphs import Arc, PartiallyDirectedGraph, essential_graph
from stages.graphs.orientation import oriented_graph
from stages.knowledge import Knowledge
from stages.runtime.errors import InfeasibleError


class CauseStructures(NamedTuple):
    """Possible parents of a cause."""

    parents: tuple[tuple[int, ...], ...]  # distinct
    # float64, shape (n_sets, n_variables): probability that the cause has these parents and is an ancestor of each
    # variable; in its own column, that it has these parents.
    shares: np.ndarray


class CountedStructures:
    """Networks one by one, counted for some causes."""

    def __init__(self, causes: Sequence[int]):
        self._found: dict[int, dict[tuple[int, ...], np.ndarray]] = {cause: {} for cause in causes}
        self._total = 0

    def add(self, parents: Parents, times: int = 1) -> None:
        """Count a network, `times` times."""
        n, children = len(parents), children_of(parents)
        reached = np.eye(n, dtype=np.bool_)
        for variable in reversed(topological_order(parents)):
            for child in children[variable]:
                reached[variable] |= reached[child]
        for cause, found in self._found.items():
            family = tuple(sorted(parents[cause]))
            if family not in found:
                found[family] = np.zeros(n, dtype=np.int32)
            found[family] += times * reached[cause]
        self._total += times

    def of(self, cause: int) -> CauseStructures:
        """The structures of a cause, by their shares of the networks."""
        found = self._found[cause]
        return CauseStructures(tuple(found), np.array(list(found.values())) / self._total)


class ClassStructures:
    """An essential graph, one maximally oriented under knowledge, or a network: then its class is itself."""

    def __init__(self, member: Parents, edges: Sequence[Arc]):
        """`member` is a network of the class, `edges` are the pairs without a direction, smaller index first."""
        undirected = frozenset(edges)
        self.n_variables = len(member)
        self.essential = essential_graph(member)
        arcs = ((parent, child) for child, family in enumerate(member) for parent in family)
        directed = frozenset(arc for arc in arcs if ordered_pair(*arc) not in undirected)
        self.graph = PartiallyDirectedGraph(directed, undirected)

    def under(self, knowledge: Knowledge) -> ClassStructures:
        """The class under further knowledge; raises `InfeasibleError` if no network of it agrees."""
        is_class = bool(self.graph.undirected)
        graph = "essential graph" if is_class else "network"
        no_member = "no network of this essential graph agrees" if is_class else "this network does not agree"
        unmet = f"{no_member} with the constraints"
        settled = [arc for a, b in self.graph.undirected for arc in ((a, b), (b, a)) if knowledge.settles(*arc)]
        member = None if len(set(settled)) < len(settled) else self._member(settled)
        if member is None:
            raise InfeasibleError(unmet)
        try:
            oriented = oriented_graph(member, self._required(settled, knowledge))
            # Also refuses arcs that every network of the class has or lacks.
            oriented_graph(member, knowledge)
        except Inconsistent as error:
            raise InfeasibleError(f"{unmet}: {error}") from None
        absent = [arc for arc in knowledge.required_arcs if arc[0] not in member[arc[1]]]
        if absent:
            raise InfeasibleError(f"the {graph} has no arc {knowledge.arc_text(*absent[0])}, which is required")
        return ClassStructures(member, sorted(oriented.undirected))

    def of(self, cause: int) -> CauseStructures:
        """Each parent set that some network of the class gives the cause, equally weighted.

        With all edges of the cause directed, the maximally oriented graph decides its descendants: a possibly
        directed path from it has an unshielded one within, whose arcs follow from the first by Meek's first rule.
        """
        open_edges = [edge for edge in self.graph.undirected if cause in edge]
        near = sorted(a if b == cause else b for a, b in open_edges)
        fixed = tuple(a for a, b in self.graph.directed if b == cause)
        found: dict[tuple[int, ...], np.ndarray] = {}
        for chosen in self._cliques(near):
            turned = [(v, cause) if v in chosen else (cause, v) for v in near]
            member = self._member(turned)
            if member is not None:
                closed = oriented_graph(member, self._required(turned)).directed
                below = descendants(_parents_of(closed, self.n_variables), [cause])
                found[tuple(sorted((*fixed, *chosen)))] = np.isin(np.arange(self.n_variables), list(below))
        return CauseStructures(tuple(found), np.array(list(found.values())) / len(found))

    def _cliques(self, variables: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The subsets in which every two variables are adjacent: others would collide in a common child."""
        joined = {ordered_pair(*arc) for arc in (*self.graph.directed, *self.graph.undirected)}
        waiting: list[tuple[int, ...]] = [()]
        while waiting:
            clique = waiting.pop()
            yield clique
            later = variables[variables.index(clique[-1]) + 1 :] if clique else variables
            waiting += [(*clique, v) for v in later if all(ordered_pair(u, v) in joined for u in clique)]

    def _required(self, turned: Sequence[Arc], further: Knowledge | None = None) -> Knowledge:
        """Knowledge of the arcs of the graph and of edges that are turned."""
        names = [str(v) for v in range(self.n_variables)] if further is None else further.names
        return Knowledge.of_arcs(names, required=[*self.graph.directed, *turned])

    def _member(self, turned: Sequence[Arc]) -> Parents | None:
        """A network of the class that has these arcs in place of edges; None if there is none."""
        directed = {*self.graph.directed, *turned}
        free = self.graph.undirected - {ordered_pair(*arc) for arc in turned}
        parents = _parents_of(directed, self.n_variables)
        order = topological_order(parents)
        if len(order) < self.n_variables:
            return None
        place = {variable: rank for rank, variable in enumerate(order)}
        reversible = {(a, b) if place[a] < place[b] else (b, a) for a, b in free}
        for tail, head in reversible:
            parents[head].append(tail)
        member = consistent_extension([tuple(sorted(family)) for family in parents], reversible)
        return member if essential_graph(member) == self.essential else None


def ordered_pair(a: int, b: int) -> Arc:
    """An edge with the smaller index first."""
    return (a, b) if a < b else (b, a)


def _parents_of(arcs: Sequence[Arc] | set[Arc] | frozenset[Arc], n_variables: int) -> list[list[int]]:
    parents: list[list[int]] = [[] for _ in range(n_variables)]
    for tail, head in arcs:
        parents[head].append(tail)
    return parents
