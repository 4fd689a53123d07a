"""Reading networks with parameters in HUGIN's ``.net`` language.

Chance nodes with states and potentials with a complete table; positions, labels and other attributes are passed over.
"""

from __future__ import annotations

import re
from typing import NoReturn

from ..errors import Inconsistent, Malformed
from ..graph_records import BayesianNetwork
from ..textlines import Lines
from .families import Families
from .hugin import as_identifier

_TOKEN = re.compile(r'\s+|%[^\n]*|("(?:[^"\\]|\\.)*"|[(){}=;|,]|[^\s"(){}=;|,%]+)')


class _Tokens:
    """Words, strings (with their opening quote kept) and signs, each with its place in the text."""

    def __init__(self, lines: Lines):
        self.source = lines.source
        self.text = lines.text()
        self.found: list[tuple[str, int]] = []
        position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                self.fail("a string is not closed", position)
            if match[1]:
                self.found.append((match[1], position))
            position = match.end()
        self.next = 0

    def fail(self, message: str, at: int, kind: type[Malformed] | type[Inconsistent] = Malformed) -> NoReturn:
        raise kind(message, source=self.source, line=self.text.count("\n", 0, at) + 1)

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

    def take_value(self) -> list[str]:
        """The tokens up to the next semicolon or the end of the block."""
        taken = []
        while self.peek() not in (";", "}"):
            taken.append(self.take())
        if self.peek() == ";":
            self.take()
        return taken

    def take_attributes(self) -> dict[str, tuple[list[str], int]]:
        """A block of ``key = value;``: the tokens of each value and its place."""
        found: dict[str, tuple[list[str], int]] = {}
        self.take("{")
        while self.peek() != "}":
            key = self.take()
            self.take("=")
            at = self.at
            found[key] = (self.take_value(), at)
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
    made = as_identifier(label) if label else ""
    is_made = re.fullmatch(re.escape(made) + r"(_\d+)?", identifier) if made else None
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
    """Read a HUGIN network; see `formats.graphs.networks.open_bayesian_network`.

    Raises
    ------
    Malformed
        Not the language, or a node that is no chance node with states.
    Inconsistent
        Unknown nodes, tables of another size, probabilities that do not sum to 1, a cycle.
    """
    tokens = _Tokens(lines)
    families = Families(tokens.fail)
    while tokens.peek():
        at = tokens.at
        keyword = tokens.take()
        if keyword == "net":
            tokens.take_attributes()
        elif keyword == "node" or (keyword == "discrete" and tokens.take("node")):
            _read_node(tokens, families)
        elif keyword == "potential":
            _read_potential(tokens, families)
        else:
            tokens.fail(
                f"expected net, node or potential, got {keyword[:40]!r}: only chance nodes are read", at
            )
    return families.network(lines.source)
