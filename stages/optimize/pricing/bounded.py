"""Learning from data under a treewidth bound: exactly at treewidth 1, else by pricing (`ktrees`)."""

from __future__ import annotations

import math
from dataclasses import replace

from formats.records import ParentSetTable
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions
from ..bounds.claims import claim_of_scores
from ..result import SearchResult
from ..treewidth import forest
from ..treewidth.problem import prepare_bounded
from .ktrees import KTreePricing
from .list_bound import ListBound
from .loop import alternate, learn
from .run import PricingRun, start_run


def search_data(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    table: ParentSetTable | None = None,
) -> SearchResult:
    """Learn a network of bounded treewidth from data; parameters as in `orders.search_data`.

    Raises
    ------
    InfeasibleError
        When the required arcs close a cycle or exceed the bound.
    """
    run = start_run(scorer, options, budget, reporter, table)
    width = limit_width(run)
    if options.width <= 1:
        return solve_forest(run)
    engine = KTreePricing(run, width)
    result = learn(run, engine, grows=table is None)
    return replace(result, elimination=engine.best.order[::-1].tolist())


def warm_up(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile all that `search_data` may need: what grows lists, and what searches among complete ones."""
    if options.width > 1:
        run = start_run(FamilyScorer(scorer.dataset, scorer.score, scorer.ess), options, budget, reporter)
        engine = KTreePricing(run, limit_width(run))
        engine.begin(grows=True)
        engine.is_too_wide = True
        bound = ListBound(run, engine)
        alternate(run, engine, bound)
        for arm in engine.arms:
            arm.search()
        bound.finish()
    search_data(FamilyScorer(scorer.dataset, scorer.score, scorer.ess), options, budget, reporter)


def limit_width(run: PricingRun) -> int:
    """The bound on the treewidth, below the number of variables; sets grow no larger.

    Raises
    ------
    InfeasibleError
        No network within the bound has all required arcs; found out before any work is done.
    """
    width = min(run.options.width, run.scorer.n_variables - 1)
    for grower in run.growers:
        grower.max_parents = min(grower.max_parents, width)
    prepare_bounded(run.lists.table(), width, run.options.max_table)
    return width


def solve_forest(run: PricingRun) -> SearchResult:
    """The best network with at most one parent each, from the scores of all pairs."""
    for grower in run.growers:
        if grower.max_parents > len(grower.required):
            variables, scores = grower.improving(grower.required)
            grower.scores |= {(v,): s for v, s in zip(variables.tolist(), scores.tolist())}
    found = forest.search(run.lists.table(), run.options, run.budget, run.reporter)
    result = run.result(found.parents, -math.inf, claim_of_scores(run.options))
    return replace(result, elimination=found.elimination)
