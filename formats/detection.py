"""Detection of the format of an input from its first bytes by the rows of `registry`; file names do not matter.

Every input has exactly one format. Text that matches no pattern is a table of data, and text that matches one is
never read as such. So the patterns demand more than a keyword: a table may have a column called ``network``,
``graph``, ``VAR`` or ``[x]``.
"""

from __future__ import annotations

import codecs
import functools
import re

from .errors import Malformed
from .kinds import Format, Kind
from .registry import BINARY, EMPTY, FORMATS, find_format, formats_of
from .textlines import EMPTY_REMEDY, Lines
from .unread import UNREAD
from .wording import option_value

HEAD_SIZE = 1 << 20
"""Bytes that are inspected: the names of many variables may precede the deciding line."""

_BINARY_SIZE = 1 << 16
"""Bytes within which a control character means that this is no text; readers report later ones with their line."""

_TEXT = bytes(range(0x20, 0x100)) + b"\t\n\r\f\x1b"
# Possessive quantifiers: each comment matches in one way only. So the time grows linearly with their number.
_COMMENTS = re.compile(rb"(?>(?:\s++|#[^\n]*+|//[^\n]*+|/\*(?>(?:[^*]|\*(?!/))*)\*/)*)")
TAGGED_NAME = re.compile(rb"<(\w[^\s<>/]*+)[^<>\n]*+>(?>[^\n]*?</\1>)?[^\n<,;\t|]*+[,;\t|]")
"""A first cell that begins with a tag, and a delimiter: the names of a table, for no XML goes on like this."""
_RECORD = re.compile(rb"\s*+\{.*\}\s*$")
_compile = functools.cache(re.compile)
_MAGIC = tuple((magic, row) for row in (*FORMATS, *UNREAD) for magic in row.magic)


def detect(head: bytes) -> Format:
    """The format of an input by its first bytes, uncompressed: `HEAD_SIZE` of them, or all.

    For JSON lines the first line suffices. Any other text is ``csv``.
    """
    if packed := _by_magic(head):
        return packed
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        return EMPTY
    text = _significant(head)
    if TAGGED_NAME.match(text):
        return find_format("csv")
    for row in (*FORMATS, *UNREAD):
        if row.pattern and _compile(row.pattern).match(text):
            return row
    return BINARY if _has_controls(head) else find_format("csv")


def _has_controls(head: bytes) -> bool:
    return bool(head[:_BINARY_SIZE].translate(None, _TEXT))


def _by_magic(head: bytes) -> Format | None:
    for magic, row in _MAGIC:
        # A table may have a first column called PAR1.
        if head.startswith(magic) and (not magic.isascii() or _has_controls(head)):
            return row
    return None


def _significant(head: bytes) -> bytes:
    """The text from its first line that is neither blank nor a comment, with plain line ends."""
    text = head.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    comments = _COMMENTS.match(text)
    return text[comments.end() :] if comments else text


def detect_lines(lines: Lines) -> Format:
    """`detect` for a text source that is open; nothing is consumed."""
    return _by_magic(lines.beginning) or detect(_head_of(lines))


def _head_of(lines: Lines) -> bytes:
    """The first lines; of JSON lines only one whole record, because a live stream may deliver the next one late."""
    seen: list[tuple[int, bytes, bool]] = []
    size = 0
    for line in lines:
        seen.append((lines.number, line, lines.terminated))
        size += len(line) + 1
        if size >= HEAD_SIZE or (size == len(line) + 1 and _RECORD.match(line)):
            break
    # Line numbers are kept: the reader begins at the first line.
    lines.push_back(seen)
    return b"\n".join(line for _, line, _ in seen)


def _data_remedy(kinds: tuple[Kind, ...], source: str) -> str:
    """The remedy for a table given where sets or a network are expected."""
    path = "-" if source == "<stdin>" else option_value(source)
    learn = f"a network is learnt from data by: bnsl optimize --data {path}"
    return f"bnsl parentsets DATA lists them; {learn}" if Kind.PARENT_SETS in kinds else learn


def require_format(lines: Lines, kinds: tuple[Kind, ...], wanted: str) -> Format:
    """The format whose reader reads this source as one of the wanted kinds; nothing is consumed.

    `wanted`: the expected input, for messages. Raises `Malformed`: the source is empty or of another format.
    """
    found = detect_lines(lines)
    text = _significant(_head_of(lines)) if found.name in (EMPTY.name, "csv") else None
    if text == b"":
        raise Malformed("the input is empty", source=lines.source, remedy=EMPTY_REMEDY)
    if found.remedy:
        raise Malformed(
            f"expected {wanted}, this looks like {found.called}", source=lines.source, remedy=found.remedy
        )
    rows = formats_of(*kinds)
    for row in rows:
        if found.name in (row.name, *row.takes):
            return row
    for row in rows:
        if text and row.opening and _compile(row.opening).match(text):
            return row
    is_data = found.kind is Kind.DATA
    remedy = _data_remedy(kinds, lines.source) if is_data else "bnsl formats lists what is read"
    raise Malformed(f"expected {wanted}, this looks like {found.called}", source=lines.source, remedy=remedy)
