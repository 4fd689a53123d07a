"""Writing networks with parameters in HUGIN's ``.net`` language."""

from __future__ import annotations

import re

import numpy as np

from ..graph_records import BayesianNetwork


def as_identifier(name: str) -> str:
    """A name of letters, digits and ``_`` for any text."""
    base = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not re.match(r"[A-Za-z_]", base) or base in ("net", "node", "potential", "utility", "decision"):
        base = f"_{base}"
    return base


def _identifiers(names: list[str]) -> list[str]:
    """Distinct names of letters, digits and ``_`` that do not begin with a digit, as HUGIN wants them."""
    taken: set[str] = set()
    made = []
    for name in names:
        base = as_identifier(name)
        # names that are taken by a later variable as they stand are left to it
        candidate, suffix = base, 2
        while candidate in taken or (candidate != name and candidate in names):
            candidate, suffix = f"{base}_{suffix}", suffix + 1
        taken.add(candidate)
        made.append(candidate)
    return made


def _text(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _nested(table: np.ndarray) -> str:
    if table.ndim == 1:
        return "( " + " ".join(map(repr, table.tolist())) + " )"
    return "(" + "".join(map(_nested, table)) + ")"


def hugin_text(network: BayesianNetwork) -> str:
    """The text of a ``.net`` file; names that HUGIN cannot hold become labels of made-up ones.

    Data are nested by the parents as listed, the last one fastest but for the child.
    """
    names = [v.name for v in network.variables]
    identifiers = _identifiers(names)
    parts = ["net\n{\n}\n"]
    for variable, identifier in zip(network.variables, identifiers):
        label = f"  label = {_text(variable.name)};\n" if identifier != variable.name else ""
        states = " ".join(map(_text, variable.known_states))
        parts.append(f"node {identifier}\n{{\n{label}  states = ( {states} );\n}}\n")
    for child, (parents, table) in enumerate(zip(network.parents, network.tables)):
        given = " | " + " ".join(identifiers[p] for p in parents) if parents else ""
        parts.append(f"potential ( {identifiers[child]}{given} )\n{{\n  data = {_nested(table)};\n}}\n")
    return "".join(parts)
