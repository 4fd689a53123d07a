"""Arcs and tiers as users write them: single arcs, files of arcs, files of tiers; names are replaced by indices.

An arc is ``A->B`` or ``A,B``: A is the parent. Each end may be a pattern with ``*``, ``?`` or ``[...]``, which stands
for all variables that match it, unless it is the name of one. A file of arcs holds one per line in either spelling
(cells may be quoted as in CSV, a header line ``from,to`` is fine) or JSON lines: ``{"from": "A", "to": "B"}`` or
``["A", "B"]``. A file of tiers holds one tier per line, the earliest first, names separated by commas or else by
blanks; patterns do there, too.
Lines that are empty or begin with ``#`` are skipped.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from ..errors import Inconsistent
from ..graph_records import Arc
from ..tables.selection import names_like
from ..textlines import Lines, as_lines
from .adjacency import ARC_HEADERS


class UnknownArc(ValueError):
    """A text is no arc between known variables, or no variable; the message gives the reason."""


def variables_like(text: str, index: Mapping[str, int]) -> list[int]:
    """The variable of this name, or all that match it as a pattern; an `UnknownArc` if there is none."""
    found = names_like(text, index.keys())
    if not found:
        is_pattern = any(mark in text for mark in "*?[")
        raise UnknownArc(f"{text!r} is no variable of the data" + (", and none is like it" if is_pattern else ""))
    return [index[name] for name in found]


def arcs_between(tail: str, head: str, index: Mapping[str, int]) -> list[Arc]:
    """Arcs from all variables that the first text stands for to all of the second, without loops of patterns."""
    tails, heads = variables_like(tail, index), variables_like(head, index)
    arcs = [(a, b) for a in tails for b in heads if a != b]
    return arcs or [(a, b) for a in tails for b in heads]


def parse_arcs(text: str, index: Mapping[str, int]) -> list[Arc]:
    """Parents and children of the arcs that a text stands for, by the `index` of names; an `UnknownArc` if none.

    Names may contain commas and arrows themselves: every split of the text is tried, for names before patterns.
    """
    pairs = [(tail, head) for _, tail, head in splits(text, ("->", ","))]
    for tail, head in pairs:
        if tail in index and head in index:
            return [(index[tail], index[head])]
    if not pairs:
        raise UnknownArc(f"{text!r} is no arc: write PARENT->CHILD")
    for tail, head in pairs:
        if names_like(tail, index.keys()) and names_like(head, index.keys()):
            return arcs_between(tail, head, index)
    return arcs_between(*pairs[0], index)


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
        wanted = (text for text in statements(lines) if not _is_header(lines, text))
        return [arc for text in wanted for arc in _arcs_of_line(lines, text, index)]


def read_tiers(source: str | BinaryIO | Lines, index: Mapping[str, int]) -> list[list[int]]:
    """Read a file of tiers as lists of indices, the earliest tier first.

    Raises `FormatError`: with the line; also when a name is not in `index` or comes twice.
    """
    tiers: list[list[int]] = []
    line_of: dict[int, int] = {}
    names = {variable: name for name, variable in index.items()}
    with as_lines(source) as lines:
        for text in statements(lines):
            tier = []
            for name in [text] if text in index else cells_of(lines, text) if "," in text else text.split():
                for variable in _variables(lines, name, index):
                    if variable in line_of:
                        where = f"line {line_of[variable]}"
                        lines.fail(f"{names[variable]!r} is in a tier already ({where})", kind=Inconsistent)
                    line_of[variable] = lines.number
                    tier.append(variable)
            tiers.append(tier)
    return tiers


def statements(lines: Lines) -> Iterator[str]:
    """Yield the lines that are neither blank nor comments, without surrounding blanks."""
    for line in lines:
        text = lines.decode(line).strip()
        if text and not text.startswith("#"):
            yield text


def cells_of(lines: Lines, text: str, separator: str = ",") -> list[str]:
    """Cells of a line, quoted or not; empty ones dropped."""
    text = text if separator == "," else text.replace("\t", " ")
    try:
        cells = next(csv.reader([text], delimiter=separator, skipinitialspace=True))
    except csv.Error as error:
        if "\r" in text:
            lines.fail("a carriage return within a line", remedy="lines end with a line feed: tr '\\r' '\\n'")
        lines.fail(f"not a line of CSV ({error})")
    return [cell.strip() for cell in cells if cell.strip()]


def _is_header(lines: Lines, text: str) -> bool:
    return tuple(cell.lower() for cell in cells_of(lines, text)) in ARC_HEADERS


def _arcs_of_line(lines: Lines, text: str, index: Mapping[str, int]) -> list[Arc]:
    if text[0] in "{[":
        pair = _json_pair(lines, text)
    else:
        try:
            return parse_arcs(text, index)
        except UnknownArc as error:
            cells = cells_of(lines, text)
            if len(cells) != 2 or not (text.startswith('"') or text.endswith('"')):
                lines.fail(str(error), kind=Inconsistent)
            pair = cells[0], cells[1]
    try:
        return arcs_between(*pair, index)
    except UnknownArc as error:
        lines.fail(str(error), kind=Inconsistent)


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


def _variables(lines: Lines, name: str, index: Mapping[str, int]) -> list[int]:
    """As `variables_like`, with the line in the error."""
    try:
        return variables_like(name, index)
    except UnknownArc as error:
        lines.fail(str(error), kind=Inconsistent)
