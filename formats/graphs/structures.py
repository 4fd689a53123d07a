"""Networks without parameters, assembled from parents by index or name and checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent, Malformed
from ..graph_records import Arc, BayesianNetwork
from ..records import Header, Network
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


def network_from_parents(variables: tuple[Variable, ...], parents: Sequence[Sequence[int]]) -> Network:
    """A network with score ``unknown`` and local scores NaN; raises `Inconsistent` if the arcs form a cycle."""
    ordered = tuple(tuple(sorted(parent_set)) for parent_set in parents)
    require_acyclic([v.name for v in variables], ordered)
    return Network(Header(variables), ordered, np.full(len(variables), np.nan))


def require_variables(network: Network) -> None:
    """Raise `Malformed` if a list of arcs is empty, so that its variables are unknown."""
    if network.header.lacks_isolated and not network.n_variables:
        raise Malformed("the list of arcs is empty, so its variables are unknown")


def with_variables(network: Network, names: Iterable[str]) -> Network:
    """The network with further variables without arcs, placed after its own."""
    more = tuple(map(Variable, names))
    header = replace(network.header, variables=network.header.variables + more, lacks_isolated=False)
    scores = np.concatenate([network.scores, np.full(len(more), np.nan)])
    return replace(network, header=header, parents=(*network.parents, *[()] * len(more)), scores=scores)


def structure_of(network: Network | BayesianNetwork) -> Network:
    """The structure of a network with parameters, with its header and local scores; a `Network` as it is."""
    if isinstance(network, Network):
        return network
    plain = network_from_parents(network.variables, network.parents)
    header = plain.header if network.header is None else network.header
    return replace(plain, header=header, scores=plain.scores if network.scores is None else network.scores)


def with_header(model: BayesianNetwork, structure: Network) -> BayesianNetwork:
    """The parameters with the header and the local scores of their structure; the parameters give the states, the
    structure what new rows are to merge.
    """
    merging = {v.name: v.merging for v in structure.header.variables}
    variables = tuple(replace(v, merging=merging.get(v.name) or v.merging) for v in model.variables)
    header = replace(structure.header, variables=variables, lacks_isolated=False)
    return replace(model, variables=variables, header=header, scores=structure.scores)


def _require_names(names: Sequence[str]) -> None:
    if not all(name.strip() for name in names):
        raise Inconsistent("a variable without a name")


def network_from_arcs(names: Sequence[str], arcs: Iterable[Arc]) -> Network:
    """A network from arcs by index; repeated ones count once.

    Raises `Inconsistent`: the arcs form a cycle, or a name is blank.
    """
    _require_names(names)
    parents: list[set[int]] = [set() for _ in names]
    for parent, child in arcs:
        parents[child].add(parent)
    return network_from_parents(tuple(map(Variable, names)), [sorted(p) for p in parents])


def network_by_names(names: Sequence[str], parents: Mapping[str, Sequence[str]]) -> Network:
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
