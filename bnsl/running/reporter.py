"""Messages of a stage on standard error, as plain lines."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from formats.printable import printable_lines

from .best_so_far import BestSoFar

if TYPE_CHECKING:
    from formats.records import NetworkRecord
    from stages.runtime.budgets import Budget

PLAIN_INTERVAL = 5.0
"""Seconds between plain lines of progress."""
TELLING_GAP = 0.01
"""Largest gap that progress shows, as a share of the score: before that the bound has hardly been worked on."""


class LineReporter:
    """Plain lines on stderr, each prefixed with the command.

    - `prefix`: such as ``bnsl optimize``.
    - `verbosity`: -1 errors only, 0 warnings and the closing summary, 1 settings and progress lines, 2 timings.
    """

    def __init__(self, prefix: str, verbosity: int = 0):
        self.prefix = prefix
        self.verbosity = verbosity
        self.worded: Callable[[str], str] = str  # a message in the words of the caller
        self._warned: set[str] = set()
        self._started = time.monotonic()
        self._last_progress = self._started
        self._begun: tuple[int, float] | None = None  # of the present task: parts done, the time
        self._budget: Budget | None = None
        self._best: BestSoFar | None = None
        self._shows_limit = True

    def _line(self, message: str, least_verbosity: int = 0) -> None:
        if self.verbosity >= least_verbosity:
            self._write(f"{self.prefix}: {printable_lines(self.worded(message))}\n")

    def _write(self, text: str) -> None:
        # A closed terminal must not lose the result.
        with contextlib.suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()

    def warn(self, message: str) -> None:
        """Something the user should know although the run goes on; said once."""
        if message not in self._warned:
            self._warned.add(message)
            self._line(f"warning: {message}")

    def summary(self, message: str) -> None:
        """The closing line of a stage, or of the cutting of columns."""
        self._line(message)

    def note(self, message: str) -> None:
        """What was done to the input. Of several lines only the first appears, unless with ``-v``."""
        head, more, _ = message.partition("\n")
        is_short = more and self.verbosity < 1
        self._line(f"{head.removesuffix(':')} (verbose output says how)" if is_short else message)

    def detail(self, message: str) -> None:
        """A setting or an intermediate result; with ``-v``."""
        self._line(message, 1)

    def keep_best(self, keep: Callable[[NetworkRecord], None]) -> None:
        """From now on pass the best network so far of a search to `keep`, at intervals."""
        self._best = BestSoFar(keep)

    def follow(self, budget: Budget) -> None:
        """From now on show the time left of the time limit of `budget`, if it has one."""
        self._budget = budget

    def _time_left(self, done: int, total: int | None) -> dict[str, object]:
        """The time left of a time limit, else an estimate of the remaining time at the present pace."""
        from stages.runtime.reporting import duration_text

        pace = self._pace(done, total)
        if self._budget is None or self._budget.seconds is None:
            return pace
        left, limit = duration_text(self._budget.time_left()), duration_text(self._budget.seconds)
        return pace | {"left": f"{left} of {limit}" if self._shows_limit else left}

    def _pace(self, done: int, total: int | None) -> dict[str, object]:
        """Rate and time left of a task with a known number of equal parts; empty until two parts are done."""
        from stages.runtime.reporting import duration_text

        now = time.monotonic()
        # A smaller number than before means that another task began.
        if self._begun is None or done < self._begun[0]:
            self._begun = (done, now)
        parts, seconds = done - self._begun[0], now - self._begun[1]
        if total is None or parts < 2 or seconds <= 0:
            return {}
        left = (total - done) * seconds / parts
        return {"rate": f"{parts / seconds:,.3g}/s", "left": duration_text(left)}

    def progress(
        self,
        done: int,
        total: int | None,
        counted: str,
        network: Callable[[], NetworkRecord | None] | None = None,
        **facts: object,
    ) -> None:
        """Work done so far, as `stages.runtime.reporting.Reporter` has it."""
        if self._best is not None and network is not None:
            self._best.offer(network)
        self._show(done, total, counted, facts)

    def _show(self, done: int, total: int | None, counted: str, facts: dict[str, object]) -> None:
        """A line every few seconds on a terminal, elsewhere with ``-v``."""
        from stages.runtime.reporting import duration_text

        left = self._time_left(done, total)
        now = time.monotonic()
        if now - self._last_progress >= PLAIN_INTERVAL:
            self._last_progress = now
            text = ", ".join(progress_parts(done, total, counted, facts | left))
            least_verbosity = 0 if sys.stderr.isatty() else 1
            self._line(f"{text}, {duration_text(now - self._started)}", least_verbosity)

    def pause(self) -> None:
        """Draw nothing from now on, since data go to the same terminal."""

    def close(self) -> None:
        """The stage is done; with ``-vv`` a line gives wall time, and CPU time and peak memory of the process."""
        import resource

        usage = resource.getrusage(resource.RUSAGE_SELF)
        seconds, cpu = time.monotonic() - self._started, usage.ru_utime + usage.ru_stime
        self._line(f"{seconds:.2f} s, {cpu:.2f} s of CPU, {usage.ru_maxrss / 1024:.0f} MiB at most", 2)


def progress_parts(done: int, total: int | None, counted: str, facts: dict[str, object]) -> list[str]:
    """The parts of a line of progress: ``12/111 variables``, ``score -350,123.45``, ``rate 3.4/s``, ``left 29 s``.

    A gap above `TELLING_GAP` is left out.
    """
    parts, score = [], facts.get("score")
    if done or total is not None:
        parts.append(f"{done:,} {counted}" if total is None else f"{done:,}/{total:,} {counted}")
    for name, value in facts.items():
        if name.startswith("gap") and not (
            isinstance(score, float) and isinstance(value, float) and value <= TELLING_GAP * abs(score)
        ):
            continue
        form = ",.2f" if isinstance(value, float) else "," if isinstance(value, int) else ""
        parts.append(f"{name.replace('_', ' ')} {value:{form}}")
    return parts
