"""Hill climbing on data: additions, removals and reversals of arcs, the best one at a time (HC).

With a tabu list the search continues through worse graphs; with restarts it climbs again from perturbed copies of the
best graph.
"""

from __future__ import annotations

from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions
from ..result import SearchResult
from .climb import ClimbingRun, Method, run_method


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """Hill climbing; see `run_method`. Uses ``tabu``, ``restarts``, ``perturb`` and the constraints."""
    return run_method(unconstrained, scorer, options, budget, reporter)


def unconstrained(run: ClimbingRun) -> Method:
    """HC, with the run's tabu list."""
    climber = run.climber(tabu=run.options.tabu)
    return lambda run, start: run.climb(climber, start)
