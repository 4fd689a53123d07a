"""Files of patterns of arcs, whose probabilities are queried: one pattern a line; names are replaced by indices.

A pattern is one statement, or the conjunction of several with commas between:

    A -> B      there is this arc
    A - B       there is an arc in either direction
    A ~> B      there is a path from A to B
    !A -> B     the negation; likewise of the others

Lines that are empty or begin with ``#`` are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from ..errors import Inconsistent
from ..graph_records import ArcPattern, ArcStatement
from ..textlines import Lines, as_lines
from .arc_files import splits, statements

RELATIONS = ("~>", "->", "-")


class UnknownPattern(ValueError):
    """A text is no pattern of known variables; the message gives the reason."""


def parse_pattern(text: str, index: Mapping[str, int]) -> ArcPattern:
    """A pattern by the `index` of its names, which may contain commas and arrows; an `UnknownPattern` if none."""
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
            raise UnknownPattern(_problem(pieces[0].strip(), index))
    return ArcPattern(text, tuple(found))


def _parse_statement(text: str, index: Mapping[str, int]) -> ArcStatement | None:
    text = text.strip()
    # A name may begin with "!", so the text is tried as it stands first.
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
    with as_lines(source) as lines:
        try:
            return [parse_pattern(text, index) for text in statements(lines)]
        except UnknownPattern as error:
            lines.fail(str(error), kind=Inconsistent)
