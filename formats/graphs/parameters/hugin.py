"""Networks with parameters in HUGIN's ``.net`` language, read and written.

Chance nodes with states and potentials with a complete table are read; positions and other attributes are skipped,
findings with a warning. A row may hold weights, such as ``( 10 90 )`` or ``( 1 1 )``, as HUGIN writes them before it
compiles a network. A potential without data is uniform.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

import numpy as np

from ...errors import Inconsistent, Malformed
from ...records import NetworkRecord, Parameters
from ...textlines import Lines
from ..findings import Finding, findings_in, warn_of_findings
from ..held_texts import is_line, quoted, require_held
from ..parameter_tables import FamilyTables

_TOKEN = re.compile(r'\s+|%[^\n]*|("(?:[^"\\]|\\(?s:.))*"|[(){}=;|,]|[^\s"(){}=;|,%]+)')


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
        # A name that is already an identifier keeps it, even if its variable comes later.
        candidate, suffix = base, 2
        while candidate in taken or (candidate != name and candidate in names):
            candidate, suffix = f"{base}_{suffix}", suffix + 1
        taken.add(candidate)
        made.append(candidate)
    return made


def _nested(table: np.ndarray) -> str:
    if table.ndim == 1:
        return "( " + " ".join(map(repr, table.tolist())) + " )"
    return "(" + "".join(map(_nested, table)) + ")"


def hugin_text(model: Parameters) -> str:
    """The text of a ``.net`` file; names that are no identifiers are the labels of made ones.

    Data are nested by the parents as listed; the states of the child vary fastest, then the states of the last
    parent. Raises `Inconsistent`: a name or label has a line break or another control character.
    """
    require_held(model, "net", is_line)
    identifiers = _identifiers([v.name for v in model.variables])
    has_title = model.name != "unknown" and is_line(model.name)
    parts = ["net\n{\n", f"  name = {quoted(model.name)};\n" if has_title else "", "}\n"]
    for variable, identifier in zip(model.variables, identifiers):
        parts.append(f"node {identifier}\n{{\n")
        parts.append(f"  label = {quoted(variable.name)};\n" if variable.name != identifier else "")
        parts.append("  states = ( " + " ".join(map(quoted, variable.known_states)) + " );\n}\n")
    for child, (parents, table) in enumerate(zip(model.parents, model.tables)):
        given = " | " + " ".join(identifiers[p] for p in parents) if parents else ""
        parts.append(f"potential ( {identifiers[child]}{given} )\n{{\n  data = {_nested(table)};\n}}\n")
    return "".join(parts)


def _findings(owner: str, attributes: dict[str, tuple[list[str], int]]) -> Iterator[Finding]:
    """The findings among the attributes of a block."""
    return findings_in(owner, {key: " ".join(map(unquoted, value)) for key, (value, _) in attributes.items()})


def _read_node(tokens: Tokens, families: FamilyTables) -> Iterator[Finding]:
    """A chance node; a label made by this program's writer is its name. Yields its findings."""
    at = tokens.at
    identifier = tokens.take_name()
    attributes = tokens.take_attributes()
    states, at = attributes.get("states", ([], at))
    names = [unquoted(token) for token in states if token not in "(),"]
    label = unquoted("".join(attributes.get("label", ([], 0))[0]))
    # Labels of other programs are descriptions: a label counts as the name only if the writer here would make this
    # identifier from it.
    is_made = label and re.fullmatch(re.escape(_as_identifier(label)) + r"(_\d+)?", identifier)
    families.add_variable(identifier, label if is_made else identifier, names, at)
    yield from _findings(families.variables[-1].name, attributes)


def _read_potential(tokens: Tokens, families: FamilyTables) -> Iterator[Finding]:
    """A potential: the child comes first, data are nested by the parents as listed. Yields its findings."""
    head = tokens.at
    tokens.take("(")
    names = []
    while (name := tokens.take_name()) != ")":
        if name not in ("|", ","):
            names.append(name)
    family, attributes = [*names[1:], *names[:1]], tokens.take_attributes()
    yield from _findings(names[0] if names else "", attributes)
    if "data" in attributes:
        data, at = attributes["data"]
        families.add_table(family, [token for token in data if token not in "(),"], at)
        return
    if models := [key for key in attributes if key.startswith("model")]:
        message = f"the potential of {names[0] if names else '?'!r} is an expression ({models[0]}), no table"
        tokens.fail(message, head, remedy="compile the network in HUGIN, and save it with its tables")
    shape = families.shape(members := families.family(family, head))
    families.store(members, np.full(shape, 1.0 / shape[-1]), head)
    tokens.lines.warn(f"{tokens.lines.source}: the potential of {names[0]!r} has no data: it is uniform, as in HUGIN")


def read_hugin(lines: Lines) -> NetworkRecord:
    """Read a HUGIN network of chance nodes."""
    tokens = Tokens(lines)
    families = FamilyTables(tokens.fail, takes_weights=True)
    name = "unknown"
    findings: list[Finding] = []
    while tokens.peek():
        at = tokens.at
        keyword = tokens.take()
        if keyword == "net":
            attributes = tokens.take_attributes()
            findings += _findings("", attributes)
            name = " ".join(map(unquoted, attributes.get("name", ([], at))[0])) or name
        elif keyword == "node" or (keyword == "discrete" and tokens.take("node")):
            findings += _read_node(tokens, families)
        elif keyword == "potential":
            findings += _read_potential(tokens, families)
        else:
            message = f"expected net, node or potential, got {keyword[:40]!r}: only chance nodes are read"
            tokens.fail(message, at)
    warn_of_findings(lines, findings)
    return families.network(name)


class Tokens:
    """Words, strings (with their opening quote kept) and signs, each with its place in the text."""

    def __init__(self, lines: Lines):
        self.lines = lines
        self.text = lines.text()
        self.found: list[tuple[str, int]] = []
        self.next = position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None:
                self.fail("a string or a comment is not closed", position)
            if match[1]:
                self.found.append((match[1], position))
            position = match.end()

    def fail(
        self, message: str, at: int, kind: type[Malformed] | type[Inconsistent] = Malformed, remedy: str | None = None
    ) -> NoReturn:
        """Raise an error at a place of the text."""
        self.lines.fail(message, kind=kind, line=self.text.count("\n", 0, at) + 1, remedy=remedy)

    @property
    def at(self) -> int:
        """Place of the next token."""
        return self.found[self.next][1] if self.next < len(self.found) else len(self.text)

    def peek(self) -> str:
        """The next token, empty at the end."""
        return self.found[self.next][0] if self.next < len(self.found) else ""

    def take(self, wanted: str = "") -> str:
        """The next token; it must equal `wanted`, if given."""
        token, at = self.peek(), self.at
        if not token:
            self.fail("the file ends early", at)
        if wanted and token != wanted:
            self.fail(f"expected {wanted!r}, got {token[:40]!r}", at)
        self.next += 1
        return token

    def take_name(self) -> str:
        """The next token, with parentheses that follow it without a blank: HUGIN takes ``cost(item)`` as a name."""
        start, word = self.at, self.take()
        end, depth = start + len(word), 0
        while depth or (self.peek() == "(" and self.at == end and word not in "(){}=;|,"):
            end = self.at + len(self.peek())
            depth += {"(": 1, ")": -1}.get(self.take(), 0)
        return self.text[start:end]

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


def unquoted(token: str) -> str:
    """The text of a string or word; a string goes on behind a backslash at the end of a line."""
    return re.sub(r"\\(?:\n|(.))", r"\1", token[1:-1]) if token.startswith('"') else token
