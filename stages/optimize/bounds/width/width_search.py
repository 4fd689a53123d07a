"""An upper bound under a treewidth bound: that of networks of any width, and one with prices of edges beside it.

Prices of edges (`edge_prices`) narrow the bound, but make steps slower; on long lists of large sets the bound of any
width can fall faster for long. So once it stalls, a copy of the search goes on with prices, and both share the work.
The narrow bound has most of the work while it is better than the other one would be by now, had that one had all work
at its latest pace; once it stalls both have half. Else it is on trial: its work is a limited share, and would have
lowered the other bound by little. Where the bound of any width has gone on alone, a trial begins anew from there. All
of this depends on work alone, never on the clock.
"""

from __future__ import annotations

import math

import numpy as np

from stages.kernels.orders.set_lists import SetLists
from stages.runtime.budgets import Budget

from ..lagrangian import BoundSearch
from .edge_prices import can_price

TRIAL_SHARE, TRIAL_LOSS = 0.25, 0.005
"""Limits on prices of edges while they do not help: share of all work; share of the gap that the bound of any width
would have closed in that work at its latest pace.
"""

TURN_WORK, TURN_SHARE = 2_000_000, 0.03
"""Work of a turn of either search: at least, and as a share of all work so far."""

LEAST_SHARE, STALLED_SHARE = 0.25, 0.5
"""Least share of all work on the bound of any width, which may fall again after long: while the narrow bound falls,
and once that one stalls.
"""

AGAIN = 1.25
"""Prices of edges that do not help begin anew from the bound of any width after this multiple of its work at their
last beginning.
"""

PACE_SHARE = 1 / 3
"""The latest share of the work on the bound of any width by which its pace is measured."""


class WidthSearch:
    """The better of both bounds; without a `treewidth` that of networks of any width.

    Parameters are as in `BoundSearch`.
    """

    def __init__(self, lists: SetLists, rng: np.random.Generator, treewidth: int | None = None):
        self.wide = BoundSearch(lists, rng)  # of networks of any width
        self._narrow: BoundSearch | None = None
        self._treewidth = treewidth if can_price(self.wide.pool.lists, treewidth) else None
        self._forked_at = 0  # work of the search of any width when the narrow one began
        self._given_up = 0  # work of earlier narrow searches
        self._trace = [(0, math.inf)]  # work and bound in nats after each turn of the search of any width

    @property
    def work(self) -> int:
        """Approximate number of sets looked at so far."""
        return self.wide.work + self._given_up + self._narrow_work

    @property
    def _narrow_work(self) -> int:
        return 0 if self._narrow is None else self._narrow.work - self._forked_at

    @property
    def best(self) -> BoundSearch:
        """The search with the better bound."""
        if self._narrow is not None and self._narrow.value < self.wide.value:
            return self._narrow
        return self.wide

    @property
    def is_at_its_end(self) -> bool:
        """Whether the better bound has all kinds of rows that it can have, and its longest averages."""
        search = self.best if self._treewidth is None else self._narrow
        return search is not None and search.is_at_its_end

    def improve(self, budget: Budget, work: float, incumbent: float) -> None:
        """As `BoundSearch.improve`."""
        for search in (self.wide, self._narrow):
            if search is not None:
                search.incumbent = max(search.incumbent, incumbent)
        while self.work < work and not self.best.is_closed and not budget.is_spent():
            search = self._next()
            before = search.work
            turn = min(max(TURN_WORK, TURN_SHARE * self.work), work - self.work)
            search.improve(budget, before + turn, incumbent)
            if search is self.wide:
                self._trace.append((search.work, search.value))
            if search.work == before:  # nothing to do before there is an incumbent
                return

    def _next(self) -> BoundSearch:
        """The search whose turn it is."""
        if self._treewidth is None or (self._narrow is None and not self.wide.is_stalled):
            return self.wide
        if self._narrow is None:
            self._narrow = self._fork(self._treewidth)
        elif self._narrow.value >= self.wide.value and self.wide.work >= AGAIN * self._forked_at:
            self._given_up += self._narrow_work
            self._narrow = self._fork(self._treewidth)
        lost = self._pace() * self._narrow_work
        is_ahead = self._narrow.value < self.wide.value - lost
        least = STALLED_SHARE if self._narrow.is_stalled else LEAST_SHARE
        if is_ahead and self.wide.work < least * self.work:
            return self.wide
        tried = self.work - self.wide.work
        is_on_trial = lost < TRIAL_LOSS * self.wide.gap and tried < TRIAL_SHARE * self.work
        return self._narrow if is_ahead or is_on_trial else self.wide

    def _fork(self, treewidth: int) -> BoundSearch:
        """A narrow search that goes on from the present state of the other one."""
        self._forked_at = self.wide.work
        return self.wide.narrowed(treewidth)

    def _pace(self) -> float:
        """By how many nats the bound of any width fell per unit of its latest work."""
        work, value = self._trace[-1]
        while len(self._trace) > 2 and self._trace[1][0] <= (1.0 - PACE_SHARE) * work:
            self._trace.pop(0)
        earlier, before = self._trace[0]
        return (before - value) / (work - earlier) if math.isfinite(before) and work > earlier else 0.0
