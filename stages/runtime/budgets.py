"""How long a run may go on: seconds, evaluations, or until interrupted. The only place that reads a clock."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Protocol


class StopSignal(Protocol):
    """What tells a search to stop: an event of threads, or one that forked processes share."""

    def set(self) -> None:
        """Tell everyone."""

    def is_set(self) -> bool:
        """Whether anyone has set it."""


class Budget:
    """A limit on time and work that searches ask between slices of compiled work.

    Parameters
    ----------
    seconds : float, optional
        Wall time from construction (or from the last `restart`).
    evaluations : int, optional
        Units of work (local scores, orders); deterministic, so runs limited by it repeat exactly.
    stop : StopSignal, optional
        Set by a signal handler: the search returns its best so far.
    clock : callable
        Seconds since some moment; never goes back.
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
        self.stop: StopSignal = stop or threading.Event()
        self._clock = clock
        self.restart()

    def restart(self) -> None:
        """Start the clock now."""
        self._started = self._clock()

    def part(self, share: float) -> Budget:
        """A budget that ends when this share of the time left is used, with the same other limits."""
        seconds = None if self.seconds is None else share * self.time_left()
        return Budget(seconds, self.evaluations, self.stop, self._clock)

    @property
    def interrupted(self) -> bool:
        """The user asked to stop."""
        return self.stop.is_set()

    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._started

    def time_left(self) -> float:
        """Seconds left; infinite without a time limit, 0 when interrupted."""
        if self.interrupted:
            return 0.0
        if self.seconds is None:
            return math.inf
        return max(0.0, self.seconds - self.elapsed())

    def is_spent(self, evaluations: int = 0) -> bool:
        """True when time or `evaluations` ran out or the user interrupted."""
        if self.evaluations is not None and evaluations >= self.evaluations:
            return True
        return self.time_left() <= 0.0
