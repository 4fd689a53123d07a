"""Constrained hill climbing: CHC, CHC*, iCHC, 2iCHC, FastCHC (Gámez, Mateo and Puerta 2011, 2012).

Gains that speak for an independence put the pair into forbidden-parent sets, so that it is not tried again in
the same climb. CHC alone need not end in an I-map. What mends it: a climb without these sets from its result
(CHC*), CHC from its own result until nothing changes (iCHC) or just once more (2iCHC), or reopening pairs that a
new arc links at distance two (FastCHC).
"""

from __future__ import annotations

from stages.optimize import OptimizeOptions
from stages.optimize.climbing.climber import Climber
from stages.optimize.climbing.run import Climb, Method, Run, run_method
from stages.optimize.result import Parents, SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .constrained_climber import ConstrainedClimber

ITERATIONS: dict[str, int | None] = {"chc": 1, "chc-star": 1, "ichc": None, "2ichc": 2, "fastchc": 1}
"""Climbs with forbidden-parent sets; None means until nothing changes."""


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The method of the CHC family named by ``options.method``; see `run_method`.

    It takes no tabu list: forbidden-parent sets leave hardly a worse graph to go on to.
    """
    name = str(options.method)

    def make(run: Run) -> Method:
        return constrained(run, name)

    return run_method(make, scorer, options, budget, reporter)


def constrained(run: Run, name: str) -> Method:
    """The method `name` on a run."""
    climber = run.climber(ConstrainedClimber, releases=name == "fastchc")
    finisher = run.climber() if name == "chc-star" else None

    def climb(run: Run, start: Parents) -> Climb:
        result = iterate(run, climber, start, ITERATIONS[name])
        if finisher is not None and result.done:
            result = run.climb(finisher, result.parents)
        return result

    return climb


def iterate(run: Run, climber: Climber, start: Parents, iterations: int | None) -> Climb:
    """Climb from the result of the climb before, so many times or until nothing changes."""
    result = run.climb(climber, start)
    done = 1
    while result.done and done != iterations and result.parents != start:
        start = result.parents
        result = run.climb(climber, start)
        done += 1
    return result
