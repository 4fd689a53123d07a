"""Counts over the records of a run, and the summary and warnings at its end."""

from __future__ import annotations

from collections import Counter

from formats.records import ParentSetRecord
from formats.wording import plural
from stages.runtime.reporting import Reporter


class RunTally:
    """Counts over the records of a run.

    Attributes `done`, `sets`: records and listed sets so far.
    """

    def __init__(self, n_children: int, n_before: int, default_limit: int | None = None):
        self.n_children, self.n_before = n_children, n_before
        self.default_limit = default_limit  # scores per variable, if they end searches because nothing else does
        self._at_limit = 0
        self.done = self.sets = 0
        self._unsearched = 0
        self._ended: Counter[str | None] = Counter()

    def add(self, record: ParentSetRecord) -> None:
        """Count one more record."""
        self.done += 1
        self.sets += len(record.parents)
        self._ended[record.extra.get("ended")] += 1
        self._ended["interrupt"] += record.is_cut_short and "ended" not in record.extra
        self._unsearched += record.is_unsearched
        if self.default_limit is not None and not record.complete:
            self._at_limit += (record.evaluated or 0) >= self.default_limit

    def report(self, reporter: Reporter, n_scores: int) -> None:
        """Warn of searches that ended early, and summarise the run."""
        if self._ended["memory"]:
            reporter.warn(
                f"memory ended the search of {self._ended['memory']} of {self.n_children} variables early; allow "
                "more with --memory, or fewer workers (-j)"
            )
        if self._ended["interrupt"]:
            never = f"; {self._unsearched} of them were never searched and list one set only"
            reporter.warn(
                f"the search of {self._ended['interrupt']} of {self.n_children} variables was interrupted"
                f"{never if self._unsearched else ''}"
            )
        by_clock = f", time ended the search of {self._ended['time']} early" if self._ended["time"] else ""
        if self._at_limit:
            by_clock = (
                f", the default limit of {self.default_limit:,} scores ended the search of {self._at_limit} "
                "(raise it by --evaluations, or give --time)"
            )
        before = f" besides {self.n_before} of an earlier run" if self.n_before else ""
        reporter.summary(
            f"{plural(self.n_children, 'variable')}{before}, {plural(self.sets, 'parent set')} listed, "
            f"{plural(n_scores, 'local score')} computed{by_clock}"
        )
