"""A live line of progress on a terminal, and the choice between it and plain lines.

The line is drawn (and rich imported) only if stderr is a terminal and stdout is no pipe: in ``a | b | c`` only the
last stage draws, and the others write a plain line every few seconds. It is also drawn in notebooks.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import stat
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import IO, TYPE_CHECKING, Any

from bnsl.running.reporter import LineReporter, progress_parts

if TYPE_CHECKING:
    from rich.progress import Progress

LIVE_DELAY = 0.4
"""Seconds of work before the line appears, so that short runs show none."""
LIVE_INTERVAL = 0.1
WIDE = 100
"""Number of columns from which a bar is shown, and the time limit beside the remaining time."""
BAR_WIDTH = 8
SIGNS = 12
"""Columns of the spinner, the elapsed time and the gaps between."""
SILENT_DELAY = 1.0
"""Seconds until the line appears for a stage without progress, which reads or compiles."""


class LiveReporter(LineReporter):
    """One line of progress at the bottom of the terminal; lines of text scroll above it.

    `shows_silence`: draw also while a stage reports no progress.
    """

    def __init__(self, prefix: str, verbosity: int = 0, shows_silence: bool = False):
        super().__init__(prefix, verbosity)
        self._is_over = False
        self._taken = SIGNS
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

    def _show(self, done: int, total: int | None, counted: str, facts: dict[str, object]) -> None:
        """The line, after the first moment."""
        left = self._time_left(done, total)
        now = time.monotonic()
        if now - self._started < LIVE_DELAY or now - self._last_progress < LIVE_INTERVAL:
            return
        self._last_progress = now
        bar = self._open_bar()
        if bar is None:
            return
        share = self._share(done, total)
        from formats.wording import printable

        parts = progress_parts(done, total, counted, facts | left)  # a narrow line drops the last ones
        shown = fitting(list(map(printable, parts)), bar.console.width - len(self.prefix) - self._taken)
        bar.update(self._task, completed=share or 0.0, total=None if share is None else 1.0, facts=shown)

    def _share(self, done: int, total: int | None) -> float | None:
        """The share of the work that is done, or of the time limit; None if unknown."""
        if self._budget is not None and self._budget.seconds:
            return min(1.0, self._budget.elapsed() / self._budget.seconds)
        return done / total if total else None

    def _open_bar(self) -> Progress | None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        # Called by the timer and by the stage itself: the first caller opens the line.
        with self._lock:
            if self._is_over or self._bar is not None:
                return self._bar
            console = Console(stderr=True)
            self._shows_limit = is_wide = console.width >= WIDE
            self._taken = SIGNS + (BAR_WIDTH + 1 if is_wide else 0)
            self._bar = bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                *([BarColumn(bar_width=BAR_WIDTH)] if is_wide else []),
                TimeElapsedColumn(),
                TextColumn(
                    "{task.fields[facts]}",
                    markup=False,
                    table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
                ),
                console=console,
                transient=True,
                expand=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._task = bar.add_task(self.prefix, total=None, facts="getting ready")
            bar.tasks[0].start_time = self._started
            bar.start()
            console.show_cursor(True)  # a signal may end the process at any moment, and would leave it hidden
            return bar

    def pause(self) -> None:
        """Remove the line for good, before data go to the same terminal."""
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


def fitting(parts: Sequence[str], room: int) -> str:
    """The first parts that fit into a line; figures are kept whole, names of gaps are cut to the word."""
    line = ""
    for part in parts:
        short = re.sub("^gap .* ", "gap ", part)
        longer = f"{line}, {short}" if line else short
        if len(longer) > room:
            break
        line = longer
    return line


def _in_notebook() -> bool:
    """Whether rich draws in a notebook, for which it needs ipywidgets."""
    if "ipykernel" not in sys.modules or importlib.util.find_spec("ipywidgets") is None:
        return False
    from rich.console import Console

    return Console().is_jupyter


def _draws_live(verbosity: int) -> bool:
    if verbosity >= 0 and _in_notebook():
        return True
    if verbosity < 0 or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return False
    return not _is_pipe(sys.stdout, otherwise=True)


def _is_pipe(stream: IO, otherwise: bool = False) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError):
        return otherwise


@contextlib.contextmanager
def open_reporter(prefix: str, verbosity: int = 0, writes_stdout: bool = True) -> Iterator[LineReporter]:
    """The reporter that suits stderr and stdout, closed at the end of the block.

    `writes_stdout`: whether data go to standard output; on a terminal these must not mix with the line of progress.
    """
    if _draws_live(verbosity):
        is_free = not (writes_stdout and sys.stdout.isatty())
        # The preceding command of a pipe shows its own progress.
        reporter: LineReporter = LiveReporter(prefix, verbosity, is_free and not _is_pipe(sys.stdin))
    else:
        reporter = LineReporter(prefix, verbosity)
    try:
        yield reporter
    finally:
        reporter.close()
