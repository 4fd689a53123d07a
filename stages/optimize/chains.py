"""Independent restarts of an iterated local search over orders, in threads if wished.

The limit on orders evaluated holds for the sum over all restarts in their order, exactly: a restart that went
past it is run again up to the limit. So a run that the clock ended is repeated by giving the orders that it
reports as the limit, whatever the number of threads, unless the search itself follows the clock as
`treewidth.ils` does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stages.runtime.workers import ordered_map

if TYPE_CHECKING:
    import numpy as np

    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .bounds.anytime_bound import CompanionBound

DEFAULT_CHAINS = 10
"""Restarts when nothing is limited."""


@dataclass(frozen=True, eq=False)
class Chain:
    """Outcome of one restart.

    Attributes
    ----------
    order : ndarray of int32
        Order of the best network; under a treewidth bound its reverse is an elimination order within the bound.
    chosen : ndarray of int64
        Sets of the best network, as indices into the lists searched.
    score : float
        In nats.
    orders : int
        Orders evaluated, changed ones included.
    work : float
        Sets looked at, about: sets the pace of the bound.
    """

    order: np.ndarray
    chosen: np.ndarray
    score: float
    orders: int
    work: float


@dataclass(frozen=True, eq=False)
class ChainReport:
    """All restarts of a run: the best one (the earliest of equals), their number and the orders evaluated."""

    best: Chain
    restarts: int
    orders: int

    @property
    def facts(self) -> dict[str, int]:
        """Header entries."""
        return {"restarts": self.restarts, "orders": self.orders}


def run_chains(
    run_chain: Callable[[int, int | None], Chain | None],
    restarts: int | None,
    budget: Budget,
    jobs: int,
    reporter: Reporter,
    companion: CompanionBound,
) -> ChainReport:
    """Run restart after restart until the budget is used up or the best is proved optimal.

    Parameters
    ----------
    run_chain : callable
        Takes the index of a restart and the most orders it may evaluate (None for any number). A limit must
        change nothing but where the restart ends. Returns None when the clock left it no time.
    restarts : int or None
    budget : Budget
    jobs : int
    reporter : Reporter
    companion : CompanionBound
        Worked on after every restart.
    """
    limit = budget.evaluations
    if restarts is None and budget.seconds is None and limit is None:
        restarts = DEFAULT_CHAINS
    tasks = itertools.count() if restarts is None else range(restarts)
    best: Chain | None = None
    done = orders = 0
    work = 0.0
    results = ordered_map(lambda index: run_chain(index, limit), tasks, jobs, lookahead=1)
    try:
        for chain in results:
            if chain is not None and limit is not None and orders + chain.orders > limit:
                chain = run_chain(done, limit - orders)
            if chain is None:
                break
            done += 1
            orders += chain.orders
            work += chain.work
            if best is None or chain.score > best.score:
                best = chain
            companion.keep_pace(work, best.score)
            reporter.progress(done, restarts, score=best.score, orders=orders, **companion.facts)
            # When the time is up the restarts under way deliver, and those not begun return None.
            if companion.is_closed or (limit is not None and orders >= limit):
                break
    finally:
        results.close()
    return ChainReport(best, done, orders)
