"""Bayesian networks as objects: structure, claims and parameters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .files.inputs import LearntNetwork, open_learnt_network
from .results import Result
from .running.calls import translated_errors

if TYPE_CHECKING:
    from formats import graph_records, records


class Network(Result):
    """A Bayesian network: its structure, and its parameters if it was fitted."""

    def __init__(self, learnt: LearntNetwork):
        super().__init__(learnt.structure)
        self.learnt = learnt

    record: records.Network

    @property
    def model(self) -> graph_records.BayesianNetwork | None:
        """Its parameters; None if it has none."""
        return self.learnt.parameters

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.record.header.names

    @property
    def arcs(self) -> list[tuple[str, str]]:
        """Parent and child of each arc, by child."""
        return [(parent, child) for child in self.variables for parent in self.parents(child)]

    def parents(self, variable: str) -> tuple[str, ...]:
        """Names of the parents of a variable."""
        return tuple(self.variables[parent] for parent in self.record.parents[self.variables.index(variable)])


def read(path: str | os.PathLike[str]) -> Any:
    """The network in a file of any format, with its parameters if it holds them."""
    with translated_errors():
        return Network(open_learnt_network(os.fspath(path)))


def network_of(structure: records.Network) -> Network:
    """The object of a network without parameters."""
    return Network(LearntNetwork(structure, None))
