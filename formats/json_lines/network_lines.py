"""Networks as our JSON lines: one parent set for every variable."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from ..errors import FormatError, Inconsistent
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
            name = head.header.names[block.child]
            lines.fail(
                f"not a network: variable {name!r} lists {block.n_sets} parent sets",
                kind=FormatError,
                remedy="choose one for every variable with bnsl optimize",
            )
        yield block


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
    own = _OneNetwork(lines)
    head = read_header(own)
    n_variables = head.header.n_variables
    parents: list[tuple[int, ...]] = [()] * n_variables
    scores = np.full(n_variables, np.nan)
    for block in check_while_reading(own, head.header, _single_sets(own, head)):
        parents[block.child] = tuple(block.parents.tolist())
        scores[block.child] = block.scores[0]
    require_acyclic(head.header.names, parents)
    return Network(head.header, tuple(parents), scores)


class _OneNetwork(Lines):
    """The lines of one network of a stream: its header and as many records as the header announces."""

    def __init__(self, lines: Lines):
        self._lines = lines
        self.source = lines.source
        self.number = lines.number
        self.terminated = True
        self._left: float | None = None

    def __next__(self) -> bytes:
        if self._left == 0:
            raise StopIteration
        line = next(self._lines)
        number, terminated = self._lines.number, self._lines.terminated
        if self._left is None:
            self._left = _n_records(line) if line.strip() else None
        # Most lines fail the search for the key, so few records are decoded twice.
        elif b'"format"' in line and _n_records(line) < math.inf:  # the header of the next network
            self._lines.push_back([(number, line, terminated)])
            raise StopIteration
        elif line.strip():
            self._left -= 1
        self.number, self.terminated = number, terminated
        return line


def _n_records(line: bytes) -> float:
    """The number of records that a header announces; infinite if the line is none, which its reader reports."""
    import orjson

    try:
        fields = orjson.loads(line)
        return len(fields["variables"]) if fields["format"] == NETWORK.name else math.inf
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return math.inf


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
