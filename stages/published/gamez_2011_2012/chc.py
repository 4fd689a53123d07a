"""Constrained hill climbing: CHC, CHC*, iCHC, 2iCHC, FastCHC (Gámez, Mateo and Puerta 2011, 2012).

Gains that indicate an independence put the pair into forbidden-parent sets, so that it is not tried again in the same
climb. CHC alone need not end in an I-map. Remedies: a climb without these sets from its result (CHC*); CHC from its
own result, until nothing changes (iCHC) or just once more (2iCHC); reopening pairs that a new arc links at distance
two (FastCHC).
"""

from __future__ import annotations

from stages.optimize import OptimizeOptions
from stages.optimize.climbing.climb import Climb, ClimbingRun, Method, run_method
from stages.optimize.result import Parents, SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .constrained_climber import ConstrainedClimber

ITERATIONS: dict[str, int | None] = {"chc": 1, "chc-star": 1, "ichc": None, "2ichc": 2, "fastchc": 1}
"""Climbs with forbidden-parent sets; None means until nothing changes."""


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The method of the CHC family named by ``options.method``; see `run_method`.

    It takes no tabu list: with forbidden-parent sets hardly any worse graph is left to move to.
    """
    return run_method(constrained, scorer, options, budget, reporter)


def constrained(run: ClimbingRun) -> Method:
    """The method that the run's options name."""
    name = str(run.options.method)
    iterations = ITERATIONS[name]
    climber = run.climber(ConstrainedClimber, releases=name == "fastchc")
    finisher = run.climber() if name == "chc-star" else None

    def climb(run: ClimbingRun, start: Parents) -> Climb:
        result, done = run.climb(climber, start), 1
        while result.done and done != iterations and result.parents != start:
            start = result.parents
            result = run.climb(climber, start)
            done += 1
        if finisher is not None and result.done:
            result = run.climb(finisher, result.parents)
        return result

    return climb
