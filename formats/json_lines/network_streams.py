"""Streams of networks: network files one after the other, each with its header (bootstrap, sampled networks)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..detection import detect_lines
from ..errors import Inconsistent, Truncated
from ..graphs.networks import open_network
from ..records import Network
from ..schemas import NETWORK
from ..textlines import Lines, as_lines
from ..wording import plural
from .network_lines import has_more, read_next_network


def open_networks(source: str | Lines) -> Iterator[Network]:
    """Read concatenated network files, or one network in any format that `open_network` reads.

    Raises `FormatError`: with file and line; `Truncated` gives the number of whole networks before.
    """
    lines = as_lines(source)
    if detect_lines(lines).name != NETWORK.name:
        yield open_network(lines)
        return
    n_whole = 0
    with lines:
        try:
            while has_more(lines):
                network = read_next_network(lines)
                n_whole += 1
                yield network
        except Truncated as error:
            raise Truncated(
                f"{error.message} (network {n_whole + 1}; whole before it: {n_whole})",
                source=error.source,
                line=error.line,
                remedy="run the command that made it again; bnsl average --partial goes on with the whole networks",
            ) from None


def pick_network(source: str | Lines, place: int | None) -> Network:
    """One network of a stream.

    `place`: from 1; None for the network with the largest total score, the first of several.
    Raises `Inconsistent`: there are fewer, or the total of one is unknown; `FormatError`: see `open_networks`.
    """
    lines = as_lines(source)
    best: Network | None = None
    n_networks = 0
    for n_networks, network in enumerate(open_networks(lines), 1):
        if n_networks == place:
            lines.close()
            return network
        if place is None:
            if _total(network) is None:
                raise Inconsistent(f"network {n_networks} has no total score", source=lines.source)
            if best is None or _total(network) > _total(best):
                best = network
    if best is None:
        counted = plural(n_networks, "network")
        raise Inconsistent(f"there is no network {place}: the stream has {counted}", source=lines.source)
    return best


def _total(network: Network) -> Any:
    return network.header.extra.get("total")
