"""Networks as our JSON lines: one parent set for every variable, and its probability table if it has parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import FormatError, Inconsistent
from ..graphs.network_claims import check_while_reading
from ..graphs.parameter_tables import FamilyTables, failing
from ..graphs.structures import require_acyclic, with_parameters
from ..records import NetworkRecord, Parameters, ParentSetRecord
from ..schemas import NETWORK
from ..streams import open_output
from ..textlines import Lines
from .jsonl import PROBABILITIES, JsonlHeader, read_header, read_records
from .jsonl_writer import encode_header, encode_record


def _single_sets(lines: Lines, head: JsonlHeader) -> Iterator[ParentSetRecord]:
    for record in read_records(lines, head, unknown_scores=True, one_network=True):
        if len(record.parents) != 1:
            name = head.header.names[record.child]
            lines.fail(
                f"not a network: variable {name!r} lists {len(record.parents)} parent sets",
                kind=FormatError,
                remedy="choose one for every variable with bnsl optimize",
            )
        yield record


def read_network(lines: Lines) -> NetworkRecord:
    """Read a network file, or a parent-set file with one set for each variable; a second network is an error."""
    network = read_next_network(lines)
    if has_more(lines):
        lines.fail(
            "a second network begins here, but one network is needed",
            kind=Inconsistent,
            remedy="take the K-th network by bnsl convert --index K, the one that scores most by --index best, or "
            "average them all by bnsl average",
        )
    return network


def read_next_network(lines: Lines) -> NetworkRecord:
    """Read the next network of a stream and nothing behind it; with its parameters if its records have them."""
    head = read_header(lines)
    n_variables = head.header.n_variables
    parents: list[tuple[int, ...]] = [()] * n_variables
    scores = np.full(n_variables, np.nan)
    tables: dict[int, tuple[Any, int]] = {}
    for record in check_while_reading(lines, head.header, _single_sets(lines, head)):
        parents[record.child] = record.parents[0]
        scores[record.child] = record.scores[0]
        if PROBABILITIES in record.extra:
            tables[record.child] = record.extra[PROBABILITIES], lines.number
    require_acyclic(head.header.names, parents)
    network = NetworkRecord(head.header, tuple(parents), scores)
    return _with_tables(lines, network, tables) if tables else network


def _with_tables(lines: Lines, network: NetworkRecord, tables: dict[int, tuple[Any, int]]) -> NetworkRecord:
    """The network with the probabilities of its records, each with its line."""
    families = FamilyTables(failing(lines))
    for variable in network.header.variables:
        if variable.states is None:
            lines.fail(f"the probabilities need the states of {variable.name!r} in the header", kind=Inconsistent)
        families.add_variable(variable.name, variable.name, variable.states, lines.number)
    names = network.header.names
    for child, (numbers, at) in tables.items():
        if not isinstance(numbers, list) or set(map(type, numbers)) - {int, float}:
            lines.fail(f"variable {names[child]!r}: key 'probabilities' must be a list of numbers", line=at)
        families.add_table([*(names[p] for p in network.parents[child]), names[child]], numbers, at)
    extra = dict(network.header.extra)
    found = families.parameters(extra.pop("name", "unknown"))
    return with_parameters(replace(network, header=replace(network.header, extra=extra)), found)


def has_more(lines: Lines) -> bool:
    """Whether a line that is not blank follows."""
    for line in lines:
        if line.strip():
            lines.push_back([(lines.number, line, lines.terminated)])
            return True
    return False


def network_text(network: NetworkRecord) -> str:
    """A network as JSON lines; unknown (NaN) local scores become null.

    Raises `ValueError`: a probability is not finite.
    """
    header, model = network.header, network.parameters
    if model is not None and model.name != "unknown":
        header = replace(header, extra={**header.extra, "name": model.name})
    rows = [encode_header(NETWORK.name, header)]
    for child, (parents, score) in enumerate(zip(network.parents, network.scores.tolist())):
        facts = {} if model is None else {"extra": {PROBABILITIES: _numbers(model, child)}}
        rows.append(encode_record(ParentSetRecord.of(child, (parents,), (score,), **facts), unknown_scores=True))
    return b"".join(rows).decode()


def _numbers(model: Parameters, child: int) -> np.ndarray:
    """The table of a variable, its parents ascending."""
    table = model.tables[child]
    if not np.isfinite(table).all():
        raise ValueError(f"a probability of variable {child} is not finite")
    axes = [*np.argsort(model.parents[child]).tolist(), len(model.parents[child])]
    return table.transpose(axes).ravel()


def write_network_stream(target: str, networks: Iterable[NetworkRecord]) -> None:
    """Write networks one after the other, each with its header, to a path or ``-``."""
    with open_output(target) as stream:
        for network in networks:
            stream.write(network_text(network).encode())
