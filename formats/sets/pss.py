"""Local scores in the text format of URLearning (Malone et al.), ``.pss``.

``META key = value`` lines, then for each variable ``VAR name``, its ``META`` lines, and one line ``SCORE PARENT1
PARENT2 ...`` per set with parents by name. The format announces no numbers of variables or sets, so a file cut
between lines looks whole unless a set names a missing parent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import numpy as np

from ..data_records import Variable
from ..errors import Inconsistent, Truncated
from ..records import Header, ParentSetRecord
from ..schemas import SCORES
from ..textlines import Lines
from ..wording import Warn, ignore
from .listed_sets import ListedSets
from .record_checks import UNNAMED_SCORE, RecordChecker

_META = re.compile(r"META\s+([^=\s]+)\s*=\s*(.*)$", re.IGNORECASE)
_VAR = re.compile(r"VAR\s+(.*)$", re.IGNORECASE)
_SCORES = {name: name for name in SCORES} | {"mdl": "bic"}


@dataclass
class _TextBlock:
    """One variable and the words of its lines, each with its number."""

    name: str
    line: int
    meta: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


def _read_raw(lines: Lines) -> tuple[dict[str, str], list[_TextBlock]]:
    meta: dict[str, str] = {}
    blocks: list[_TextBlock] = []
    for raw in lines:
        line = lines.decode(raw).strip()
        if not line or line.startswith("#"):
            continue
        if match := _VAR.match(line):
            blocks.append(_TextBlock(match[1], lines.number))
        elif match := _META.match(line):
            (blocks[-1].meta if blocks else meta)[match[1].lower()] = match[2].strip()
        elif line[:5].upper() == "META ":
            continue  # free text
        elif not blocks:
            lines.fail(f"a score line before the first VAR line: {line[:60]!r}")
        else:
            blocks[-1].rows.append((lines.number, line.split()))
    if not lines.terminated:
        message = "the last line has no line end, so the file may be cut off"
        lines.fail(message, kind=Truncated, remedy="if the file is whole, add a line end")
    if not blocks:
        lines.fail("no variable (no line beginning with VAR)")
    return meta, blocks


def _variable(lines: Lines, block: _TextBlock) -> Variable:
    values = block.meta.get("values", "").replace(",", " ").split()
    arity = block.meta.get("arity")
    if not values:
        return Variable(block.name)
    if len(set(values)) < len(values) or (arity is not None and arity != str(len(values))):
        message = f"variable {block.name!r}: values {' '.join(values)!r} do not fit arity {arity}"
        lines.fail(message, kind=Inconsistent, line=block.line)
    return Variable(block.name, tuple(values))


def _header(lines: Lines, meta: dict[str, str], blocks: list[_TextBlock], warn: Warn) -> Header:
    seen: dict[str, int] = {}
    for block in blocks:
        if seen.setdefault(block.name, block.line) != block.line:
            message = f"a second block for variable {block.name!r} (first in line {seen[block.name]})"
            lines.fail(message, kind=Inconsistent, line=block.line)
    score = _SCORES.get(meta.get("score_type", "").lower(), "unknown")
    if score == "unknown":
        warn(UNNAMED_SCORE)
    rows = meta.get("num_records", "")
    ess = None
    if score in ("bdeu", "bds"):
        try:
            ess = float(meta["ess"])
        except (KeyError, ValueError):
            warn("the file does not say its equivalent sample size (META ess)")
    variables = tuple(_variable(lines, block) for block in blocks)
    return Header(variables, score, int(rows) if re.fullmatch(r"[0-9]{1,15}", rows) else None, None, ess)


def read_pss(lines: Lines, *, partial: bool = False, warn: Warn = ignore) -> tuple[Header, Iterator[ParentSetRecord]]:
    """Read a pss file all at once, because parents may be named before their own block.

    `partial` has no effect, since the number of variables is not announced.
    """
    meta, blocks = _read_raw(lines)
    header = _header(lines, meta, blocks, warn)
    return header, _checked(lines, blocks, header, warn)


def _checked(lines: Lines, blocks: list[_TextBlock], header: Header, warn: Warn) -> Iterator[ParentSetRecord]:
    checker = RecordChecker(header.names, foreign=True)
    index_of = {name: index for index, name in enumerate(header.names)}
    for child, block in enumerate(blocks):

        def fail(message: str, line=block.line):
            lines.fail(message, kind=Inconsistent, line=line)

        scores: list[float] = []
        parents: list[int] = []
        for number, cells in block.rows:
            try:
                scores.append(float(cells[0]))
            except ValueError:
                lines.fail(f"expected SCORE PARENT1 PARENT2 ..., got {' '.join(cells)[:60]!r}", line=number)
            try:
                parents.extend(map(index_of.__getitem__, cells[1:]))
            except KeyError as error:
                fail(f"variable {block.name!r} has the unknown parent {error.args[0]!r}", line=number)
        sizes = np.array([len(cells) - 1 for _, cells in block.rows], dtype=np.int64)
        sets = ListedSets.of_sizes(sizes, np.array(parents, dtype=np.int64))
        yield checker.check(ParentSetRecord(child, sets, np.array(scores, dtype=np.float64)), fail)
    checker.report(warn)


def _require_words(texts: Iterable[str], what: str) -> None:
    for text in texts:
        if not text or text.split() != [text]:
            message = f"{what} {text!r} is empty or has blanks, which pss files cannot hold"
            raise Inconsistent(message, remedy="rename it, or write another format")


def pss_chunks(header: Header, records: Iterable[ParentSetRecord]) -> Iterator[bytes]:
    """Yield the bytes of a pss file: the META lines, then one variable at a time.

    Raises `Inconsistent`: a name or label has blanks; `ValueError`: a score is not finite.
    """
    names = header.names
    _require_words(names, "variable name")
    meta: dict[str, Any] = {"pss_version": "0.1", "num_records": header.rows}
    meta["score_type"] = None if header.score == "unknown" else header.score
    meta["ess"] = header.ess
    lines = [f"META {key} = {value}" for key, value in meta.items() if value is not None]
    yield ("\n".join(lines) + "\n\n").encode()
    for record in records:
        variable = header.variables[record.child]
        lines = [f"VAR {variable.name}"]
        if variable.states is not None:
            _require_words(variable.states, f"variable {variable.name!r}: state label")
            lines.append(f"META arity={len(variable.states)}")
            lines.append(f"META values={' '.join(variable.states)}")
        for score, parents in zip(record.scores.tolist(), record.parents):
            if not isfinite(score):
                raise ValueError(f"a score of variable {record.child} is not finite")
            lines.append(" ".join([repr(score), *(names[p] for p in parents)]))
        yield ("\n".join(lines) + "\n\n").encode()
