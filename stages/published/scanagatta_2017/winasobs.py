"""Window search from acyclic selection (WINASOBS; Scanagatta, Corani and Zaffalon 2017).

Acyclic selection turns an initial order into a network. The network's topological order is improved by moving blocks
of variables until no block gains, then perturbed by random exchanges and improved again. A restart ends after a
number of perturbations in a row without improvement.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from formats.records import ParentSetTable
from stages.graphs import positions_of, topological_order
from stages.kernels.orders.insertion import OrderState, new_order_state
from stages.kernels.orders.set_lists import GAIN_TOLERANCE, MemberIndex, SetLists
from stages.lists.order_decoding import choose_consistent, select_acyclic
from stages.lists.set_lists import index_members, respect_fixed
from stages.optimize import OptimizeOptions
from stages.optimize.restarts import Attempt, local_search_rules
from stages.optimize.result import SearchResult, total_score
from stages.published.order_restarts import OrderRestarts
from stages.published.scanagatta_2017.kernels.windows import (
    FAILURES,
    NEXT,
    WIDTH,
    WINDOWS,
    climb_windows,
    new_window_walk,
)
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter

WIDEST = 5
"""Largest block of the first restarts."""

RESTARTS_PER_WIDTH = 5
"""Restarts after which the largest block grows by one."""

PATIENCE = 10
"""Perturbations in a row without improvement after which a restart ends."""

EXCHANGED = 0.03
"""Random exchanges of a perturbation, per variable."""

WORK_PER_WINDOW, WORK_PER_VARIABLE = 6000, 20
"""Cost of evaluating all places of a block, in sets tested, and the part per variable; measured."""

SLICE_WORK = 500_000
"""Sets tested per compiled call, well below a quarter of a second."""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best network of all restarts; evaluating all places of one block counts as an order."""
    restarts = OrderRestarts(table, options, budget, reporter)
    anytime_bound, index = restarts.anytime_bound, index_members(restarts.lists)

    def restart(number: int, limit: int | None) -> Attempt:
        order, rng = restarts.draw(number)
        widest = WIDEST + number // RESTARTS_PER_WIDTH
        searcher = WindowSearcher(restarts.lists, index, restarts.prescribed, order, rng, widest)

        def is_over() -> bool:
            if number == 0:
                # Only here, so that the bound does not depend on the distribution of restarts over threads.
                anytime_bound.keep_pace(searcher.work, searcher.score)
                found = Attempt(searcher.chosen, searcher.score, 1, searcher.work, searcher.order)
                so_far = anytime_bound.so_far(searcher.score, restarts.network_of, found)
                reporter.progress(0, options.restarts, "restarts", **so_far)
            return anytime_bound.is_closed

        searcher.run(budget, limit, is_over)
        orders = max(1, searcher.windows)
        return Attempt(searcher.chosen, searcher.score, orders, searcher.work, searcher.order)

    return restarts.best_of(restart, local_search_rules(options.restarts, budget))


class WindowSearcher:
    """One restart.

    `prescribed` has the prescribed parents, see `lists.set_lists.fixed_parents`; `order` (int32) agrees with them. A
    block has at most `widest` variables.
    """

    def __init__(
        self,
        lists: SetLists,
        index: MemberIndex,
        prescribed: dict[int, tuple[int, ...]],
        order: np.ndarray,
        rng: np.random.Generator,
        widest: int,
    ):
        self.lists, self.index, self.prescribed = lists, index, prescribed
        self.rng, self.widest = rng, widest
        self._walk, self._trial = new_window_walk(len(order)), new_order_state(len(order))
        self._keep(self._select(order))

    @property
    def windows(self) -> int:
        """Number of blocks with all places evaluated so far: the deterministic unit of work."""
        return int(self._walk.counts[WINDOWS])

    @property
    def work(self) -> float:
        """Approximate number of sets tested so far."""
        return float(self.windows * (WORK_PER_WINDOW + WORK_PER_VARIABLE * len(self.order)))

    def run(self, budget: Budget, limit: int | None, is_over: Callable[[], bool]) -> None:
        """Search until perturbations do not help, the budget ends or `limit` blocks were tried.

        `is_over` is called after every climb.
        """
        state = OrderState(order=self.order.copy(), position=positions_of(self.order), chosen=self.chosen.copy())
        self.climb(state, budget, limit)
        self._keep(state)
        idle = 0
        # Each perturbation starts from the best order, not from the last one.
        while idle < PATIENCE and not (
            is_over() or budget.is_spent() or (limit is not None and self.windows >= limit)
        ):
            state = self._select(self._perturbed())
            self.climb(state, budget, limit)
            idle += 1
            if total_score(self.lists.scores, state.chosen) > self.score + GAIN_TOLERANCE:
                self._keep(state)
                idle = 0

    def climb(self, state: OrderState, budget: Budget, limit: int | None = None) -> None:
        """Move blocks until none gains; `state` is changed."""
        # The number of blocks tried is not reset: it counts all climbs of the restart.
        self._walk.counts[[NEXT, WIDTH, FAILURES]] = (0, 1, 0)
        most = np.iinfo(np.int64).max if limit is None else limit
        while not budget.is_spent():
            is_done = climb_windows(
                self.lists, self.index, state, self._trial, self._walk, self.rng, self.widest, SLICE_WORK, most
            )
            if is_done or self.windows >= most:
                break

    def _select(self, order: np.ndarray) -> OrderState:
        """A topological order of the network that acyclic selection makes of `order`."""
        lists = self.lists
        chosen = select_acyclic(lists, order, self.prescribed)
        starts, ends = lists.parent_offsets[chosen].tolist(), lists.parent_offsets[chosen + 1].tolist()
        parents = [lists.parents[start:end].tolist() for start, end in zip(starts, ends, strict=True)]
        order = np.array(topological_order(parents, positions_of(order)), dtype=np.int32)
        # The order allows the acyclic selection's network, and often a better one.
        position, chosen = choose_consistent(lists, order)
        return OrderState(order=order, position=position, chosen=chosen)

    def _perturbed(self) -> np.ndarray:
        """The best order with some random pairs of variables exchanged."""
        order = self.order.copy()
        n = len(order)
        for one, other in self.rng.integers(n, size=(math.ceil(EXCHANGED * n), 2)).tolist():
            order[one], order[other] = order[other], order[one]
        return respect_fixed(order, self.prescribed)

    def _keep(self, state: OrderState) -> None:
        # The best order so far, the best consistent set of every variable in it, and their score in nats.
        self.order, self.chosen = state.order.copy(), state.chosen.copy()
        self.score = total_score(self.lists.scores, self.chosen)
