"""Forecast of a run: measured until its first result is there, never longer than `PATIENCE`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from .budgets import Budget, Stop
from .errors import NothingFoundError

PATIENCE = 10.0
"""Seconds after which a run that is tried for a forecast ends, with a result or without."""

Found = TypeVar("Found")


@dataclass(frozen=True)
class RunForecast:
    """Estimates for one run."""

    method: str
    variables: int
    rows: int | None  # of the data of a search; None among listed sets
    sets: int | None  # listed sets that are given
    reading_seconds: float
    first_seconds: float | None  # from then to the first result that could be saved; None: more than `PATIENCE`
    seconds: float | None  # of all after reading; None: unknown, the run ends by itself
    memory_bytes: int
    proves: str  # what the run will say about the networks that it did not find


class _EndOfTrial(Stop):
    """Set by a first result, or by the clock of the budget."""

    budget: Budget

    def is_set(self) -> bool:
        return super().is_set() or self.budget.elapsed() > PATIENCE


def until_first(
    search: Callable[[Budget, Callable[[object], None]], Found], seconds: float | None, evaluations: int | None = None
) -> tuple[Found | None, float | None]:
    """Run a search that is stopped by its first result; the result of the stopped run, and the seconds until the
    first one, None if it did not come within `PATIENCE`.

    `search` gets a budget with these limits, and what it calls with the first result.
    """
    stop = _EndOfTrial()
    stop.budget = budget = Budget(seconds, evaluations, stop)
    there: list[float] = []

    def take(_: object) -> None:
        there.append(budget.elapsed())
        stop.set()

    found = None
    with contextlib.suppress(NothingFoundError):
        found = search(budget, take)
    if not there and found is not None and not budget.interrupted:
        there.append(budget.elapsed())  # the end was the first
    return found, there[0] if there else None
