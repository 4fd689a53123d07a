"""Numbered lines of a text source, with every way in which bytes can fail to be text turned into a FormatError.

All readers of line-based and textual formats take their input through `Lines`, so a source can be looked at
(which format is it?) and then read, without seeking.
"""

from __future__ import annotations

import io
import os
import zlib
from collections import deque
from collections.abc import Callable
from typing import Any, BinaryIO, NoReturn

from .errors import FormatError, Malformed, Truncated
from .streams import open_input, source_name

MAX_LINE = 1 << 30
"""Longest line that is read, bytes; a variable with millions of parent sets stays far below."""

EMPTY_REMEDY = "in a pipe the command before it may have failed"
_BOM = b"\xef\xbb\xbf"


class Lines:
    """Iterator over the lines of a source as bytes without their line ends.

    Parameters
    ----------
    source : str, os.PathLike or binary stream
        A path, ``-`` for standard input, or a stream that is open already.

    Attributes
    ----------
    source : str
        How messages call the source.
    beginning : bytes
        Its first bytes, as many as were at hand when it was opened.
    number : int
        Number of the line returned last, from 1.
    terminated : bool
        Whether the line returned last ended with a line end.
    span : tuple of int
        First byte and end of the line read last, its line end included, counted in decompressed bytes.
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
        self.number = 0
        self.terminated = True
        self.span = (0, 0)
        self._read_number = 0
        self._pushed: deque[tuple[int, bytes, bool]] = deque()
        self.beginning = self._guard(lambda: self._stream.peek(1))

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> bytes:
        if self._pushed:
            self.number, line, self.terminated = self._pushed.popleft()
            return line
        fresh = self._read()
        if fresh is None:
            raise StopIteration
        self.number = self._read_number
        return fresh

    def _read(self) -> bytes | None:
        if self._read_number == 0 and b"\0" in self.beginning:
            self.fail("binary data where text was expected", kind=Malformed)
        line = self._guard(lambda: self._stream.readline(MAX_LINE))
        if not line:
            return None
        self._read_number += 1
        self.span = (self.span[1], self.span[1] + len(line))
        self.terminated = line.endswith(b"\n")
        if not self.terminated and len(line) == MAX_LINE:
            self.number = self._read_number
            self.fail(f"a line of more than {MAX_LINE} bytes", kind=Malformed)
        if self._read_number == 1 and line.startswith(_BOM):
            line = line[len(_BOM) :]
        return line.rstrip(b"\r\n")

    def _guard(self, read: Callable[[], bytes]) -> bytes:
        try:
            return read()
        except EOFError:
            raise Truncated("the compressed data end early", source=self.source) from None
        except zlib.error as error:
            raise Malformed(f"damaged compressed data ({error})", source=self.source) from None
        except OSError as error:
            reason = error.strerror or str(error)
            raise FormatError(f"cannot read: {reason}", source=self.source) from None

    def push_back(self, lines: list[tuple[int, bytes, bool]]) -> None:
        """Give lines (number, content, terminated) back, to be returned again in this order."""
        self._pushed.extendleft(reversed(lines))

    def data(self) -> bytes:
        """All bytes of a source of which nothing was consumed."""
        return self._guard(self._stream.read)

    def text(self) -> str:
        """All that is left as text with plain line ends; for readers that have consumed nothing yet."""
        data = b"\n".join(self)
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            self.fail_encoding(data.count(b"\n", 0, error.start) + 1)

    def decode(self, line: bytes) -> str:
        """The line returned last as text."""
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            self.fail_encoding(self.number)

    def fail_encoding(self, number: int) -> NoReturn:
        """Raise the error for bytes that are not UTF-8."""
        raise Malformed(
            "not UTF-8 text",
            source=self.source,
            line=number,
            remedy="convert it first, for example: iconv -f latin1 -t utf-8",
        )

    def fail(
        self,
        message: str,
        *,
        kind: type[FormatError] = Malformed,
        line: int | None = None,
        remedy: str | None = None,
    ) -> NoReturn:
        """Raise an error of a kind, located at a line (the one returned last unless given)."""
        raise kind(message, source=self.source, line=line or self.number or None, remedy=remedy)

    def close(self) -> None:
        """Close the source, but never standard input."""
        if self.source != "<stdin>":
            self._stream.close()


def as_lines(source: str | os.PathLike | BinaryIO | Lines) -> Lines:
    """The source itself if it is open as `Lines`, else open it."""
    return source if isinstance(source, Lines) else Lines(source)
