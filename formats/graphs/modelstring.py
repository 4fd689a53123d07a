"""Structures as model strings of bnlearn: ``[A][B|A][C|A:B]``."""

from __future__ import annotations

import re

from ..errors import Inconsistent
from ..records import NetworkRecord
from ..textlines import Lines
from .structures import network_by_names

_FAMILY = re.compile(r"\s*\[([^\[\]|]+)(?:\|([^\[\]|]*))?\]\s*")


def modelstring_text(network: NetworkRecord) -> str:
    """The model string of a network, variables in header order.

    Raises `Inconsistent`: a name contains one of ``[ ] | :`` or a line break, is blank, or has blanks at its ends.
    """
    names = network.header.names
    for name in names:
        if re.search(r"[\[\]|:\r\n\0]", name) or name != name.strip() or not name:
            message = f"a model string cannot hold the variable name {name!r}"
            raise Inconsistent(message, remedy="write another format")
    parts = []
    for name, parents in zip(names, network.parents):
        given = "|" + ":".join(names[p] for p in parents) if parents else ""
        parts.append(f"[{name}{given}]")
    return "".join(parts) + "\n"


def read_modelstring(lines: Lines) -> NetworkRecord:
    """Read a bnlearn model string; it may run over several lines."""
    text = lines.text()
    families: list[tuple[str, list[str]]] = []
    position = 0
    while position < len(text):
        match = _FAMILY.match(text, position)
        if not match:
            line = text.count("\n", 0, position) + 1
            lines.fail(f"expected [NAME] or [NAME|PARENT:...], got {text[position:][:40]!r}", line=line)
        parents = [p.strip() for p in match[2].split(":")] if match[2] else []
        families.append((match[1].strip(), parents))
        position = match.end()
    return network_by_names([name for name, _ in families], dict(families))
