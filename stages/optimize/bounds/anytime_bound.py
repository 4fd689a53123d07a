"""An upper bound that is worked on beside a search, for a share of the search's work.

Under a treewidth bound it is one on all networks whose sets are within that bound's in-degree, whatever their width.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.seeding import task_generator

from ..lists.set_lists import keep_in_table
from ..result import total_score
from .lagrangian import BoundSearch

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget

SHARE = 0.2
"""Work on the bound for each unit of work of the search: a sixth of the time."""

FIRST_WORK = 30_000_000
"""Work on the bound to begin with, about a tenth of a second; more than dual ascent needs for most lists."""

LEAST_WORK = 5_000_000
"""What is due is put off until it is this much: some hundredths of a second."""

GAP_OF_LISTS = "gap to the lists' best"
"""What progress calls the difference between the bound and the best score."""


class AnytimeBound:
    """The bound for a search on the lists of `table`.

    Work on it depends on the work of the search alone, never on the clock, so that a run with a limit on
    evaluations repeats exactly; the clock only ends it.

    Parameters
    ----------
    table : ParentSetTable
    seed : int
    budget : Budget
    treewidth : int, optional
        Bound of the search: sets of more parents are left out.
    idle_share : float
        Further work on the bound for each unit of work of the search beyond twice what it took to find its best
        network.
    """

    def __init__(
        self,
        table: ParentSetTable,
        seed: int,
        budget: Budget,
        treewidth: int | None = None,
        idle_share: float = 0.0,
    ):
        lists = table
        if treewidth is not None:
            # Every variable has such a set: larger fixed records are refused before.
            lists = keep_in_table(table, np.flatnonzero(np.diff(table.parent_offsets) <= treewidth))
        self.search = BoundSearch(lists, task_generator(seed, 0, 1))
        self._scores = None if treewidth is not None else lists.scores
        self._budget = budget
        self._idle_share = idle_share
        self._best, self._found_at = -math.inf, 0.0
        self.keep_pace(0, -math.inf)

    @property
    def is_closed(self) -> bool:
        """The best network told so far is proved optimal."""
        return self.search.is_closed

    @property
    def facts(self) -> dict[str, float]:
        """The gap for the reporter."""
        return {GAP_OF_LISTS: self.search.gap}

    def better_network(self, score: float) -> tuple[np.ndarray, float] | None:
        """The network that work on the bound has found, if it scores more: its sets and its score in nats.

        Never under a treewidth bound, which it may not keep.
        """
        found = self.search.found
        if found is None or self._scores is None:
            return None
        total = total_score(self._scores, found)
        return (found, total) if total > score else None

    def keep_pace(self, work: float, score: float) -> None:
        """Work on the bound until it has had its share of `work` sets looked at by the search, about.

        Parameters
        ----------
        work : float
        score : float
            Of the best network so far, in nats.
        """
        if score > self._best:
            self._best, self._found_at = score, work
        share = FIRST_WORK + SHARE * work + self._idle_share * max(0.0, work - 2.0 * self._found_at)
        if self.search.work + LEAST_WORK > share:
            share = 0.0
        self.search.improve(self._budget, share, score)

    def header_facts(self, score: float) -> dict[str, float]:
        """Entries ``bound`` and ``gap`` for a network of this score."""
        return bound_facts(self.search.value, score, self.search.rounding)


def bound_facts(bound: float, score: float, rounding: float) -> dict[str, float]:
    """Header entries of a bound in nats, rounded outward; `claims` tells for which networks it holds."""
    bound = max(bound, score) + rounding
    return {"bound": bound, "gap": bound - score}
