"""Where bytes come from and go to: ``-``, paths, FIFOs; compression told by content; files written atomically."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO

from .errors import FormatError, Malformed, Truncated

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

_READ_AT_ONCE = 1 << 24
"""Bytes."""

FREE_EXPANSION = 64 << 20
"""Bytes to which any compressed input may expand."""
MAX_EXPANSION = 200
"""Beyond, decompressed bytes for each compressed one. Tables expand 2 to 50 times, gzip's limit is 1,030."""


def source_name(source: str) -> str:
    """How messages call a source."""
    return "<stdin>" if source == "-" else str(source)


class _CountedBytes:
    """The compressed bytes of a stream, counted."""

    def __init__(self, stream: io.BufferedReader):
        self._stream = stream
        self.count = 0

    def read(self, size: int = -1) -> bytes:
        """Some bytes; all that are left by default."""
        data = self._stream.read(size)
        self.count += len(data)
        return data

    @property
    def closed(self) -> bool:
        """Whether the stream is closed."""
        return self._stream.closed

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()


class _Bounded(io.RawIOBase):
    """Decompressed bytes, as long as they are in proportion to the compressed ones."""

    def __init__(self, unpacked: Any, packed: _CountedBytes, name: str):
        super().__init__()
        self._stream = unpacked
        self._packed = packed
        self._called = name
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n_read = self._stream.readinto(buffer)
        self._unpacked += n_read
        if self._unpacked > max(FREE_EXPANSION, MAX_EXPANSION * self._packed.count):
            raise Malformed(
                f"{self._packed.count:,} compressed bytes expand more than {MAX_EXPANSION}-fold,"
                f" beyond {FREE_EXPANSION >> 20} MiB",
                source=self._called,
                remedy="if that is meant, decompress the file first: gunzip, unzstd",
            )
        return n_read

    def close(self) -> None:
        super().close()
        self._packed.close()


def open_input(source: str) -> io.BufferedReader:
    """Open a source for reading bytes, with ``peek`` for telling formats apart; gzip and Zstandard are decompressed.

    Parameters
    ----------
    source : str
        A path (file, FIFO, device) or ``-`` for standard input.

    Raises
    ------
    FormatError
        The file cannot be opened.
    """
    try:
        raw: Any = sys.stdin.buffer if source == "-" else open(source, "rb")  # noqa: SIM115 (handed to the caller)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FormatError(f"cannot read: {reason}", source=source_name(source)) from None
    buffered = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(raw, 1 << 16)
    head = buffered.peek(4)
    if head.startswith((_GZIP, _ZSTANDARD)):
        packed: Any = _CountedBytes(buffered)
        is_gzip = head.startswith(_GZIP)
        unpacked = gzip.GzipFile(fileobj=packed, mode="rb") if is_gzip else _Zstandard(packed)
        return io.BufferedReader(_Bounded(unpacked, packed, source_name(source)), 1 << 16)
    return buffered


class _Zstandard(io.RawIOBase):
    """Decompressed bytes of a Zstandard stream; damage is told by the exceptions that gzip has for it."""

    def __init__(self, packed: _CountedBytes):
        import pyarrow

        self._stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(packed, mode="r"), "zstd")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except OSError as error:
            if "Truncated" in str(error):
                raise EOFError from None
            raise zlib.error(str(error)) from None
        buffer[: len(data)] = data
        return len(data)


def read_bytes(source: str) -> bytes:
    """All bytes of a source, decompressed if it is gzip or Zstandard.

    Raises
    ------
    Truncated
        The compressed data end early.
    Malformed
        The compressed data are damaged.
    FormatError
        The source cannot be opened or read.
    """
    name = source_name(source)
    try:
        stream = open_input(source)
        with contextlib.nullcontext() if source == "-" else stream:
            data = io.BytesIO()
            while part := stream.read(_READ_AT_ONCE):  # signals are heard in between
                data.write(part)
            return data.getvalue()
    except EOFError:
        raise Truncated("the compressed data end early", source=name) from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise Malformed(f"damaged compressed data ({error})", source=name) from None
    except OSError as error:
        raise FormatError(f"cannot read: {error.strerror or error}", source=name) from None


def is_written_in_place(target: str) -> bool:
    """Whether a target is no regular file, which cannot appear by being renamed."""
    # A FIFO or device cannot be replaced by rename; /dev/stdout looks like a regular file when redirected.
    if os.path.abspath(target).startswith(("/dev/", "/proc/")):
        return True
    try:
        return not stat.S_ISREG(os.stat(target).st_mode)
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def open_output(target: str) -> Iterator[BinaryIO]:
    """Open a target for writing bytes: standard output for ``-``, else a file that appears only when complete.

    A regular file is written under a temporary name in the same folder and renamed at the end; on any
    exception the temporary file is removed and an older file of that name stays as it was.
    """
    if target == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if is_written_in_place(target):
        with open(target, "wb") as stream:
            yield stream
        return
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except OSError as error:
        error.filename = target  # the name that the user knows
        raise
    finally:
        with contextlib.suppress(OSError):  # after a rename there is nothing to remove
            os.unlink(temporary)
