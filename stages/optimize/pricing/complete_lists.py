"""Complete lists in place of grown ones, where they are a matter of seconds: then a proof is one about all networks.

What it takes to enumerate all sets is known beforehand to some percent (`stages.parentsets.enumeration`). Where that
is little, the sets that `stages.parentsets.sequential` finds join the lists, and the default search among listed sets
goes on in place of pricing: nothing is left to price.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stages.parentsets.child_search import UNLIMITED, ChildLimits
from stages.parentsets.enumeration import count_sets, rooms, seconds_of
from stages.parentsets.sequential import search_child
from stages.runtime.budgets import Budget
from stages.runtime.workers import ordered_map

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.reporting import Reporter
    from stages.scoring.family_scorer import FamilyScorer
    from stages.scoring.set_grower import SetGrower

    from .. import OptimizeOptions
    from ..result import SearchResult

MOST_SECONDS = 20.0
"""Forecast of an enumeration, on one core, up to which it is made where no time is given."""

TIME_SHARE = 0.25
"""The same as a share of the time given; it may take twice as much before it is given up."""


def can_enumerate(scorer: FamilyScorer, growers: list[SetGrower], budget: Budget) -> bool:
    """Whether all sets of all variables can be listed within the budget, by a forecast.

    It depends on data and limits alone, neither on the machine nor on the clock.

    Parameters
    ----------
    scorer : FamilyScorer
    growers : list of SetGrower
        They know the scores of single parents; other scores are not computed.
    budget : Budget
        Its evaluations are local scores, those computed before included.
    """
    most_seconds = MOST_SECONDS if budget.seconds is None else TIME_SHARE * budget.seconds
    limit = most_seconds / seconds_of(scorer, 1.0)
    if budget.evaluations is not None:
        limit = min(limit, budget.evaluations - scorer.evaluations)
    total = 0.0
    for grower in growers:
        total += _most_scores(scorer, grower, limit - total)
        if total > limit:
            return False
    return True


def _most_scores(scorer: FamilyScorer, grower: SetGrower, limit: float) -> float:
    limits = limits_of(grower)
    scores = np.full(scorer.n_variables, -np.inf)
    if len(limits.allowed):
        improving, better = grower.improving(grower.required)
        scores[improving] = better
    penalty = scorer.penalty(grower.child) * scorer.n_configurations(grower.required)
    room = rooms(scores[limits.allowed], grower.scores[grower.required], penalty)
    most_added = limits.max_parents - len(grower.required)
    return sum(count_sets(scorer.n_states[limits.allowed], room, most_added, limit))


def limits_of(grower: SetGrower) -> ChildLimits:
    """What an enumeration may list: what the grower may."""
    allowed = grower.candidates[~np.isin(grower.candidates, grower.required)]
    most = min(grower.max_parents, len(allowed) + len(grower.required))
    return ChildLimits(allowed, most, UNLIMITED, grower.required)


def enumerate_all(
    scorer: FamilyScorer,
    growers: list[SetGrower],
    budget: Budget,
    jobs: int,
    tell: Callable[[int], None],
) -> bool:
    """Let every grower know all sets that no subset dominates; whether that was done before the budget ended.

    Parameters
    ----------
    scorer : FamilyScorer
    growers : list of SetGrower
    budget : Budget
        Half of its time; the user's wish to stop.
    jobs : int
    tell : callable
        Receives the number of variables done.
    """
    share = Budget(budget.part(0.5).seconds, stop=budget.stop)

    def enumerate_one(grower: SetGrower) -> bool:
        found = search_child(scorer, grower.child, limits_of(grower), share)
        grower.scores |= found.scores
        grower.evaluated += found.evaluated
        return found.complete

    done = 0
    for is_complete in ordered_map(enumerate_one, growers, jobs):
        done += is_complete
        tell(done)
    return done == len(growers)


def search_complete(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The result of the default search among listed sets, with the time left; parameters as in `ListSearch`."""
    from .. import choose_method

    name, way = choose_method(replace(options, method=None), table.n_variables)
    search = importlib.import_module(way.module).search
    rest = Budget(None if budget.seconds is None else budget.time_left(), stop=budget.stop)
    return search(table, replace(options, method=name), rest, reporter)
