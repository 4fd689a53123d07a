"""Parts of a network: Markov blankets, neighbourhoods, and the subnetwork on given variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

import numpy as np

from formats.errors import Inconsistent
from formats.graph_records import (
    SCREENED,
    Arc,
    EssentialGraph,
    Strength,
    directions_of,
    screened_of,
    strengths_of,
    with_directions,
    with_strengths,
)
from formats.records import Header, NetworkRecord, Parameters
from stages.recorded_knowledge import recorded_knowledge

from . import Parents, children_of
from .intervention_targets import recorded_targets, targets_of
from .orientation import oriented_graph

Fact = TypeVar("Fact")
"""What is known about an arc."""


def markov_blanket(parents: Parents, targets: Iterable[int]) -> set[int]:
    """The targets, their parents, their children, and all parents of their children.

    Given the rest of this set, the targets are independent of all other variables (Pearl 1988).
    """
    children = children_of(parents)
    blanket: set[int] = set()
    for target in targets:
        blanket |= {target, *parents[target], *children[target]}
        for child in children[target]:
            blanket.update(parents[child])
    return blanket


def neighbourhood(parents: Parents, targets: Iterable[int], radius: int) -> set[int]:
    """Variables at an undirected distance of at most `radius` arcs from a target."""
    children = children_of(parents)
    reached = set(targets)
    newest = set(reached)
    for _ in range(radius):
        newest = {u for v in newest for u in (*parents[v], *children[v])} - reached
        reached |= newest
    return reached


def cut_network(network: NetworkRecord, kept: Iterable[int]) -> NetworkRecord:
    """The variables `kept` and the arcs among them.

    Local scores are kept for variables that keep all their parents and NaN for others. Facts in the header about the
    whole network (total, bound, treewidth, data) are dropped, facts about arcs, screened variables and interventions
    kept.
    """
    order = sorted(kept)
    index = {variable: position for position, variable in enumerate(order)}
    parents = tuple(tuple(index[p] for p in network.parents[v] if p in index) for v in order)
    # A local score holds for a variable with all its parents.
    whole = np.array([len(parents[i]) == len(network.parents[v]) for i, v in enumerate(order)], dtype=bool)
    header = network.header
    screened = sorted(index[v] for v in screened_of(network) if v in index)
    targets = sorted({frozenset(index[v] for v in t if v in index) for t in targets_of(header)}, key=sorted)
    part = NetworkRecord(
        Header(
            tuple(header.variables[v] for v in order),
            header.score,
            header.rows,
            None,
            header.ess,
            header.by,
            extra=({SCREENED: screened} if screened else {}) | recorded_targets(targets),
        ),
        parents,
        np.where(whole, network.scores[order], np.nan),
    )

    def renumbered(values: Mapping[Arc, Fact]) -> dict[Arc, Fact]:
        return {(index[a], index[b]): value for (a, b), value in values.items() if a in index and b in index}

    if strengths := strengths_of(network):
        part = with_strengths(part, renumbered(strengths))
    if directions := directions_of(network):
        part = with_directions(part, renumbered(directions))
    return part


def cut_parameters(model: Parameters, kept: Iterable[int]) -> Parameters:
    """The variables `kept` with their parameters.

    Raises `Inconsistent` if a variable loses a parent, on which its parameters depend.
    """
    order = sorted(kept)
    index = {variable: position for position, variable in enumerate(order)}
    for v in order:
        lost = [model.variables[p].name for p in model.parents[v] if p not in index]
        if lost:
            raise Inconsistent(
                f"the part has {model.variables[v].name!r} without its parent {lost[0]!r}, which its parameters need",
                remedy="write the part as a structure (dot, arcs, network), or estimate its parameters: bnsl fit",
            )
    return Parameters(
        tuple(model.variables[v] for v in order),
        tuple(tuple(index[p] for p in model.parents[v]) for v in order),
        tuple(model.tables[v] for v in order),
        model.name,
    )


def cut_essential_graph(network: NetworkRecord, kept: Sequence[int] | set[int] | None = None) -> EssentialGraph:
    """The essential graph of a network, restricted to the variables `kept`; under the knowledge and the interventions
    that its header records, the maximally oriented graph.

    The whole network, not the part, determines which arcs are directed. Raises errors as `recorded_knowledge` and
    `oriented_graph` do.
    """
    header = network.header
    found = oriented_graph(network.parents, recorded_knowledge(header.by, header.names), targets_of(header))
    order = range(network.n_variables) if kept is None else sorted(kept)
    index = {variable: position for position, variable in enumerate(order)}

    def renumbered(pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
        return tuple(sorted((index[a], index[b]) for a, b in pairs if a in index and b in index))

    undirected = set(found.undirected)
    strengths = {}
    for (a, b), strength in strengths_of(network).items():
        edge = (min(a, b), max(a, b))
        if a in index and b in index:
            strengths[edge if edge in undirected else (a, b)] = (
                Strength(strength.either, strength.either) if edge in undirected else strength
            )
    return EssentialGraph(
        tuple(network.header.variables[v] for v in order),
        renumbered(found.directed),
        renumbered(found.undirected),
        {(index[a], index[b]): strength for (a, b), strength in strengths.items()},
        screened=frozenset(index[v] for v in screened_of(network) if v in index),
    )
