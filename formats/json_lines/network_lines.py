"""Networks as our JSON lines: one parent set for every variable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..errors import FormatError
from ..graphs.network_claims import check_while_reading
from ..graphs.structures import require_acyclic
from ..records import Network, ParentSetRecord
from ..schemas import NETWORK
from ..sets.setblocks import SetBlock
from ..streams import open_output
from ..textlines import Lines
from .jsonl import JsonlHeader, read_blocks, read_header
from .jsonl_writer import encode_header, encode_record


def _single_sets(lines: Lines, head: JsonlHeader) -> Iterator[SetBlock]:
    for block in read_blocks(lines, head, unknown_scores=True):
        if block.n_sets != 1:
            raise FormatError(
                f"not a network: variable {head.header.names[block.child]!r} lists {block.n_sets} parent sets",
                source=lines.source,
                line=lines.number,
                remedy="choose one for every variable with bnsl optimize",
            )
        yield block


def read_network(lines: Lines) -> Network:
    """Read a network file, or a parent-set file with one set for each variable."""
    head = read_header(lines)
    n_variables = head.header.n_variables
    parents: list[tuple[int, ...]] = [()] * n_variables
    scores = np.full(n_variables, np.nan)
    for block in check_while_reading(lines, head.header, _single_sets(lines, head)):
        parents[block.child] = tuple(block.parents.tolist())
        scores[block.child] = block.scores[0]
    require_acyclic(head.header.names, parents, lines.source)
    return Network(head.header, tuple(parents), scores)


def network_text(network: Network) -> str:
    """A network as JSON lines; unknown (NaN) local scores become null."""
    rows = [encode_header(NETWORK.name, network.header)]
    for child, (parents, score) in enumerate(zip(network.parents, network.scores.tolist())):
        rows.append(encode_record(ParentSetRecord(child, (parents,), (score,)), unknown_scores=True))
    return b"".join(rows).decode()


def write_network_stream(target: str, networks: Iterable[Network]) -> None:
    """Write networks one behind the other, each with its header.

    Parameters
    ----------
    target : str
        A path, which appears only when all is written, or ``-``.
    networks : iterable of Network
    """
    with open_output(target) as stream:
        for network in networks:
            stream.write(network_text(network).encode())
