"""The best network of treewidth 1, exactly: every variable has at most one parent.

Chow and Liu (1968) compute a maximum spanning tree of the pairwise gains, assuming that both directions of an arc
have the same gain. Listed sets need not satisfy this (one direction may be missing, a record fixed). So a maximum
branching is computed (Chu and Liu 1965, Edmonds 1967); if gains are equal it is the same forest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.bounds import Bound
from formats.records import ParentSetTable
from stages.graphs import topological_order
from stages.kernels.ktrees.arborescence import best_arborescence
from stages.kernels.ktrees.orders import evaluate_order
from stages.lists.set_lists import child_of_sets, fixed_parents
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError
from stages.runtime.reporting import NullReporter, Reporter

from .. import OptimizeOptions
from ..bounds.claims import claim_of_lists
from ..bounds.rounding import proof_rounding
from ..restarts import Attempt
from ..result import SearchResult, listed_result, total_score
from .prescribed_families import refuse_more_parents
from .problem import BoundedProblem
from .table_bound import require_sets, table_bound

BEGUN_FROM_FOREST = {"begun_from": "the best forest"}
"""Header entry of a network that `attempt_from_forest` made."""


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best network of listed sets with at most one parent per variable; exact."""
    n, limit = table.n_variables, min(1, options.given_treewidth)
    sizes = np.diff(table.parent_offsets)
    children = child_of_sets(table)
    remedy = "choose a method that allows --tw" if options.method == "forest" else "raise --tw to"
    refuse_more_parents(fixed_parents(table), table.header.names, limit, remedy)
    tables = table_bound(table.header, options.max_table)
    fits = sizes <= limit
    if tables.is_given:
        fits &= tables.fits(children, table.parent_offsets, table.parents)
        require_sets(table, children[fits], tables)
    sets = np.flatnonzero(fits)
    # The empty set is an arc from the artificial root n.
    tails = np.full(len(sets), n, dtype=np.int64)
    single = sizes[sets] == 1
    tails[single] = table.parents[table.parent_offsets[sets[single]]]
    # Each child takes exactly one arc, so a constant per child changes nothing; differences keep digits.
    gains = table.scores[sets] - table.scores[table.set_offsets[children[sets]]]
    entering = np.empty(n + 1, dtype=np.int64)
    best_arborescence(n + 1, tails, children[sets], gains, entering)
    chosen = sets[entering[:-1]]
    total = total_score(table.scores, chosen)
    # Children first: when a variable is eliminated, its parent is its only neighbour.
    elimination = topological_order([table.parent_set(s) for s in chosen.tolist()])[::-1]
    found = listed_result(table, chosen, total, elimination)
    about = claim_of_lists(table, replace(options, treewidth=limit))
    rounding = proof_rounding(n, float(np.abs(found.scores).sum()))
    return replace(found, bound=Bound.of(total, total, rounding, about))


def forest_within(table: ParentSetTable, options: OptimizeOptions) -> SearchResult | None:
    """The best forest of listed sets, a network within any larger treewidth; None if no forest meets the options."""
    try:
        return search(table, replace(options, treewidth=1), Budget(), NullReporter())
    except InfeasibleError:
        return None


def order_of_forest(problem: BoundedProblem, forest: SearchResult) -> np.ndarray:
    """An order along which each variable of a k-tree has at least its parent in the forest; int32."""
    assert forest.elimination is not None
    return problem.respect(np.array(forest.elimination[::-1], dtype=np.int32))


def attempt_from_forest(problem: BoundedProblem, options: OptimizeOptions) -> Attempt | None:
    """The network along the order of the best forest, never worse than it; None if no forest meets the options.

    Each variable takes its best set that fits the k-tree of the variables before it, and a single parent always fits.
    """
    forest = forest_within(problem.table, options)
    if forest is None:
        return None
    tree = problem.new_tree()
    tree.order[:] = order_of_forest(problem, forest)
    merit = evaluate_order(problem.lists, problem.filters, tree, problem.new_clique_tables(), -np.inf)
    return Attempt(tree.chosen, problem.score(tree.chosen), 0, 0.0, tree.order, merit)
