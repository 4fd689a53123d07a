"""Constraints of fixed records on a k-tree: precedences and cliques.

A k-tree built along an order contains the family of a fixed child if the child comes after its parents and these form
a clique. For records with one parent each a precedence suffices. Otherwise the moral graph of the fixed families
needs an elimination order of width at most K. Every order must then agree with its reverse, and each variable must
join its later-eliminated neighbours.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from formats.graphs.algorithms import Graph, elimination_bags, elimination_width, moral_graph
from stages.graphs import Parents, connected_components, eliminate_children_first
from stages.graphs.treewidth import contraction_bound, min_fill_order
from stages.runtime.errors import InfeasibleError

DEMAND_FEWER = "demand fewer by --require or by fixed records of the lists"
"""The remedy beside a larger treewidth. Here an arc that the user requires is a fixed record."""


@dataclass(frozen=True)
class FixedDemands:
    """Constraints on the k-tree."""

    # The former variable must precede the latter in every order.
    precedences: list[tuple[int, int]] = field(default_factory=list)
    # Earlier variables that a variable must join in addition to its parents.
    required: dict[int, tuple[int, ...]] = field(default_factory=dict)
    # Variables that must take exactly the prescribed parents, or none. Prescribed arcs among them run against the
    # order, so other parents could close a cycle.
    pinned: set[int] = field(default_factory=set)


def refuse_more_parents(
    prescribed: dict[int, tuple[int, ...]], names: Sequence[str], treewidth: int, remedy: str = "raise --tw to"
) -> None:
    """Raise `InfeasibleError` if a child has more prescribed parents than a treewidth allows.

    Sets beyond the treewidth may be dropped only after this: none of such a child would be left.
    """
    for child, parents in prescribed.items():
        if len(parents) > treewidth:
            raise InfeasibleError(
                f"{names[child]!r} must have {len(parents)} parents, but treewidth {treewidth} allows {treewidth}: "
                f"{remedy} {len(parents)} or {DEMAND_FEWER}"
            )


def plan_fixed_cliques(prescribed: dict[int, tuple[int, ...]], names: Sequence[str], treewidth: int) -> FixedDemands:
    """Constraints under which a k-tree of the given width contains all fixed families.

    `prescribed` are the parents that fixed records prescribe, by child; acyclic. Raises `InfeasibleError` if the
    fixed records alone exceed the bound, or if no elimination order within it was found.
    """
    refuse_more_parents(prescribed, names, treewidth)
    demands = FixedDemands()
    families = [prescribed.get(v, ()) for v in range(len(names))]
    graph = moral_graph(families)
    for component in connected_components(graph):
        if all(len(families[v]) <= 1 for v in component):
            demands.precedences.extend((p, v) for v in component for p in families[v])
        else:
            _plan_component(component, families, graph, names, treewidth, demands)
    return demands


def _plan_component(
    component: list[int], families: Parents, graph: Graph, names: Sequence[str], treewidth: int, demands: FixedDemands
) -> None:
    """Add the constraints of the families of one component."""
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
    for variable, required in zip(elimination, elimination_bags(local, elimination)):
        demands.required[component[variable]] = tuple(sorted(component[u] for u in required))
    placed = [component[v] for v in reversed(elimination)]
    # A chain: the whole component is placed in this order.
    demands.precedences.extend(itertools.pairwise(placed))


def _too_wide(names: list[str], least: int, width: int, treewidth: int) -> str:
    shown = ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")
    if least > treewidth:
        reason = f"the arcs that every network must have around {shown} alone have treewidth {least} or more"
    else:
        reason = (
            f"no elimination order of width {treewidth} was found for the arcs that every network must have around "
            f"{shown} (the best has {width})"
        )
    return f"{reason}: raise --tw to {max(least, width)} or {DEMAND_FEWER}"
