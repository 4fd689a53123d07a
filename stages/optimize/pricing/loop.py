"""The loop of pricing: search on the lists at hand, grow them near what was found, again and again.

It is column generation by sampling: sets are priced where the present solution lies, and no family is scored twice
as long as memory lasts. An engine searches and grows (`PricingEngine`); the loop decides when to stop, shows an
upper bound now and then, and ends with one on the final lists. Where all sets can be listed in seconds they are,
after the first search, and a search among complete lists takes the place of the loop (`complete_lists`).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from stages.kernels.orders.set_lists import SetLists
from stages.runtime.budgets import Budget
from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import FIRST_WORK, SHARE
from ..bounds.claims import claim_of_scores
from ..bounds.lagrangian import BoundSearch
from ..bounds.rounding import optimality_tolerance, proof_rounding
from ..result import SearchResult, total_score
from .basins import TOLERANCE, OrderedNetwork
from .complete_lists import can_enumerate, enumerate_all, search_complete
from .run import PricingRun

MOST_BYTES = 1 << 30
"""Memory for scores beyond which all but the sets in the lists are forgotten."""

BOUND_TIME = 0.15
"""Share of a time limit reserved for the bound on the final lists: on dense lists the bound still closes fast then,
and few networks get better. Without a limit its work is a share of the search's.
"""

LOOKS = 4
"""The gap is computed after rounds 1, 4, 16, ...: the factor between them."""

PROOF_WORK = 2e9
"""Least work, in sets evaluated, on a bound on complete lists if the search among them has not proved optimality.
None under a treewidth bound: the bound holds for any width, and networks within the treewidth seldom attain it.
"""


class PricingEngine(Protocol):
    """Searches on the lists of a `PricingRun` and grows them.

    Attributes
    ----------
    best : OrderedNetwork
        The incumbent; its score is -inf before the first search.
    patience : int
        Rounds in turn without a better network after which a run without a time limit ends.
    is_cooling : bool
        The last search accepted worse networks on purpose: that it found no better one is no reason to stop.
    bytes : int
        Memory of what the engine keeps beside the lists, about.
    """

    patience: int
    is_cooling: bool

    @property
    def best(self) -> OrderedNetwork: ...

    @property
    def bytes(self) -> int: ...

    def begin(self, grows: bool) -> None:
        """Find a first network and, with `grows`, first lists; without, lists are given."""

    def search(self) -> bool:
        """One phase of search on the present lists; whether it improved the incumbent."""

    def grow(self) -> None:
        """One round of growth near the networks that searches have found."""

    def adopt(self, found: SearchResult) -> None:
        """Make a network found elsewhere the incumbent if it is better."""


def learn(run: PricingRun, engine: PricingEngine, budget: Budget, grows: bool) -> SearchResult:
    """Learn a network by pricing; `budget` is that of the whole run, the bound included."""
    engine.begin(grows)
    if list_all(run, engine):
        return search_listed(run, engine, budget)
    alternate(run, engine)
    bound = bound_lists(run, engine, budget)
    return run.result(engine.best.parents, bound)


def alternate(run: PricingRun, engine: PricingEngine, patience: int | None = None) -> None:
    """Search and grow until the budget is spent, or `patience` rounds in turn improved nothing.

    By default patience is the engine's without a time limit, and unlimited with one.
    """
    if patience is None and run.budget.seconds is None:
        patience = engine.patience
    idle, next_look = 0, 1
    while True:
        improved = engine.search()
        idle = 0 if improved or engine.is_cooling else idle + 1
        if run.is_spent() or (patience is not None and idle >= patience):
            return
        engine.grow()
        run.rounds += 1
        if run.rounds == next_look:
            next_look *= LOOKS
            show_gap(run, engine)
        run.lists.forget_over(MOST_BYTES - engine.bytes)


def list_all(run: PricingRun, engine: PricingEngine) -> bool:
    """List all sets of all variables where that takes seconds; whether it was done.

    One search runs first, so that there is a good network when time or the user ends the listing.
    """
    if run.is_spent() or not can_enumerate(run):
        return False
    engine.search()
    run.lists.is_complete = enumerate_all(run, engine.best.score)
    return run.lists.is_complete


def search_listed(run: PricingRun, engine: PricingEngine, budget: Budget) -> SearchResult:
    """Search on among complete lists: the best network, and a bound on all within the options' limits."""
    found = search_complete(run, budget)
    engine.adopt(found)
    bound = found.facts["bound"]
    # The search has not proved it: more work on the bound, over the same complete lists.
    if bound - engine.best.score > optimality_tolerance(found.scores):
        rounding = proof_rounding(len(found.scores), float(np.abs(found.scores).sum()))
        least_work = 0.0 if run.options.treewidth is not None else PROOF_WORK
        bound = min(bound, bound_lists(run, engine, budget, least_work) + rounding)
    return run.result(engine.best.parents, bound, claim_of_scores(run.options), rounding=0.0)


def show_gap(run: PricingRun, engine: PricingEngine) -> None:
    """Work a little on a bound on the present lists, so that a gap is shown long before the end."""
    lists = run.lists.pack()
    search = BoundSearch(lists, task_generator(run.options.seed, 0, 1))
    # A share of the search's work, so that early gaps take little time; work over k-trees is not counted.
    is_counted = run.options.treewidth is None
    search.improve(run.budget, min(FIRST_WORK, SHARE * run.work) if is_counted else FIRST_WORK, engine.best.score)
    _take_found(run, engine, lists, search)
    run.gap = {f"gap to the best of {len(lists.scores):,} sets": search.gap}


def bound_lists(run: PricingRun, engine: PricingEngine, budget: Budget, least_work: float = 0.0) -> float:
    """An upper bound in nats on all networks from the present lists.

    Work on it ends with `budget`; if time does not limit it, after a share of the search's work, and at least
    `least_work`.
    """
    lists = run.lists.pack()
    search = BoundSearch(lists, task_generator(run.options.seed, 0, 1))
    is_out = budget.evaluations is not None and run.scorer.evaluations >= budget.evaluations
    goes_by_time = budget.seconds is not None and not is_out
    most = np.inf if goes_by_time else max(least_work, FIRST_WORK + SHARE * run.work)
    while search.work < most and not search.is_closed and not budget.is_spent():
        search.improve(budget, min(most, search.work + FIRST_WORK), engine.best.score)
        _take_found(run, engine, lists, search)
        run.gap = {f"gap to the best of the final {len(lists.scores):,} sets": search.gap}
        run.report(engine.best.score)
    return search.value


def _take_found(run: PricingRun, engine: PricingEngine, lists: SetLists, search: BoundSearch) -> None:
    """Adopt the network that work on the bound has found; under a treewidth bound it may be too wide."""
    if search.found is None or run.options.treewidth is not None:
        return
    score = total_score(lists.scores, search.found)
    if score > engine.best.score + TOLERANCE:
        parents = run.lists.sets(lists, search.found)
        engine.adopt(SearchResult(parents, lists.scores[search.found], score))
