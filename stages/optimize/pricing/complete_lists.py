"""Complete lists in place of grown ones, where they take seconds: then a proof covers all networks.

The work of listing all sets is known beforehand to some per cent (`stages.parentsets.enumeration`). If it is little,
and the lists of a few variables are not long, the sets that `stages.parentsets.sequential` finds join the lists. Then
the default search among listed sets takes the place of pricing, as no sets are left to grow.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from stages.parentsets.enumeration import configuration_caps, count_sets, seconds_of, slowdown
from stages.parentsets.found_sets import UNLIMITED, ChildLimits, FoundSets, largest_gain
from stages.parentsets.run_memory import shared_values
from stages.parentsets.sequential import search_child
from stages.runtime.budgets import Budget, slices
from stages.runtime.workers import ordered_map
from stages.scoring.set_grower import SetGrower

from .. import choose_method
from ..bounds.subset_dp import subsets_fit
from ..result import SearchResult
from .run import PricingRun

MOST_SECONDS, LONGEST_SECONDS = 20.0, 200.0
"""Largest forecast, in seconds of one core, at which an enumeration is made without a time limit: on few rows, and at
most. In between, the limit grows as the time of a score does, since the search takes longer on more rows, too.
"""

TIME_SHARE = 0.25
"""The same limit as a share of a time limit; the enumeration is given up after twice as much."""

SECONDS_TO_SOLVE, SECONDS_TO_SEARCH = 1e-6, 1e-5
"""Cost of a listed set in seconds of the forecast: small with few variables, where dynamic programming solves the
problem; larger where a search looks at all sets.
"""

SAMPLED = 3
"""Variables whose lists are made first, to estimate the length of all."""

LISTED_AT_ONCE = 32
"""Variables listed before the sum of all lists is checked again: independent of the number of threads, so results
repeat.
"""


def most_seconds(run: PricingRun) -> float:
    """Largest forecast of an enumeration at which it is made, in seconds of one core."""
    if run.budget.seconds is None:
        return min(LONGEST_SECONDS, MOST_SECONDS * slowdown(run.scorer))
    return TIME_SHARE * run.budget.seconds


def forecast_listing(run: PricingRun) -> float | None:
    """Seconds of one core in which all sets of all variables are listed; None if the run's budget is too small for
    it.

    The forecast depends on data and limits alone, neither on the machine nor on the clock. The growers know the
    scores of single parents; no other scores are computed.
    """
    budget, scorer, seconds, total = run.budget, run.scorer, 0.0, 0
    most = math.inf if budget.evaluations is None else budget.evaluations - scorer.evaluations
    # Any score takes at least as long as one without parents.
    limit = min(most, most_seconds(run) / seconds_of(scorer, [1]))
    for grower in run.growers:
        counts = most_scores(grower, limit - total)
        total += sum(counts)
        seconds += seconds_of(scorer, counts)
        if total > most or seconds > most_seconds(run):
            return None
    return seconds


def most_scores(grower: SetGrower, limit: float) -> list[int]:
    """Most scores needed to list a child's sets, by the number of parents besides the required ones.

    Counting ends once the sum exceeds `limit`.
    """
    scorer, limits = grower.scorer, limits_of(grower)
    scores = np.full(scorer.n_variables, -np.inf)
    if len(limits.allowed):
        improving, better = grower.improving(grower.required)
        scores[improving] = better
    penalty = scorer.penalty(grower.child) * scorer.n_configurations(grower.required)
    largest = largest_gain(scorer, grower.child, limits)
    caps = configuration_caps(scores[limits.allowed] - largest, grower.scores[grower.required] - largest, penalty)
    return count_sets(scorer.n_states[limits.allowed], caps, limits.most_added, limit)


def limits_of(grower: SetGrower) -> ChildLimits:
    """The limits of a grower, in the form that an enumeration takes."""
    allowed = grower.candidates[~np.isin(grower.candidates, grower.required)]
    most = min(grower.max_parents, len(allowed) + len(grower.required))
    return ChildLimits(allowed, most, UNLIMITED, grower.required)


def enumerate_all(run: PricingRun, score: float) -> bool:
    """List all sets that no subset dominates, in half of the time left; returns whether that was done.

    It stops once the lists are too long, either estimated from the first few lists or in sum. If time ends the
    listing, the growers keep the sets found. If the user ends it, they do not, so a bound computed before still holds
    for the lists. `score` is the best score so far in nats, for progress reports.
    """
    growers, n = run.growers, len(run.growers)
    budget = Budget(run.budget.part(0.5).seconds, stop=run.budget.stop)
    functions = shared_values(run.scorer, max(grower.max_parents for grower in growers))
    every: dict[int, FoundSets] = {}

    def enumerate_one(grower: SetGrower) -> FoundSets:
        limits = replace(limits_of(grower), functions=functions)
        found = search_child(grower.scorer, grower.child, limits, budget)
        grower.evaluated += found.evaluated
        return found

    seconds = MOST_SECONDS if run.budget.seconds is None else most_seconds(run)
    most_sets = seconds / (SECONDS_TO_SOLVE if subsets_fit(n) else SECONDS_TO_SEARCH)

    def enumerate_some(some: Sequence[SetGrower]) -> int:
        """List the sets of some variables; returns the number of all sets listed so far."""
        for grower, found in zip(some, ordered_map(enumerate_one, some, run.jobs), strict=True):
            every[grower.child] = found
            run.reporter.progress(len(every), n, "lists for a proof", run.found, score=score)
        return sum(found.n_sets for found in every.values())

    first = growers[:: -(-n // SAMPLED)]
    if enumerate_some(first) * n / len(first) > most_sets:
        return False
    rest = [grower for grower in growers if grower.child not in every]
    for start, end in slices(len(rest), LISTED_AT_ONCE):
        if enumerate_some(rest[start:end]) > most_sets:
            return False
    if all(found.complete for found in every.values()):
        run.lists.complete([every[grower.child].to_record(grower.required) for grower in growers])
        return True
    if run.budget.interrupted:
        return False
    for grower in growers:
        sets, scores = every[grower.child].all_sets()
        grower.scores |= dict(zip(sets, scores.tolist()))
    return False


def search_complete(run: PricingRun) -> SearchResult:
    """The result of the default search among the run's lists, in the time left."""
    name, variant = choose_method(replace(run.options, method=None), run.scorer.n_variables)
    search = importlib.import_module(variant.module).search
    rest = Budget(run.budget.part(1.0).seconds, stop=run.budget.stop)
    table = run.lists.table()
    # What the lists are complete within.
    limits = {"stage": "optimize", "options": {"max_parents": run.options.max_parents}}
    table = replace(table, header=replace(table.header, by=(limits,)))
    return search(table, replace(run.options, method=name), rest, run.reporter)
