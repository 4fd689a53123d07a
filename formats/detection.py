"""Which format is this? Told from the first bytes by the rows of `registry`, without seeking, never by a name.

There is one answer for every input, whoever asks. What is recognised as some format is never taken for a table of
data; what looks like nothing known is a table. The patterns of the rows therefore demand more than a keyword: a
table may have a column called ``network``, ``graph``, ``VAR`` or ``[x]``.
"""

from __future__ import annotations

import functools
import re

from .errors import Malformed
from .kinds import Format, Kind
from .lookup import find_format, formats_of
from .registry import BINARY, EMPTY, FORMATS, UNREAD
from .textlines import EMPTY_REMEDY, Lines

HEAD_SIZE = 1 << 20
"""Bytes that are looked at: names of many variables may stand before the line that tells."""

_BINARY_SIZE = 1 << 16
"""Bytes in which a control character means that this is no text; one farther behind is reported with its line."""

_BOM = b"\xef\xbb\xbf"
_TEXT = bytes(range(0x20, 0x100)) + b"\t\n\r\f\x1b"
# Each comment is matched in one way only (possessively): many of them must not take exponential time.
_COMMENTS = re.compile(rb"(?:\s++|#[^\n]*+|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+")
_compile = functools.cache(re.compile)
_MAGIC = tuple((magic, row) for row in (*FORMATS, *UNREAD) for magic in row.magic)


def detect(head: bytes) -> Format:
    """The format of an input.

    Parameters
    ----------
    head : bytes
        Its first bytes, uncompressed: `HEAD_SIZE` of them or all; of JSON lines the first line is enough.

    Returns
    -------
    Format
        A row of `registry`; ``csv`` for text that is nothing else.
    """
    packed = _by_magic(head)
    if packed:
        return packed
    text = _significant(head)
    if not head.removeprefix(_BOM).strip():
        return EMPTY
    for row in (*FORMATS, *UNREAD):
        if row.pattern and _compile(row.pattern).match(text):
            return row
    return BINARY if _has_controls(head) else find_format("csv")


def _has_controls(head: bytes) -> bool:
    return bool(head[:_BINARY_SIZE].translate(None, _TEXT))


def _by_magic(head: bytes) -> Format | None:
    for magic, row in _MAGIC:
        # The first column of a table may be called PAR1.
        if head.startswith(magic) and (not magic.isascii() or _has_controls(head)):
            return row
    return None


def _significant(head: bytes) -> bytes:
    """The text from its first line that is neither blank nor a comment, with plain line ends."""
    text = head.removeprefix(_BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    comments = _COMMENTS.match(text)
    return text[comments.end() :] if comments else text


def detect_lines(lines: Lines) -> Format:
    """`detect` for a text source that is open; nothing is consumed."""
    return _by_magic(lines.beginning) or detect(_head_of(lines))


def _head_of(lines: Lines) -> bytes:
    """The first lines; of JSON lines the first one only, for more may be slow to come."""
    seen: list[tuple[int, bytes, bool]] = []
    size = 0
    for line in lines:
        seen.append((lines.number, line, lines.terminated))
        size += len(line) + 1
        if size >= HEAD_SIZE or (line.lstrip().startswith(b"{") and size == len(line) + 1):
            break
    lines.push_back(seen)
    return b"\n".join(line for _, line, _ in seen)


def _data_remedy(kinds: tuple[Kind, ...], source: str) -> str:
    """What to do with a table where sets or a network are wanted."""
    path = "-" if source == "<stdin>" else source
    learn = f"a network is learnt from data by: bnsl optimize --data {path}"
    return f"{learn} (or bnsl parentsets {path} | bnsl optimize)" if Kind.PARENT_SETS in kinds else learn


def require_format(lines: Lines, kinds: tuple[Kind, ...], wanted: str) -> Format:
    """The format whose reader reads this source as one of the wanted kinds; nothing is consumed.

    Parameters
    ----------
    lines : Lines
    kinds : tuple of Kind
    wanted : str
        What messages say was expected.

    Raises
    ------
    Malformed
        The source is empty, or recognised as something else; the message names it.
    """
    found = detect_lines(lines)
    text = _significant(_head_of(lines)) if found.name in (EMPTY.name, "csv") else None
    if text == b"":
        raise Malformed("the input is empty", source=lines.source, remedy=EMPTY_REMEDY)
    rows = formats_of(*kinds)
    for row in rows:
        if found.name in (row.name, *row.takes):
            return row
    for row in rows:
        if text and row.opening and _compile(row.opening).match(text):
            return row
    raise Malformed(
        f"expected {wanted}, this looks like {found.called}",
        source=lines.source,
        remedy=_data_remedy(kinds, lines.source)
        if found.kind is Kind.DATA
        else "bnsl formats lists what is read",
    )
