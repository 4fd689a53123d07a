"""Learning from data under a treewidth bound: exactly at treewidth 1, else by pricing (`ktree_pricing`)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from formats.bounds import Bound
from formats.records import ParentSetRecord, ParentSetTable
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .. import OptimizeOptions
from ..bounds.claims import claim_of_scores
from ..bounds.width import triangle_prices
from ..result import SearchResult
from ..treewidth import forest
from ..treewidth.narrowing import elimination_within
from ..treewidth.problem import prepare_bounded
from ..treewidth.table_bound import TableBound
from . import order_pricing
from .ktree_pricing import KTreePricing
from .list_bound import ListBound
from .loop import alternate, learn
from .run import PricingRun, start_run
from .widthless import OrdersWithinWidth, TooWide

LEAST_WIDTH = 2
"""k-trees of smaller width are forests; a separate search finds the best forest."""


def search_data(
    scorer: FamilyScorer,
    options: OptimizeOptions,
    budget: Budget,
    reporter: Reporter,
    table: ParentSetTable | None = None,
) -> SearchResult:
    """Learn a network of bounded treewidth from data; parameters as in `order_pricing.search_data`.

    Raises
    ------
    InfeasibleError
        When the required arcs close a cycle or exceed the bound.
    """
    run = start_run(scorer, options, budget, reporter, table)
    treewidth = feasible_treewidth(run)
    if options.given_treewidth <= 1:
        run.lists.limit_parents(treewidth)
        return solve_forest(run)
    first, result = search_widthless(run, treewidth, grows=table is None)
    if result is not None:
        # Sets that no network within the bound may take are not listed; the bound holds for all networks.
        lists = None if result.lists is None else _of_at_most(treewidth, result.lists)
        return replace(result, lists=lists)
    run.lists.limit_parents(treewidth)
    engine = KTreePricing(run, treewidth, first)
    result = learn(run, engine, grows=table is None)
    return replace(result, elimination=engine.best.order[::-1].tolist())


def _of_at_most(size: int, records: Iterable[ParentSetRecord]) -> Iterator[ParentSetRecord]:
    """The records without sets of more than `size` parents."""
    for record in records:
        kept = np.flatnonzero(record.parents.sizes <= size)
        yield replace(record, parents=record.parents.take(kept), scores=record.scores[kept])


def search_widthless(run: PricingRun, treewidth: int, grows: bool) -> tuple[OrdersWithinWidth, SearchResult | None]:
    """Search without a bound on the treewidth; returns the result, or None once networks are too wide."""
    engine, result = OrdersWithinWidth(run, treewidth), None
    with contextlib.suppress(TooWide):
        result = learn(engine.run, engine, grows)
    if result is None or engine.kept is None or not engine.is_within:
        return engine, None
    return engine, replace(result, elimination=engine.kept.order[::-1].tolist())


def warm_up(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile everything that `search_data` may need: growth of lists, and search among complete lists."""
    order_pricing.warm_up(scorer, replace(options, treewidth=None), budget, reporter)
    if options.given_treewidth > 1:
        run = start_run(FamilyScorer(scorer.dataset, scorer.score, scorer.ess), options, budget, reporter)
        treewidth = feasible_treewidth(run)
        first = OrdersWithinWidth(run, treewidth)
        with contextlib.suppress(TooWide):
            first.begin(grows=True)
            first.search()
        run.lists.limit_parents(treewidth)
        engine = KTreePricing(run, treewidth, first)
        engine.begin(grows=True)
        engine.is_too_wide = True
        bound = ListBound(run, engine)
        alternate(run, engine, bound)
        for arm in engine.arms:
            arm.search()
        # No order of a triangle has width 1: narrowing is tried.
        elimination_within(((1,), (2,), (0,)), 1, TableBound(np.ones(3), np.inf), run.rng)
        engine.run = run.phase(reporter, budget=Budget(stop=budget.stop))
        engine.grow()  # without a limit on local scores, bags are priced
        bound.finish()
        triangle_prices.warm_up(run.lists.latest())
    search_data(FamilyScorer(scorer.dataset, scorer.score, scorer.ess), options, budget, reporter)


def feasible_treewidth(run: PricingRun) -> int:
    """The bound on the treewidth, below the number of variables.

    Without required arcs, a bound on tables may lower it.

    Raises
    ------
    InfeasibleError No network within the bound has all required arcs; raised before any work is done.
    """
    treewidth = min(run.options.given_treewidth, run.scorer.n_variables - 1)
    problem = prepare_bounded(run.lists.table(), treewidth, run.options.max_table)
    if problem.is_demanding or not problem.tables.is_given:
        return treewidth
    return min(treewidth, max(LEAST_WIDTH, problem.tables.widest))


def solve_forest(run: PricingRun) -> SearchResult:
    """The best network with at most one parent per variable, from the scores of all pairs."""
    for grower in run.growers:
        if grower.max_parents > len(grower.required):
            variables, scores = grower.improving(grower.required)
            grower.scores |= {(v,): s for v, s in zip(variables.tolist(), scores.tolist())}
    found = forest.search(run.lists.table(), run.options, run.budget, run.reporter)
    about = claim_of_scores(run.options, run.scorer.n_variables)
    result = run.result(found.parents, Bound(-math.inf, about))
    return replace(result, elimination=found.elimination)
