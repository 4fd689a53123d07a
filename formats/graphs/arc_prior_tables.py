"""Tables of prior probabilities of arcs."""

from __future__ import annotations

import contextlib
import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from ..arc_priors import ArcPrior, Triple
from ..detection import detect_lines
from ..errors import Inconsistent, Malformed
from ..registry import find_format, load
from ..streams import TableInMemory
from ..textlines import Lines, as_lines
from ..wording import option_value
from .csv_graphs import ARC_HEADERS
from .network_claims import CERTAIN

FIGURES = ("probability", "strength")
"""Names of the column of probabilities; of several the first one counts."""

_KINDS = {"directed": False, "arc": False, "undirected": True, "adjacency": True, "edge": True}
_REMEDY = "write columns from,to,probability, and type with directed or undirected for probabilities of adjacencies"


def read_arc_prior(source: Any, names: Sequence[str], least: float | None = None) -> ArcPrior:
    """Read probabilities of arcs among the variables `names`.

    The source is a table (CSV, Arrow, Feather, Parquet, or one in memory) with a column for each end of an arc
    (``from``, ``to``) and one of `FIGURES`, such as posterior and average write; where a column ``type`` says
    undirected, the probability is of an adjacency. With `least`, probabilities below it count as `least`, and those
    above ``1 - least`` as that; without, 0 and 1 are refused.

    Raises `Malformed`, `Inconsistent`: with line (row, of binary tables) and column.
    """
    found: dict[bool, list[Triple]] = {False: [], True: []}
    known, seen = set(names), dict[tuple[str, str], int]()
    with _opened(source) as table:
        for row in table.rows():
            one, other, is_edge = row.one, row.other, row.is_edge
            for end, name in zip(table.ends, (one, other)):
                if name not in known:
                    table.fail(row, f"{name!r} is no variable of the data", end)
            if one == other:
                table.fail(row, f"an arc from {one!r} to itself", table.ends[1])
            ways = [(one, other), (other, one)] if is_edge else [(one, other)]
            for way in ways:
                if way in seen:
                    table.fail(row, f"the arc {'->'.join(way)} has a probability already (line {seen[way]})")
                seen[way] = row.number
            found[is_edge].append((one, other, _probability(table, row, least)))
    return ArcPrior(tuple(found[False]), tuple(found[True]))


class _Row(NamedTuple):
    number: int
    one: str
    other: str
    is_edge: bool
    figure: Any


@dataclass
class _Table:
    """A table of probabilities: its name in messages, titles in small letters, numbered rows."""

    source: str
    titles: list[str]
    numbered: Iterable[tuple[int, Sequence[Any]]]
    ends: tuple[str, str] = ("", "")
    figure: str = ""

    def __post_init__(self) -> None:
        ends = next((pair for pair in ARC_HEADERS if set(pair) <= set(self.titles)), None)
        figure = next((name for name in FIGURES if name in self.titles), None)
        if ends is None or figure is None:
            lacking = "the two ends of an arc" if ends is None else "probabilities"
            message = f"there is no column of {lacking}"
            raise Malformed(message, source=self.source, line=1, remedy=_REMEDY)
        self.ends, self.figure = ends, figure

    def fail(self, at: _Row | int, message: str, column: str | None = None, remedy: str | None = None) -> NoReturn:
        """Raise `Inconsistent` at a row or line."""
        line = at.number if isinstance(at, _Row) else at
        raise Inconsistent(message, source=self.source, line=line, column=column, remedy=remedy)

    def rows(self) -> Iterator[_Row]:
        places = [self.titles.index(name) for name in (*self.ends, self.figure)]
        kind = self.titles.index("type") if "type" in self.titles else None
        for number, row in self.numbered:
            if len(row) != len(self.titles):
                self.fail(number, f"{len(row)} entries for {len(self.titles)} columns")
            one, other, figure = (row[place] for place in places)
            word = "directed" if kind is None else str(row[kind]).strip().lower()
            if word not in _KINDS:
                self.fail(number, f"{word!r} is neither directed nor undirected", "type")
            yield _Row(number, str(one).strip(), str(other).strip(), _KINDS[word], figure)


def _probability(table: _Table, row: _Row, least: float | None) -> float:
    """The figure of a row as a probability that is neither 0 nor 1."""
    try:
        p = float(row.figure)
    except (TypeError, ValueError):
        p = math.nan
    if not 0.0 <= p <= CERTAIN:
        table.fail(row, f"{row.figure!r} is no number from 0 to 1", table.figure)
    if least is not None:
        p = min(max(p, least), 1.0 - least)
    if 0.0 < p < 1.0:
        return p
    sign, said = ("-", "adjacency") if row.is_edge else ("->", "arc")
    arc = f"{row.one}{sign}{row.other}"
    known = "" if row.is_edge else f"say it by --{'require' if p else 'forbid'} {option_value(arc)}, or "
    table.fail(
        row,
        f"the {said} {arc} has probability {p:g}, which no data can change",
        table.figure,
        f"{known}count 0 and 1 as nearly so: --prior-least 0.001",
    )


@contextlib.contextmanager
def _opened(source: Any) -> Iterator[_Table]:
    """The table of a source; closed at the end."""
    if isinstance(source, TableInMemory):
        yield _of_columns(source.name, source.batches().read_all())
        return
    with as_lines(source) as lines:
        found = detect_lines(lines)
        if found.name in find_format("bnsl.arc-probabilities").takes:
            yield _of_columns(lines.source, load(found.reader)(lines.data()))
        else:
            yield _of_text(lines)


def _of_columns(source: str, table: Any) -> _Table:
    titles = [name.strip().lower() for name in table.column_names]
    return _Table(source, titles, enumerate(zip(*(column.to_pylist() for column in table.columns)), 1))


def _of_text(lines: Lines) -> _Table:
    """A CSV table; lines that begin with ``#`` are skipped."""
    reader = csv.reader(io.StringIO(lines.text()), strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(map(str.strip, row)) and not row[0].startswith("#")]
    except csv.Error as error:
        raise Malformed(f"not a CSV table ({error})", source=lines.source, line=reader.line_num) from None
    if not rows:
        raise Malformed("a table without rows", source=lines.source, remedy=_REMEDY)
    return _Table(lines.source, [title.strip().lower() for title in rows[0][1]], rows[1:])
