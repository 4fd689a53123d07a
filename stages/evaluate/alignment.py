"""Data and reference networks in the variable order of the evaluated network."""

from __future__ import annotations

from collections.abc import Sequence

from formats.data_records import Dataset, Variable
from formats.errors import Inconsistent
from formats.records import NetworkRecord
from formats.wording import listed


def match_variables(wanted: Sequence[Variable], found: Sequence[Variable], what: str) -> list[int]:
    """Positions in `found` of the variables in `wanted`, matched by name.

    Raises `Inconsistent` if the names differ, or if states known on both sides differ; the message begins with
    `what`.
    """
    position = {variable.name: index for index, variable in enumerate(found)}
    names = {variable.name for variable in wanted}
    if missing := names - position.keys():
        raise Inconsistent(f"{what} lacks variables of the network: {listed(sorted(missing))}")
    if unknown := position.keys() - names:
        raise Inconsistent(f"{what} has variables that the network has not: {listed(sorted(unknown))}")
    for variable in wanted:
        states = found[position[variable.name]].states
        if variable.states is not None and states is not None and variable.states != states:
            raise Inconsistent(f"{what} has other states than the network", column=variable.name)
    return [position[variable.name] for variable in wanted]


def align_dataset(network: NetworkRecord, dataset: Dataset, what: str = "the data set") -> Dataset:
    """The data set in the network's variable order; states must agree as far as the network has them."""
    positions = match_variables(network.header.variables, dataset.variables, what)
    if positions == list(range(len(positions))):
        return dataset
    return dataset.of_variables(positions, dataset.fingerprint)


def align_parents(
    names: Sequence[str], reference: NetworkRecord, what: str = "the reference network"
) -> tuple[tuple[int, ...], ...]:
    """Parents of the reference network with variables numbered as in `names`; states do not matter."""
    wanted = [Variable(name) for name in names]
    positions = match_variables(wanted, reference.header.variables, what)
    renumbered = {old: new for new, old in enumerate(positions)}
    return tuple(tuple(sorted(renumbered[p] for p in reference.parents[old])) for old in positions)
