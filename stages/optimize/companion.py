"""An upper bound that is worked on beside a search, for a share of the search's work."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from stages.seeding import task_generator

from .bounds import BoundSearch, what_bounds_hold_for

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.budgets import Budget

SHARE = 0.2
"""Work on the bound for each unit of work of the search: a sixth of the time."""

FIRST_WORK = 30_000_000
"""Work on the bound to begin with, about a tenth of a second; more than dual ascent needs for most lists."""


class CompanionBound:
    """The bound for a search on the lists of `table`.

    Work on it depends on the work of the search alone, never on the clock, so that a run with a limit on
    evaluations repeats exactly; the clock only ends it.

    Parameters
    ----------
    table : ParentSetTable
    seed : int
    budget : Budget
    """

    def __init__(self, table: ParentSetTable, seed: int, budget: Budget):
        self.search = BoundSearch(table, task_generator(seed, 0, 1))
        self._budget = budget
        self._holds_for = what_bounds_hold_for(table)
        self._work_per_order = 0.0
        self.keep_pace(0, -math.inf)

    @property
    def is_closed(self) -> bool:
        """The best network told so far is proved optimal."""
        return self.search.is_closed

    @property
    def facts(self) -> dict[str, float]:
        """Bound and gap for the reporter."""
        return {"bound": self.search.value, "gap": self.search.gap}

    def keep_pace(self, work: float, score: float) -> None:
        """Work on the bound until it has had its share of `work` sets tested by the search.

        Parameters
        ----------
        work : float
        score : float
            Of the best network so far, in nats.
        """
        self.search.improve(self._budget, FIRST_WORK + SHARE * work, score)

    def learn_pace(self, work: int, orders: int) -> None:
        """Note how many sets the search tests per order."""
        self._work_per_order = work / max(1, orders)

    def keep_pace_by_orders(self, orders: int, score: float) -> None:
        """As `keep_pace` when only the number of orders is known."""
        self.keep_pace(self._work_per_order * orders, score)

    def header_facts(self, score: float) -> dict[str, float | str]:
        """Entries ``bound``, ``gap`` and ``bound_relative_to`` for a network of this score."""
        return bound_facts(self.search.value, score, self._holds_for)


def bound_facts(bound: float, score: float, holds_for: str) -> dict[str, float | str]:
    """Header entries of a bound on the networks that `holds_for` names (see `what_bounds_hold_for`)."""
    bound = max(bound, score)
    return {"bound": bound, "gap": bound - score, "bound_relative_to": holds_for}
