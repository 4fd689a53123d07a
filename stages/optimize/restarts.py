"""Independent restarts of a search, in threads, within a budget; the best one is kept.

Results are taken in the order of the restarts, and limits on orders apply to their running sum, so the outcome does
not depend on the number of threads. When time runs out, running restarts return their best network so far and no
other restart begins; the first one always runs. (The climbs of `climbing.climb` are not independent: each starts from
the best so far.)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.workers import ordered_map

from . import OptimizeOptions
from .bounds.anytime_bound import AnytimeBound
from .result import SearchResult

DEFAULT_SAMPLES = 1000
"""Short restarts when neither their number nor time nor evaluations are limited; the number of Perez Urcia and Mauá
(2015).
"""

DEFAULT_LOCAL_SEARCHES = 10
"""Long restarts likewise."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """What one restart found."""

    chosen: np.ndarray  # int64, shape (n_variables,): set of every variable, as an index into the lists searched
    score: float  # sum of the chosen sets' scores in nats
    orders: int  # orders evaluated, changed ones included
    work: float  # approximate number of sets evaluated; work on the bound is a share of it
    # int32, shape (n_variables,): order of the network, if it is known; under a treewidth bound its reverse is an
    # elimination order within the bound.
    order: np.ndarray | None = None
    # The criterion of comparison; None if it is `score`. For k-trees it is the sum of relative scores as the kernels
    # compute it; its rounding breaks ties.
    merit: float | None = None
    figures: dict[str, float] = field(default_factory=dict)  # further numbers for the statistics, a column each

    def is_better(self, other: Attempt | None) -> bool:
        """Whether it is better than an earlier one; among equals the earlier one is kept."""
        if other is None:
            return True
        if self.merit is not None and other.merit is not None:
            return self.merit > other.merit
        return self.score > other.score


@dataclass(frozen=True)
class RestartRules:
    """When a run of restarts ends."""

    # Number of restarts, counted in `batches_of` if given; None for as many as the budget allows.
    total: int | None
    ends_when_proved: bool  # whether a network proved optimal ends the run
    batches_of: str | None = None  # a restart is a batch of such items, which progress counts
    # Whether a better network found by work on the bound replaces the best one; not in published searches.
    takes_found: bool = False
    lookahead: int = 4  # restarts running or waiting, per thread


def sampling_rules(restarts: int | None, budget: Budget) -> RestartRules:
    """Many short restarts: a given number is run even if the best network is proved optimal."""
    total = DEFAULT_SAMPLES if restarts is None and budget.is_unlimited else restarts
    return RestartRules(total, ends_when_proved=restarts is None)


def local_search_rules(restarts: int | None, budget: Budget) -> RestartRules:
    """Few long restarts."""
    total = DEFAULT_LOCAL_SEARCHES if restarts is None and budget.is_unlimited else restarts
    return RestartRules(total, ends_when_proved=True, lookahead=1)


@dataclass(eq=False)
class RestartReport:
    """The restarts of a run so far: the best one (the first among equals), sums, and a column of figures per name."""

    best: Any = None  # an `Attempt` once there is one
    first: Attempt | None = None  # a network known before the restarts
    restarts: int = 0
    orders: int = 0
    work: float = 0.0
    columns: dict[str, list[float]] = field(default_factory=dict)

    def add(self, attempt: Attempt) -> None:
        """Count a further restart."""
        self.restarts += 1
        self.orders += attempt.orders
        self.work += attempt.work
        if attempt.is_better(self.best) or (self.is_first and not self.best.is_better(attempt)):
            self.best = attempt
        for name, value in {"score": attempt.score, **attempt.figures}.items():
            self.columns.setdefault(name, []).append(value)

    @property
    def is_first(self) -> bool:
        """Whether no restart was as good as the network known before."""
        return self.best is self.first

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
    network_of: Callable[[Attempt], SearchResult],
    tasks: Iterable[Any] | None = None,
    first: Attempt | None = None,
) -> RestartReport:
    """Run restart after restart until the budget or their number is used up, or the best network is proved optimal.

    The limit on orders holds exactly: a restart that exceeds it is run again up to the limit. So a run ended by time
    can be repeated with its reported orders as the limit, unless the search itself depends on the clock, as
    `treewidth.bounded_search` does.

    `step` is one restart. It gets its task and a limit on orders, which may only cut it short (None for no limit),
    and returns its best network when the budget ends. Only a restart after the first may return None, if it found
    nothing. Evaluations of the budget are orders; `options` give threads. `anytime_bound` is improved after
    every restart. `tasks` has one task per restart; the numbers 0, 1, ... by default. `network_of` makes the network
    of a restart, so that it can be saved with the bound while the search runs. `first` is a network known before the
    restarts: it is the best one until a restart is as good, and counts as none.
    """
    limit = budget.evaluations
    if tasks is None:
        tasks = itertools.count() if rules.total is None else range(rules.total)

    def is_over() -> bool:
        return budget.is_spent() or (rules.ends_when_proved and anytime_bound.is_closed)

    tally = RestartReport(first, first)

    def report() -> None:
        so_far = anytime_bound.so_far(tally.best.score, network_of, tally.best)
        _report(tally, rules, reporter, so_far)

    if first is not None:
        report()
    results = _results(lambda task: step(task, limit), tasks, is_over, options.jobs, rules.lookahead)
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
            report()
            is_proved = rules.ends_when_proved and anytime_bound.is_closed
            if is_proved or (budget.evaluations is not None and tally.orders >= budget.evaluations):
                break
    finally:
        results.close()
    return tally


def _results(
    step: Callable[[Any], Attempt | None],
    tasks: Iterable[Any],
    is_over: Callable[[], bool],
    jobs: int,
    lookahead: int,
) -> Generator[tuple[Any, Attempt | None], None, None]:
    """Tasks and their results, in order; the first task always runs."""
    tasks = iter(tasks)
    first = next(tasks)

    def begin(task: Any) -> tuple[Any, Attempt | None]:
        return task, None if task is not first and is_over() else step(task)

    return ordered_map(begin, itertools.chain([first], tasks), jobs, lookahead)


def _report(tally: RestartReport, rules: RestartRules, reporter: Reporter, so_far: dict[str, Any]) -> None:
    """Report restarts, or the items of their batches, as progress."""
    if rules.batches_of is not None:
        reporter.progress(tally.orders, rules.total, rules.batches_of, **so_far)
    else:
        reporter.progress(tally.restarts, rules.total, "restarts", **so_far, orders=tally.orders)


def _take_found(tally: RestartReport, anytime_bound: AnytimeBound) -> None:
    """Replace the best network by a better one found by work on the bound."""
    while (found := anytime_bound.better_network(tally.best.score)) is not None:
        chosen, score = found
        tally.best = replace(tally.best, chosen=chosen, score=score, order=None)
        anytime_bound.keep_pace(tally.work, score)


def summarise(columns: dict[str, list[float]]) -> dict[str, Any]:
    """The columns, and the best, mean and standard deviation of each."""
    summary = {
        name: {"best": max(values), "mean": float(np.mean(values)), "deviation": float(np.std(values))}
        for name, values in columns.items()
    }
    return {"per_restart": columns, "summary": summary}
