"""Numbered lines of a text source; every failure to read or decode the lines becomes a `FormatError`.

Lines can be pushed back, so the format of a source is detected first, and the source is then read without seeking.

A message about text that is not UTF-8 names the encodings that it may have.
"""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
from collections import deque
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from .errors import FormatError, Inconsistent, Malformed
from .streams import guarded, open_input, source_name
from .wording import Warn, ignore

MAX_LINE = 1 << 30
"""Longest line that is read, bytes; a variable with millions of parent sets stays far below."""

EMPTY_REMEDY = "in a pipe the command before it may have failed"


_EAST_ASIAN = (("gbk", "Chinese"), ("big5", "traditional Chinese"), ("shift_jis", "Japanese"), ("euc-kr", "Korean"))

_OF_BYTES = (("cp1252", "Western European"), ("cp1251", "Cyrillic"), ("cp1250", "Central European"))

_RUNS = re.compile(rb"[\x80-\xff]+")

_MOST_BYTES = 1 << 20


class Lines:
    """Iterator over the lines of a source as bytes without their line ends, and context manager that closes it.

    `source`: a path, ``-`` for standard input, or an open stream.
    - `source`: name of the source in messages.
    - `warn`: takes messages about content that a reader ignores.
    - `beginning`: the first bytes, as many as were available when it was opened.
    - `number`, `last`: number of the line returned last, from 1, and the line.
    - `terminated`: whether the line returned last ended with a line end.
    - `span`: first byte and end of the line read last, its line end included, counted in decompressed bytes.
    """

    def __init__(self, source: str | os.PathLike | BinaryIO):
        if isinstance(source, (str, os.PathLike)):
            self.source = source_name(os.fspath(source))
            self._stream = open_input(os.fspath(source))
        else:
            name = getattr(source, "name", None)
            self.source = name if isinstance(name, str) else "<stream>"
            stream: Any = source
            self._stream = stream if hasattr(stream, "peek") else io.BufferedReader(stream)
        self.warn: Warn = ignore
        self.number, self.last = 0, b""
        self.terminated = True
        self.span = (0, 0)
        self._read_number = 0
        self._pushed: deque[tuple[int, bytes, bool]] = deque()
        self.beginning = guarded(lambda: self._stream.peek(1), self.source)

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, _kind: object, error: object, _traceback: object) -> None:
        self.close()
        if isinstance(error, FormatError):
            error.source = error.source or self.source

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> bytes:
        if self._pushed:
            self.number, self.last, self.terminated = self._pushed.popleft()
        else:
            self.last = self._read()
            self.number = self._read_number
        return self.last

    def _read(self) -> bytes:
        if self._read_number == 0 and b"\0" in self.beginning:
            self.fail("binary data where text was expected")
        line = guarded(lambda: self._stream.readline(MAX_LINE), self.source)
        if not line:
            raise StopIteration
        self._read_number += 1
        self.span = (self.span[1], self.span[1] + len(line))
        self.terminated = line.endswith(b"\n")
        if not self.terminated and len(line) == MAX_LINE:
            self.fail(f"a line of more than {MAX_LINE} bytes", line=self._read_number)
        if self._read_number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        return line.rstrip(b"\r\n")

    def push_back(self, lines: list[tuple[int, bytes, bool]]) -> None:
        """Push lines (number, content, terminated) back, to be returned again in this order."""
        # `extendleft` reverses the order.
        self._pushed.extendleft(reversed(lines))

    def data(self) -> bytes:
        """All bytes of an unread source."""
        return guarded(self._stream.read, self.source)

    def text(self) -> str:
        """All remaining lines as text with line ends ``\\n``; for readers that have consumed nothing yet."""
        data = b"\n".join(self)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            self._fail_encoding(data, data.count(b"\n", 0, error.start) + 1)

    def decode(self, line: bytes) -> str:
        """The line returned last as text."""
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            self._fail_encoding(line, self.number)

    def _fail_encoding(self, data: bytes, number: int) -> NoReturn:
        self.fail("not UTF-8 text", line=number, remedy=encoding_remedy(data))

    def fail(
        self, message: str, *, kind: type[FormatError] = Malformed, line: int | None = None, remedy: str | None = None
    ) -> NoReturn:
        """Raise an error located at a line, by default the line returned last."""
        raise kind(message, source=self.source, line=line or self.number or None, remedy=remedy)

    def close(self) -> None:
        """Close the source, but never standard input."""
        if self.source != "<stdin>":
            self._stream.close()


def as_lines(source: str | os.PathLike | BinaryIO | Lines) -> Lines:
    """The source itself if it is open as `Lines`, else open it."""
    return source if isinstance(source, Lines) else Lines(source)


@contextlib.contextmanager
def line_by_line(source: str | os.PathLike | BinaryIO | Lines) -> Iterator[Lines]:
    """Within the block, the source as `Lines`; an `Inconsistent` without a line gets the number of the line returned
    last.
    """
    with as_lines(source) as lines:
        try:
            yield lines
        except Inconsistent as error:
            error.line = error.line or lines.number
            raise


def encoding_remedy(data: bytes) -> str:
    """The command that converts text to UTF-8, with the encodings in which these bytes are text.

    Letters of a byte stand mostly alone among others, as in Western European text; letters of East Asian encodings
    and of other alphabets form runs.
    """
    data = data[:_MOST_BYTES]
    runs = _RUNS.findall(data)
    n_alone = sum(len(run) == 1 for run in runs)
    known = (*_OF_BYTES, *_EAST_ASIAN) if 2 * n_alone > len(runs) else (*_EAST_ASIAN, *_OF_BYTES)
    found = [(name, language) for name, language in known if _is_text(data, name)][:4]
    if not found:
        return "convert it first, from the encoding that it has: iconv -f ENCODING -t utf-8 FILE > NEW"
    (first, language), *others = found
    alternatives = "".join(f", -f {name} if {other}" for name, other in others)
    return f"convert it first: iconv -f {first} -t utf-8 FILE > NEW, if it is {language}{alternatives}"


def _is_text(data: bytes, encoding: str) -> bool:
    """Whether bytes decode to printable text; the last ones may be cut off."""
    try:
        text = data[: data.rfind(b"\n") + 1 or len(data)].decode(encoding)
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character.isspace() for character in text)
