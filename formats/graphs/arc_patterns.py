"""Files of patterns of arcs, whose probabilities are asked for: one pattern a line, names become indices here.

A pattern is one statement, or several with commas between, all of which must hold:

    A -> B      there is this arc
    A - B       there is an arc in either direction
    A ~> B      there is a path from A to B
    !A -> B     not so; likewise with the others

Lines that are empty or begin with ``#`` are passed over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from ..errors import Inconsistent
from ..graph_records import ArcPattern, ArcStatement
from ..textlines import Lines, as_lines

RELATIONS = ("~>", "->", "-")


class UnknownPattern(ValueError):
    """A text is no pattern of known variables; the message says why."""


def parse_pattern(text: str, index: Mapping[str, int]) -> ArcPattern:
    """A pattern by the `index` of its names, which may contain commas and arrows themselves.

    Raises
    ------
    UnknownPattern
    """
    statements = []
    pieces = text.split(",")
    while pieces:
        for used in range(1, len(pieces) + 1):
            statement = _parse_statement(",".join(pieces[:used]), index)
            if statement is not None:
                statements.append(statement)
                pieces = pieces[used:]
                break
        else:
            raise UnknownPattern(_what_is_wrong(pieces[0].strip(), index))
    return ArcPattern(text, tuple(statements))


def _parse_statement(text: str, index: Mapping[str, int]) -> ArcStatement | None:
    text = text.strip()
    for is_negated in (False, True):
        if is_negated:
            if not text.startswith("!"):
                return None
            text = text[1:]
        for relation in RELATIONS:
            position = text.find(relation)
            while position >= 0:
                tail, head = text[:position].strip(), text[position + len(relation) :].strip()
                if tail in index and head in index and tail != head:
                    return ArcStatement(relation, index[tail], index[head], is_negated)
                position = text.find(relation, position + 1)
    return None


def _what_is_wrong(text: str, index: Mapping[str, int]) -> str:
    bare = text.removeprefix("!")
    for relation in RELATIONS:
        tail, found, head = bare.partition(relation)
        if found:
            unknown = [name for name in (tail.strip(), head.strip()) if name not in index]
            return f"{unknown[0]!r} is no variable of the parent sets" if unknown else f"{text!r} is a loop"
    return f"{text!r} is no pattern: write A -> B, A - B or A ~> B, with ! before for not, commas between"


def read_patterns(source: str | BinaryIO | Lines, index: Mapping[str, int]) -> list[ArcPattern]:
    """Read a file of patterns.

    Raises
    ------
    FormatError
        With the line; also when a name is not in `index`.
    """
    lines = as_lines(source)
    patterns = []
    try:
        for line in lines:
            text = lines.decode(line).strip()
            if text and not text.startswith("#"):
                try:
                    patterns.append(parse_pattern(text, index))
                except UnknownPattern as error:
                    lines.fail(str(error), kind=Inconsistent)
    finally:
        lines.close()
    return patterns
