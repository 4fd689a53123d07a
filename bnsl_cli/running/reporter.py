"""Messages of a stage on standard error, as plain lines."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from typing import TYPE_CHECKING

from ..tables.printable import printable_lines
from .compiling import CompileWatch
from .progress_text import Pace, compiling_text, progress_text, resources_text

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget

PLAIN_INTERVAL = 5.0
"""Seconds between plain lines of progress."""
COMPILING_INTERVAL = 30.0
"""Seconds between lines about compilation if standard error is no terminal."""


class Reporter:
    """Plain lines on stderr, each prefixed with the command.

    - `prefix`: such as ``bnsl optimize``.
    - `verbosity`: -1 errors only, 0 warnings and the closing summary, 1 settings and progress lines, 2 timings.
    """

    def __init__(self, prefix: str, verbosity: int = 0):
        self.prefix = prefix
        self.verbosity = verbosity
        self._started = time.monotonic()
        self._last_progress = self._started
        self._pace = Pace()
        self._budget: Budget | None = None
        self._shows_limit = True
        self._last_compiling = -math.inf
        self._compiling = CompileWatch(self.compiling)
        if verbosity >= 0:
            self._compiling.start()

    def _line(self, message: str, least_verbosity: int = 0) -> None:
        if self.verbosity >= least_verbosity:
            self._write(f"{self.prefix}: {printable_lines(message)}\n")

    def _write(self, text: str) -> None:
        # A closed terminal, or a closed reader of stderr, must not cost the result.
        with contextlib.suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()

    def warn(self, message: str) -> None:
        """Something the user should know although the run goes on."""
        self._line(f"warning: {message}")

    def summary(self, message: str) -> None:
        """What was done: the closing line of a stage, the columns that were cut."""
        self._line(message)

    def detail(self, message: str) -> None:
        """A setting or an intermediate result; with ``-v``."""
        self._line(message, 1)

    def timing(self, message: str) -> None:
        """How long something took; with ``-vv``."""
        self._line(message, 2)

    def follow(self, budget: Budget) -> None:
        """Show from now on how much of the time limit of `budget` is left, if it has one."""
        self._budget = budget

    def _time_left(self, done: int, total: int | None) -> dict[str, object]:
        """What is left of a time limit, else how long the rest will take at the present pace."""
        from stages.runtime.reporting import duration_text

        pace = self._pace.facts(done, total)
        if self._budget is None or self._budget.seconds is None:
            return pace
        left, limit = duration_text(self._budget.time_left()), duration_text(self._budget.seconds)
        return pace | {"left": f"{left} of {limit}" if self._shows_limit else left}

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        """Work done so far: a line every few seconds on a terminal, elsewhere with ``-v``."""
        from stages.runtime.reporting import duration_text

        left = self._time_left(done, total)
        now = time.monotonic()
        if now - self._last_progress >= PLAIN_INTERVAL:
            self._last_progress = now
            text = progress_text(done, total, counted, facts | left)
            least_verbosity = 0 if sys.stderr.isatty() else 1
            self._line(f"{text}, {duration_text(now - self._started)}", least_verbosity)

    def compiling(self, count: int, seconds: float) -> None:
        """A line now and then: kernels compiled so far, and the seconds that this took."""
        now = time.monotonic()
        if now - self._last_compiling >= (PLAIN_INTERVAL if sys.stderr.isatty() else COMPILING_INTERVAL):
            self._last_compiling = now
            self._line(compiling_text(count, seconds))

    def pause(self) -> None:
        """Draw nothing from now on, since data go to the same terminal."""

    def close(self) -> None:
        """The stage is done."""
        self._compiling.close()
        self.timing(resources_text(time.monotonic() - self._started))
