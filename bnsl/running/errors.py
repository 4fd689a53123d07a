"""Exceptions of the library, a class for each exit code of the command line.

An exception raised in `formats` or `stages` becomes one of these in Python, and a message with an exit code on the
command line; `described` decides for both.
"""

from __future__ import annotations

import errno
import os
import re
import resource

from ..removed import removed, removed_format, removed_input
from .exit_codes import ExitCode


class BnslError(Exception):
    """What a function of this package raises."""

    code = ExitCode.BUG


class UsageError(BnslError, ValueError):
    """An option that does not exist, does not fit the others, or has an impossible value.

    - `parameter`: the keyword concerned, if any. Messages spell options as a shell does; `wording.in_python`
    translates them into keywords.
    """

    code = ExitCode.USAGE

    def __init__(self, message: str, parameter: str | None = None):
        super().__init__(message)
        self.parameter = parameter


class RemovedError(UsageError):
    """A name that an earlier release had; the message says what to use instead."""


def refuse_removed(name: str, *keys: str) -> None:
    """Raise `RemovedError` if one of the keys, or the name, was removed."""
    _refuse(removed(name, *keys))


def refuse_removed_format(path: str) -> None:
    """Raise `RemovedError` if the format that the ending of a file names was removed."""
    _refuse(removed_format(path))


def _refuse(sentence: str | None) -> None:
    if sentence is not None:
        raise RemovedError(sentence)


class DataError(BnslError, ValueError):
    """An input that cannot be read, is damaged, or unsuitable."""

    code = ExitCode.BAD_DATA


class RunError(BnslError, RuntimeError):
    """No network meets the constraints, nothing was found in time, or a file cannot be written."""

    code = ExitCode.FAILURE


class BugError(BnslError):
    """An error of this program; its cause is the unexpected exception."""


NO_SPACE = "\n  Nothing half-written is left behind under the output's name; free some space and run again."

# Under a limit on address space (ulimit -v), libraries fail to load or threads to start before any array is too
# large; the exceptions are then other ones than MemoryError.
_SIGNS = re.compile("failed to map segment|cannot allocate memory", re.IGNORECASE)
_SIGNS_UNDER_A_LIMIT = re.compile(
    "start new thread|launch worker thread|load shared object|open shared object|LLVM", re.IGNORECASE
)


def described(error: Exception) -> BnslError:
    """The exception of this package that describes an exception from a function."""
    if isinstance(error, BnslError):
        return error
    if message := out_of_memory(error):
        return RunError(message)
    from formats.errors import FormatError
    from formats.registry import named_formats
    from stages.runtime.errors import StageError

    match error:
        case FormatError():
            instead = None if named_formats(error.source or "") else removed_input(error.source or "")
            return RemovedError(instead) if instead else DataError(str(error))
        case StageError():
            return RunError(str(error))
        case OSError():
            # All failures in reading are FormatErrors.
            if error.errno == errno.ENOENT and (missing := without_folder(error.filename or "")):
                return missing
            place = f" {error.filename}" if error.filename else ""
            advice = NO_SPACE if error.errno == errno.ENOSPC else ""
            return RunError(f"cannot write{place}: {error.strerror or error}{advice}")
    from bnsl import __version__

    return BugError(f"this is a bug of bnsl {__version__}: {type(error).__name__}: {error}")


def without_folder(path: str) -> RunError | None:
    """The error of an output in a folder that does not exist; None if there is no such obstacle."""
    folder = os.path.dirname(path)
    if not folder or os.path.isdir(folder):
        return None
    return RunError(f"cannot write {path}: there is no folder {folder}; make it first")


def out_of_memory(error: BaseException) -> str | None:
    """The message if memory is exhausted; None if the exception and its causes mean something else."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    has_limit = limit != resource.RLIM_INFINITY
    found: BaseException | None = error
    while found is not None and not _is_of_memory(found, has_limit):
        found = found.__cause__ or found.__context__
    if found is None:
        return None
    if not has_limit:
        return "out of memory"
    remedy = "Raise it: with its libraries bnsl takes 600 to 900 MiB of addresses before any data."
    if "ulimit -v" in str(found):  # it says what is needed
        remedy = str(found)
    return f"out of memory: the limit on address space is {limit >> 20:,} MiB (ulimit -v)\n  {remedy}"


def _is_of_memory(error: BaseException, has_limit: bool) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    text = str(error)
    return bool(_SIGNS.search(text) or (has_limit and _SIGNS_UNDER_A_LIMIT.search(text)))
