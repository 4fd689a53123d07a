"""Output made safe for a terminal."""

from __future__ import annotations

import codecs
import io
from typing import Any, BinaryIO

from .wording import printable


class TerminalOutput(io.BufferedIOBase):
    """Bytes of a text on their way to a terminal, made `printable` line by line; tabs are kept."""

    def __init__(self, stream: BinaryIO):
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("backslashreplace")

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        """Take in bytes; a character that ends in the next ones waits for them."""
        self._show(self._decoder.decode(bytes(data)))
        return len(data)

    def finish(self) -> None:
        """Show what waits."""
        self._show(self._decoder.decode(b"", final=True))
        self._stream.flush()

    def _show(self, text: str) -> None:
        lines = ("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))
        self._stream.write("\n".join(lines).encode())
