"""The best score over time of any search: listened to where the search tells its progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stages.runtime.reporting import NullReporter

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter


class ScoreTrace:
    """A reporter that passes everything on and keeps when the best score rose.

    Parameters
    ----------
    reporter : Reporter
    budget : Budget
        Its clock counts.

    Attributes
    ----------
    entries : list of dict
        ``seconds`` since the start, ``score`` (the best so far, nats), what was done until then (``orders``,
        ``restarts``, ``local_scores``, ...), and other figures of the search.
    """

    def __init__(self, reporter: Reporter, budget: Budget):
        self._reporter = reporter
        self._budget = budget
        self.entries: list[dict[str, Any]] = []
        self.detail, self.warn, self.summary = reporter.detail, reporter.warn, reporter.summary

    def __reduce__(self) -> tuple[type[NullReporter], tuple[()]]:
        return NullReporter, ()  # what restarts say elsewhere is heard by nobody

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        """Pass it on; keep it if the score is better than any before."""
        self._reporter.progress(done, total, counted, **facts)
        score = facts.get("score")
        if isinstance(score, float) and self._is_better(score):
            figures = {n.replace(" ", "_"): v for n, v in facts.items() if isinstance(v, (int, float))}
            self._keep(score, {counted.replace(" ", "_"): done} | figures)

    def finish(self, score: float, fixed: float = 0.0) -> list[dict[str, Any]]:
        """The entries, the last one with the score of the result; `fixed` is that of families not searched."""
        for entry in self.entries:
            entry["score"] += fixed
        if self._is_better(score):
            self._keep(score, {})
        return self.entries

    def _is_better(self, score: float) -> bool:
        return not self.entries or score > self.entries[-1]["score"]

    def _keep(self, score: float, figures: dict[str, Any]) -> None:
        self.entries.append({"seconds": self._budget.elapsed(), **figures, "score": score})
