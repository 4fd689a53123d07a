"""Common parts of searches over orders by independent restarts: lists, initial orders, upper bound and result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from stages.lists.set_lists import lists_in
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.anytime_bound import AnytimeBound
from stages.optimize.orders.initial_orders import make_sampler
from stages.optimize.restarts import Attempt, RestartRules, run_restarts, summarise
from stages.optimize.result import SearchResult, listed_result
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator


class OrderRestarts:
    """The restarts of one run."""

    def __init__(self, table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter):
        self.table, self.options, self.budget, self.reporter = table, options, budget, reporter
        self.lists = lists_in(table)
        self._sampler = make_sampler(table, options)
        # Parents that are not open to choice, see `lists.set_lists.fixed_parents`.
        self.prescribed = self._sampler.prescribed
        self.anytime_bound = AnytimeBound(table, options, budget)

    def draw(self, index: int) -> tuple[np.ndarray, np.random.Generator]:
        """The initial order of a restart, and its random generator."""
        rng = task_generator(self.options.seed, index)
        return self._sampler.draw(rng, index == 0), rng

    def network_of(self, found: Attempt) -> SearchResult:
        """The network of a restart, alone."""
        return listed_result(self.table, found.chosen, found.score)

    def best_of(self, restart: Callable[[int, int | None], Attempt | None], rules: RestartRules) -> SearchResult:
        """Run restarts by a step of `run_restarts`; the statistics hold their figures, if any."""
        given = self.budget, self.options, self.reporter, self.anytime_bound
        report = run_restarts(restart, rules, *given, self.network_of)
        found = self.anytime_bound.with_bound(self.network_of, report.best)
        stats = summarise(report.columns) if report.best.figures else {}
        return replace(found, facts={**report.facts, "init": self.options.init}, stats=stats)
