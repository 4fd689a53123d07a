"""The best score over time of any search, from its reports of progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter

from .checkpoints import Offer


class ScoreTrace:
    """A reporter that forwards everything and records the improvements of the best score."""

    def __init__(self, reporter: Reporter, budget: Budget, offer: Callable[[Offer], None] | None = None):
        # `offer` receives the best network so far whenever it is reported; see `checkpoints`.
        self._offer = offer
        self._reporter = reporter
        self._budget = budget
        # One per improvement: ``seconds`` by the budget's clock, ``score`` (nats), the work done (``orders``,
        # ``restarts``, ``local_scores``, ...), and other figures of the search.
        self.entries: list[dict[str, Any]] = []
        self.detail, self.warn, self.summary = reporter.detail, reporter.warn, reporter.summary

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        """Forward the report; record it if the score is the best so far."""
        network = cast("Offer | None", facts.pop("network", None))
        self._reporter.progress(done, total, counted, **facts)
        score = facts.get("score")
        is_best = isinstance(score, float) and (not self.entries or score >= self.entries[-1]["score"])
        if self._offer is not None and network is not None and is_best:
            self._offer(network)
        if isinstance(score, float) and self._is_better(score):
            figures = {n.replace(" ", "_"): v for n, v in facts.items() if isinstance(v, (int, float))}
            self._keep(score, {counted.replace(" ", "_"): done} | figures)

    def finish(self, score: float, fixed: float = 0.0) -> list[dict[str, Any]]:
        """The entries, the last one with the result's score; `fixed`, the score of screened families, is added to
        all.
        """
        for entry in self.entries:
            entry["score"] += fixed
        if self._is_better(score):
            self._keep(score, {})
        return self.entries

    def _is_better(self, score: float) -> bool:
        return not self.entries or score > self.entries[-1]["score"]

    def _keep(self, score: float, figures: dict[str, Any]) -> None:
        self.entries.append({"seconds": self._budget.elapsed(), **figures, "score": score})
