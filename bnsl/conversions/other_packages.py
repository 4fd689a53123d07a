"""Networks as objects of networkx, pgmpy and pyAgrum, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from formats.data_records import Variable
from formats.errors import FormatError, Inconsistent, Malformed
from formats.graphs.parameter_tables import FamilyTables
from formats.graphs.structures import network_by_names
from formats.records import NetworkRecord
from formats.wording import type_of

from ..running.errors import DataError, UsageError
from ..tables import imported

if TYPE_CHECKING:
    import pyarrow


def networkx_graph(states: Mapping[str, Sequence[str] | None], arcs: pyarrow.Table) -> Any:
    """A `networkx.DiGraph`; nodes have `states`, arcs what the columns beside `from` and `to` say."""
    graph = imported("networkx").DiGraph()
    graph.add_nodes_from((name, {"states": own}) for name, own in states.items())
    graph.add_edges_from((row.pop("from"), row.pop("to"), row) for row in arcs.to_pylist())
    return graph


def network_of_networkx(graph: Any) -> NetworkRecord:
    """The structure of a `networkx.DiGraph`, and the `states` of its nodes."""
    _require(graph, imported("networkx").DiGraph)
    listed = [(str(node), graph.nodes[node].get("states")) for node in graph.nodes]
    variables = [Variable(name, None if states is None else tuple(map(str, states))) for name, states in listed]
    return _structure(variables, {str(node): [str(parent) for parent in graph.pred[node]] for node in graph.nodes})


def pgmpy_network(network: NetworkRecord) -> Any:
    """A `pgmpy.models.DiscreteBayesianNetwork`, with a `TabularCPD` of each variable if there are parameters."""
    model = imported("pgmpy.models").DiscreteBayesianNetwork()
    names = network.header.names
    model.add_nodes_from(names)
    model.add_edges_from((names[v], names[child]) for child, parents in enumerate(network.parents) for v in parents)
    if (held := network.parameters) is None:
        return model
    table_of = imported("pgmpy.factors.discrete").TabularCPD
    for child, (parents, table) in enumerate(zip(held.parents, held.tables)):
        own, *given = (held.variables[v] for v in (child, *parents))
        model.add_cpds(
            table_of(
                own.name,
                table.shape[-1],
                table.reshape(-1, table.shape[-1]).T,
                [parent.name for parent in given],
                table.shape[:-1],
                {variable.name: list(variable.known_states) for variable in (own, *given)},
            )
        )
    return model


def network_of_pgmpy(model: Any) -> NetworkRecord:
    """The structure of a directed graph of pgmpy, and its parameters if each variable has a table."""
    tables = {table.variable: table for table in getattr(model, "cpds", ())}
    if not tables or set(tables) < set(model.nodes):
        return network_of_networkx(model)
    found = FamilyTables(_fail)
    for node in model.nodes:
        found.add_variable(str(node), str(node), list(map(str, tables[node].state_names[node])), 0)
    for child, table in tables.items():
        # Each table has an order of states of its own, of its parents too.
        places = [
            [table.state_names[node].index(state) for state in tables[node].state_names[node]]
            for node in table.variables
        ]
        values = np.array(table.values, dtype=np.float64)[np.ix_(*places)]
        family = found.family([str(node) for node in (*table.variables[1:], child)], 0)
        found.store(family, np.ascontiguousarray(np.moveaxis(values, 0, -1)), 0)
    return found.network()


def pyagrum_network(network: NetworkRecord) -> Any:
    """A `pyagrum.BayesNet`; without parameters its tables are zero, as pyAgrum leaves them."""
    model = imported("pyagrum").BayesNet()
    held = network.parameters
    for variable in (held or network.header).variables:
        name = variable.name
        if not variable.states:
            raise DataError(f"pyAgrum needs the states of {name!r}, which the network lacks; fit(data) adds them")
        model.add(imported("pyagrum").LabelizedVariable(name, name, list(variable.states)))
    for child, parents in enumerate((held or network).parents):
        for parent in parents:
            model.addArc(parent, child)
        if held is not None:
            # There the parents come last to first.
            axes = [*reversed(range(len(parents))), len(parents)]
            model.cpt(child)[:] = np.ascontiguousarray(held.tables[child].transpose(axes))
    return model


def network_of_pyagrum(model: Any) -> NetworkRecord:
    """The structure and states of a `pyagrum.BayesNet`, and its parameters if not all tables are zero."""
    _require(model, imported("pyagrum").BayesNet)
    nodes = sorted(model.nodes())
    names = {node: model.variable(node).name() for node in nodes}
    found = FamilyTables(_fail)
    for node in nodes:
        found.add_variable(names[node], names[node], model.variable(node).labels(), 0)
    families = [[*model.cpt(node).names[1:], names[node]] for node in nodes]
    tables = [model.cpt(node).toarray() for node in nodes]
    if not any(table.any() for table in tables):
        return _structure(found.variables, {family[-1]: family[:-1] for family in families})
    for family, table in zip(families, tables):
        axes = [*reversed(range(len(family) - 1)), len(family) - 1]
        found.store(found.family(family, 0), np.array(table.transpose(axes), order="C"), 0)
    return found.network()


def _structure(variables: Iterable[Variable], parents: Mapping[str, Sequence[str]]) -> NetworkRecord:
    variables = tuple(variables)
    if not variables:
        raise Inconsistent("no variables")
    network = network_by_names([variable.name for variable in variables], parents)
    return replace(network, header=replace(network.header, variables=variables))


def _require(value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise UsageError(f"{type_of(value)} is no {kind.__name__}")


def _fail(message: str, at: int, kind: type[FormatError] = Malformed) -> NoReturn:
    raise kind(message)
