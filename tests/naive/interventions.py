"""Interventions by definition: rows left out of a family, classes by comparing graphs whose arcs are cut."""

from __future__ import annotations

from collections.abc import Sequence

from .networks import Parents, all_networks, skeleton, v_structures
from .scores import local_score

Targets = Sequence[frozenset[int]]


def scored_rows(rows: Sequence[Sequence[int]], was_set: Sequence[Sequence[int]], child: int) -> list[Sequence[int]]:
    """The rows in which the child was not set."""
    return [row for row, target in zip(rows, was_set) if child not in target]


def interventional_score(rows, was_set, n_states, child, parents, score="bic", ess=1.0) -> float:
    """Local score over the rows in which the child was not set (Cooper and Yoo 1999)."""
    return local_score(scored_rows(rows, was_set, child), n_states, child, parents, score, ess)


def cut(parents: Parents, target: frozenset[int]) -> Parents:
    """The network without arcs into the variables of a set."""
    return tuple(() if child in target else family for child, family in enumerate(parents))


def interventional_classes(n_variables: int, targets: Targets) -> list[list[Parents]]:
    """All networks, grouped by the independencies that they imply under each intervention."""
    classes: dict = {}
    for parents in all_networks(n_variables):
        graphs = [cut(parents, target) for target in targets]
        key = tuple((skeleton(graph), v_structures(graph)) for graph in graphs)
        classes.setdefault(key, []).append(parents)
    return list(classes.values())
