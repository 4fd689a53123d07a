"""Networks assembled from parents by index or name, or from their parameters, and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent, Malformed
from ..graph_records import Arc
from ..records import Header, NetworkRecord, Parameters
from .algorithms import find_cycle

UNDIRECTED = "an undirected edge; a network needs directed ones"
UNDIRECTED_REMEDY = "a network of an essential graph is made by: bnsl convert --dag"
"""What readers of networks say of graphs with undirected edges."""


def require_acyclic(names: Sequence[str], parents: Sequence[Sequence[int]]) -> None:
    """Raise `Inconsistent`, with the cycle in words, if there is a cycle."""
    cycle = find_cycle(parents)
    if cycle:
        shown = [names[v] for v in [*cycle, cycle[0]]]
        if len(shown) > 8:
            shown[4:-3] = ["..."]
        raise Inconsistent(f"the arcs form a cycle: {' -> '.join(shown)}")


def network_from_parents(variables: tuple[Variable, ...], parents: Sequence[Sequence[int]]) -> NetworkRecord:
    """A network with score ``unknown`` and local scores NaN; raises `Inconsistent` if the arcs form a cycle."""
    ordered = tuple(tuple(sorted(parent_set)) for parent_set in parents)
    require_acyclic([v.name for v in variables], ordered)
    return NetworkRecord(Header(variables), ordered, np.full(len(variables), np.nan))


def require_variables(network: NetworkRecord) -> None:
    """Raise `Malformed` if a list of arcs is empty, so that its variables are unknown."""
    if network.header.lacks_isolated and not network.n_variables:
        raise Malformed("the list of arcs is empty, so its variables are unknown")


def with_variables(network: NetworkRecord, names: Iterable[str]) -> NetworkRecord:
    """The network with further variables without arcs, placed after its own."""
    more = tuple(map(Variable, names))
    header = replace(network.header, variables=network.header.variables + more, lacks_isolated=False)
    scores = np.concatenate([network.scores, np.full(len(more), np.nan)])
    return replace(network, header=header, parents=(*network.parents, *[()] * len(more)), scores=scores)


def network_of(parameters: Parameters) -> NetworkRecord:
    """The network of these parameters; nothing else is known about it."""
    return replace(network_from_parents(parameters.variables, parameters.parents), parameters=parameters)


def with_parameters(network: NetworkRecord, parameters: Parameters) -> NetworkRecord:
    """The network with parameters of its arcs; they give the states."""
    header = replace(network.header, variables=parameters.variables, lacks_isolated=False)
    return replace(network, header=header, parameters=parameters)


def _require_names(names: Sequence[str]) -> None:
    if not all(name.strip() for name in names):
        raise Inconsistent("a variable without a name")


def network_from_arcs(names: Sequence[str], arcs: Iterable[Arc]) -> NetworkRecord:
    """A network from arcs by index; repeated ones count once.

    Raises `Inconsistent`: the arcs form a cycle, or a name is blank.
    """
    _require_names(names)
    parents: list[set[int]] = [set() for _ in names]
    for parent, child in arcs:
        parents[child].add(parent)
    return network_from_parents(tuple(map(Variable, names)), [sorted(p) for p in parents])


def network_by_names(names: Sequence[str], parents: Mapping[str, Sequence[str]]) -> NetworkRecord:
    """A network from parents by name.

    Raises `Inconsistent`: names repeat or are blank, a parent is unknown, repeated or the child itself.
    """
    _require_names(names)
    index_of = {name: index for index, name in enumerate(names)}
    if len(index_of) < len(names):
        twice = next(name for index, name in enumerate(names) if index_of[name] != index)
        raise Inconsistent(f"variable {twice!r} comes twice")
    sets = []
    for name in names:
        unknown = next((parent for parent in parents.get(name, ()) if parent not in index_of), None)
        if unknown is not None:
            raise Inconsistent(f"variable {name!r} has the unknown parent {unknown!r}")
        indices = [index_of[parent] for parent in parents.get(name, ())]
        if len(set(indices)) < len(indices):
            raise Inconsistent(f"variable {name!r} has a parent twice")
        sets.append(indices)
    return network_from_parents(tuple(map(Variable, names)), sets)
