"""Independent restarts of a search over orders: run them, in threads if wished, and keep the best."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from stages.runtime.workers import ordered_map

if TYPE_CHECKING:
    from stages.kernels.orders.set_lists import SetLists
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .bounds.anytime_bound import CompanionBound

SLICE_WORK = 2_000_000
"""Sets tested (or as cheap units of work) per kernel call; some hundredths of a second."""

WORK_PER_VARIABLE = 30
"""What placing a variable costs besides, in sets tested."""

DEFAULT_RESTARTS = 1000
"""Restarts when neither restarts nor time nor evaluations are limited; the number of Perez Urcia and Mauá."""


@dataclass(frozen=True, eq=False)
class Restart:
    """Result of one restart.

    Attributes
    ----------
    chosen : ndarray of int64
        Chosen set of every variable, as an index into the table's sets.
    score : float
        Sum of the chosen sets' scores in nats.
    orders : int
        Orders evaluated, neighbours included.
    work : float
        Sets looked at, about: sets the pace of the bound.
    figures : dict
        Further numbers for the statistics, one column each.
    """

    chosen: np.ndarray
    score: float
    orders: int
    work: float
    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RestartReport:
    """All restarts of a run: the best one (the earliest of equals) and one column of figures per name."""

    best: Restart
    restarts: int
    orders: int
    columns: dict[str, list[float]]

    @property
    def facts(self) -> dict[str, int]:
        """Header entries."""
        return {"restarts": self.restarts, "orders": self.orders}


def run_restarts(
    restart: Callable[[int], Restart | None],
    restarts: int | None,
    budget: Budget,
    jobs: int,
    reporter: Reporter,
    companion: CompanionBound,
) -> RestartReport:
    """Call ``restart(0)``, ``restart(1)``, ... until the budget or the number of restarts is used up.

    Unless that number is given, a network proved optimal ends the run too. Results are consumed in order and the
    evaluation limit is applied to their running sum, so the outcome does not depend on `jobs`. A restart that
    the clock cut short returns None, except that number 0 must deliver.
    """
    ends_when_proved = restarts is None
    if restarts is None and budget.seconds is None and budget.evaluations is None:
        restarts = DEFAULT_RESTARTS
    tasks = itertools.count() if restarts is None else range(restarts)
    best: Restart | None = None
    done = orders = 0
    work = 0.0
    columns: dict[str, list[float]] = {}
    results = ordered_map(restart, tasks, jobs)
    try:
        for result in results:
            if result is None:
                break
            done += 1
            orders += result.orders
            work += result.work
            if best is None or result.score > best.score:
                best = result
            for name, value in {"score": result.score, **result.figures}.items():
                columns.setdefault(name, []).append(value)
            companion.keep_pace(work, best.score)
            reporter.progress(done, restarts, score=best.score, orders=orders, **companion.facts)
            if budget.is_spent(orders) or (ends_when_proved and companion.is_closed):
                break
    finally:
        results.close()
    return RestartReport(best, done, orders, columns)


def sets_tested(lists: SetLists, chosen: np.ndarray) -> float:
    """Sets that were tested, about, to find the first possible one of every variable."""
    return float((chosen - lists.set_offsets[:-1]).sum()) + WORK_PER_VARIABLE * len(chosen)


def summarise(columns: dict[str, list[float]]) -> dict[str, Any]:
    """Best, mean and standard deviation of every column, beside the columns themselves."""
    summary = {
        name: {"best": max(values), "mean": float(np.mean(values)), "deviation": float(np.std(values))}
        for name, values in columns.items()
    }
    return {"per_restart": columns, "summary": summary}
