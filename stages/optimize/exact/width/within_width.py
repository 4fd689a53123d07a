"""The best network within a treewidth from given lists with the proof: branch and bound on edges of k-trees."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from formats.bounds import Bound
from formats.graphs.algorithms import moral_graph
from formats.records import ParentSetTable
from stages.graphs.treewidth import min_fill_order
from stages.lists.set_lists import costs_of, fixed_parents, keep_in_table, lists_in
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

from ... import OptimizeOptions
from ...bounds.anytime_bound import FIRST_WORK, GAP_OF_LISTS
from ...bounds.claims import claim_of_lists
from ...bounds.lagrangian import BoundSearch
from ...bounds.rounding import optimality_tolerance, proof_rounding
from ...bounds.width import triangle_prices
from ...bounds.width.width_search import WidthSearch
from ...result import SearchResult, total_score
from ...treewidth import forest
from ...treewidth.prescribed_families import refuse_more_parents
from .. import any_width as any_width
from ..fractional import with_empty_sets
from .best_within_width import BestWithinWidth
from .edge_tree import EdgeTree
from .family_cliques import FamilyCliques
from .row_pool import Costs

LEAST_SETS = 3000
"""Sets from which a bound by multipliers comes before programmes; they are fast on fewer sets."""

BOUND_SHARE = 0.25
"""Largest share of a time limit for the bound by multipliers."""

REPORTED_WORK = 2e8
"""Work on that bound between two reports, some tenths of a second."""

LEAST_FALL, MOST_DEVELOPED = 0.7, 1e9
"""That bound goes on while twice the work leaves no more than this share of the gap, and until it has its longest
averages or has done this work.
"""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best network, or the incumbent when the budget ends, with an upper bound."""
    treewidth = options.given_treewidth
    if treewidth <= 1:
        return forest.search(table, options, budget, reporter)
    if treewidth >= table.n_variables - 1:
        # Every network keeps this bound.
        kept = keep_in_table(table, np.flatnonzero(np.diff(table.parent_offsets) <= treewidth))
        found = any_width.search(kept, replace(options, treewidth=None, start=None), budget, reporter)
        return replace(found, elimination=min_fill_order(moral_graph(found.parents)))
    return prove(table, options, budget, reporter)


def warm_up(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile what a search on a larger table needs: on a tiny one it may end early because the bound is met."""
    search(table, options, budget, reporter)
    triangle_prices.warm_up(lists_in(table))


def prove(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """As `search` for a treewidth from 2 to n - 2, after a short search whose own bound may suffice."""
    refuse_more_parents(fixed_parents(table), table.header.names, options.given_treewidth)
    kept = keep_in_table(table, np.flatnonzero(np.diff(table.parent_offsets) <= options.given_treewidth))
    incumbent = BestWithinWidth(kept, options, budget)
    bound, scores = incumbent.first_bound, kept.scores[incumbent.chosen]
    rounding = proof_rounding(table.n_variables, float(np.abs(scores).sum()))
    facts: dict[str, Any] = {}

    def least(value: float, is_narrow: bool) -> Bound:
        found = Bound.of(value, incumbent.score, rounding, claim_of_lists(table, options, is_narrow))
        return found if found.value < bound.value else bound

    if bound.value - incumbent.score > optimality_tolerance(scores) and not budget.is_spent(incumbent.moves):
        sets = np.arange(kept.n_sets)
        # Small programmes are fast anyhow.
        if kept.n_sets >= LEAST_SETS:
            excluding = _exclude(incumbent, options, budget, reporter)
            sets, bound = excluding.kept, least(excluding.value, excluding.is_narrow)
        if bound.value - incumbent.score > optimality_tolerance(scores):
            value, facts = _by_branches(incumbent, sets, bound.value, rounding, budget, reporter)
            bound = least(value, True)
    return replace(incumbent.result(), facts=facts, bound=bound)


def _exclude(incumbent: BestWithinWidth, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> BoundSearch:
    """A bound by multipliers, which leaves the sets that a better network may have.

    Its work doubles until a doubling gains little.
    """
    search = WidthSearch(lists_in(incumbent.table), task_generator(options.seed, 0, 3), options.given_treewidth)
    short, work, gap = budget.part(BOUND_SHARE), FIRST_WORK, math.inf
    while not search.best.is_closed and not short.is_spent():
        while search.work < work and not search.best.is_closed and not short.is_spent():
            search.improve(short, min(work, search.work + REPORTED_WORK), incumbent.score)
            now = {"score": incumbent.score, GAP_OF_LISTS: search.best.gap}
            reporter.progress(incumbent.moves, budget.evaluations, "orders", incumbent.result, **now)
        is_developed = search.is_at_its_end or work >= MOST_DEVELOPED
        if is_developed and search.best.gap > LEAST_FALL * gap:
            break
        work, gap = 2 * work, search.best.gap
    return search.best


def _by_branches(
    incumbent: BestWithinWidth, sets: np.ndarray, first: float, rounding: float, budget: Budget, reporter: Reporter
) -> tuple[float, dict[str, Any]]:
    """Improve the incumbent by branch and bound; returns an upper bound in nats, and facts of the header.

    Better networks consist of `sets` (int64). `first` is the bound known before, `rounding` an error of sums over a
    network's sets, both in nats.
    """
    kept = keep_in_table(incumbent.table, sets)
    ideal = total_score(kept.scores, kept.set_offsets[:-1])
    cliques, costs, source = _columns(kept, incumbent.treewidth, ideal - incumbent.score + 1.0)
    source = np.where(source < 0, -1, sets[source])

    def report() -> None:
        value = max(incumbent.score, min(first, ideal - tree.cost))
        now = {"score": incumbent.score, GAP_OF_LISTS: value - incumbent.score, "branches": tree.n_branches}
        done = incumbent.moves + tree.n_programmes
        reporter.progress(done, budget.evaluations, "orders", incumbent.result, **now)

    tree = EdgeTree(cliques, costs, source, incumbent, ideal, rounding, budget, report)
    tree.run()
    return ideal - tree.cost, {"branches": tree.n_branches, "programmes": tree.n_programmes}


def _columns(table: ParentSetTable, treewidth: int, most: float) -> tuple[FamilyCliques, Costs, np.ndarray]:
    """The columns, their costs and the sets' indices in the table.

    A child without an empty set gets one at the cost `most` (nats), so that every branch has a choice for it; its
    index is -1.
    """
    listed = lists_in(table)
    lists, costs, source = with_empty_sets(listed, costs_of(listed), np.arange(table.n_sets), most)
    return FamilyCliques(lists, treewidth), Costs(lists, costs, most), source
