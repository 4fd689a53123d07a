"""What a stage says on standard error: nothing, plain lines, or live bars.

Bars are drawn (and rich imported) only if stderr is a terminal and stdout is no pipe: in ``a | b | c`` just
the last stage draws, the others write a plain line every few seconds.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .printable import printable, printable_lines

if TYPE_CHECKING:
    from rich.progress import Progress

PLAIN_INTERVAL = 5.0
"""Seconds between plain lines of progress."""
LIVE_DELAY = 0.4
"""Seconds of work before a bar appears: short runs stay calm."""
LIVE_INTERVAL = 0.1


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

    def progress(self, done: int, total: int | None, **facts: object) -> None:
        """Work done so far, a line every few seconds: on a terminal, elsewhere with ``-v``."""
        pace = self._pace.facts(done, total)
        if self.verbosity < (0 if sys.stderr.isatty() else 1):
            return
        now = time.monotonic()
        if now - self._last_progress >= PLAIN_INTERVAL:
            self._last_progress = now
            self._line(progress_text(done, total, now - self._started, facts | pace))

    def pause(self) -> None:
        """Clear what is drawn, before data go to the same terminal."""

    def close(self) -> None:
        """The stage is done."""
        if self.verbosity >= 2:
            self.timing(resources_text(time.monotonic() - self._started))


class LiveReporter(Reporter):
    """One bar at the bottom of the terminal; lines scroll above it."""

    def __init__(self, prefix: str, verbosity: int = 0):
        super().__init__(prefix, verbosity)
        self._bar: Progress | None = None
        self._task: Any = None

    def _write(self, text: str) -> None:
        if self._bar is None:
            super()._write(text)
        else:
            self._bar.console.print(text, end="", markup=False, highlight=False, soft_wrap=True)

    def progress(self, done: int, total: int | None, **facts: object) -> None:
        """Work done so far, as a bar that appears after a moment."""
        pace = self._pace.facts(done, total)
        now = time.monotonic()
        if now - self._started < LIVE_DELAY or now - self._last_progress < LIVE_INTERVAL:
            return
        self._last_progress = now
        bar = self._bar or self._open_bar()
        shown = printable(progress_text(done, total, None, facts | pace))
        bar.update(self._task, completed=done, total=total, facts=shown)

    def _open_bar(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._bar = bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TimeElapsedColumn(),
            TextColumn("{task.fields[facts]}", markup=False),
            console=Console(stderr=True),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._task = bar.add_task(self.prefix, total=None, facts="")
        bar.start()
        return bar

    def pause(self) -> None:
        """Clear the bar, before data go to the same terminal."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def close(self) -> None:
        """The stage is done."""
        self.pause()
        super().close()


def duration_text(seconds: float) -> str:
    """A time span in the units that suit it: 8 s, 3m 20s, 2h 05m."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.1f} s" if seconds < 9.95 else f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}m {whole % 60:02d}s"
    return f"{whole // 3600}h {whole % 3600 // 60:02d}m"


class Pace:
    """Rate and time left of a task that tells how many of its equal parts are done."""

    def __init__(self):
        self._begun: tuple[int, float] | None = None

    def facts(self, done: int, total: int | None) -> dict[str, object]:
        """What to tell besides the counts; nothing before two parts are done."""
        now = time.monotonic()
        if self._begun is None or done < self._begun[0]:
            self._begun = (done, now)
        parts, seconds = done - self._begun[0], now - self._begun[1]
        if total is None or parts < 2 or seconds <= 0:
            return {}
        left = (total - done) * seconds / parts
        return {"rate": f"{parts / seconds:,.3g}/s", "left": duration_text(left)}


def progress_text(done: int, total: int | None, seconds: float | None, facts: dict[str, object]) -> str:
    """One line of progress: ``12/111, score -350,123.45, rate 3.4/s, left 29 s, 3 s``."""
    parts = [f"{done:,}" if total is None else f"{done:,}/{total:,}"]
    for name, value in facts.items():
        shown = (
            f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
        )
        parts.append(f"{name.replace('_', ' ')} {shown}")
    if seconds is not None:
        parts.append(f"{seconds:.0f} s")
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
    try:
        return not stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def open_reporter(prefix: str, verbosity: int = 0) -> Iterator[Reporter]:
    """The reporter that suits stderr and stdout, closed at the end of the block."""
    kind = LiveReporter if _draws_live(verbosity) else Reporter
    reporter = kind(prefix, verbosity)
    try:
        yield reporter
    finally:
        reporter.close()
