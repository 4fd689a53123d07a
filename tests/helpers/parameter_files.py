"""Parameters of networks in files."""

from __future__ import annotations

from typing import Any

from formats import open_network, write_network
from formats.graphs.network_files import require_parameters
from formats.graphs.structures import network_of
from formats.records import Parameters


def open_parameters(source: Any, **settings: Any) -> Parameters:
    """The parameters of the network in a file."""
    return require_parameters(open_network(source, **settings).parameters, "test")


def write_parameters(path: str, parameters: Parameters, *settings: Any) -> None:
    """Write a network of which nothing but the parameters is known."""
    write_network(path, network_of(parameters), *settings)
