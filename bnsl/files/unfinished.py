"""The best network of an unfinished run of `bnsl optimize`, from which a later run goes on."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..running.reporter import Reporter

if TYPE_CHECKING:
    from formats.records import Header, Network

FREE = frozenset({"seed", "evaluations"})
"""Options that a later run may have otherwise, besides limits of time: they change no claim of the network."""


class Unfinished(NamedTuple):
    """The network, and the file that it is from."""

    network: Network
    source: str


def open_unfinished(source: str, reporter: Reporter) -> Unfinished | None:
    """The network of a run that was to write `source`; None, with a warning, if there is none.

    Raises `Inconsistent`: the file does not hold the network of an unfinished run.
    """
    from formats import open_network
    from formats.errors import Inconsistent

    if not os.path.exists(source):
        reporter.warn(f"there is nothing of an earlier run at {source}: starting from the beginning")
        return None
    network = open_network(source)
    header = network.header
    if not header.by or header.by[-1].get("stage") != "optimize" or "interrupted" not in header.extra:
        raise Inconsistent(
            "this is not the network of an unfinished run, as bnsl optimize marks it in JSON lines",
            source=source,
            remedy="--start FILE begins with any network",
        )
    return Unfinished(network, source)


def require_same_inputs(earlier: Unfinished, header: Header, digest: Callable[[], str] | None = None) -> None:
    """Raise `Inconsistent` unless the earlier run had the data and the score of `header`, and the listed sets of this
    `digest`, if it is given.
    """
    from formats.errors import Inconsistent

    theirs = earlier.network.header
    differing = [name for pair in zip(theirs.names, header.names) for name in pair if len(set(pair)) > 1]
    compared = {
        "the number of variables": (len(theirs.names), len(header.names)),
        "a variable": tuple(differing[:2]) or (None, None),
        "the score": (theirs.score, header.score),
        "the equivalent sample size": (theirs.ess, header.ess),
        "the number of rows": (theirs.rows, header.rows),
        "the fingerprint of the data": (theirs.data, header.data),
    }
    if digest is not None:
        compared["the digest of the parent sets"] = (theirs.extra.get("sets"), digest())
    for what, (other, ours) in compared.items():
        if other != ours:
            raise Inconsistent(
                f"it is of another run: {what} is {'not known' if other is None else other}, here {ours}",
                source=earlier.source,
                remedy="go on with the same inputs, or begin with its network: --start FILE",
            )


def require_same_call(earlier: Unfinished, header: Header) -> None:
    """Raise `Inconsistent` unless the commands that made `header`, the last one with its options, made the earlier
    file, too.
    """
    from formats.json_lines.run_parts import require_same_options

    require_same_options(_compared(header), _compared(earlier.network.header), earlier.source)


def _compared(header: Header) -> Header:
    *before, last = header.by
    options = {name: value for name, value in last.get("options", {}).items() if name not in FREE}
    return replace(header, by=(*before, {**last, "options": options}))
