"""Arcs and tiers as users write them: single arcs, files of arcs, files of tiers; names are replaced by indices.

An arc is ``A->B`` or ``A,B``: A is the parent. A file of arcs holds one per line in either spelling (cells may be
quoted as in CSV, a header line ``from,to`` is fine) or JSON lines: ``{"from": "A", "to": "B"}`` or ``["A", "B"]``.
A file of tiers holds one tier per line, the earliest first, names separated by commas or else by blanks.
Lines that are empty or begin with ``#`` are skipped.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, NoReturn

from ..errors import Inconsistent
from ..graph_records import Arc
from ..textlines import Lines, as_lines
from .adjacency import ARC_HEADERS


class UnknownArc(ValueError):
    """A text is no arc between known variables; the message gives the reason."""


def parse_arc(text: str, index: Mapping[str, int]) -> Arc:
    """Parent and child of an arc by the `index` of their names; an `UnknownArc` if there are none.

    Names may contain commas and arrows themselves: every split of the text is tried.
    """
    first = None
    for _, *pair in splits(text, ("->", ",")):
        if pair[0] in index and pair[1] in index:
            return index[pair[0]], index[pair[1]]
        first = first or pair
    if first is None:
        raise UnknownArc(f"{text!r} is no arc: write PARENT->CHILD")
    unknown = next(name for name in first if name not in index)
    raise UnknownArc(f"{unknown!r} is no variable of the data")


def splits(text: str, separators: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each occurrence of each separator with the texts before and behind it, without surrounding blanks."""
    for separator in separators:
        position = text.find(separator)
        while position >= 0:
            yield separator, text[:position].strip(), text[position + len(separator) :].strip()
            position = text.find(separator, position + 1)


def read_arcs(source: str | BinaryIO | Lines, index: Mapping[str, int]) -> list[Arc]:
    """Read a file of arcs.

    Raises `FormatError`: with the line; also when a name is not in `index`.
    """
    with as_lines(source) as lines:
        return [_arc_of_line(lines, text, index) for text in statements(lines) if not _is_header(lines, text)]


def read_tiers(source: str | BinaryIO | Lines, index: Mapping[str, int]) -> list[list[int]]:
    """Read a file of tiers as lists of indices, the earliest tier first.

    Raises `FormatError`: with the line; also when a name is not in `index` or comes twice.
    """
    tiers: list[list[int]] = []
    line_of: dict[int, int] = {}
    with as_lines(source) as lines:
        for text in statements(lines):
            tier = []
            for name in [text] if text in index else _cells(lines, text) if "," in text else text.split():
                if name not in index:
                    _fail_unknown(lines, name)
                if index[name] in line_of:
                    where = f"line {line_of[index[name]]}"
                    lines.fail(f"{name!r} is in a tier already ({where})", kind=Inconsistent)
                line_of[index[name]] = lines.number
                tier.append(index[name])
            tiers.append(tier)
    return tiers


def statements(lines: Lines) -> Iterator[str]:
    """Yield the lines that are neither blank nor comments, without surrounding blanks."""
    for line in lines:
        text = lines.decode(line).strip()
        if text and not text.startswith("#"):
            yield text


def _cells(lines: Lines, text: str) -> list[str]:
    """Cells of a line, quoted or not; empty ones dropped."""
    try:
        cells = next(csv.reader([text], skipinitialspace=True))
    except csv.Error as error:
        if "\r" in text:
            lines.fail("a carriage return within a line", remedy="lines end with a line feed: tr '\\r' '\\n'")
        lines.fail(f"not a line of CSV ({error})")
    return [cell.strip() for cell in cells if cell.strip()]


def _is_header(lines: Lines, text: str) -> bool:
    return tuple(cell.lower() for cell in _cells(lines, text)) in ARC_HEADERS


def _arc_of_line(lines: Lines, text: str, index: Mapping[str, int]) -> Arc:
    if text[0] in "{[":
        pair: Sequence[str] = _json_pair(lines, text)
    else:
        try:
            return parse_arc(text, index)
        except UnknownArc as error:
            pair = _cells(lines, text)
            if len(pair) != 2 or not (text.startswith('"') or text.endswith('"')):
                lines.fail(str(error), kind=Inconsistent)
    for name in pair:
        if name not in index:
            _fail_unknown(lines, name)
    return index[pair[0]], index[pair[1]]


def _json_pair(lines: Lines, text: str) -> tuple[str, str]:
    import orjson

    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        lines.fail(f"not valid JSON ({error.msg.split(':')[0][:80]}, column {error.colno})")
    if isinstance(value, dict):
        value = next(([value[a], value[b]] for a, b in sorted(ARC_HEADERS) if a in value and b in value), None)
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(name, str) for name in value):
        lines.fail('expected an arc: {"from": "A", "to": "B"} or ["A", "B"]')
    return value[0], value[1]


def _fail_unknown(lines: Lines, name: str) -> NoReturn:
    lines.fail(f"{name!r} is no variable of the data", kind=Inconsistent)
