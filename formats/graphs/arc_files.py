"""Arcs, tiers and patterns as users write them, alone or in files; names are replaced by indices.

An arc is ``A->B`` or ``A,B``: A is the parent. Each end may be a pattern with ``*``, ``?`` or ``[...]``: it stands
for all variables that match it, unless a variable has this text as its name. A file of arcs holds one per line in
either spelling (cells may be quoted as in CSV, a header line ``from,to`` is fine) or JSON lines: ``{"from": "A",
"to": "B"}`` or ``["A", "B"]``. A file of tiers holds one tier per line, the earliest first, with names separated by
commas or else by blanks; names may be patterns, too. A pattern of arcs, to query its probability, is one statement,
or a conjunction of several separated by commas:

    A -> B      there is this arc
    A - B       there is an arc in either direction
    A ~> B      there is a path from A to B
    !A -> B     the negation; likewise of the others

Lines that are empty or begin with ``#`` are skipped.
"""

# Imported where needed, since loading takes time: orjson
from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from ..errors import Inconsistent
from ..graph_records import ArcPattern, ArcStatement
from ..tables.selection import names_like
from ..textlines import Lines, line_by_line
from ..wording import listed
from .arc_groups import ArcEnds, ArcGroup, group_of, grouped_arcs
from .csv_graphs import ARC_HEADERS

RELATIONS = ("~>", "->", "-")


def variables_like(text: str, index: Mapping[str, int]) -> list[int]:
    """The variable of this name, or all variables that match it as a pattern; `Inconsistent` if there is none."""
    found = names_like(text, index.keys())
    if not found:
        is_pattern = any(mark in text for mark in "*?[")
        raise Inconsistent(f"{text!r} is no variable of the data" + (", and none is like it" if is_pattern else ""))
    return [index[name] for name in found]


def arcs_between(tail: str, head: str, index: Mapping[str, int]) -> ArcGroup:
    """Arcs from all variables matched by the first text to all matched by the second."""
    return ArcGroup(_ends_like(tail, index), _ends_like(head, index))


def _ends_like(text: str, index: Mapping[str, int]) -> ArcEnds:
    return ArcEnds(tuple(sorted(variables_like(text, index))), None if text in index else text)


def parse_arcs(text: str, index: Mapping[str, int]) -> ArcGroup:
    """The arcs that a text means, by the `index` of names; raises `Inconsistent` if there are none.

    Names may contain commas and arrows themselves: every split of the text is tried, for names before patterns.
    """
    pairs = [(tail, head) for _, tail, head in splits(text, ("->", ","))]
    for tail, head in pairs:
        if tail in index and head in index:
            return group_of((index[tail],), (index[head],))
    if not pairs:
        raise Inconsistent(f"{text!r} is no arc: write PARENT->CHILD, or give an order of variables as tiers")
    for tail, head in pairs:
        if names_like(tail, index.keys()) and names_like(head, index.keys()):
            return arcs_between(tail, head, index)
    return arcs_between(*pairs[0], index)


def splits(text: str, separators: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield each occurrence of each separator with the texts before and after it, without surrounding blanks."""
    for separator in separators:
        position = text.find(separator)
        while position >= 0:
            yield separator, text[:position].strip(), text[position + len(separator) :].strip()
            position = text.find(separator, position + 1)


def read_arcs(source: str | BinaryIO | Lines, index: Mapping[str, int]) -> list[ArcGroup]:
    """Read a file of arcs: first the arcs of single lines, grouped by child, then the arcs of each pattern.

    Raises `FormatError`: with the line; also when a name is not in `index`.
    """
    with line_by_line(source) as lines:
        arcs, patterns = [], []
        for text in statements(lines):
            if tuple(cell.lower() for cell in cells_of(lines, text)) in ARC_HEADERS:
                continue
            group = _arcs_of_line(lines, text, index)
            if group.is_pattern:
                patterns.append(group)
            else:
                arcs += group.arcs()
        return grouped_arcs(arcs) + patterns


def read_tiers(source: str | BinaryIO | Lines, index: Mapping[str, int]) -> list[list[int]]:
    """Read a file of tiers as lists of indices, the earliest tier first.

    Raises `FormatError`: with the line; also when a name is not in `index` or comes twice.
    """
    tiers: list[list[int]] = []
    line_of: dict[int, int] = {}
    names = {variable: name for name, variable in index.items()}
    with line_by_line(source) as lines:
        for text in statements(lines):
            tier = []
            for name in [text] if text in index else cells_of(lines, text) if "," in text else text.split():
                for variable in variables_like(name, index):
                    if variable in line_of:
                        where = f"line {line_of[variable]}"
                        raise Inconsistent(f"{names[variable]!r} is in a tier already ({where})")
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


def _arcs_of_line(lines: Lines, text: str, index: Mapping[str, int]) -> ArcGroup:
    if text[0] in "{[":
        return arcs_between(*_json_pair(lines, text), index)
    try:
        return parse_arcs(text, index)
    except Inconsistent:
        cells = cells_of(lines, text)
        if len(cells) != 2 or not (text.startswith('"') or text.endswith('"')):
            raise
        return arcs_between(cells[0], cells[1], index)


def _json_pair(lines: Lines, text: str) -> tuple[str, str]:
    import orjson

    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        lines.fail(f"not valid JSON ({error.msg.split(':')[0][:80]}, column {error.colno})")
    if isinstance(value, dict):
        pair = next(({a, b} for a, b in sorted(ARC_HEADERS) if a in value and b in value), set())
        if pair and (others := sorted(value.keys() - pair)):
            lines.fail(f"an arc has the keys of its two ends alone, not {listed(map(repr, others))}")
        value = next(([value[a], value[b]] for a, b in sorted(ARC_HEADERS) if a in value and b in value), None)
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(name, str) for name in value):
        lines.fail('expected an arc: {"from": "A", "to": "B"} or ["A", "B"]')
    return value[0], value[1]


def parse_pattern(text: str, index: Mapping[str, int]) -> ArcPattern:
    """A pattern by the `index` of its names, which may contain commas and arrows; an `Inconsistent` if none."""
    found = []
    pieces = text.split(",")
    while pieces:
        for used in range(1, len(pieces) + 1):
            statement = _parse_statement(",".join(pieces[:used]), index)
            if statement is not None:
                found.append(statement)
                pieces = pieces[used:]
                break
        else:
            raise Inconsistent(_problem(pieces[0].strip(), index))
    return ArcPattern(text, tuple(found))


def _parse_statement(text: str, index: Mapping[str, int]) -> ArcStatement | None:
    text = text.strip()
    # A name may begin with "!", so the unchanged text is tried first.
    for is_negated in (False, True) if text.startswith("!") else (False,):
        for relation, tail, head in splits(text[is_negated:], RELATIONS):
            if tail in index and head in index and tail != head:
                return ArcStatement(relation, index[tail], index[head], is_negated)
    return None


def _problem(text: str, index: Mapping[str, int]) -> str:
    for _, *pair in splits(text.removeprefix("!"), RELATIONS):
        unknown = [name for name in pair if name not in index]
        return f"{unknown[0]!r} is no variable of the parent sets" if unknown else f"{text!r} is a loop"
    return f"{text!r} is no pattern: write A -> B, A - B or A ~> B, with ! before for not, commas between"


def read_patterns(source: str | BinaryIO | Lines, index: Mapping[str, int]) -> list[ArcPattern]:
    """Read a file of patterns.

    Raises `FormatError`: with the line; also when a name is not in `index`.
    """
    with line_by_line(source) as lines:
        return [parse_pattern(text, index) for text in statements(lines)]
