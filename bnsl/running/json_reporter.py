"""Messages and progress as JSON lines on standard error, one for each event, for programs (``--log json``).

Each line is an object with ``seconds`` since the start of the command, ``command`` and ``event``; the topic
``log`` says what else it has. Numbers that JSON does not know (infinite ones) are null.
"""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Mapping
from typing import Any

from bnsl.running.reporter import Reporter

PROGRESS_INTERVAL = 1.0
"""Seconds between two events of progress, and between two of a bound."""


class JsonReporter(Reporter):
    """One JSON line an event; -q leaves errors only."""

    def __init__(self, prefix: str, verbosity: int = 0):
        super().__init__(prefix, verbosity)
        self._last_progress = self._last_bound = -math.inf
        self._score = -math.inf
        self._bound = math.inf
        self.has_failed = False  # an error, which is reported by the command line, ended the command

    def _event(self, event: str, **fields: object) -> None:
        self._emit(event, fields)

    def _emit(self, event: str, fields: Mapping[str, object]) -> None:
        if self.verbosity >= 0:
            self._write(event_line(self.prefix, event, time.monotonic() - self._started, fields))

    def warn(self, message: str) -> None:
        self._event("warning", message=message)

    def summary(self, message: str) -> None:
        self._event("summary", message=message)

    def detail(self, message: str) -> None:
        self._event("detail", message=message)

    def compiling(self, count: int, seconds: float) -> None:
        self._event("compiling", kernels=count, compiled_seconds=seconds)

    def _show(self, done: int, total: int | None, counted: str, facts: dict[str, object]) -> None:
        score, now = facts.get("score"), time.monotonic()
        if isinstance(score, float):
            if score > self._score:
                self._score = score
                self._event("network", score=score)
            gaps = [value for name, value in facts.items() if name.startswith("gap") and isinstance(value, float)]
            if gaps and score + gaps[0] != self._bound and now - self._last_bound >= PROGRESS_INTERVAL:
                self._bound, self._last_bound = score + gaps[0], now
                self._event("bound", bound=self._bound, gap=gaps[0])
        if now - self._last_progress >= PROGRESS_INTERVAL:
            self._last_progress = now
            figures = {name.replace(" ", "_").replace("'", ""): value for name, value in facts.items()}
            self._emit("progress", {"done": done, "total": total, "counted": counted, **figures})

    def close(self) -> None:
        """The stage is done, or has failed."""
        import resource

        self._compiling.close()
        if not self.has_failed:
            usage = resource.getrusage(resource.RUSAGE_SELF)
            self._event("done", cpu_seconds=usage.ru_utime + usage.ru_stime, memory=usage.ru_maxrss * 1024)


def event_line(prefix: str, event: str, seconds: float | None, fields: Mapping[str, object]) -> str:
    """The line of an event; `seconds` is None where the start of the command is unknown."""
    shown = None if seconds is None else round(seconds, 3)
    of_all = {"seconds": shown, "command": prefix.removeprefix("bnsl "), "event": event}
    own = {name: plain(value) for name, value in fields.items() if name not in of_all}
    return json.dumps(of_all | own, ensure_ascii=False) + "\n"


def plain(value: Any) -> Any:
    """The value as JSON has it."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return number if math.isfinite(number) else None


def logs_json(words: list[str]) -> bool:
    """Whether a command line asks for JSON lines: errors of its options are reported before it is parsed."""
    return "--log=json" in words or any(pair == ("--log", "json") for pair in itertools.pairwise(words))
