"""Networks with parameters in the Bayesian interchange format (BIF): opening and writing.

Parsing is in `bif_reader`. The writer keeps to the flavour of bnlearn's repository, which most programs read:
one labelled row for each parent configuration, names bare unless they need quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import BinaryIO

import numpy as np

from .bif_reader import read_bif
from .errors import Inconsistent
from .kinds import require_kind
from .records import BayesianNetwork
from .streams import open_output
from .textlines import Lines, as_lines

_BARE = re.compile(r'[^\s,;(){}|"\x00]+')


def open_bayesian_network(source: str | BinaryIO | Lines) -> BayesianNetwork:
    """Read a network with its parameters from BIF.

    Parameters
    ----------
    source : str, binary stream or Lines
        A path or ``-``; gzipped or not.

    Returns
    -------
    BayesianNetwork
        Rows that sum to 1 only within 1e-3 are renormalised.

    Raises
    ------
    FormatError
        With file and line.
    """
    lines = as_lines(source)
    try:
        require_kind(lines, ("bif",), "a network with parameters in BIF (bnsl fit makes one)")
        return read_bif(lines)
    finally:
        lines.close()


def _quoted(name: str) -> str:
    """A name as BIF can hold it: bare where possible, as other programs expect."""
    if re.search(r"[\x00\r\n]", name):
        raise Inconsistent(f"the name {name!r} has a line end or NUL, which BIF files cannot hold")
    if _BARE.fullmatch(name) and not name.startswith(("//", "/*")):
        return name
    return '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'


def _family_lines(
    network: BayesianNetwork, child: int, names: list[str], states: list[list[str]]
) -> Iterator[str]:
    parents = network.parents[child]
    if not np.isfinite(network.tables[child]).all():
        raise ValueError(f"a probability of variable {child} is not finite")
    head = names[child] + (" | " + ", ".join(names[p] for p in parents) if parents else "")
    yield f"probability ( {head} ) {{\n"
    rows = network.tables[child].reshape(-1, len(states[child])).tolist()
    if not parents:
        yield f"  table {', '.join(map(repr, rows[0]))};\n"
    else:
        for labels, row in zip(product(*(states[p] for p in parents)), rows):
            yield f"  ({', '.join(labels)}) {', '.join(map(repr, row))};\n"
    yield "}\n"


def write_bayesian_network(target: str, network: BayesianNetwork) -> None:
    """Write a network with its parameters as BIF; numbers are the shortest decimals that read back equal.

    Raises
    ------
    Inconsistent
        A name cannot be held by BIF.
    ValueError
        A probability is not finite.
    """
    names = [_quoted(v.name) for v in network.variables]
    states = [[_quoted(state) for state in v.states] for v in network.variables]
    with open_output(target) as stream:
        stream.write(f"network {_quoted(network.name)} {{\n}}\n".encode())
        for name, labels in zip(names, states):
            listed = ", ".join(labels)
            stream.write(
                f"variable {name} {{\n  type discrete [ {len(labels)} ] {{ {listed} }};\n}}\n".encode()
            )
        for child in range(len(names)):
            stream.write("".join(_family_lines(network, child, names, states)).encode())
