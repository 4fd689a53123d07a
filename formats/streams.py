"""Input and output of bytes: ``-``, paths, FIFOs; gzip and Zstandard by content; files written atomically; text
made safe for a terminal.
"""

# Imported where needed, since loading takes time: pyarrow
from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

from .errors import FormatError, Malformed, Truncated
from .temporaries import replacement
from .wording import printable

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_READ_AT_ONCE = 1 << 24

FREE_EXPANSION = 64 << 20
"""Bytes to which any compressed input may expand."""
MAX_EXPANSION = 200
"""Largest expansion beyond that, as a factor. Tables expand 2 to 50 times; gzip expands at most 1,030 times."""


Target = str | BinaryIO
"""Targets of writers: a path, ``-``, or an open file."""


class TableInMemory:
    """A table of another library, read like an Arrow file; as text it is its name in messages.

    `batches` makes a new reader of its record batches (`pyarrow.RecordBatchReader`) for each reading.
    """

    def __init__(self, name: str, batches: Callable[[], Any]):
        self.name = name
        self.batches = batches

    def __str__(self) -> str:
        return self.name


Source = str | TableInMemory
"""Inputs of readers of tables: a path, ``-``, or a table in memory."""


def is_standard_input(source: object) -> bool:
    """Whether a source is ``-``; objects of other libraries compare cell by cell, so these are not compared."""
    return isinstance(source, str) and source == "-"


def source_name(source: object) -> str:
    """The name of a source in messages; an object in memory is named by its type."""
    if is_standard_input(source):
        return "<stdin>"
    return str(source) if isinstance(source, (str, os.PathLike, TableInMemory)) else f"<{type(source).__name__}>"


class _CountedBytes:
    """The compressed bytes of a stream, counted."""

    def __init__(self, stream: io.BufferedReader):
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self.count += len(data)
        return data

    @property
    def closed(self) -> bool:
        return self._stream.closed

    def close(self) -> None:
        self._stream.close()


class _Bounded(io.RawIOBase):
    """Decompressed bytes, as long as they are in proportion to the compressed ones."""

    def __init__(self, read: Callable[[int], bytes], packed: _CountedBytes, name: str):
        super().__init__()
        self._read, self._packed, self._called = read, packed, name
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        self._unpacked += len(data)
        # Checked after each buffer: at most one buffer is expanded beyond the limit.
        if self._unpacked > max(FREE_EXPANSION, MAX_EXPANSION * self._packed.count):
            raise Malformed(
                f"{self._packed.count:,} compressed bytes expand more than {MAX_EXPANSION}-fold,"
                f" beyond {FREE_EXPANSION >> 20} MiB",
                source=self._called,
                remedy="if that is meant, decompress the file first: gunzip, unzstd",
            )
        return len(data)

    def close(self) -> None:
        super().close()
        self._packed.close()


def _zstandard_reader(packed: _CountedBytes) -> Callable[[int], bytes]:
    """Reads decompressed bytes of a Zstandard stream; damage raises the exceptions that gzip raises."""
    import pyarrow

    stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(packed, mode="r"), "zstd")

    def read(size: int) -> bytes:
        try:
            return stream.read(size)
        except OSError as error:
            if "Truncated" in str(error):
                raise EOFError from None
            raise zlib.error(str(error)) from None

    return read


def is_compressed(head: bytes) -> bool:
    """Whether a file with these first bytes (four at least, if it has them) is compressed."""
    return head.startswith((_GZIP, _ZSTANDARD))


def open_input(source: str) -> io.BufferedReader:
    """Open a path (file, FIFO, device) or ``-`` for reading; compressed bytes are decompressed.

    Raises `FormatError`: the file cannot be opened.
    """
    name = source_name(source)
    try:
        raw: Any = sys.stdin.buffer if source == "-" else open(source, "rb")  # noqa: SIM115 (handed to the caller)
    except OSError as error:
        raise FormatError(f"cannot read: {error.strerror or error}", source=name) from None
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw, 1 << 16)
    # By content, not by name; nothing is consumed, so standard input works as well.
    head = buffered.peek(4)
    if not is_compressed(head):
        return buffered
    packed: Any = _CountedBytes(buffered)
    is_gzip = head.startswith(_GZIP)
    read = gzip.GzipFile(fileobj=packed, mode="rb").read if is_gzip else _zstandard_reader(packed)
    return io.BufferedReader(_Bounded(read, packed, name), 1 << 16)


def guarded(read: Callable[[], bytes], name: str) -> bytes:
    """The result of `read`; failures of the source `name` become a `FormatError`."""
    try:
        return read()
    except EOFError:
        raise Truncated("the compressed data end early", source=name) from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise Malformed(f"damaged compressed data ({error})", source=name) from None
    except OSError as error:
        raise FormatError(f"cannot read: {error.strerror or error}", source=name) from None


def read_bytes(source: str) -> bytes:
    """All bytes of a source, decompressed.

    Raises `FormatError`: the source cannot be opened or read; `Truncated` or `Malformed` for damaged compressed data.
    """

    def read() -> bytes:
        stream = open_input(source)
        with contextlib.nullcontext() if source == "-" else stream:
            data = io.BytesIO()
            while part := stream.read(_READ_AT_ONCE):  # Python handles signals between the calls
                data.write(part)
            return data.getvalue()

    return guarded(read, source_name(source))


def is_written_in_place(target: str) -> bool:
    """Whether a target is not a regular file and so cannot be replaced by renaming."""
    # /dev/stdout looks like a regular file when standard output is redirected.
    if os.path.abspath(target).startswith(("/dev/", "/proc/")):
        return True
    try:
        return not stat.S_ISREG(os.stat(target).st_mode)
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def open_output(target: Target, *, is_laid_out: bool = False) -> Iterator[BinaryIO]:
    """Open a target for writing bytes: standard output for ``-``, else a file that appears only when complete.

    An open file is written to directly. Output to a terminal is made printable, unless it `is_laid_out` for a
    terminal (in colours and with printable names). On any exception an older file of that name stays unchanged; see
    `temporaries`.
    """
    if not isinstance(target, str | os.PathLike):
        yield target
        return
    if target == "-":
        if sys.stdout.isatty() and not is_laid_out:
            shown = TerminalOutput(sys.stdout.buffer)
            yield cast(BinaryIO, shown)
            shown.finish()
            return
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if is_written_in_place(target):
        with open(target, "wb") as stream:
            yield stream
        return
    try:
        with replacement(target) as stream:
            yield stream
    except OSError as error:
        error.filename = target  # the name that the user knows
        raise


def write_output(target: str, content: str | bytes) -> None:
    """Write a text, or bytes, as the whole content of a target."""
    with open_output(target) as stream:
        stream.write(content if isinstance(content, bytes) else content.encode())


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
