"""Writing networks with parameters in the Bayesian interchange format (BIF).

The writer keeps to the flavour of bnlearn's repository, which most programs read:
one labelled row for each parent configuration, names bare unless they need quotes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import numpy as np

from .errors import Inconsistent
from .records import BayesianNetwork

_BARE = re.compile(r'[^\s,;(){}|"\x00]+')


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


def bif_text(network: BayesianNetwork) -> str:
    """A network with its parameters as BIF; numbers are the shortest decimals that read back equal.

    Raises
    ------
    Inconsistent
        A name cannot be held by BIF.
    ValueError
        A probability is not finite.
    """
    names = [_quoted(v.name) for v in network.variables]
    states = [[_quoted(state) for state in v.known_states] for v in network.variables]
    parts = [f"network {_quoted(network.name)} {{\n}}\n"]
    for name, labels in zip(names, states):
        listed = ", ".join(labels)
        parts.append(f"variable {name} {{\n  type discrete [ {len(labels)} ] {{ {listed} }};\n}}\n")
    for child in range(len(names)):
        parts += _family_lines(network, child, names, states)
    return "".join(parts)
