"""Forecast of posterior probabilities: memory, times, and what they will be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from formats.records import ParentSetTable
from stages.runtime.budgets import Budget
from stages.runtime.forecasts import RunForecast, until_first
from stages.runtime.memory import taken_bytes
from stages.runtime.reporting import NullReporter

from . import PosteriorOptions, choose_method
from .arc_posterior import Posterior, run
from .exact import exact_bytes
from .sampling import MOST_KEPT_BYTES

COPIES = 3
"""Arrays as large as the samples that exist at a time: pieces, the whole, and what estimates make of it."""

ESTIMATES = 1.1
"""Memory of estimates at the end of a run, over what was taken before; measured."""

PACE_SECONDS = 1.0
"""Seconds for which chains run on after their first networks, so that their pace is known."""


@dataclass(eq=False)
class _Pace(NullReporter):
    """The clock and the work done, in networks or parts of the sums, at the first and at the last report."""

    budget: Budget
    counted: str
    reports: list[tuple[float, int]] = field(default_factory=list)
    total: int | None = None

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        """Note the report; chains end once their pace is known."""
        if counted != self.counted:
            return
        self.total = total
        self.reports = [*self.reports[:1], (self.budget.elapsed(), done)]
        if counted == "networks" and self.reports[-1][0] - self.reports[0][0] > PACE_SECONDS:
            self.budget.stop.set()

    def rate(self) -> float:
        """Work in a second; 0 if it is unknown."""
        if len(self.reports) < 2 or self.reports[-1][0] <= self.reports[0][0]:
            return 0.0
        (begun, first), (now, last) = self.reports
        return (last - first) / (now - begun)

    def seconds(self) -> float | None:
        """Time of the whole run at this pace; None if it is unknown."""
        if self.total is None or not self.rate():
            return None
        begun, first = self.reports[0]
        return begun + (self.total - first) / self.rate()


def forecast_run(
    table: ParentSetTable, options: PosteriorOptions, seconds: float | None, reading_seconds: float, reading: int
) -> RunForecast:
    """Run for a while and scale up; `seconds` is the time limit of the run, `reading` what reading took, bytes."""
    method = choose_method(options, table.n_variables)
    is_exact = method == "exact"
    paces: list[_Pace] = []

    def search(budget: Budget, _: Callable[[object], None]) -> Posterior:
        paces.append(_Pace(budget, "parts of the sums" if is_exact else "networks"))
        return run(table, options, budget, paces[-1])

    _, whole = until_first(search, None if is_exact else seconds)
    pace = paces[-1]
    most = max(reading, taken_bytes()[1])
    if is_exact:
        whole = first = pace.seconds() if whole is None else whole
        memory = max(most, reading + exact_bytes(table.n_variables))
        proves = f"exact probabilities among networks of the listed sets, prior of {options.prior}"
    else:
        first = pace.reports[0][0] if pace.reports else None
        whole = (
            seconds if options.samples is None and seconds is not None else pace.seconds() if whole is None else whole
        )
        draws = pace.total if pace.total is not None else pace.rate() * (seconds or 0.0)
        memory = int(ESTIMATES * most) + COPIES * min(2 * MOST_KEPT_BYTES, int(4 * table.n_variables * draws))
        proves = "estimates with standard errors, among networks of the listed sets; nothing is proved"
    return RunForecast(method, table.n_variables, None, table.n_sets, reading_seconds, first, whole, memory, proves)
