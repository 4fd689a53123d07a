"""Networks with parameters in HUGIN's ``.net`` language, read and written.

Chance nodes with states and potentials with a complete table are read; positions and other attributes are skipped.
A row may hold weights, such as ``( 10 90 )`` or ``( 1 1 )``, as HUGIN writes them before it compiles a network.
"""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np

from ...errors import Inconsistent, Malformed
from ...graph_records import BayesianNetwork
from ...textlines import Lines
from ..families import Families
from ..kept_claims import claims_of, with_claims
from ..mended_words import kept, restored

_CLAIMS = "bnsl_claims"
_TOKEN = re.compile(r'\s+|%[^\n]*|("(?:[^"\\]|\\.)*"|[(){}=;|,]|[^\s"(){}=;|,%]+)')


def _as_identifier(name: str) -> str:
    """A name of letters, digits and ``_``, as HUGIN demands, for any text."""
    base = re.sub(r"[^A-Za-z0-9_]", "_", name)
    if not re.match(r"[A-Za-z_]", base) or base in ("net", "node", "potential", "utility", "decision"):
        base = f"_{base}"
    return base


def _identifiers(names: list[str]) -> list[str]:
    taken: set[str] = set()
    made = []
    for name in names:
        base = _as_identifier(name)
        # A name that is an identifier already keeps it, even if its variable comes later.
        candidate, suffix = base, 2
        while candidate in taken or (candidate != name and candidate in names):
            candidate, suffix = f"{base}_{suffix}", suffix + 1
        taken.add(candidate)
        made.append(candidate)
    return made


def _text(value: str) -> str:
    if set(value) & set("\r\0"):
        raise Inconsistent(f"a HUGIN file cannot hold the name or label {value!r}", remedy="write another format")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _nested(table: np.ndarray) -> str:
    if table.ndim == 1:
        return "( " + " ".join(map(repr, table.tolist())) + " )"
    return "(" + "".join(map(_nested, table)) + ")"


def hugin_text(network: BayesianNetwork) -> str:
    """The text of a ``.net`` file; names that HUGIN cannot hold become labels of generated identifiers.

    Data are nested by the parents as listed; the states of the child vary fastest, then those of the last parent.
    """
    identifiers = _identifiers([v.name for v in network.variables])
    name = f"  name = {_text(network.name)};\n" if network.name != "unknown" else ""
    claims = "".join(f"  {_CLAIMS} = {_text(kept([text]))};\n" for text in claims_of(network))
    parts = [f"net\n{{\n{name}{claims}}}\n"]
    for variable, identifier in zip(network.variables, identifiers):
        label = f"  label = {_text(variable.name)};\n" if identifier != variable.name else ""
        states = " ".join(map(_text, variable.known_states))
        parts.append(f"node {identifier}\n{{\n{label}  states = ( {states} );\n}}\n")
    for child, (parents, table) in enumerate(zip(network.parents, network.tables)):
        given = " | " + " ".join(identifiers[p] for p in parents) if parents else ""
        parts.append(f"potential ( {identifiers[child]}{given} )\n{{\n  data = {_nested(table)};\n}}\n")
    return "".join(parts)


class _Tokens:
    """Words, strings (with their opening quote kept) and signs, each with its place in the text."""

    def __init__(self, lines: Lines):
        self.lines = lines
        self.text = lines.text()
        self.found: list[tuple[str, int]] = []
        self.next = position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                self.fail("a string is not closed", position)
            if match[1]:
                self.found.append((match[1], position))
            position = match.end()

    def fail(self, message: str, at: int, kind: type[Malformed] | type[Inconsistent] = Malformed) -> NoReturn:
        self.lines.fail(message, kind=kind, line=self.text.count("\n", 0, at) + 1)

    @property
    def at(self) -> int:
        """Place of the next token."""
        return self.found[self.next][1] if self.next < len(self.found) else len(self.text)

    def peek(self) -> str:
        return self.found[self.next][0] if self.next < len(self.found) else ""

    def take(self, wanted: str = "") -> str:
        """The next token, which must be the wanted one if any is named."""
        token, at = self.peek(), self.at
        if not token:
            self.fail("the file ends early", at)
        if wanted and token != wanted:
            self.fail(f"expected {wanted!r}, got {token[:40]!r}", at)
        self.next += 1
        return token

    def take_attributes(self) -> dict[str, tuple[list[str], int]]:
        """A block of ``key = value;``: the tokens of each value and its place."""
        found: dict[str, tuple[list[str], int]] = {}
        self.take("{")
        while self.peek() != "}":
            key = self.take()
            self.take("=")
            at, value = self.at, []
            while self.peek() not in (";", "}"):
                value.append(self.take())
            if self.peek() == ";":
                self.take()
            found[key] = (value, at)
        self.take("}")
        return found


def _unquoted(token: str) -> str:
    return re.sub(r"\\(.)", r"\1", token[1:-1]) if token.startswith('"') else token


def _read_node(tokens: _Tokens, families: Families) -> None:
    """A chance node; a label that our writer made is its name."""
    at = tokens.at
    identifier = tokens.take()
    attributes = tokens.take_attributes()
    states, at = attributes.get("states", ([], at))
    names = [_unquoted(token) for token in states if token not in "(),"]
    label = _unquoted("".join(attributes.get("label", ([], 0))[0]))
    # Other programs' labels are descriptions: one is taken for the name only if our writer would make this identifier
    # of it.
    is_made = label and re.fullmatch(re.escape(_as_identifier(label)) + r"(_\d+)?", identifier)
    families.add_variable(identifier, label if is_made else identifier, names, at)


def _read_potential(tokens: _Tokens, families: Families) -> None:
    """A potential: the child comes first, data are nested by the parents as listed."""
    head = tokens.at
    tokens.take("(")
    names = []
    while (name := tokens.take()) != ")":
        if name not in ("|", ","):
            names.append(name)
    attributes = tokens.take_attributes()
    if "data" not in attributes:
        tokens.fail(f"the potential of {names[0] if names else '?'!r} has no data", head)
    data, at = attributes["data"]
    families.add_table([*names[1:], *names[:1]], [token for token in data if token not in "(),"], at)


def read_hugin(lines: Lines) -> BayesianNetwork:
    """Read a HUGIN network of chance nodes."""
    tokens = _Tokens(lines)
    families = Families(tokens.fail, takes_weights=True)
    name, claims = "unknown", []
    while tokens.peek():
        at = tokens.at
        keyword = tokens.take()
        if keyword == "net":
            attributes = tokens.take_attributes()
            held = {key: " ".join(map(_unquoted, words)) for key, (words, _) in attributes.items()}
            name, claims = held.get("name") or name, restored(held[_CLAIMS]) if held.get(_CLAIMS) else []
        elif keyword == "node" or (keyword == "discrete" and tokens.take("node")):
            _read_node(tokens, families)
        elif keyword == "potential":
            _read_potential(tokens, families)
        else:
            message = f"expected net, node or potential, got {keyword[:40]!r}: only chance nodes are read"
            tokens.fail(message, at)
    return with_claims(families.network(name), claims, lines)
