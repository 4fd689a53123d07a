"""Clocks that no other process on the machine can hold up."""

from __future__ import annotations

import itertools


class TickingClock:
    """A clock that goes on by `tick` seconds whenever it is read, and stands still in between.

    A search that has a time limit on it asks it a fixed number of times, so that it ends at the same place in
    every run.
    """

    def __init__(self, tick: float = 0.0005):
        self._readings = itertools.count()  # counts right when threads read it together
        self._tick = tick

    def __call__(self) -> float:
        return next(self._readings) * self._tick


class StoppedClock:
    """A clock that the test sets."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now
