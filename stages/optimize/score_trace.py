"""The best score and the gap over time of any search, from its reports of progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from formats.records import NetworkRecord
from stages.runtime.budgets import Budget
from stages.runtime.reporting import ChangedNetworks, Offer, Reporter

from .result import SearchResult

LEAST_CHANGE = 0.1
"""Share by which a gap changes from one entry to the next if the score is the same."""


class ScoreTrace(ChangedNetworks):
    """A reporter that forwards everything and records the improvements of the best score, and changes of the gap.

    Of the results that a search reports as its network so far, it forwards what `finish` makes of them: networks that
    are whole, verified and marked as interrupted.
    """

    def __init__(self, reporter: Reporter, budget: Budget, finish: Callable[[SearchResult], NetworkRecord]):
        super().__init__(reporter, lambda found: finish(replace(found, facts={**found.facts, "interrupted": True})))
        self._budget = budget
        self._gap: float | None = None  # of the last entry
        self._since: dict[str, Any] = {}  # figures reported since then that changed the gap by less
        # One per improvement, one where the gap changed by a tenth, and one for the last gap: ``seconds`` by the
        # budget's clock, ``score`` (nats), the work done (``orders``, ``restarts``, ``local_scores``, ...), and other
        # figures of the search; the name of the gap says to what (``gap_to_...``).
        self.entries: list[dict[str, Any]] = []

    def progress(
        self, done: int, total: int | None, counted: str, network: Offer | None = None, **facts: object
    ) -> None:
        """Forward the report; record it if the score is the best so far."""
        score = facts.get("score")
        is_best = isinstance(score, float) and (not self.entries or score >= self.entries[-1]["score"])
        # Once the user asked to stop, the end is near.
        so_far = network if is_best and not self._budget.interrupted else None
        super().progress(done, total, counted, so_far, **facts)
        gap = next((float(v) for n, v in facts.items() if n.startswith("gap") and isinstance(v, float)), None)
        if not is_best:
            return
        figures = {n.replace(" ", "_"): v for n, v in facts.items() if isinstance(v, (int, float))}
        figures = {counted.replace(" ", "_"): done} | figures
        if self._is_better(figures["score"]) or self._is_other(gap):
            self._gap, self._since = gap, {}
            self._keep(figures)
        elif gap is not None:
            self._since = figures if gap != self._gap else {}

    def finish(self, score: float, fixed: float = 0.0) -> list[dict[str, Any]]:
        """The entries, the last one with the result's score and the last gap; `fixed`, the score of screened
        families, is added to all.
        """
        if self._since:
            self._keep(self._since)
        for entry in self.entries:
            entry["score"] += fixed
        if self._is_better(score):
            self._keep({"score": score})
        return self.entries

    def _is_better(self, score: float) -> bool:
        return not self.entries or score > self.entries[-1]["score"]

    def _is_other(self, gap: float | None) -> bool:
        return gap is not None and (self._gap is None or abs(gap - self._gap) > LEAST_CHANGE * abs(self._gap))

    def _keep(self, figures: dict[str, Any]) -> None:
        self.entries.append({"seconds": self._budget.elapsed(), **figures})
