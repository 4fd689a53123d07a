"""Max-min hill climbing (MMHC; Tsamardinos, Brown and Aliferis 2006): neighbours by tests, then hill climbing
among them.
"""

from __future__ import annotations

from stages.optimize import OptimizeOptions
from stages.optimize.climbing.climb import run_method
from stages.optimize.climbing.hc import unconstrained
from stages.optimize.result import SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.interventional_scorer import scorer_of

from .mmpc import find_neighbours


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """MMPC with tests at level ``options.alpha`` for every variable, then HC that adds arcs only between
    neighbours; see `run_method`.
    """
    likelihood = scorer if scorer.score == "ll" else scorer_of(scorer.dataset, "ll", stop=scorer.stop)
    found = find_neighbours(likelihood, options.alpha, budget, reporter, options.jobs)
    pairs = sum(map(len, found.members)) // 2
    reporter.detail(f"{found.tests} tests leave {pairs} pairs of neighbours")
    result = run_method(unconstrained, scorer, options, budget, reporter, found.members)
    result.facts["tests"] = found.tests
    result.stats.update(tests=found.tests, pairs=pairs)
    for counted in ("statistics", "literal_statistics", "literal_requested"):
        if counted in result.stats:
            result.stats[counted] += found.tests
    return result
