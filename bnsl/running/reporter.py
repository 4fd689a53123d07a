"""Messages of a stage on standard error, as plain lines; progress of compilation among them.

Kernels are compiled when they are first used, once after an installation, and numba announces each compilation. A
thread looks a few times a second whether numba is loaded and compiling, so commands that need no kernels never load
it.
"""

from __future__ import annotations

import contextlib
import math
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from formats.printable import printable_lines

from .best_so_far import BestSoFar

if TYPE_CHECKING:
    from formats.records import Network
    from stages.runtime.budgets import Budget

PLAIN_INTERVAL = 5.0
"""Seconds between plain lines of progress."""
COMPILING_INTERVAL = 30.0
"""Seconds between lines about compilation if standard error is no terminal."""
LOOK_SECONDS = 0.25
TELLING_GAP = 0.01
"""Largest gap that progress shows, as a share of the score: before that the bound has hardly been worked on."""
SILENT_SECONDS = 1.0
"""Seconds of compilation before the first report, and between two reports."""


class Reporter:
    """Plain lines on stderr, each prefixed with the command.

    - `prefix`: such as ``bnsl optimize``.
    - `verbosity`: -1 errors only, 0 warnings and the closing summary, 1 settings and progress lines, 2 timings.
    """

    def __init__(self, prefix: str, verbosity: int = 0):
        self.prefix = prefix
        self.verbosity = verbosity
        self._warned: set[str] = set()
        self._started = time.monotonic()
        self._last_progress = self._started
        self._begun: tuple[int, float] | None = None  # of the present task: parts done, the time
        self._budget: Budget | None = None
        self._best: BestSoFar | None = None
        self._shows_limit = True
        self._last_compiling = -math.inf
        self._compiling = CompileWatch(self.compiling)
        if verbosity >= 0:
            self._compiling.start()

    def _line(self, message: str, least_verbosity: int = 0) -> None:
        if self.verbosity >= least_verbosity:
            self._write(f"{self.prefix}: {printable_lines(message)}\n")

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

    def keep_best(self, keep: Callable[[Network], None]) -> None:
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

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        """Work done so far, as `stages.runtime.reporting.Reporter` has it."""
        network = cast("Callable[[], Network | None] | None", facts.pop("network", None))
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

    def compiling(self, count: int, seconds: float) -> None:
        """A line at intervals: kernels compiled so far, and the seconds that this took."""
        now = time.monotonic()
        if now - self._last_compiling >= (PLAIN_INTERVAL if sys.stderr.isatty() else COMPILING_INTERVAL):
            self._last_compiling = now
            self._line(compiling_text(count, seconds))

    def pause(self) -> None:
        """Draw nothing from now on, since data go to the same terminal."""

    def close(self) -> None:
        """The stage is done; with ``-vv`` a line gives wall time, and CPU time and peak memory of the process."""
        import resource

        self._compiling.close()
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


def compiling_text(count: int, seconds: float) -> str:
    """Progress of compilation: ``compiling kernels, once: 12 done, 8 s``."""
    from stages.kernels.jit import why_not_stored
    from stages.runtime.reporting import duration_text

    reason = why_not_stored()
    when = "once" if reason is None else f"in each run, since {reason}"
    return f"compiling kernels, {when}: {count} done, {duration_text(seconds)}"


class CompileWatch:
    """Reports about once a second, while kernels are compiled, their number so far and the time taken.

    `report`: gets the number of kernels compiled so far and the seconds of compilation; called from a separate
    thread.
    """

    def __init__(self, report: Callable[[int, float], None]):
        self._report = report
        self._is_over = threading.Event()
        self._listener: Any = None
        self._depth = 0
        self._begun = 0.0
        self._seconds = 0.0
        self._finished: set[tuple[str, str]] = set()

    def start(self) -> None:
        """Watch from now on."""
        threading.Thread(target=self._watch, name="bnsl-compiling", daemon=True).start()

    def close(self) -> None:
        """Watch no longer."""
        self._is_over.set()
        if self._listener is not None:
            sys.modules["numba.core.event"].unregister("numba:compile", self._listener)
            self._listener = None

    def _watch(self) -> None:
        reported = 0.0
        while not self._is_over.wait(LOOK_SECONDS):
            if self._listener is None and not self._listen():
                continue
            if self._depth:
                seconds = self._seconds + time.monotonic() - self._begun
                if seconds - reported >= SILENT_SECONDS:
                    reported = seconds
                    self._report(len(self._finished), seconds)

    def _listen(self) -> bool:
        """Receive numba's events, once it is loaded."""
        events: Any = sys.modules.get("numba.core.event")
        if "stages.kernels.jit" not in sys.modules or not hasattr(events, "install_recorder"):
            return False
        watch = self

        class Listener(events.Listener):
            def on_start(self, _event: object) -> None:
                if not watch._depth:
                    watch._begun = time.monotonic()
                # Compilations are nested: a called kernel is compiled within the compilation of its caller. Only the
                # outermost one is timed.
                watch._depth += 1

            def on_end(self, event: Any) -> None:
                if watch._depth:  # else it started before the listener was registered
                    watch._depth -= 1
                    if not watch._depth:
                        watch._seconds += time.monotonic() - watch._begun
                function = event.data["dispatcher"].py_func
                if function.__module__.startswith("stages."):  # numba compiles functions of its own, too
                    watch._finished.add((function.__module__, function.__name__))

        self._listener = Listener()
        events.register("numba:compile", self._listener)
        return True
