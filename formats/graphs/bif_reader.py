"""Reading networks with parameters in the Bayesian interchange format (BIF 0.15, bnlearn's repository).

The reader is tolerant in what differs between programs: quoted or bare names with any characters but
``, ; ( ) { } |`` and blanks, commas or blanks between items, comments, properties, ``table`` and ``default`` lines,
rows in any order. It is strict about meaning: every parent configuration needs its row, rows must sum to 1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent, Malformed
from ..graph_records import BayesianNetwork
from ..textlines import Lines
from .families import EXACT, MAX_CELLS, TOLERANCE
from .mended_words import original, restored
from .structures import require_acyclic

# Comments and quoted strings are replaced before anything is split. A comment begins where a word could:
# state names such as Asy/Patch or a//b stay whole.
_OPAQUE = re.compile(r'"((?:[^"\\\n]|\\.)*)"|(?<![^\s;{}])(//[^\n]*|/\*.*?\*/)', re.DOTALL)
_BLOCK = re.compile(r"\s*(network|variable|probability)\b([^{]*)\{", re.IGNORECASE)
_TYPE = re.compile(r"type\s+discrete\s*\[\s*(\d{1,9})\s*\]\s*\{([^}]*)\}\s*;?", re.IGNORECASE)
_KEPT = re.compile(r"property\s+bnsl_(name|states)\s*=\s*(\x00\d+\x00)")
_PROPERTY = re.compile(r"property\b[^;]*;?", re.IGNORECASE)


@dataclass
class _Block:
    """One ``keyword head { body }`` with the positions of head and body in the text."""

    keyword: str
    head: str
    head_at: int
    body: str
    body_at: int


class _Text:
    """The text with strings and comments taken out; knows line numbers and the strings."""

    def __init__(self, lines: Lines):
        self.source = lines.source
        self.strings: list[str] = []
        self.text = lines.text()
        if "\x00" in self.text:
            self.fail("binary data where text was expected", self.text.index("\x00"))
        self.text = _OPAQUE.sub(self._replace, self.text)

    def _replace(self, match: re.Match) -> str:
        if match[1] is None:
            # keep the line ends, so that line numbers stay right
            return " " + "\n" * match[2].count("\n")
        self.strings.append(re.sub(r"\\(.)", r"\1", match[1]))
        return f"\x00{len(self.strings) - 1}\x00"

    def fail(self, message: str, at: int, kind=Malformed, remedy: str | None = None) -> NoReturn:
        line = self.text.count("\n", 0, at) + 1
        raise kind(message, source=self.source, line=line, remedy=remedy)

    def unquote(self, word: str) -> str:
        """A name as it was written, without quotes."""
        if "\x00" in word:
            word = re.sub("\x00(\\d+)\x00", lambda m: self.strings[int(m[1])], word)
        return word

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
            self.fail(
                f"expected network, variable or probability {{...}}, got {shown!r}", len(text) - len(rest)
            )

    def _closing_brace(self, start: int) -> int:
        position = start
        depth = 1
        while depth:
            closing = self.text.find("}", position)
            if closing < 0:
                self.fail("a block is not closed: the file ends early", start)
            depth += self.text.count("{", position, closing) - 1
            position = closing + 1
        return closing


def _read_variable(text: _Text, block: _Block) -> Variable:
    name = text.unquote(block.head.strip())
    if not name:
        text.fail("a variable without a name", block.head_at)
    match = _TYPE.search(block.body)
    if not match:
        text.fail(f"variable {name!r} has no 'type discrete [ n ] {{ ... }};'", block.body_at)
    states = text.items(match[2])
    if len(states) != int(match[1]):
        text.fail(
            f"variable {name!r} announces {match[1]} states but names {len(states)}",
            block.body_at,
            Inconsistent,
        )
    if not states or len(set(states)) < len(states) or not all(states):
        text.fail(f"variable {name!r} needs distinct, non-empty state names", block.body_at, Inconsistent)
    return Variable(name, tuple(states))


def _family_names(text: _Text, part: str, index_of: dict[str, int]) -> list[str]:
    """Names of variables; a single one may have blanks even without quotes."""
    whole = text.unquote(part.strip())
    return [whole] if whole in index_of else text.items(part)


def _read_family(text: _Text, block: _Block, index_of: dict[str, int]) -> tuple[int, tuple[int, ...]]:
    """Child and parents named in the head of a probability block."""
    head = block.head.strip()
    if not (head.startswith("(") and head.endswith(")")):
        text.fail("expected 'probability ( child | parents )'", block.head_at)
    # Old programs write no bar: the first name is the child's.
    child_part, bar, parent_part = head[1:-1].partition("|")
    names = _family_names(text, child_part, index_of)
    if bar:
        names = [text.unquote(child_part.strip()), *_family_names(text, parent_part, index_of)]
    for name in names:
        if name not in index_of:
            text.fail(f"probability of an unknown variable {name!r}", block.head_at, Inconsistent)
    if not names:
        text.fail("a probability block without a variable", block.head_at)
    child, *parents = (index_of[name] for name in names)
    if child in parents or len(set(parents)) < len(parents):
        text.fail(
            f"variable {names[0]!r} has a parent twice or itself as parent", block.head_at, Inconsistent
        )
    return child, tuple(parents)


class _TableReader:
    """Fills one conditional probability table from the statements of a probability block."""

    def __init__(self, text: _Text, block: _Block, variables: tuple[Variable, ...], child: int, parents):
        self.text, self.block = text, block
        self.child = variables[child]
        self.parents = [variables[p] for p in parents]
        shape = [len(v.known_states) for v in self.parents]
        self.n_states = len(self.child.known_states)
        if math.prod(shape) * self.n_states > MAX_CELLS:
            text.fail(f"the table of {self.child.name!r} has more than {MAX_CELLS} entries", block.head_at)
        self.shape = (*shape, self.n_states)
        self.codes = [{state: code for code, state in enumerate(v.known_states)} for v in self.parents]
        self.table = np.full((math.prod(shape), self.n_states), np.nan)
        self.strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        self.default: list[float] | None = None

    def fail(self, message: str, at: int) -> NoReturn:
        self.text.fail(f"variable {self.child.name!r}: {message}", self.block.body_at + at, Inconsistent)

    def read(self) -> np.ndarray:
        """The table, rows summing to 1."""
        at = 0
        seen = np.zeros(len(self.table), dtype=np.bool_)
        for statement in self.block.body.split(";"):
            stripped = statement.strip()
            if stripped:
                self._read_statement(stripped, at + len(statement) - len(statement.lstrip()), seen)
            at += len(statement) + 1
        if self.default is not None:
            self.table[~seen] = self.default
        elif not seen.all():
            self.fail(f"no probabilities for {self._row_name(int(np.argmin(seen)))}", 0)
        self._normalise()
        return self.table.reshape(self.shape)

    def _read_statement(self, statement: str, at: int, seen: np.ndarray) -> None:
        if statement.startswith("("):
            labels, closed, numbers = statement[1:].partition(")")
            if not closed:
                self.fail("a row without its closing parenthesis", at)
            row = self._row_index(labels, at)
            if seen[row]:
                self.fail(f"two rows for {self._row_name(row)}", at)
            seen[row] = True
            self.table[row] = self._numbers(numbers, self.n_states, at)
            return
        word = statement.split(None, 1)[0].lower()
        rest = statement[len(word) :]
        if word == "table":
            if seen.any():
                self.fail("a 'table' line beside other rows", at)
            # The child comes first in the head and varies slowest, the last parent fastest.
            values = np.array(self._numbers(rest, self.table.size, at))
            self.table[:] = values.reshape(self.n_states, -1).T
            seen[:] = True
        elif word == "default":
            self.default = self._numbers(rest, self.n_states, at)
        elif word != "property":
            self.fail(f"expected a row, 'table' or 'default', got {statement[:40]!r}", at)

    def _numbers(self, text: str, n_expected: int, at: int) -> list[float]:
        words = text.replace(",", " ").split()
        try:
            values = list(map(float, words))
        except ValueError:
            self.fail(f"not a number in {text.strip()[:40]!r}", at)
        if len(values) != n_expected:
            self.fail(f"{len(values)} probabilities where {n_expected} are needed", at)
        return values

    def _row_index(self, labels: str, at: int) -> int:
        # With one parent there is nothing to separate, so its state may contain blanks even bare.
        one = len(self.parents) == 1
        words = [self.text.unquote(labels.strip())] if one else self.text.items(labels)
        if len(words) != len(self.parents):
            self.fail(f"a row names {len(words)} states for {len(self.parents)} parents", at)
        try:
            return sum(map(int.__mul__, map(dict.__getitem__, self.codes, words), self.strides))
        except KeyError as error:
            axis = next(i for i, word in enumerate(words) if word not in self.codes[i])
            self.fail(f"{error.args[0]!r} is no state of parent {self.parents[axis].name!r}", at)

    def _row_name(self, row: int) -> str:
        if not self.parents:
            return "the variable"
        codes = np.unravel_index(row, self.shape[:-1])
        return "(" + ", ".join(v.known_states[code] for v, code in zip(self.parents, codes)) + ")"

    def _normalise(self) -> None:
        with np.errstate(invalid="ignore"):
            sums = self.table.sum(axis=1)
            bad = ~(np.abs(sums - 1.0) <= TOLERANCE) | (self.table < 0).any(axis=1)
        if bad.any():
            row = int(np.argmax(bad))
            values = self.table[row]
            problem = f"sum to {sums[row]:.9g}, not to 1"
            if not np.isfinite(values).all() or values.min() < 0:
                problem = "are negative or not finite"
            self.fail(f"the probabilities of {self._row_name(row)} {problem}", 0)
        off = np.abs(sums - 1.0) > EXACT
        self.table[off] /= sums[off, None]


def read_bif(lines: Lines) -> BayesianNetwork:
    """Read a BIF network from text lines that are open already; see `networks.open_bayesian_network`."""
    text = _Text(lines)
    name = "unknown"
    found: list[Variable] = []
    originals: list[Variable] = []
    families: list[_Block] = []
    for block in text.blocks():
        if block.keyword == "network":
            name = _kept(text, block).get("name", [text.unquote(block.head.strip()) or name])[0]
        elif block.keyword == "variable":
            kept = _kept(text, block)
            block.body = _PROPERTY.sub(lambda match: " " * len(match[0]), block.body)
            found.append(_read_variable(text, block))
            originals.append(original(found[-1], kept.get("name", ()), kept.get("states", ())))
        else:
            families.append(block)
    if not found:
        text.fail("no variable blocks", 0)
    variables = tuple(found)
    parents, tables = _read_families(text, families, variables)
    require_acyclic([v.name for v in variables], parents, lines.source)
    if len({v.name for v in originals}) == len(variables):
        variables = tuple(originals)
    return BayesianNetwork(variables, parents, tables, name)


def _kept(text: _Text, block: _Block) -> dict[str, list[str]]:
    """The names and labels that our writer changed, as they were."""
    return {key: restored(text.unquote(held)) for key, held in _KEPT.findall(block.body)}


def _read_families(
    text: _Text, blocks: list[_Block], variables: tuple[Variable, ...]
) -> tuple[tuple[tuple[int, ...], ...], tuple[np.ndarray, ...]]:
    """Parents and table of every variable, each from its own probability block."""
    index_of: dict[str, int] = {}
    for index, variable in enumerate(variables):
        if index_of.setdefault(variable.name, index) != index:
            text.fail(f"two variables are called {variable.name!r}", 0, Inconsistent)
    parents: dict[int, tuple[int, ...]] = {}
    tables: dict[int, np.ndarray] = {}
    for block in blocks:
        child, parent_set = _read_family(text, block, index_of)
        if child in parents:
            text.fail(f"two probability blocks for {variables[child].name!r}", block.head_at, Inconsistent)
        parents[child] = parent_set
        tables[child] = _TableReader(text, block, variables, child, parent_set).read()
    missing = [v.name for index, v in enumerate(variables) if index not in parents]
    if missing:
        text.fail(
            f"no probability block for {missing[0]!r}: {len(missing)} missing", len(text.text), Inconsistent
        )
    order = range(len(variables))
    return tuple(parents[index] for index in order), tuple(tables[index] for index in order)
