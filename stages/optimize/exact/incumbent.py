"""The incumbent of a search for a proof, and the local search that improves it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from stages.kernels.orders.set_lists import GAIN_TOLERANCE, SetLists
from stages.lists.set_lists import index_members, respect_fixed
from stages.runtime.budgets import Budget

from ..orders.ils import PHASE, STALL
from ..orders.insertion_ils import OrderShaker
from ..result import total_score

SHORT_STALL = 2
"""Phases without improvement after which a search from a suggested order ends."""

SEARCHES_AT = 64
"""Branches between two local searches from a fractional choice; at first every power of two."""


class Incumbent:
    """The best network so far on some lists.

    `prescribed` are the parents that fixed records prescribe, see `lists.set_lists.fixed_parents`. `draw` draws
    starting orders that respect these parents; it is called at once, and for each later start.
    """

    def __init__(
        self,
        lists: SetLists,
        prescribed: dict[int, tuple[int, ...]],
        draw: Callable[[], np.ndarray],
        rng: np.random.Generator,
    ):
        self.lists, self.prescribed, self.rng = lists, prescribed, rng
        self._index = index_members(lists)
        self._draw = draw
        self._before = (0, 0)
        self._shaker = OrderShaker(lists, self._index, draw(), rng)
        # Set of every variable, int64, shape (n_variables,), and the sum of their scores in nats.
        self.chosen, self.score = self._shaker.chosen.copy(), self._shaker.score
        self._idle = 0

    @property
    def orders(self) -> int:
        """Orders evaluated so far."""
        return self._before[0] + self._shaker.profiles

    @property
    def work(self) -> int:
        """Sets tested so far."""
        return self._before[1] + self._shaker.work

    @property
    def is_stuck(self) -> bool:
        """Whether the search from the current order has stalled."""
        return self._idle >= STALL

    def search(self, budget: Budget) -> None:
        """One more phase of the search from the current order; from a new order if the search has stalled."""
        if self.is_stuck:
            self._start(self._draw())
        until = self._shaker.profiles + PHASE * len(self.chosen)
        if budget.evaluations is not None:
            until = min(until, budget.evaluations - self._before[0])
        before = self._shaker.score
        self._shaker.search(budget, until)
        self._idle = 0 if self._shaker.score > before + GAIN_TOLERANCE else self._idle + 1
        self._keep(self._shaker.chosen, self._shaker.score)

    def improve(self, budget: Budget, order: np.ndarray) -> None:
        """A short search from another order."""
        self._start(respect_fixed(order, self.prescribed))
        while self._idle < SHORT_STALL and not budget.is_spent(self.orders):
            self.search(budget)

    def _start(self, order: np.ndarray) -> None:
        self._before = (self.orders, self.work)
        self._shaker = OrderShaker(self.lists, self._index, order, self.rng)
        self._idle = 0

    def offer(self, chosen: np.ndarray) -> None:
        """Keep this network if it is better."""
        self._keep(chosen, total_score(self.lists.scores, chosen))

    def _keep(self, chosen: np.ndarray, score: float) -> None:
        if score > self.score:
            self.chosen, self.score = chosen.copy(), score


def is_time_to_search(n_branches: int) -> bool:
    """Whether a local search starts from the fractional choice of this branch."""
    return n_branches % SEARCHES_AT == 0 or n_branches & (n_branches - 1) == 0
