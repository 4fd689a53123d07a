"""Local scores in the jkl format of Jaakkola et al. (2010), as Gobnilp, BLIP and MINOBS exchange them.

A file holds the number of variables, then for each a line ``NAME COUNT`` and COUNT lines
``SCORE K PARENT1 ... PARENTK``. Three dialects are read: bare; comments (``#``) behind the first number; comments
before it and between the blocks. Names are column indices or, in some programs, words. The bare dialect with
indices is written; scores are the shortest decimals (at most 17 digits) that read back equal.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from math import isfinite
from typing import NoReturn

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent, Truncated
from ..records import Header, ParentSetRecord
from ..schemas import SCORES
from ..textlines import Lines
from ..wording import Warn, ignore, plural
from .listed_sets import ListedSets
from .record_checks import UNNAMED_SCORE, RecordChecker

_SCORE_COMMENT = re.compile(rb"#\s*score function\s*:\s*(\w+)", re.IGNORECASE)
_MAX_VARIABLES = 10_000_000


@dataclass
class _NumberedBlock:
    """One block before names are resolved; `parents` are provisional numbers of name tokens."""

    name: bytes
    line: int
    sizes: np.ndarray
    parents: np.ndarray
    scores: np.ndarray


class _Reader:
    """Reads blocks; numbers the name tokens in order of appearance, because names may be used before their block."""

    def __init__(self, lines: Lines):
        self.lines = lines
        self.score: str | None = None
        self.decimal_commas = False
        # A new token gets the next number.
        self.tokens: defaultdict[bytes, int] = defaultdict(count().__next__)

    def next_line(self) -> bytes | None:
        """The next line that is neither blank nor a comment; a comment may name the score."""
        for line in self.lines:
            line = line.strip()
            if line and not line.startswith(b"#"):
                return line
            if match := _SCORE_COMMENT.match(line):
                self.score = match[1].decode().lower()
        return None

    def read_count(self) -> int:
        """The first number of the file, the number of variables."""
        n_variables = _as_count(self.next_line() or b"")
        if n_variables is None or not 0 < n_variables <= _MAX_VARIABLES:
            self.lines.fail(f"the first number must be the number of variables (1 to {_MAX_VARIABLES})")
        return n_variables

    def read_block(self) -> _NumberedBlock | None:
        """The next block; None at the end of the input."""
        head = self.next_line()
        if head is None:
            return None
        parts = head.split()
        n_sets = _as_count(parts[-1])
        if len(parts) != 2 or not n_sets:
            self.lines.fail(
                f"expected 'VARIABLE NUMBER_OF_SETS', got {_shown(head)}",
                remedy="the block before it may hold more sets than its first line says",
            )
        name, line_number = parts[0], self.lines.number
        rows: list[tuple[int, list[bytes]]] = []
        while len(rows) < n_sets:
            line = self.next_line()
            if line is None:
                shown = name.decode(errors="replace")
                message = f"the block of variable {shown!r} ends early: {len(rows)} of {n_sets} sets arrived"
                self.lines.fail(message, kind=Truncated)
            rows.append((self.lines.number, line.split()))
        # A cut inside the score or K shows in the number of cells; the last parent can lose digits unnoticed.
        if not self.lines.terminated and len(rows[-1][1]) > 2:
            message = "the last line has no line end, so its last number may be cut off"
            self.lines.fail(message, kind=Truncated, remedy="if the file is whole, add a line end")
        return self._convert(name, line_number, rows)

    def _convert(self, name: bytes, line: int, rows: list[tuple[int, list[bytes]]]) -> _NumberedBlock:
        cells = [row for _, row in rows]
        sizes = np.fromiter(map(len, cells), dtype=np.int64, count=len(cells)) - 2
        try:
            if (sizes < 0).any():
                raise ValueError
            scores = self._numbers([row[0] for row in cells])
            if list(map(int, [row[1] for row in cells])) != sizes.tolist():
                raise ValueError
        except ValueError:
            self._fail_row(rows)
        numbers = list(map(self.tokens.__getitem__, chain.from_iterable(row[2:] for row in cells)))
        return _NumberedBlock(name, line, sizes, np.array(numbers, dtype=np.int64), scores)

    def _numbers(self, texts: list[bytes]) -> np.ndarray:
        joined = b" ".join(texts)
        if b"," in joined:
            self.decimal_commas = True
            texts = joined.replace(b",", b".").split()
        if b"_" in joined:  # Python would read 1_000 as a number
            raise ValueError
        return np.array(list(map(float, texts)), dtype=np.float64)

    def _fail_row(self, rows: list[tuple[int, list[bytes]]]) -> NoReturn:
        """Raise the error of the first bad row."""
        for number, cells in rows:
            problem = None
            try:
                if len(cells) < 2:
                    problem = "expected SCORE K PARENT1 ... PARENTK"
                elif self._numbers(cells[:1]) is None or int(cells[1]) != len(cells) - 2:
                    problem = f"{len(cells) - 2} parents but K is {cells[1].decode()}"
            except ValueError:
                problem = "expected numbers SCORE K"
            if problem:
                self.lines.fail(f"{problem}, got {_shown(b' '.join(cells))}", line=number)
        raise AssertionError("one row is bad")


def _as_count(text: bytes) -> int | None:
    """A natural number of at most 12 digits, None if `text` is something else."""
    return int(text) if text.isdigit() and len(text) <= 12 else None


def _shown(line: bytes) -> str:
    text = line[:60].decode(errors="replace")
    return repr(text + "..." if len(line) > 60 else text)


def read_jkl(lines: Lines, *, partial: bool = False, warn: Warn = ignore) -> tuple[Header, Iterator[ParentSetRecord]]:
    """Read a jkl file all at once, because the last block may define a name that the first one uses.

    States, rows and data are unknown; variables are called X0, X1, ... where the file has indices.

    - `partial`: accept a file that ends between two blocks.
    - `warn`: called with assumptions: names, score, decimal commas.
    """
    reader = _Reader(lines)
    n_variables = reader.read_count()
    blocks: list[_NumberedBlock] = []
    while True:
        try:
            block = reader.read_block()
        except Truncated as error:
            if partial:
                break
            error.message += f" ({len(blocks)} of {n_variables} variables arrived whole)"
            raise
        if block is None:
            break
        blocks.append(block)
        if len(blocks) > n_variables:
            lines.fail(f"more blocks than the {plural(n_variables, 'variable')} announced", kind=Inconsistent)
    if len(blocks) < n_variables and not partial:
        lines.fail(f"{len(blocks)} of {n_variables} variables arrived", kind=Truncated)
    names, index_of = _resolve_names(lines, blocks, n_variables)
    score = reader.score if reader.score in SCORES else "unknown"
    if score == "unknown":
        warn(UNNAMED_SCORE)
    header = Header(tuple(map(Variable, names)), score)
    if reader.decimal_commas:
        warn("decimal commas in the scores were read as decimal points")
    return header, _checked(lines, blocks, names, index_of, reader.tokens, warn)


def _resolve_names(
    lines: Lines, blocks: list[_NumberedBlock], n_variables: int
) -> tuple[tuple[str, ...], dict[bytes, int]]:
    """Names of the variables and the index that each name token means."""
    line_of: dict[bytes, int] = {}
    for block in blocks:
        if block.name in line_of:
            message = f"a second block for variable {_shown(block.name)} (first in line {line_of[block.name]})"
            lines.fail(message, kind=Inconsistent, line=block.line)
        line_of[block.name] = block.line
    indices = {str(index).encode(): index for index in range(n_variables)}
    # All names are numbers below the number of variables: column indices.
    if line_of.keys() <= indices.keys():
        return tuple(f"X{index}" for index in range(n_variables)), indices
    if len(blocks) < n_variables:
        lines.fail("the file uses names but does not hold all variables, so their order is unknown")
    names = []
    for block in blocks:
        lines.number = block.line
        names.append(lines.decode(block.name))
    return tuple(names), {block.name: index for index, block in enumerate(blocks)}


def _checked(
    lines: Lines,
    blocks: list[_NumberedBlock],
    names: tuple[str, ...],
    index_of: dict[bytes, int],
    tokens: dict[bytes, int],
    warn: Warn,
) -> Iterator[ParentSetRecord]:
    checker = RecordChecker(names, foreign=True)
    meaning = np.array([index_of.get(token, -1) for token in tokens], dtype=np.int64)
    spelled = list(tokens)
    for raw in blocks:

        def fail(message: str, raw=raw):
            lines.fail(message, kind=Inconsistent, line=raw.line)

        parents = meaning[raw.parents] if len(raw.parents) else raw.parents
        if (parents < 0).any():
            token = spelled[raw.parents[int(np.argmax(parents < 0))]]
            whose = names[index_of[raw.name]]
            fail(f"variable {whose!r} has the unknown parent {_shown(token)} ({len(names)} variables)")
        sets = ListedSets.of_sizes(raw.sizes, parents)
        yield checker.check(ParentSetRecord(index_of[raw.name], sets, raw.scores), fail)
    checker.report(warn)


def jkl_chunks(header: Header, records: Iterable[ParentSetRecord]) -> Iterator[bytes]:
    """Yield the bytes of a bare jkl file: the number of variables, then one block at a time."""
    yield b"%d\n" % header.n_variables
    for record in records:
        rows = [f"{record.child} {len(record.parents)}"]
        for score, parents in zip(record.scores.tolist(), record.parents):
            if not isfinite(score):
                raise ValueError(f"a score of variable {record.child} is not finite")
            rows.append(" ".join(map(str, (score, len(parents), *parents))))
        yield ("\n".join(rows) + "\n").encode()
