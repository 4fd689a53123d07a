"""Which textual format is this? Told by the first line that is neither blank nor a comment, never by a name."""

from __future__ import annotations

import re

from .errors import Malformed
from .schemas import JSONL_FORMATS
from .textlines import Lines

# What may follow a keyword up to its opening brace; a table whose first column is called "network" goes on otherwise.
_HEAD = rb'\s*(\s("([^"\\]|\\.)*"|[^,;\t"{])*)?(\{|$)'
_PATTERNS = (
    ("pss", re.compile(rb"(META|VAR)\s", re.IGNORECASE)),
    ("jkl", re.compile(rb"\d+$")),
    ("bif", re.compile(rb"(network|variable|probability)" + _HEAD)),
    ("net", re.compile(rb"(net|node|potential)\s*(\{|\(|$|\w+\s*(\{|$))")),
    ("dot", re.compile(rb"(strict\s+)?(di)?graph" + _HEAD, re.IGNORECASE)),
    ("graphml", re.compile(rb"<")),
    ("modelstring", re.compile(rb"\[[^\[\]]+\]")),
)

NAMES = {
    "bnsl.parentsets": "a parent-set file",
    "bnsl.network": "a network file",
    "bnsl.forest": "a screening forest",
    "jsonl": "JSON",
    "jkl": "a jkl score file",
    "pss": "a pss score file",
    "bif": "a BIF network",
    "net": "a HUGIN network",
    "dot": "a Graphviz graph",
    "graphml": "XML",
    "modelstring": "a model string",
    "table": "a table",
}
"""How messages call each kind."""


def tell_kind(lines: Lines) -> str:
    """The format of a text source, a key of `NAMES`; nothing is consumed.

    For our own formats it is the format's name, ``jsonl`` if the first line is JSON but not a header of ours.
    Anything that looks like nothing known is a ``table``.

    Raises
    ------
    Malformed
        The source is empty or binary.
    """
    first = lines.first_significant()
    if first.startswith(b"{"):
        return _tell_json(first)
    for kind, pattern in _PATTERNS:
        if pattern.match(first):
            return kind
    return "table"


def _tell_json(line: bytes) -> str:
    import orjson

    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        return "jsonl"
    name = fields.get("format")
    return name if isinstance(name, str) and name in JSONL_FORMATS else "jsonl"


def require_kind(lines: Lines, kinds: tuple[str, ...], wanted: str) -> str:
    """`tell_kind`, or the error that says what was wanted and what came."""
    kind = tell_kind(lines)
    if kind not in kinds:
        raise Malformed(
            f"expected {wanted}, this looks like {NAMES[kind]}",
            source=lines.source,
            remedy="bnsl formats lists what is read",
        )
    return kind
