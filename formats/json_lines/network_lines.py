"""Networks as our JSON lines: one parent set for every variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..errors import FormatError, Inconsistent
from ..graphs.network_claims import check_while_reading
from ..graphs.structures import require_acyclic
from ..records import Network, ParentSetRecord
from ..schemas import NETWORK
from ..streams import open_output
from ..textlines import Lines
from .jsonl import JsonlHeader, read_header, read_records
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


def read_network(lines: Lines) -> Network:
    """Read a network file, or a parent-set file with one set for each variable; a second network is an error."""
    network = read_next_network(lines)
    if has_more(lines):
        lines.fail(
            "a second network begins: this is a stream of networks, and one is wanted",
            kind=Inconsistent,
            remedy="bnsl convert --index K writes the K-th of them, --index best the one that scores most; "
            "bnsl average makes one of all",
        )
    return network


def read_next_network(lines: Lines) -> Network:
    """Read the next network of a stream and nothing behind it."""
    head = read_header(lines)
    n_variables = head.header.n_variables
    parents: list[tuple[int, ...]] = [()] * n_variables
    scores = np.full(n_variables, np.nan)
    for record in check_while_reading(lines, head.header, _single_sets(lines, head)):
        parents[record.child] = record.parents[0]
        scores[record.child] = record.scores[0]
    require_acyclic(head.header.names, parents)
    return Network(head.header, tuple(parents), scores)


def has_more(lines: Lines) -> bool:
    """Whether a line that is not blank follows."""
    for line in lines:
        if line.strip():
            lines.push_back([(lines.number, line, lines.terminated)])
            return True
    return False


def network_text(network: Network) -> str:
    """A network as JSON lines; unknown (NaN) local scores become null."""
    rows = [encode_header(NETWORK.name, network.header)]
    for child, (parents, score) in enumerate(zip(network.parents, network.scores.tolist())):
        rows.append(encode_record(ParentSetRecord.of(child, (parents,), (score,)), unknown_scores=True))
    return b"".join(rows).decode()


def write_network_stream(target: str, networks: Iterable[Network]) -> None:
    """Write networks one after the other, each with its header, to a path or ``-``."""
    with open_output(target) as stream:
        for network in networks:
            stream.write(network_text(network).encode())
