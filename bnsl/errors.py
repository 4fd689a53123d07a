"""Exceptions with the messages of the command line, a class for each of its exit codes."""

from __future__ import annotations

from bnsl_cli.running.exit_codes import ExitCode


class BnslError(Exception):
    """What a function of this package raises."""


class UsageError(BnslError, ValueError):
    """An option that does not exist, does not fit the others, or has an impossible value."""


class DataError(BnslError, ValueError):
    """An input that cannot be read, is damaged, or unsuitable."""


class RunError(BnslError, RuntimeError):
    """Nothing meets the constraints, nothing was found in time, a file cannot be written."""


class BugError(BnslError):
    """An error of this program; its cause is the exception that was not foreseen."""


OF_CODES = {
    ExitCode.FAILURE: RunError,
    ExitCode.USAGE: UsageError,
    ExitCode.BAD_DATA: DataError,
    ExitCode.BUG: BugError,
}
"""The exception for each exit code."""
