"""Small networks and their texts, for the tests of graph formats."""

from __future__ import annotations

import dataclasses

from formats.data_records import Variable
from formats.graphs.network_files import write_network
from formats.graphs.structures import network_from_parents
from formats.records import NetworkRecord


def network_of(parents, names=None) -> NetworkRecord:
    names = names or [chr(ord("A") + i) for i in range(len(parents))]
    return network_from_parents(tuple(map(Variable, names)), parents)


THREE = network_of([(), (0,), (0, 1)])


def written(network, format, tmp_path) -> str:
    path = tmp_path / f"out.{format}"
    write_network(str(path), network, format)
    return path.read_text()


def with_elimination(network: NetworkRecord, order) -> NetworkRecord:
    """The network with an elimination order in its header."""
    header = dataclasses.replace(network.header, extra={"treewidth": {"elimination": list(order)}})
    return dataclasses.replace(network, header=header)
