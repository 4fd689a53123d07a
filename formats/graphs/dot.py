"""Structures as Graphviz graphs (DOT): written for pictures, read back."""

from __future__ import annotations

import re
from typing import NoReturn

from ..errors import Inconsistent
from ..graph_records import (
    SCREENED_WORDS,
    UNDECIDED,
    Arc,
    EssentialGraph,
    Strength,
    directions_of,
    parts_of,
    screened_of,
)
from ..records import NetworkRecord
from ..textlines import Lines
from .findings import Finding, findings_in, warn_of_findings
from .structures import UNDIRECTED, UNDIRECTED_REMEDY, network_from_arcs

_TOKEN = re.compile(
    r"""\s+ | //[^\n]* | /\*.*?\*/ | \#[^\n]*
      | (?P<quoted> "(?:[^"\\]|\\.)*" )
      | (?P<word> [^\W\d][\w.]* | -?(?:\.\d+|\d+(?:\.\d*)?) )
      | (?P<mark> -> | -- | [{}\[\];,=:] )""",
    re.VERBOSE | re.DOTALL,
)

FULL_WIDTH = 4.0
"""Width of the line of an arc of strength 1, points."""

MAX_ARCS = 1_000_000
"""Largest number of arcs: one arrow between two groups of names stands for the product of their sizes."""

_MAX_DEPTH = 50


def _quoted(name: str) -> str:
    """The name between quotes; raises `Inconsistent` if it has characters that readers change or refuse."""
    if set(name) & set("\r\0"):
        raise Inconsistent(f"a DOT file cannot hold the name {name!r}", remedy="write another format")
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def dot_text(graph: NetworkRecord | EssentialGraph) -> str:
    """The structure as a Graphviz directed graph; if the strength of an arc is known, it gives the width of the line.

    Undirected edges have no head; nor have arcs whose direction nothing decides, according to the header. Variables
    that screening attached are dashed, and a label of the graph says so.
    """
    screened = screened_of(graph)
    names, arcs, edges, strengths = parts_of(graph)
    known = directions_of(graph) if isinstance(graph, NetworkRecord) else {}
    undecided = {arc for arc, word in known.items() if word == UNDECIDED}
    quoted = [_quoted(name) for name in names]
    rows = ["digraph network {", *([f'  label="{SCREENED_WORDS}";'] if screened else [])]
    rows += [f"  {name} [style=dashed];" if v in screened else f"  {name};" for v, name in enumerate(quoted)]
    for pairs, given in ((arcs, []), (edges, ["dir=none"])):
        for one, other in pairs:
            headless = ["arrowhead=none"] if (one, other) in undecided else []
            attributes = [*given, *headless, *_attributes(strengths.get((one, other)))]
            shown = f" [{', '.join(attributes)}]" if attributes else ""
            rows.append(f"  {quoted[one]} -> {quoted[other]}{shown};")
    return "\n".join([*rows, "}"]) + "\n"


def _attributes(strength: Strength | None) -> list[str]:
    if strength is None:
        return []
    arc, either = f"{strength.arc:.2f}", f"{strength.either:.2f}"
    label = either if arc == either else f"{arc}/{either}"
    width = f"penwidth={FULL_WIDTH * strength.either:.3g}"
    return [f'label="{label}"', width, f"strength={strength.arc:.6g}", f"either={strength.either:.6g}"]


class _DotParser:
    """Recursive descent over the part of the DOT language that describes nodes and arcs; attributes are skipped.

    `findings`: those among the attributes of nodes and of the graph.
    """

    def __init__(self, lines: Lines, edges: list[Arc] | None):
        self.lines = lines
        self.edges = edges
        self.text = lines.text()
        self.tokens = self._tokenise()
        self.position = 0
        self.index_of: dict[str, int] = {}
        self.arcs: list[Arc] = []
        self.findings: list[Finding] = []

    def _tokenise(self) -> list[tuple[str, str, int]]:
        tokens, at = [], 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if not match:
                self._fail(f"unexpected {self.text[at : at + 20]!r}", at)
            if match.lastgroup == "quoted":
                tokens.append(("name", re.sub(r"\\([\"\\])", r"\1", match[0][1:-1]), at))
            elif match.lastgroup:
                tokens.append(("name" if match.lastgroup == "word" else "mark", match[0], at))
            at = match.end()
        return tokens

    def _fail(self, message: str, at: int | None = None, remedy: str | None = None) -> NoReturn:
        """Raise an error at a place in the text, by default at the next token."""
        if at is None:
            at = self.tokens[self.position][2] if self.position < len(self.tokens) else len(self.text)
        self.lines.fail(message, line=self.text.count("\n", 0, at) + 1, remedy=remedy)

    def _value(self, ahead: int = 0) -> str:
        """The text of a following token, empty at the end."""
        place = self.position + ahead
        return self.tokens[place][1] if place < len(self.tokens) else ""

    def _peek(self) -> str:
        """The next mark, ``name`` for a name, empty at the end."""
        is_name = self.position < len(self.tokens) and self.tokens[self.position][0] == "name"
        return "name" if is_name else self._value()

    def _take(self, expected: str) -> str:
        if self._peek() != expected:
            at_end = self.position == len(self.tokens)
            self._fail(f"expected {expected!r}, got {'the end' if at_end else repr(self._value())}")
        self.position += 1
        return self._value(-1)

    def _take_any(self, *wanted: str) -> None:
        """Skip all next tokens of these kinds."""
        while self._peek() in wanted:
            self.position += 1

    def read(self) -> NetworkRecord:
        word = self._take("name").lower()
        if word == "strict":
            word = self._take("name").lower()
        if word != "digraph" and not (word == "graph" and self.edges is not None):
            remedy = UNDIRECTED_REMEDY if word == "graph" else None
            self._fail(f"a network needs a directed graph (digraph), not {word!r}", self.tokens[0][2], remedy)
        if self._peek() == "name":
            self._take("name")
        self._group()
        if self._peek():
            self._fail("more than one graph")
        if not self.index_of:
            self._fail("the graph has no nodes", 0)
        warn_of_findings(self.lines, self.findings)
        return network_from_arcs(list(self.index_of), self.arcs)

    def _group(self, depth: int = 0) -> list[int]:
        """``{ statements }``; returns the nodes named in it."""
        if depth > _MAX_DEPTH:
            self._fail("too deeply nested")
        self._take("{")
        nodes: list[int] = []
        while self._peek() != "}":
            nodes += self._statement(depth)
            self._take_any(";", ",")
        self._take("}")
        return nodes

    def _statement(self, depth: int) -> list[int]:
        first = self._value()
        if self._peek() == "name":
            after = self._value(1)
            if first.lower() in ("node", "edge", "graph") and after == "[":
                self._take("name")
                self.findings += findings_in("", self._attributes()[0])
                return []
            if after == "=":
                key, _, value = (self._take(part) for part in ("name", "=", "name"))
                self.findings += findings_in("", {key: value})
                return []
        ends = self._endpoint(depth)
        nodes = list(ends)
        arcs: list[Arc] = []
        edges: list[Arc] = []
        while self._peek() in ("->", "--"):
            is_arc = self._peek() == "->"
            if not is_arc and self.edges is None:
                self._fail(f"{UNDIRECTED} (->)", remedy=UNDIRECTED_REMEDY)
            self._take(self._peek())
            heads = self._endpoint(depth)
            if len(self.arcs) + len(arcs) + len(edges) + len(ends) * len(heads) > MAX_ARCS:
                self._fail(f"more than {MAX_ARCS:,} arcs", self.tokens[self.position - 1][2])
            (arcs if is_arc else edges).extend((tail, head) for tail in ends for head in heads)
            nodes += heads
            # A chain a -> b -> c: the heads of one arrow are the tails of the next.
            ends = heads
        attributes, is_undirected = self._attributes()
        if is_undirected:
            arcs, edges = [], [*edges, *arcs]
        if not arcs and not edges:
            self.findings += findings_in(first, attributes)
        self.arcs += arcs
        if self.edges is not None:
            self.edges += edges
        return nodes

    def _endpoint(self, depth: int) -> list[int]:
        if self._peek() == "name" and self._value().lower() == "subgraph":
            self._take("name")
            if self._peek() == "name":
                self._take("name")
        if self._peek() == "{":
            return self._group(depth + 1)
        name = self._take("name")
        while self._peek() == ":":  # port
            self._take(":")
            self._take("name")
        return [self.index_of.setdefault(name, len(self.index_of))]

    def _attributes(self) -> tuple[dict[str, str], bool]:
        """Attributes by their names, and whether they make the preceding arcs undirected."""
        found: dict[str, str] = {}
        is_undirected = False
        while self._peek() == "[":
            self._take("[")
            while self._peek() != "]":
                name = self._take("name").lower()
                if self._peek() == "=":
                    self._take("=")
                    found[name] = self._take("name")
                    value = found[name].lower()
                    if name == "dir" and value == "none" and self.edges is not None:
                        is_undirected = True
                    elif name == "dir" and value != "forward":
                        message = f"an arc drawn with dir={value}; only plain arcs are read"
                        remedy = UNDIRECTED_REMEDY if value == "none" else None
                        self._fail(message, self.tokens[self.position - 1][2], remedy)
                self._take_any(";", ",")
            self._take("]")
        return found, is_undirected


def read_dot(lines: Lines, edges: list[Arc] | None = None) -> NetworkRecord:
    """Read a Graphviz directed graph; nodes are variables in order of appearance.

    Undirected edges (``--`` or ``dir=none``) are added to `edges`, or refused if it is None.
    """
    return _DotParser(lines, edges).read()
