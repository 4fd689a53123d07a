"""Readers and writers of other packages: networks by names to records and back, checked, failures in their name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from ..data_records import Variable
from ..errors import FormatError, Inconsistent, Malformed
from ..graph_records import BayesianNetwork
from ..kinds import Format, PlainNetwork
from ..records import Network
from ..textlines import Lines
from .parameter_tables import Families
from .structures import network_by_names, network_from_parents

Load = Callable[[str], Callable[..., Any]]
"""Loads the function that a row names."""


def reader_of(row: Format, load: Load) -> Callable[[Lines], Network | BayesianNetwork]:
    """The reader of a format of a package, loaded when it first reads.

    It raises `Malformed` for what the package refuses, and `Inconsistent` for what is no network.
    """

    def read(lines: Lines) -> Network | BayesianNetwork:
        with _in_the_name_of(row, "", Malformed):
            found = load(row.reader)(lines.text())
            if not isinstance(found, PlainNetwork):
                raise TypeError(f"read() returned a {type(found).__name__}, no PlainNetwork")
            return record_of(found)

    return read


def writer_of(row: Format, load: Load) -> Callable[[Network | BayesianNetwork], str]:
    """The writer of a format of a package, loaded when it first writes.

    It raises `Inconsistent` for what the package refuses.
    """

    def write(network: Network | BayesianNetwork) -> str:
        with _in_the_name_of(row, "cannot hold this network: ", Inconsistent):
            text = load(row.writer)(plain_network(network))
            if not isinstance(text, str):
                raise TypeError(f"write() returned a {type(text).__name__}, no text")
            return text

    return write


@contextmanager
def _in_the_name_of(row: Format, refusal: str, kind: type[FormatError]) -> Iterator[None]:
    """Raise what fails within the block as an error that names the package: `ValueError` is what it refuses."""
    named = f"the format {row.name!r} of the package {row.package}"
    try:
        yield
    except FormatError:
        raise
    except ValueError as error:
        raise kind(f"{named}: {refusal}{error}", remedy="write another format" if refusal else None) from error
    except Exception as error:
        remedy = "report it to the authors of that package"
        raise kind(f"{named} failed, {type(error).__name__}: {error}", remedy=remedy) from error


def plain_network(network: Network | BayesianNetwork) -> PlainNetwork:
    """A record by names; tables only if it has parameters."""
    variables = network.variables if isinstance(network, BayesianNetwork) else network.header.variables
    names = [variable.name for variable in variables]
    tables = network.tables if isinstance(network, BayesianNetwork) else ()
    return PlainNetwork(
        parents={name: tuple(names[p] for p in family) for name, family in zip(names, network.parents)},
        states={variable.name: variable.states for variable in variables if variable.states is not None},
        tables={name: table.copy() for name, table in zip(names, tables)},
    )


def record_of(network: PlainNetwork) -> Network | BayesianNetwork:
    """The record of a network by names, with its parameters if it has tables.

    Raises `Inconsistent`: names or states repeat, parents are unknown or form a cycle, tables lack rows that sum to
    1, or are not there for all variables.
    """
    names = list(network.parents)
    for name in (*network.states, *network.tables):
        if name not in network.parents:
            raise Inconsistent(f"variable {name!r} has states or a table, but no parents, not even none")
    if network.tables:
        return _with_tables(network)
    structure = network_by_names(names, network.parents)
    variables = []
    for name in names:
        states = tuple(network.states[name]) if name in network.states else None
        if states is not None and len(set(states)) < max(1, len(states)):
            raise Inconsistent(f"variable {name!r} needs distinct states")
        variables.append(Variable(name, states))
    return network_from_parents(tuple(variables), structure.parents)


def _with_tables(network: PlainNetwork) -> BayesianNetwork:
    def fail(message: str, _at: int, kind: type[FormatError] = Malformed) -> NoReturn:
        raise kind(message)

    families = Families(fail)
    for name in network.parents:
        families.add_variable(name, name, tuple(network.states.get(name, ())), 0)
    for name, table in network.tables.items():
        family = families.family([*network.parents[name], name], 0)
        given = np.array(table, dtype=np.float64)
        if given.shape != families.shape(family):
            shape = families.shape(family)
            raise Inconsistent(f"the table of {name!r} has the shape {given.shape}, not {shape}")
        families.store(family, given, 0)
    return families.network()
