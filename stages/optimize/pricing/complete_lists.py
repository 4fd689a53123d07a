"""Complete lists in place of grown ones, where they take seconds: then a proof covers all networks.

The work of listing all sets is known beforehand to some percent (`stages.parentsets.enumeration`). Where it is
little, the sets that `stages.parentsets.sequential` finds join the lists, and the default search among listed sets
takes the place of pricing: there is nothing left to grow.
"""

from __future__ import annotations

import importlib
from dataclasses import replace

import numpy as np

from stages.parentsets.child_search import UNLIMITED, ChildLimits, FoundSets
from stages.parentsets.enumeration import count_sets, rooms, seconds_of
from stages.parentsets.memory import shared_values
from stages.parentsets.sequential import search_child
from stages.runtime.budgets import Budget
from stages.runtime.workers import ordered_map
from stages.scoring.set_grower import SetGrower

from .. import choose_method
from ..result import SearchResult
from .run import PricingRun

MOST_SECONDS = 20.0
"""Largest forecast of an enumeration, in seconds of one core, at which it is made without a time limit."""

TIME_SHARE = 0.25
"""The same as a share of a time limit; it may take twice as much before it is given up."""


def can_enumerate(run: PricingRun) -> bool:
    """Whether all sets of all variables can be listed within the run's budget, by a forecast.

    It depends on data and limits alone, neither on the machine nor on the clock. The growers know the scores of
    single parents; no other scores are computed.
    """
    budget, scorer = run.budget, run.scorer
    most_seconds = MOST_SECONDS if budget.seconds is None else TIME_SHARE * budget.seconds
    limit = most_seconds / seconds_of(scorer, 1.0)
    if budget.evaluations is not None:
        limit = min(limit, budget.evaluations - scorer.evaluations)
    total = 0.0
    for grower in run.growers:
        total += most_scores(grower, limit - total)
        if total > limit:
            return False
    return True


def most_scores(grower: SetGrower, limit: float) -> float:
    """Scores that listing a child's sets takes at most; counted until they exceed `limit`."""
    scorer, limits = grower.scorer, limits_of(grower)
    scores = np.full(scorer.n_variables, -np.inf)
    if len(limits.allowed):
        improving, better = grower.improving(grower.required)
        scores[improving] = better
    penalty = scorer.penalty(grower.child) * scorer.n_configurations(grower.required)
    spare = rooms(scores[limits.allowed], grower.scores[grower.required], penalty)
    most_added = limits.max_parents - len(grower.required)
    return sum(count_sets(scorer.n_states[limits.allowed], spare, most_added, limit))


def limits_of(grower: SetGrower) -> ChildLimits:
    """What an enumeration may list: what the grower may."""
    allowed = grower.candidates[~np.isin(grower.candidates, grower.required)]
    most = min(grower.max_parents, len(allowed) + len(grower.required))
    return ChildLimits(allowed, most, UNLIMITED, grower.required)


def enumerate_all(run: PricingRun, score: float) -> bool:
    """List all sets that no subset dominates, in half of the time; whether that was done, else growers know the sets
    found.

    `score` is the best one so far (nats), for the report of progress.
    """
    budget = Budget(run.budget.part(0.5).seconds, stop=run.budget.stop)

    functions = shared_values(run.scorer, max(grower.max_parents for grower in run.growers))

    def enumerate_one(grower: SetGrower) -> FoundSets:
        limits = replace(limits_of(grower), functions=functions)
        found = search_child(run.scorer, grower.child, limits, budget)
        grower.evaluated += found.evaluated
        return found

    every, done = [], 0
    for found in ordered_map(enumerate_one, run.growers, run.jobs):
        every.append(found)
        done += found.complete
        run.report(score, complete=f"{done} of {len(run.growers)} lists")
    if done == len(every):
        run.lists.complete = [found.to_record(grower.required) for found, grower in zip(every, run.growers)]
        return True
    for found, grower in zip(every, run.growers):
        sets, scores = found.all_sets()
        grower.scores |= dict(zip(sets, scores.tolist()))
    return False


def search_complete(run: PricingRun) -> SearchResult:
    """The result of the default search among the run's lists, in the time left."""
    name, variant = choose_method(replace(run.options, method=None), run.scorer.n_variables)
    search = importlib.import_module(variant.module).search
    rest = Budget(run.budget.part(1.0).seconds, stop=run.budget.stop)
    return search(run.lists.table(), replace(run.options, method=name), rest, run.reporter)
