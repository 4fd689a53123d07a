"""Independent restarts of a search: run them, in threads if wished, within a budget, and keep the best.

Results are consumed in the order of the restarts and limits on orders are applied to their running sum, so the
outcome does not depend on the number of threads. When the clock ends a run, the restarts under way deliver what
they have and no other begins. (The climbs of `climbing.run` are not independent, each begins where the best so
far ended, so they follow one another there.)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from stages.runtime.remote_workers import remote_map, workers_fact
from stages.runtime.workers import ordered_map

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from . import OptimizeOptions
    from .bounds.anytime_bound import AnytimeBound

DEFAULT_SAMPLES = 1000
"""Short restarts when neither their number nor time nor evaluations are limited; the number of Perez Urcia and Mauá
(2015).
"""

DEFAULT_LOCAL_SEARCHES = 10
"""Long restarts likewise."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """What one restart found.

    Attributes
    ----------
    chosen : ndarray of int64, shape (n_variables,)
        Set of every variable, as an index into the lists searched.
    score : float
        Sum of the chosen sets' scores in nats.
    orders : int
        Orders evaluated, changed ones included.
    work : float
        Sets looked at, about: sets the pace of the bound.
    order : ndarray of int32, shape (n_variables,), optional
        Order of the network; under a treewidth bound its reverse is an elimination order within the bound.
    merit : float, optional
        What restarts are compared by where it is not `score`: of k-trees the sum of relative scores as the kernels
        have it, whose rounding decides between equals.
    figures : dict
        Further numbers for the statistics, one column each.
    """

    chosen: np.ndarray
    score: float
    orders: int
    work: float
    order: np.ndarray | None = None
    merit: float | None = None
    figures: dict[str, float] = field(default_factory=dict)

    def is_better(self, other: Attempt | None) -> bool:
        """Whether it beats another one; the earlier of equals stays."""
        if other is None:
            return True
        if self.merit is not None and other.merit is not None:
            return self.merit > other.merit
        return self.score > other.score


@dataclass(frozen=True)
class RestartRules:
    """When a run of restarts ends.

    Attributes
    ----------
    total : int or None
        Restarts in all, or what `batches_of` says; None for as many as the budget allows.
    ends_when_proved : bool
        A network proved optimal ends the run.
    is_exact : bool
        The limit on orders holds exactly: a restart that went past it is run again up to the limit. So a run that
        the clock ended is repeated by giving the orders that it reports as the limit, unless the search itself
        follows the clock as `treewidth.ils` does. Otherwise the restart that passes the limit is the last.
    batches_of : str or None
        A restart is a batch of these, and progress is told in them.
    takes_found : bool
        A better network that work on the bound has found takes the best one's place. Searches that are published
        by others are left to themselves.
    lookahead : int
        Restarts in work or waiting for their turn, per thread.
    """

    total: int | None
    ends_when_proved: bool
    is_exact: bool = False
    batches_of: str | None = None
    takes_found: bool = False
    lookahead: int = 4


def sampling_rules(restarts: int | None, budget: Budget) -> RestartRules:
    """Many short restarts: a number asked for is made even when the best is proved."""
    total = DEFAULT_SAMPLES if restarts is None and _is_unlimited(budget) else restarts
    return RestartRules(total, ends_when_proved=restarts is None)


def local_search_rules(restarts: int | None, budget: Budget) -> RestartRules:
    """Few long restarts, which can be cut."""
    total = DEFAULT_LOCAL_SEARCHES if restarts is None and _is_unlimited(budget) else restarts
    return RestartRules(total, ends_when_proved=True, is_exact=True, lookahead=1)


def _is_unlimited(budget: Budget) -> bool:
    return budget.seconds is None and budget.evaluations is None


@dataclass(frozen=True, eq=False)
class RestartReport:
    """All restarts of a run: the best one (the earliest of equals) and one column of figures per name."""

    best: Attempt
    restarts: int
    orders: int
    columns: dict[str, list[float]]

    @property
    def facts(self) -> dict[str, int]:
        """Header entries."""
        return {"restarts": self.restarts, "orders": self.orders}


def run_restarts(
    step: Callable[[Any, int | None], Attempt | None],
    rules: RestartRules,
    budget: Budget,
    options: OptimizeOptions,
    reporter: Reporter,
    anytime_bound: AnytimeBound,
    tasks: Iterable[Any] | None = None,
) -> RestartReport:
    """Run restart after restart until the budget or their number is used up, or the best is proved optimal.

    Parameters
    ----------
    step : callable
        One restart. Takes its task and the most orders it may evaluate: a limit must change nothing but where the
        restart ends; None for any number, and always where the rules are not exact. Returns None when the clock
        left it no time; the first one must deliver.
    rules : RestartRules
    budget : Budget
        Its evaluations are orders.
    options : OptimizeOptions
        Say who works on restarts.
    reporter : Reporter
    anytime_bound : AnytimeBound
        Worked on after every restart.
    tasks : iterable, optional
        What tells the restarts apart; the numbers 0, 1, ... by default.
    """
    limit = budget.evaluations if rules.is_exact else None
    if tasks is None:
        tasks = itertools.count() if rules.total is None else range(rules.total)

    def is_over() -> bool:
        return budget.is_spent() or (rules.ends_when_proved and anytime_bound.is_closed)

    tally = _Tally()
    results = _results(step, limit, tasks, is_over, rules, budget, options)
    try:
        for task, attempt in results:
            if attempt is not None and limit is not None and tally.orders + attempt.orders > limit:
                attempt = step(task, limit - tally.orders)
            if attempt is None:
                break
            tally.add(attempt)
            anytime_bound.keep_pace(tally.work, tally.best.score)
            if rules.takes_found:
                _take_found(tally, anytime_bound)
            score, facts = tally.best.score, {**anytime_bound.facts, **workers_fact(options.remote)}
            if rules.batches_of is not None:
                reporter.progress(tally.orders, rules.total, rules.batches_of, score=score, **facts)
            else:
                facts |= {"orders": tally.orders}
                reporter.progress(tally.restarts, rules.total, "restarts", score=score, **facts)
            is_proved = rules.ends_when_proved and anytime_bound.is_closed
            if is_proved or (budget.evaluations is not None and tally.orders >= budget.evaluations):
                break
    finally:
        results.close()
    return RestartReport(tally.best, tally.restarts, tally.orders, tally.columns)


def _results(
    step: Callable[[Any, int | None], Attempt | None],
    limit: int | None,
    tasks: Iterable[Any],
    is_over: Callable[[], bool],
    rules: RestartRules,
    budget: Budget,
    options: OptimizeOptions,
) -> Generator[tuple[Any, Attempt | None], None, None]:
    """Tasks and what they came to, in order; the first is always done, and done here if others are remote."""
    tasks = iter(tasks)
    first = next(tasks)
    if options.remote is None:

        def begin(task: Any) -> tuple[Any, Attempt | None]:
            return task, None if task is not first and is_over() else step(task, limit)

        yield from ordered_map(begin, itertools.chain([first], tasks), options.jobs, rules.lookahead)
        return
    sent = itertools.takewhile(lambda task: not is_over(), tasks)
    others = remote_map(lambda task, _: (task, step(task, limit)), sent, options.remote, budget.stop)
    try:
        yield first, step(first, limit)
        yield from others
    finally:
        others.close()


def _take_found(tally: _Tally, anytime_bound: AnytimeBound) -> None:
    """Go on with the better network that work on the bound has found, if there is one."""
    while (found := anytime_bound.better_network(tally.best.score)) is not None:
        chosen, score = found
        tally.best = replace(tally.best, chosen=chosen, score=score, order=None)
        anytime_bound.keep_pace(tally.work, score)


class _Tally:
    """What the restarts so far add up to."""

    def __init__(self) -> None:
        self.best: Any = None
        self.restarts = self.orders = 0
        self.work = 0.0
        self.columns: dict[str, list[float]] = {}

    def add(self, attempt: Attempt) -> None:
        self.restarts += 1
        self.orders += attempt.orders
        self.work += attempt.work
        if attempt.is_better(self.best):
            self.best = attempt
        for name, value in {"score": attempt.score, **attempt.figures}.items():
            self.columns.setdefault(name, []).append(value)


def summarise(columns: dict[str, list[float]]) -> dict[str, Any]:
    """Best, mean and standard deviation of every column, beside the columns themselves."""
    summary = {
        name: {"best": max(values), "mean": float(np.mean(values)), "deviation": float(np.std(values))}
        for name, values in columns.items()
    }
    return {"per_restart": columns, "summary": summary}
