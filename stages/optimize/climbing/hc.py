"""Hill climbing on data: additions, removals and reversals of arcs, the best one at a time (HC).

With a tabu list the search continues through worse graphs; with restarts it climbs again from perturbed copies of the
best graph. A climb that draws no ties is made twice, as ties can be broken in two ways (`ties`).
"""

from __future__ import annotations

from dataclasses import replace

from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions
from ..result import Parents, SearchResult
from .climb import Climb, ClimbingRun, Method, run_method


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """Hill climbing; see `run_method`. Uses ``tabu``, ``restarts``, ``perturb`` and the constraints."""
    return run_method(both_ways, scorer, options, budget, reporter)


def one_way(run: ClimbingRun) -> Method:
    """One climb with the run's tabu list; a tied arc points into the weaker variable, or is drawn."""
    climber = run.climber(tabu=run.options.tabu)
    return lambda run, start: run.climb(climber, start)


def both_ways(run: ClimbingRun) -> Method:
    """Climb once as `one_way`, then with tied arcs pointing into the child with the larger next gain; the better
    network, the first among equals.

    Measured on samples of nine networks (BIC, 1,000 and 5,000 rows), either way is better by up to 3 in 1,000 of the
    score on some. A second climb is of no use if directions are not tied, or are drawn.
    """
    climber = run.climber(tabu=run.options.tabu)

    def climb(run: ClimbingRun, start: Parents) -> Climb:
        order = run.order.copy()
        climber.looks_ahead = False
        first = run.climb(climber, start)
        if not first.done or climber.ties is not None or not run.scorer.is_equivalent:
            return first
        run.order[:] = order
        climber.looks_ahead = True
        second = run.climb(climber, start)
        best = second if second.total > first.total + climber.grid else first
        return replace(best, done=second.done)

    return climb
