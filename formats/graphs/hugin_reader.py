"""Reading networks with parameters in HUGIN's ``.net`` language.

Chance nodes with states and potentials with a complete table; positions, labels and other attributes are passed over.
"""

from __future__ import annotations

import math
import re
from typing import NoReturn

import numpy as np

from ..errors import Inconsistent, Malformed
from ..graph_records import BayesianNetwork
from ..records import Variable
from ..textlines import Lines
from .bif_reader import EXACT, MAX_CELLS, TOLERANCE
from .hugin import as_identifier
from .structures import require_acyclic

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


def _read_node(tokens: _Tokens) -> tuple[str, Variable]:
    """Identifier of a chance node, and the variable: a label that our writer made is its name."""
    identifier, at = tokens.take(), tokens.at
    attributes = tokens.take_attributes()
    states, at = attributes.get("states", ([], at))
    names = tuple(_unquoted(token) for token in states if token not in "(),")
    if not names or len(set(names)) < len(names):
        tokens.fail(f"node {identifier!r} needs distinct states", at, Inconsistent)
    label = _unquoted("".join(attributes.get("label", ([], 0))[0]))
    made = as_identifier(label) if label else ""
    is_made = re.fullmatch(re.escape(made) + r"(_\d+)?", identifier) if made else None
    return identifier, Variable(label if is_made else identifier, names)


def _read_potential(
    tokens: _Tokens, index_of: dict[str, int], variables: list[Variable]
) -> tuple[int, tuple[int, ...], np.ndarray]:
    """Child, parents and table of a potential."""
    at = tokens.at
    tokens.take("(")
    family: list[int] = []
    while (name := tokens.take()) != ")":
        if name in ("|", ","):
            continue
        if name not in index_of:
            tokens.fail(f"a potential of the unknown node {name!r}", at, Inconsistent)
        family.append(index_of[name])
    if not family or len(set(family)) < len(family):
        tokens.fail("a potential names no node, or one twice", at, Inconsistent)
    child, *parents = family
    name = variables[child].name
    attributes = tokens.take_attributes()
    if "data" not in attributes:
        tokens.fail(f"the potential of {name!r} has no data", at)
    data, at = attributes["data"]
    shape = [len(variables[node].known_states) for node in (*parents, child)]
    if math.prod(shape) > MAX_CELLS:
        tokens.fail(f"the table of {name!r} has more than {MAX_CELLS} entries", at)
    try:
        values = np.array([float(token) for token in data if token not in "(),"])
    except ValueError:
        tokens.fail(f"the data of {name!r} are no table of numbers", at)
    if len(values) != math.prod(shape):
        tokens.fail(
            f"{name!r} has {len(values)} probabilities where {math.prod(shape)} are needed", at, Inconsistent
        )
    table = values.reshape(shape)
    sums = table.sum(axis=-1, keepdims=True)
    if not ((np.abs(sums - 1.0) <= TOLERANCE).all() and (table >= 0).all()):
        tokens.fail(f"the probabilities of {name!r} are negative or do not sum to 1", at, Inconsistent)
    return child, tuple(parents), np.where(np.abs(sums - 1.0) > EXACT, table / sums, table)


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
    variables: list[Variable] = []
    index_of: dict[str, int] = {}
    families: dict[int, tuple[tuple[int, ...], np.ndarray]] = {}
    while tokens.peek():
        at = tokens.at
        keyword = tokens.take()
        if keyword == "net":
            tokens.take_attributes()
        elif keyword == "node" or (keyword == "discrete" and tokens.take("node")):
            identifier, variable = _read_node(tokens)
            if index_of.setdefault(identifier, len(variables)) != len(variables):
                tokens.fail(f"two nodes are called {identifier!r}", at, Inconsistent)
            variables.append(variable)
        elif keyword == "potential":
            child, parents, table = _read_potential(tokens, index_of, variables)
            if child in families:
                tokens.fail(f"two potentials of {variables[child].name!r}", at, Inconsistent)
            families[child] = parents, table
        else:
            tokens.fail(
                f"expected net, node or potential, got {keyword[:40]!r}: only chance nodes are read", at
            )
    if len(families) < len(variables) or not variables:
        missing = [name for name, index in index_of.items() if index not in families]
        tokens.fail(
            f"no potential of {missing[0]!r}" if missing else "no nodes", len(tokens.text), Inconsistent
        )
    return _as_network(list(index_of), variables, families, lines.source)


def _as_network(
    identifiers: list[str],
    variables: list[Variable],
    families: dict[int, tuple[tuple[int, ...], np.ndarray]],
    source: str,
) -> BayesianNetwork:
    names = [variable.name for variable in variables]
    if len(set(names)) < len(names):  # labels that are alike; the identifiers are not
        names = identifiers
    order = range(len(names))
    parents = tuple(families[index][0] for index in order)
    require_acyclic(names, parents, source)
    renamed = tuple(Variable(name, variable.states) for name, variable in zip(names, variables))
    return BayesianNetwork(renamed, parents, tuple(families[index][1] for index in order))
