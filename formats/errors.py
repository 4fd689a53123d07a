"""What can be wrong with an input. Every kind ends a command with exit code 65.

Messages say what is wrong and where; `remedy` says what to do about it.
"""

from __future__ import annotations


class FormatError(Exception):
    """Bad input data.

    Parameters
    ----------
    message : str
        What is wrong, without the location.
    source : str, optional
        File name, or ``<stdin>``.
    line : int, optional
        Line of `source`, counted from 1.
    column : str, optional
        Name of the offending column or variable.
    remedy : str, optional
        What the user can do about it.
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
        self.source = source
        self.line = line
        self.column = column
        self.remedy = remedy

    def __str__(self) -> str:
        place = self.source or ""
        if self.line is not None:
            place += f":{self.line}" if place else f"line {self.line}"
        text = f"{place}: " if place else ""
        if self.column is not None:
            text += f"column {self.column!r}: "
        text += self.message
        return f"{text}\n  {self.remedy}" if self.remedy else text


class Malformed(FormatError):
    """The bytes are not of the expected form."""


class Truncated(FormatError):
    """The input ends before all that its header announces has come."""


class UnknownVersion(FormatError):
    """A version of one of our formats that this release does not read."""


class Inconsistent(FormatError):
    """Each part is well formed, but parts contradict each other."""


class UnsuitableData(FormatError):
    """A readable table that cannot be used as it is: missing cells, continuous columns, too many states."""
