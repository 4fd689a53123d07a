"""Bytes as text that the reader of delimited text takes: UTF-8 without NUL bytes, line ends ``\\n``."""

from __future__ import annotations

import codecs

from ..errors import Malformed

_AT_ONCE = 1 << 25
"""Bytes inspected per call; between calls Python handles signals."""


def clean_text(data: bytes) -> tuple[bytes, int]:
    """Text with ``\\n`` line ends only and no blank lines around it, and the number of its first line."""
    _check_utf8(data)
    data = data.removeprefix(codecs.BOM_UTF8)
    if _first_of(data, b"\r") >= 0:
        data = _with_plain_line_ends(data)
    text = data.lstrip(b"\n")
    if not text or text.isspace():
        raise Malformed("the input is empty", remedy="expected a table with a header line")
    first_line = len(data) - len(text) + 1
    if text.endswith(b"\n\n") or not text.endswith(b"\n"):
        text = text.rstrip(b"\n") + b"\n"
    return text, first_line


def _check_utf8(data: bytes) -> None:
    """Refuse NUL bytes and bytes that are not UTF-8."""
    nul = _first_of(data, b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise Malformed("a NUL byte: this is not text", line=line)
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _AT_ONCE):
        part = data[start : start + _AT_ONCE]
        try:
            # Incremental: a character may be divided between two parts.
            decoder.decode(part, final=start + _AT_ONCE >= len(data))
        except UnicodeDecodeError as error:
            begun = len(decoder.getstate()[0])  # bytes of a character that began in the part before
            raise Malformed(
                "not UTF-8 text",
                line=data.count(b"\n", 0, start - begun + error.start) + 1,
                remedy="convert it first, for example: iconv -f latin1 -t utf-8",
            ) from None


def _first_of(data: bytes, byte: bytes) -> int:
    """The first position of `byte`; -1 if there is none."""
    starts = range(0, len(data), _AT_ONCE)
    return next((found for start in starts if (found := data.find(byte, start, start + _AT_ONCE)) >= 0), -1)


def _with_plain_line_ends(data: bytes) -> bytes:
    parts, start = [], 0
    while start < len(data):
        end = start + _AT_ONCE
        end += data[end - 1 : end + 1] == b"\r\n"  # the two stay together
        parts.append(data[start:end].replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
        start = end
    return b"".join(parts)
