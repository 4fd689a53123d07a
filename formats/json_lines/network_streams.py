"""Streams of networks: network files one behind the other, each with its header (bootstrap, sampled networks)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..detection import detect_lines
from ..errors import Truncated
from ..graphs.networks import open_network
from ..records import Network
from ..schemas import NETWORK
from ..textlines import Lines, as_lines
from .network_lines import read_network


class _OneNetwork(Lines):
    """The lines of one network of a stream: its header and as many records as that announces."""

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
        elif b'"format"' in line and _n_records(line) < math.inf:  # the header of the next one
            self._lines.push_back([(number, line, terminated)])
            raise StopIteration
        elif line.strip():
            self._left -= 1
        self.number, self.terminated = number, terminated
        return line


def _n_records(line: bytes) -> float:
    """How many records a header announces; infinitely many if it is none, which its reader will explain."""
    import orjson

    try:
        fields = orjson.loads(line)
        return len(fields["variables"]) if "format" in fields else math.inf
    except (orjson.JSONDecodeError, LookupError, TypeError):
        return math.inf


def open_networks(source: str | Lines) -> Iterator[Network]:
    """Read networks one after the other.

    Parameters
    ----------
    source : str or Lines
        A path or ``-``: network files put together, or one network in any format that `open_network` reads.

    Yields
    ------
    Network

    Raises
    ------
    FormatError
        With file and line; `Truncated` says how many whole networks came before.
    """
    lines = as_lines(source)
    if detect_lines(lines).name != NETWORK.name:
        yield open_network(lines)
        return
    n_whole = 0
    try:
        while _has_more(lines):
            network = read_network(_OneNetwork(lines))
            n_whole += 1
            yield network
    except Truncated as error:
        raise Truncated(
            f"{error.message} (network {n_whole + 1}; whole before it: {n_whole})",
            source=error.source,
            line=error.line,
            remedy="run the command that made it again, or use --partial to go on with the whole networks",
        ) from None
    finally:
        lines.close()


def _has_more(lines: Lines) -> bool:
    """Whether a line that is not blank follows."""
    for line in lines:
        if line.strip():
            lines.push_back([(lines.number, line, lines.terminated)])
            return True
    return False
