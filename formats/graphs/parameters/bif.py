"""Networks with parameters in the Bayesian interchange format (BIF 0.15, bnlearn's repository), read and written.

The reader accepts the variants of different programs: quoted or bare names with any characters but ``, ; ( ) { } |``
and blanks, commas or blanks between items, comments, properties, ``table`` and ``default`` lines, rows in any order.
But every parent configuration needs its row, and rows must sum to 1.

In written files each parent configuration has a labelled row. Names and labels stand bare, as bnlearn writes them
(``<=1.5``), or in quotes where these would be read otherwise (blanks, commas).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import NoReturn

import numpy as np

from ...errors import Inconsistent, Malformed
from ...records import NetworkRecord, Parameters
from ...textlines import Lines
from ..findings import Finding, finding_of, warn_of_findings
from ..held_texts import is_line, quoted, require_held
from ..parameter_tables import FamilyTables

# Comments and quoted strings are replaced before anything is split. Bare names such as Asy/Patch or a//b stay whole:
# a // right after a word begins a comment only if no word follows it directly. If nothing else in the line shows
# which of the two is meant, the file is refused. The pattern begins with a fixed first character, so the search in
# the text is fast.
_OPAQUE = re.compile(
    r"""["/] (?:
        (?<=") ((?:[^"\\\n]|\\.)*)"
      | (?<=/) ( (?:(?<![^\s;,|(){}\[\]"]/) | (?=/["\s]|/\Z)) /[^\n]* | \*.*?\*/ )
      | (?<=/) (?<!:/) / [^\n,;|(){}]* $ )""",
    re.DOTALL | re.VERBOSE | re.MULTILINE,
)
_BLOCK = re.compile(r"\s*(network|variable|probability)\b([^{]*)\{", re.IGNORECASE)
_TYPE = re.compile(r"type\s+discrete\s*\[\s*(\d{1,9})\s*\]\s*\{([^}]*)\}\s*;?", re.IGNORECASE)
_PROPERTY = re.compile(r"property\b[^;]*;?", re.IGNORECASE)
_BARE = re.compile(r"""(?!.*/[/*])[^\s,;|(){}\[\]"\\]+""")
_FUNCTION = re.compile(r"property\s+function\s+(?!table\b)(\w+)", re.IGNORECASE)


@dataclass
class _Block:
    """One ``keyword head { body }`` with the positions of head and body in the text."""

    keyword: str
    head: str
    head_at: int
    body: str
    body_at: int


class _Text:
    """The text without comments, each string replaced by its number between NUL characters."""

    def __init__(self, lines: Lines):
        self.lines = lines
        self.strings: list[str] = []
        self.text = lines.text()
        if "\x00" in self.text:
            self.fail("binary data where text was expected", self.text.index("\x00"))
        self.text = _OPAQUE.sub(self._replace, self.text)

    def _replace(self, match: re.Match) -> str:
        if match.lastindex is None:
            message = f"{match[0][:40]!r} touches a word: part of the name, or a comment?"
            self.fail(message, match.start(), remedy="put the name in quotes, or a blank before the comment")
        if match[1] is None:
            return " " + "\n" * match[2].count("\n")  # keeps line numbers right
        self.strings.append(re.sub(r"\\(.)", r"\1", match[1]))
        return f"\x00{len(self.strings) - 1}\x00"

    def fail(self, message: str, at: int, kind=Malformed, remedy: str | None = None) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        self.lines.fail(message, kind=kind, line=line, remedy=remedy)

    def unquote(self, word: str) -> str:
        """A name in its original form, without quotes and surrounding blanks."""
        return re.sub("\x00(\\d+)\x00", lambda m: self.strings[int(m[1])], word.strip())

    def items(self, text: str) -> list[str]:
        """Names separated by commas or blanks; with commas, names may contain blanks."""
        words = [w.strip() for w in text.split(",")] if "," in text else text.split()
        if words and not words[-1]:
            words.pop()
        return [self.unquote(word) for word in words]

    def blocks(self) -> Iterator[_Block]:
        """The blocks in order; anything else between them is an error."""
        position, text = 0, self.text
        while match := _BLOCK.match(text, position):
            start = match.end()
            end = self._closing_brace(start)
            yield _Block(match[1].lower(), match[2], match.start(2), text[start:end], start)
            position = end + 1
        rest = text[position:].lstrip(" \t\r\n;")
        if rest:
            shown = self.unquote(rest.split("\n")[0][:40])
            expected = "network, variable or probability {...}"
            self.fail(f"expected {expected}, got {shown!r}", len(text) - len(rest))

    def _closing_brace(self, start: int) -> int:
        position = start
        depth = 1
        while depth:
            closing = self.text.find("}", position)
            if closing < 0:
                self.fail("a block is not closed: the file ends early", start)
            # Count the braces opened before the closing one just found, less that closing one.
            depth += self.text.count("{", position, closing) - 1
            position = closing + 1
        return closing

    def findings(self, block: _Block) -> Iterator[Finding]:
        """The findings that a block stores as statements or properties."""
        owner = "" if block.keyword == "network" else self.unquote(block.head.partition("|")[0].strip(" ()"))
        has_rows = block.keyword == "probability"
        statements = _PROPERTY.findall(block.body) if has_rows else _TYPE.sub(";", block.body).split(";")
        for statement in statements:
            words = self.unquote(re.sub(r"\s*property\b", "", statement.rstrip(";"), flags=re.IGNORECASE))
            if (value := finding_of(words)) is not None:
                yield owner, value


def _read_variable(text: _Text, block: _Block, families: FamilyTables) -> None:
    name = text.unquote(block.head)
    body = _PROPERTY.sub(lambda match: " " * len(match[0]), block.body)
    match = _TYPE.search(body)
    if not match:
        text.fail(f"variable {name!r} has no 'type discrete [ n ] {{ ... }};'", block.body_at)
    states = text.items(match[2])
    if len(states) != int(match[1]):
        message = f"variable {name!r} announces {match[1]} states but names {len(states)}"
        text.fail(message, block.body_at, Inconsistent)
    if not all(states):
        text.fail(f"variable {name!r} needs non-empty state names", block.body_at, Inconsistent)
    families.add_variable(name, name, states, block.head_at)


def _names_of(text: _Text, block: _Block, families: FamilyTables) -> list[str]:
    """Parents and, last, the child named in the head of a probability block."""

    def names(part: str) -> list[str]:
        whole = text.unquote(part)  # a single name may have blanks even without quotes
        return [whole] if whole in families.index_of else text.items(part)

    head = block.head.strip()
    if not (head.startswith("(") and head.endswith(")")):
        text.fail("expected 'probability ( child | parents )'", block.head_at)
    child, bar, parents = head[1:-1].partition("|")
    if bar:
        return [*names(parents), text.unquote(child)]
    # Old programs write no bar: the first name is the name of the child.
    found = names(child)
    return [*found[1:], *found[:1]]


class _TableReader:
    """Reads one conditional probability table from the statements of a probability block."""

    def __init__(self, text: _Text, block: _Block, families: FamilyTables):
        self.text, self.block, self.families = text, block, families
        self.family = families.family(_names_of(text, block, families), block.head_at)
        *self.parents, self.child = (families.variables[member] for member in self.family)
        *shape, self.n_states = families.shape(self.family)
        self.codes = [{state: code for code, state in enumerate(v.known_states)} for v in self.parents]
        self.strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        self.table = np.full((math.prod(shape), self.n_states), np.nan)
        self.seen = np.zeros(len(self.table), dtype=np.bool_)
        self.default: list[float] | None = None

    def fail(self, message: str, at: int) -> NoReturn:
        self.text.fail(f"variable {self.child.name!r}: {message}", self.block.body_at + at, Inconsistent)

    def read(self) -> None:
        """Store the table in the families."""
        at = 0
        for statement in self.block.body.split(";"):
            if statement.strip():
                self._read_statement(statement.strip(), at + len(statement) - len(statement.lstrip()))
            at += len(statement) + 1
        if self.default is not None:
            self.table[~self.seen] = self.default
        elif not self.seen.all():
            self.fail(f"no probabilities for {self._row_name(int(np.argmin(self.seen)))}", 0)
        table = self.table.reshape(self.families.shape(self.family))
        self.families.store(self.family, table, self.block.body_at)

    def _row_name(self, row: int) -> str:
        return self.families.row_name(self.family, row)

    def _read_statement(self, statement: str, at: int) -> None:
        if statement.startswith("("):
            self._read_row(statement, at)
            return
        word = statement.split(None, 1)[0].lower()
        rest = statement[len(word) :]
        if word == "table":
            if self.seen.any():
                self.fail("a 'table' line beside other rows", at)
            # The child comes first in the head and varies slowest, the last parent fastest.
            values = np.array(self._numbers(rest, self.table.size, at))
            self.table[:] = values.reshape(self.n_states, -1).T
            self.seen[:] = True
        elif word == "default":
            self.default = self._numbers(rest, self.n_states, at)
        elif word != "property":
            self.fail(f"expected a row, 'table' or 'default', got {statement[:40]!r}", at)

    def _read_row(self, statement: str, at: int) -> None:
        labels, closed, numbers = statement[1:].partition(")")
        if not closed:
            self.fail("a row without its closing parenthesis", at)
        row = self._row_index(labels, at)
        if self.seen[row]:
            self.fail(f"two rows for {self._row_name(row)}", at)
        self.seen[row] = True
        self.table[row] = self._numbers(numbers, self.n_states, at)

    def _numbers(self, text: str, n_expected: int, at: int) -> list[float]:
        try:
            values = list(map(float, text.replace(",", " ").split()))
        except ValueError:
            self.fail(f"not a number in {text.strip()[:40]!r}", at)
        if len(values) != n_expected:
            self.fail(f"{len(values)} probabilities where {n_expected} are needed", at)
        return values

    def _row_index(self, labels: str, at: int) -> int:
        # The state of a single parent needs no separator, so it may contain blanks without quotes.
        one = len(self.parents) == 1
        words = [self.text.unquote(labels)] if one else self.text.items(labels)
        if len(words) != len(self.parents):
            self.fail(f"a row names {len(words)} states for {len(self.parents)} parents", at)
        try:
            return sum(map(int.__mul__, map(dict.__getitem__, self.codes, words), self.strides))
        except KeyError as error:
            axis = next(i for i, word in enumerate(words) if word not in self.codes[i])
            self.fail(f"{error.args[0]!r} is no state of parent {self.parents[axis].name!r}", at)


def read_bif(lines: Lines) -> NetworkRecord:
    """Read a BIF network."""
    text = _Text(lines)
    families = FamilyTables(text.fail)
    title = "unknown"
    tables: list[_Block] = []
    findings: list[Finding] = []
    for block in text.blocks():
        findings += text.findings(block)
        if block.keyword == "network":
            title = text.unquote(block.head) or title
        elif block.keyword == "variable":
            _read_variable(text, block, families)
        else:
            tables.append(block)
    if not families.variables:
        text.fail("no variable blocks", 0)
    for block in tables:
        if function := _FUNCTION.search(block.body):
            message = f"the rows are parameters of a function ({function[1]}), no table"
            remedy = "save it with whole tables in the program that made it"
            text.fail(message, block.body_at + function.start(), Inconsistent, remedy)
        _TableReader(text, block, families).read()
    warn_of_findings(lines, findings)
    return families.network(title)


def _word(text: str) -> str:
    """A name or label, in quotes if it would not be read as one word."""
    return text if _BARE.fullmatch(text) else quoted(text)


def _family_lines(model: Parameters, child: int, names: list[str], states: list[list[str]]) -> Iterator[str]:
    parents, table = model.parents[child], model.tables[child]
    if not np.isfinite(table).all():
        raise ValueError(f"a probability of variable {child} is not finite")
    head = names[child] + (" | " + ", ".join(names[p] for p in parents) if parents else "")
    yield f"probability ( {head} ) {{\n"
    for labels, row in zip(product(*(states[p] for p in parents)), table.reshape(-1, table.shape[-1]).tolist()):
        where = f"({', '.join(labels)})" if parents else "table"
        yield f"  {where} {', '.join(map(repr, row))};\n"
    yield "}\n"


def bif_text(model: Parameters) -> str:
    """A network as BIF; numbers are the shortest decimals that read back equal.

    Raises `Inconsistent`: a name or label has a line break or another control character; `ValueError`: a probability
    is not finite.
    """
    require_held(model, "bif", is_line)
    names = [_word(v.name) for v in model.variables]
    states = [[_word(label) for label in v.known_states] for v in model.variables]
    parts = [f"network {_word(model.name) if is_line(model.name) else 'unknown'} {{\n}}\n"]
    for name, labels in zip(names, states):
        parts.append(f"variable {name} {{\n  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};\n}}\n")
    for child in range(len(names)):
        parts += _family_lines(model, child, names, states)
    return "".join(parts)
