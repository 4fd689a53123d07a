"""What fixed records demand of a k-tree: which variables come first, and which cliques must be there.

A k-tree built along an order holds the family of a fixed child when the child comes after its parents and
these form a clique. For records with one parent each the order alone sees to that. Otherwise an elimination
order of the fixed families' moral graph of width at most K is looked for; its reverse is kept in every order,
and each variable must join its later-eliminated neighbours.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from stages.evaluate.treewidth import Graph, contraction_bound, elimination_width, min_fill_order, moral_graph
from stages.runtime.errors import InfeasibleError


@dataclass(frozen=True)
class FixedDemands:
    """Constraints on the k-tree.

    Attributes
    ----------
    precedences : list of (int, int)
        The former must stand before the latter in every order.
    required : dict
        Earlier variables that a variable must join, whatever its set is.
    pinned : set
        Variables that must take just the prescribed parents, or none: prescribed arcs run against the order
        around them, so that others could close a cycle.
    """

    precedences: list[tuple[int, int]] = field(default_factory=list)
    required: dict[int, tuple[int, ...]] = field(default_factory=dict)
    pinned: set[int] = field(default_factory=set)


def plan_fixed_cliques(
    prescribed: dict[int, tuple[int, ...]], names: Sequence[str], treewidth: int
) -> FixedDemands:
    """Find a place for all fixed families in a k-tree of the given width.

    Parameters
    ----------
    prescribed : dict
        Parents that fixed records prescribe, by child; acyclic.
    names : sequence of str
    treewidth : int

    Raises
    ------
    InfeasibleError
        When the fixed records alone exceed the bound, or no order within it was found.
    """
    for child, parents in prescribed.items():
        if len(parents) > treewidth:
            raise InfeasibleError(
                f"the {len(parents)} fixed parents of {names[child]!r} cannot be a clique of at most "
                f"{treewidth} variables: raise --tw to {len(parents)} or release this record"
            )
    demands = FixedDemands()
    families = [prescribed.get(v, ()) for v in range(len(names))]
    graph = moral_graph(families)
    for component in _components(graph):
        if all(len(families[v]) <= 1 for v in component):
            demands.precedences.extend((p, v) for v in component for p in families[v])
        else:
            _plan_component(component, families, graph, names, treewidth, demands)
    return demands


def _components(graph: Graph) -> list[list[int]]:
    """Connected components with more than one vertex, each ascending."""
    seen: set[int] = set()
    components = []
    for start in range(len(graph)):
        if start in seen or not graph[start]:
            continue
        reached, waiting = {start}, [start]
        while waiting:
            for u in graph[waiting.pop()] - reached:
                reached.add(u)
                waiting.append(u)
        seen |= reached
        components.append(sorted(reached))
    return components


def _plan_component(component, families, graph, names, treewidth, demands: FixedDemands) -> None:
    index = {v: i for i, v in enumerate(component)}
    local = [{index[u] for u in graph[v]} for v in component]
    elimination = eliminate_children_first(local, [[index[p] for p in families[v]] for v in component])
    if elimination_width(local, elimination) > treewidth:
        elimination = min_fill_order(local)
        width = elimination_width(local, elimination)
        if width > treewidth:
            least = contraction_bound(local)
            raise InfeasibleError(_too_wide([names[v] for v in component], least, width, treewidth))
        demands.pinned.update(component)
    for variable, required in zip(elimination, _later_neighbours(local, elimination)):
        demands.required[component[variable]] = tuple(sorted(component[u] for u in required))
    placed = [component[v] for v in reversed(elimination)]
    demands.precedences.extend(itertools.pairwise(placed))


def eliminate_children_first(graph: Graph, families: Sequence[Sequence[int]]) -> list[int]:
    """Elimination order of small width in which every child goes before its parents."""
    graph = [set(neighbours) for neighbours in graph]
    children = [0] * len(graph)
    for parents in families:
        for p in parents:
            children[p] += 1
    free = {v for v in range(len(graph)) if children[v] == 0}
    order = []
    while free:
        vertex = min(free, key=lambda v: (len(graph[v]), v))
        free.discard(vertex)
        order.append(vertex)
        for u in graph[vertex]:
            graph[u] |= graph[vertex]
            graph[u] -= {u, vertex}
        for p in families[vertex]:
            children[p] -= 1
            if children[p] == 0:
                free.add(p)
    return order


def _later_neighbours(graph: Graph, elimination: list[int]) -> list[set[int]]:
    """Neighbours of each vertex at its elimination, fill-in counted; in the order of `elimination`."""
    graph = [set(neighbours) for neighbours in graph]
    found = []
    for vertex in elimination:
        neighbours = graph[vertex]
        found.append(neighbours)
        for u in neighbours:
            graph[u] |= neighbours
            graph[u] -= {u, vertex}
    return found


def _too_wide(names: list[str], least: int, width: int, treewidth: int) -> str:
    shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    if least > treewidth:
        reason = f"the fixed records around {shown} alone have treewidth {least} or more"
    else:
        reason = (
            f"no elimination order of width {treewidth} was found for the fixed records around {shown} "
            f"(the best has {width})"
        )
    return f"{reason}: raise --tw to {max(least, width)} or release some of these records"
