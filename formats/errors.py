"""Errors of input data by kind (exit code 65), and of results that fail verification (exit code 70)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


class FormatError(Exception):
    """Bad input data: the problem, its place, and a remedy.

    The place is a file name (or ``<stdin>``), a line counted from 1, and the name of a column or variable. `mend` has
    options of the reader, by name, with which it succeeds, if there are any; the caller shows them in its own words.
    """

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        column: str | None = None,
        remedy: str | None = None,
    ):
        super().__init__(message)
        self.message = message
        self.source, self.line, self.column = source, line, column
        self.remedy = remedy
        self.mend: dict[str, Any] = {}

    def __str__(self) -> str:
        place = self.source or ""
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
        text = f"{place}: " if place else ""
        if self.column is not None:
            text += f"column {self.column!r}: "
        text += self.message
        return f"{text}\n  {self.remedy}" if self.remedy else text


@contextlib.contextmanager
def located(source: str) -> Iterator[None]:
    """Name the file that is read within the block in errors that name none."""
    try:
        yield
    except FormatError as error:
        error.source = error.source or source
        raise


class Malformed(FormatError):
    """The bytes are not of the expected form."""


class Truncated(FormatError):
    """The input ends before everything that its header announces has arrived."""


class UnknownVersion(FormatError):
    """A version of one of this program's formats that this release does not read."""


class Inconsistent(FormatError):
    """Each part is well formed, but parts contradict each other."""


class UnsuitableData(FormatError):
    """A readable table that cannot be used as it is: missing cells, continuous columns, too many states."""


class VerificationError(RuntimeError):
    """A result fails verification, which is a bug: no part of it is written or kept."""
