"""The best network within a treewidth from given lists with the proof: branch and bound on edges of k-trees."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from formats.graphs.algorithms import moral_graph
from formats.records import ParentSetTable
from formats.sets.listed_sets import ListedSets, offsets_of
from stages.graphs.treewidth import min_fill_order
from stages.lists.set_lists import child_of_sets, keep_in_table, keep_sets, relative_scores
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter

from ... import OptimizeOptions
from ...bounds.anytime_bound import GAP_OF_LISTS, IS_NARROW, AnytimeBound, bound_facts
from ...bounds.rounding import proof_rounding
from ...result import SearchResult, total_score
from ...treewidth import forest
from .. import search as any_width
from ..linear_programme import load_solver
from .cliques import Cliques
from .incumbent import Incumbent
from .rows import Costs
from .tree import EdgeTree


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best network, or the incumbent when the budget ends, with an upper bound."""
    treewidth = options.given_treewidth
    if treewidth <= 1:
        return forest.search(table, options, budget, reporter)
    if treewidth >= table.n_variables - 1:
        found = any_width.search(table, replace(options, treewidth=None, start=None), budget, reporter)
        return replace(found, elimination=min_fill_order(moral_graph(found.parents)))
    load_solver()
    return _by_branches(table, options, budget, reporter)


def _by_branches(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    incumbent = Incumbent(table, options, budget)
    wide = AnytimeBound(table, options.seed, budget, options.given_treewidth)
    wide.search.improve(budget, 1, incumbent.score)
    narrow = math.inf
    facts: dict[str, Any] = {}
    if not wide.is_closed and not budget.is_spent(incumbent.moves):
        kept = keep_in_table(table, np.flatnonzero(np.diff(table.parent_offsets) <= options.given_treewidth))
        ideal = total_score(kept.scores, kept.set_offsets[:-1])
        cliques, costs, source = _columns(table, options.given_treewidth, ideal - incumbent.score + 1.0)
        rounding = proof_rounding(table.n_variables, float(np.abs(table.scores[incumbent.chosen]).sum()))

        def value() -> float:
            return max(incumbent.score, min(wide.search.value, ideal - max(0.0, tree.cost)))

        def report() -> None:
            now = {"score": incumbent.score, GAP_OF_LISTS: value() - incumbent.score, "branches": tree.n_branches}
            done = incumbent.moves + tree.n_programmes
            reporter.progress(done, budget.evaluations, "orders", **now, network=incumbent.result)

        tree = EdgeTree(cliques, costs, source, incumbent, ideal, rounding, budget, report)
        tree.run()
        narrow = ideal - max(0.0, tree.cost)
        facts = {"branches": tree.n_branches, "programmes": tree.n_programmes}
    value_found = min(narrow, wide.search.value)
    facts |= bound_facts(value_found, incumbent.score, wide.search.rounding)
    if narrow < wide.search.value:
        facts[IS_NARROW] = True
    return replace(incumbent.result(), facts=facts)


def _columns(table: ParentSetTable, treewidth: int, most: float) -> tuple[Cliques, Costs, np.ndarray]:
    """The columns, their costs and the sets' indices in the table.

    A child without an empty set gets one at the cost `most` (nats), so that every branch has a choice for it; its
    index is -1.
    """
    sizes = np.diff(table.parent_offsets)
    relative = -relative_scores(table)
    kept = np.flatnonzero(sizes <= treewidth)
    starts, sets = keep_sets(table, kept)
    # Relative to the best set that is kept.
    costs = relative[kept] - np.repeat(relative[kept][starts[:-1]], np.diff(starts))
    children = child_of_sets(table)[kept]
    has_empty = np.zeros(table.n_variables, dtype=np.bool_)
    has_empty[children[sets.sizes == 0]] = True
    lacking = np.flatnonzero(~has_empty)
    places = starts[1:][lacking]
    lists = ListedSets(offsets_of(np.insert(sets.sizes, places, 0)), sets.members)
    offsets = starts + offsets_of(~has_empty)
    source = np.insert(kept, places, -1)
    return Cliques(offsets, lists, treewidth), Costs(np.insert(costs, places, most), offsets, most), source
