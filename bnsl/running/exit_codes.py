"""How a command can end."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """All exit codes of all commands; `bnsl help exit-codes` explains them."""

    SUCCESS = 0
    """Done; also when a budget ended an anytime search that has a result."""
    FAILURE = 1
    """The run failed: cannot write, no network meets the constraints, nothing found within the budget."""
    USAGE = 2
    """Wrong usage."""
    BAD_DATA = 65
    """Bad input data: unreadable, malformed, truncated, inconsistent, unsuitable."""
    BUG = 70
    """A bug of this program."""
    HUNG_UP = 129
    """Interrupted by SIGHUP: the terminal was closed."""
    INTERRUPTED = 130
    """Interrupted by SIGINT."""
    CLOSED_PIPE = 141
    """The reader of the output has ended."""
    TERMINATED = 143
    """Interrupted by SIGTERM."""
