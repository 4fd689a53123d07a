"""Limits of a run (seconds, evaluations, interruption), and slices of work between checks of them.

The only module that reads a clock for a search.

What is sent to workers on other machines contains budgets and stops. A budget is pickled with the time of day at
which it ends (clocks of machines should agree to a second), a stop as a new one: workers pass theirs to each task.
"""

from __future__ import annotations

import contextlib
import math
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol


class StopSignal(Protocol):
    """A request to stop a search: an event of threads, or one that forked processes share."""

    def set(self) -> None:
        """Request it."""

    def is_set(self) -> bool:
        """Whether it was requested."""


class Stop(threading.Event):
    """An event of threads; unpickled it is a new one."""

    def __reduce__(self) -> tuple[type[Stop], tuple[()]]:
        return Stop, ()


class Budget:
    """A limit on time and work, checked between slices of compiled work.

    Parameters
    ----------
    seconds : float, optional
        Wall time from construction or the last `restart`; None for no limit.
    evaluations : int, optional
        Units of work (local scores, orders); deterministic, so runs limited by it repeat exactly. None for no limit.
    stop : StopSignal, optional
        Set by a signal handler: the search returns its incumbent. None for a new one.
    clock : callable
        Monotonic time in seconds.
    """

    def __init__(
        self,
        seconds: float | None = None,
        evaluations: int | None = None,
        stop: StopSignal | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.seconds = seconds
        self.evaluations = evaluations
        self.stop: StopSignal = stop or Stop()
        self._reserve: Callable[[], float] | None = None
        self._clock = clock
        self.restart()

    def __reduce__(self) -> tuple[Callable[..., Budget], tuple[Any, ...]]:
        # A monotonic clock is meaningless on another machine: the end is sent as a time of day.
        ends_at = None if self.seconds is None else time.time() + self.seconds - self.elapsed()
        return _arrived, (ends_at, self.evaluations, self.stop)

    def restart(self) -> None:
        """Start the clock now."""
        self._started = self._clock()

    def part(self, share: float) -> Budget:
        """A budget with this share (0 to 1) of the time left, and the same other limits."""
        seconds = None if self.seconds is None else share * self.time_left()
        return Budget(seconds, self.evaluations, self.stop, self._clock)

    @contextlib.contextmanager
    def reserving(self, seconds: Callable[[], float]) -> Iterator[None]:
        """Within the block the time limit is earlier by `seconds`, which later work needs; without a limit nothing
        changes.
        """
        self._reserve = seconds
        try:
            yield
        finally:
            self._reserve = None

    def again(self) -> Budget:
        """A new budget with the same limits, started now."""
        return Budget(self.seconds, self.evaluations, self.stop, self._clock)

    @property
    def is_unlimited(self) -> bool:
        """Whether only the search itself or the user ends it."""
        return self.seconds is None and self.evaluations is None

    @property
    def interrupted(self) -> bool:
        """Whether the user asked to stop."""
        return self.stop.is_set()

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._started

    def time_left(self) -> float:
        """Seconds left, reserved ones excluded; infinite without a time limit, 0 when interrupted."""
        if self.interrupted:
            return 0.0
        if self.seconds is None:
            return math.inf
        reserved = 0.0 if self._reserve is None else self._reserve()
        return max(0.0, self.seconds - reserved - self.elapsed())

    def evaluations_left(self, evaluations: int) -> float:
        """Evaluations left after `evaluations`: 0 when `is_spent`, infinite without a limit."""
        if self.is_spent(evaluations):
            return 0
        return math.inf if self.evaluations is None else self.evaluations - evaluations

    def is_spent(self, evaluations: int = 0) -> bool:
        """True when time or `evaluations` ran out or the user interrupted."""
        if self.evaluations is not None and evaluations >= self.evaluations:
            return True
        return self.time_left() <= 0.0


def _arrived(ends_at: float | None, evaluations: int | None, stop: StopSignal) -> Budget:
    seconds = None if ends_at is None else max(0.0, ends_at - time.time())
    return Budget(seconds, evaluations, stop)


def slices(total: int, size: int, budget: Budget | None = None) -> Iterator[tuple[int, int]]:
    """Start and end of consecutive slices of `total` items.

    Each has `size` items, at least 1; the last may have fewer. No slice begins once the budget is spent: to know
    whether all were made, compare the last end with `total`.
    """
    for start in range(0, total, size):
        if budget is not None and budget.is_spent():
            return
        yield start, min(start + size, total)
