"""What a stage says on standard error: nothing, plain lines, or live bars.

Bars are drawn (and rich imported) only if stderr is a terminal and stdout is no pipe: in ``a | b | c`` just
the last stage draws, the others write a plain line every few seconds.
"""

from __future__ import annotations

import contextlib
import math
import os
import stat
import sys
import threading
import time
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from .compiling import CompileWatch, unwritable_cache
from .printable import printable, printable_lines

if TYPE_CHECKING:
    from rich.progress import Progress

    from stages.runtime.budgets import Budget

PLAIN_INTERVAL = 5.0
"""Seconds between plain lines of progress."""
LIVE_DELAY = 0.4
"""Seconds of work before a bar appears: short runs stay calm."""
LIVE_INTERVAL = 0.1
COMPILING_INTERVAL = 30.0
"""Seconds between lines about compilation where nobody watches: standard error is no terminal."""
WIDE = 100
"""Columns from which on a terminal has room for a bar, and for the time limit beside the time left."""
SILENT_DELAY = 1.0
"""Seconds until it is shown that a stage works which tells no progress yet: reading, compiling."""


class Reporter:
    """Plain lines on stderr, each with the stage's name in front.

    Parameters
    ----------
    prefix : str
        Such as ``bnsl optimize``.
    verbosity : int
        -1 errors only, 0 warnings and the closing summary, 1 settings and progress lines, 2 timings.
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

    def _line(self, message: str) -> None:
        self._write(f"{self.prefix}: {printable_lines(message)}\n")

    def _write(self, text: str) -> None:
        # A terminal that has been closed, or a reader of stderr that is gone, must not cost the result.
        with contextlib.suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()

    def warn(self, message: str) -> None:
        """Something the user should know although the run goes on."""
        if self.verbosity >= 0:
            self._line(f"warning: {message}")

    def summary(self, message: str) -> None:
        """The closing line of a stage."""
        if self.verbosity >= 0:
            self._line(message)

    def detail(self, message: str) -> None:
        """A setting or an intermediate result."""
        if self.verbosity >= 1:
            self._line(message)

    def timing(self, message: str) -> None:
        """How long something took; only with ``-vv``."""
        if self.verbosity >= 2:
            self._line(message)

    def follow(self, budget: Budget) -> None:
        """Tell from now on how much of the time of `budget` is left, if it is limited."""
        self._budget = budget

    def _time_left(self, done: int, total: int | None) -> dict[str, object]:
        """What is left of a time limit, else how long the rest will take at the pace of what is done."""
        from stages.runtime.reporting import duration_text

        pace = self._pace.facts(done, total)
        if self._budget is None or self._budget.seconds is None:
            return pace
        left, limit = duration_text(self._budget.time_left()), duration_text(self._budget.seconds)
        return pace | {"left": f"{left} of {limit}" if self._shows_limit else left}

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        """Work done so far, a line every few seconds: on a terminal, elsewhere with ``-v``."""
        from stages.runtime.reporting import duration_text

        left = self._time_left(done, total)
        if self.verbosity < (0 if sys.stderr.isatty() else 1):
            return
        now = time.monotonic()
        if now - self._last_progress >= PLAIN_INTERVAL:
            self._last_progress = now
            took = f"{duration_text(now - self._started)}"
            self._line(", ".join([progress_text(done, total, counted, facts | left), took]))

    def compiling(self, count: int, most: int) -> None:
        """So many kernels have been compiled, of `most` that the run may need; said now and then."""
        now = time.monotonic()
        if now - self._last_compiling >= (PLAIN_INTERVAL if sys.stderr.isatty() else COMPILING_INTERVAL):
            self._last_compiling = now
            self._line(compiling_text(count, most))

    def pause(self) -> None:
        """Draw nothing from now on: data go to the same terminal."""

    def close(self) -> None:
        """The stage is done."""
        self._compiling.close()
        if self.verbosity >= 2:
            self.timing(resources_text(time.monotonic() - self._started))


class LiveReporter(Reporter):
    """One line of progress at the bottom of the terminal; lines of text scroll above it.

    It appears when work takes longer than a moment.

    Parameters
    ----------
    prefix, verbosity
    shows_silence : bool
        Draw also where a stage tells no progress of its own (it reads, or compiles).
    """

    def __init__(self, prefix: str, verbosity: int = 0, shows_silence: bool = False):
        super().__init__(prefix, verbosity)
        self._is_over = False
        self._bar: Progress | None = None
        self._task: Any = None
        self._lock = threading.Lock()
        self._alarm = threading.Timer(SILENT_DELAY, self._open_bar)
        self._alarm.daemon = True
        if shows_silence:
            self._alarm.start()

    def _write(self, text: str) -> None:
        if self._bar is None:
            super()._write(text)
        else:
            self._bar.console.print(text, end="", markup=False, highlight=False, soft_wrap=True)

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        """Work done so far, in a line that appears after a moment."""
        left = self._time_left(done, total)
        now = time.monotonic()
        if now - self._started < LIVE_DELAY or now - self._last_progress < LIVE_INTERVAL:
            return
        self._last_progress = now
        bar = self._open_bar()
        if bar is None:
            return
        share = self._share(done, total)
        shown = printable(progress_text(done, total, counted, left | facts))
        bar.update(self._task, completed=share or 0.0, total=None if share is None else 1.0, facts=shown)

    def compiling(self, count: int, most: int) -> None:
        """So many kernels have been compiled, of `most` that the run may need; shown until there is progress."""
        bar = self._open_bar()
        if bar is not None:
            bar.update(self._task, facts=compiling_text(count, most))

    def _share(self, done: int, total: int | None) -> float | None:
        """How much of the work, or of the time if that is limited, is done; None where nobody knows."""
        if self._budget is not None and self._budget.seconds:
            return min(1.0, self._budget.elapsed() / self._budget.seconds)
        return done / total if total else None

    def _open_bar(self) -> Progress | None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        with self._lock:
            if self._is_over or self._bar is not None:
                return self._bar
            console = Console(stderr=True)
            self._shows_limit = is_wide = console.width >= WIDE
            self._bar = bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                *([BarColumn(bar_width=8)] if is_wide else []),
                TimeElapsedColumn(),
                TextColumn("{task.fields[facts]}", markup=False, table_column=Column(ratio=1)),
                console=console,
                transient=True,
                expand=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = bar.add_task(self.prefix, total=None, facts="getting ready")
            bar.tasks[0].start_time = self._started
            bar.start()
            return bar

    def pause(self) -> None:
        """Clear the line for good, before data go to the same terminal."""
        self._alarm.cancel()
        with self._lock:
            self._is_over = True
            if self._bar is not None:
                self._bar.stop()
                self._bar = None

    def close(self) -> None:
        """The stage is done."""
        self.pause()
        super().close()


def compiling_text(count: int, most: int) -> str:
    """What is said while kernels are compiled, of which so many are ready."""
    folder = unwritable_cache()
    when = "once" if folder is None else f"in each run, since {folder} cannot be written"
    return f"compiling, {when}: {count} of at most {most} kernels"


class Pace:
    """Rate and time left of a task that tells how many of its equal parts are done."""

    def __init__(self):
        self._begun: tuple[int, float] | None = None

    def facts(self, done: int, total: int | None) -> dict[str, object]:
        """What to tell besides the counts; nothing before two parts are done."""
        from stages.runtime.reporting import duration_text

        now = time.monotonic()
        if self._begun is None or done < self._begun[0]:
            self._begun = (done, now)
        parts, seconds = done - self._begun[0], now - self._begun[1]
        if total is None or parts < 2 or seconds <= 0:
            return {}
        left = (total - done) * seconds / parts
        return {"rate": f"{parts / seconds:,.3g}/s", "left": duration_text(left)}


def progress_text(done: int, total: int | None, counted: str, facts: dict[str, object]) -> str:
    """One line of progress: ``score -350,123.45, rate 3.4/s, left 29 s, 12/111 variables``."""
    parts = []
    for name, value in facts.items():
        shown = (
            f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        )
        parts.append(f"{name.replace('_', ' ')} {shown}")
    if done or total is not None:
        parts.insert(0, f"{done:,}/{total:,} {counted}" if total is not None else f"{done:,} {counted}")
    return ", ".join(parts)


def resources_text(seconds: float) -> str:
    """Wall time of the stage, CPU time and peak memory of the process."""
    import resource

    usage = resource.getrusage(resource.RUSAGE_SELF)
    cpu = usage.ru_utime + usage.ru_stime
    return f"{seconds:.2f} s, {cpu:.2f} s of CPU, {usage.ru_maxrss / 1024:.0f} MiB at most"


def _draws_live(verbosity: int) -> bool:
    if verbosity < 0 or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return False
    return not _is_pipe(sys.stdout, otherwise=True)


def _is_pipe(stream: IO, otherwise: bool = False) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return otherwise


@contextlib.contextmanager
def open_reporter(prefix: str, verbosity: int = 0, writes_stdout: bool = True) -> Iterator[Reporter]:
    """The reporter that suits stderr and stdout, closed at the end of the block.

    Parameters
    ----------
    prefix, verbosity
    writes_stdout : bool
        Whether data go to standard output; on a terminal they must not meet the line of progress.
    """
    if _draws_live(verbosity):
        is_free = not (writes_stdout and sys.stdout.isatty())
        # The command before us in a pipe tells its own progress.
        reporter: Reporter = LiveReporter(prefix, verbosity, is_free and not _is_pipe(sys.stdin))
    else:
        reporter = Reporter(prefix, verbosity)
    try:
        yield reporter
    finally:
        reporter.close()
