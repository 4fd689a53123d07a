"""Common parts of S2 and S2+: mutual information of pairs, given or derived from listed scores, and streams of
k-trees.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize import OptimizeOptions
from stages.optimize.treewidth.problem import prepare_both, start_order
from stages.published.ktree_restarts import BatchStream, OrderBatch
from stages.published.nie_2015_2016.kernels.informative_score import Information
from stages.runtime.budgets import Budget
from stages.scoring.scores import SCORES


class InformedTrees(BatchStream):
    """k-trees chosen by their informative score; batches end when the budget runs out.

    Raises `InfeasibleError` if fixed records close a cycle or exceed the bound.
    """

    counted, evaluated = "ktrees", "k-trees"

    exact_clique = sys.maxsize  # there is one k-tree on K + 1 variables, whatever the order

    tallied: tuple[str, ...] = ()
    """Figures of batches for which totals and rates per second are reported."""

    def __init__(self, table: ParentSetTable, options: OptimizeOptions, budget: Budget):
        # For building k-trees along orders: here the members of a set include the variables that fixed records
        # require.
        self.growth, problem = prepare_both(table, options.given_treewidth)
        super().__init__(problem, options.seed)
        self.budget = budget
        self.knows_all_pairs = options.information is not None
        self.information = (
            pair_information(table) if options.information is None else index_pairs(options.information)
        )
        # Order of a start network (int32) or None; the first k-tree is built along it.
        self.start = start_order(self.growth, options)
        self.base = self.problem.score(self.problem.lists.set_offsets[:-1])

    def grow_from_start(self, tree: KTree) -> None:
        """Build k-G's k-tree along the order of the start network."""
        tree.order[:] = self.start
        evaluate_order(self.growth.lists, self.growth.filters, tree, self.growth.new_clique_tables(), -np.inf)

    def facts(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        facts: dict[str, Any] = {"information": "all pairs" if self.knows_all_pairs else "listed sets"}
        unproved = int(sum(columns.get("unproved", ())))
        if unproved:
            gap = {"largest": max(columns["largest_gap"]), "mean": sum(columns["sum_of_gaps"]) / unproved}
            facts |= {"unproved": unproved, "unproved_gap": gap}
        undecided = int(sum(columns.get("undecided", ())))
        if undecided:
            facts["undecided_ktrees"] = undecided
        return facts

    def stats(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        seconds = max(self.budget.elapsed(), 1e-9)
        totals = {name: int(sum(columns.get(name, ()))) for name in self.tallied}
        rates = {f"{name}_per_second": total / seconds for name, total in totals.items()}
        return {**self.facts(columns), **totals, **rates}

    def least_network(self) -> OrderBatch:
        """The network of the prescribed arcs alone; every k-tree considered contains it."""
        lists = self.problem.lists
        last = lists.set_offsets[1:] - 1
        order = self.problem.respect(np.arange(self.problem.n_variables, dtype=np.int32))
        return OrderBatch(float(lists.scores[last].sum()), order, last, 0, gap_figures([]))


def gap_figures(gaps: Sequence[float]) -> dict[str, float]:
    """Figures of a batch of k-trees with these gaps, see `ktree_dp.InsideAnswer`."""
    return {
        "unproved": sum(gap > 0.0 for gap in gaps),
        "largest_gap": max(gaps, default=0.0),
        "sum_of_gaps": sum(gaps),
    }


def pair_information(table: ParentSetTable) -> Information:
    """Mutual information of pairs times the number of rows, in nats, derived from the listed scores.

    It is what a single parent adds to the log-likelihood: the gain over the empty set, plus the penalty of scores
    that have one (BIC, AIC) where rows and states are known. For Bayesian scores the logarithm of the Bayes factor is
    used instead. Pairs whose arc is in no list, because it does not improve the score, count as 0.
    """
    n = table.n_variables
    sizes = np.diff(table.parent_offsets)
    child_of_set = np.repeat(np.arange(n), np.diff(table.set_offsets))
    empty = np.full(n, np.nan)
    empty[child_of_set[sizes == 0]] = table.scores[sizes == 0]
    single = np.flatnonzero(sizes == 1)
    children, parents = child_of_set[single], table.parents[table.parent_offsets[single]].astype(np.int64)
    gains = table.scores[single] - empty[children] + _first_penalties(table, children, parents)
    useful = gains > 0.0
    low, high = np.minimum(children, parents)[useful], np.maximum(children, parents)[useful]
    pairs, index = np.unique(low * n + high, return_inverse=True)
    values = np.zeros(len(pairs))
    # A pair may be listed under either child. BIC gives both arcs the same value; for other scores the larger one
    # counts.
    np.maximum.at(values, index, gains[useful])
    # Each pair is entered from both ends; entries are sorted by the first, then by the second variable.
    ends = np.concatenate((pairs // n, pairs % n)), np.concatenate((pairs % n, pairs // n))
    ranked = np.lexsort((ends[1], ends[0]))
    offsets = np.searchsorted(ends[0][ranked], np.arange(n + 1)).astype(np.int64)
    return Information(
        offsets=offsets, neighbours=ends[1][ranked].astype(np.int32), values=np.concatenate((values, values))[ranked]
    )


def index_pairs(shared: np.ndarray) -> Information:
    """All pairs of a symmetric matrix, shape (n_variables, n_variables)."""
    n = len(shared)
    others = ~np.eye(n, dtype=np.bool_)
    neighbours = np.broadcast_to(np.arange(n, dtype=np.int32), (n, n))
    return Information(
        offsets=np.arange(n + 1, dtype=np.int64) * (n - 1), neighbours=neighbours[others], values=shared[others]
    )


def _first_penalties(table: ParentSetTable, children: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """Penalties of a first parent in nats; 0 if the score has none or it is not known."""
    header = table.header
    score, is_known = SCORES.get(header.score), all(v.states for v in header.variables)
    if score is None or not header.rows or not is_known:
        return np.zeros(len(children))
    excess = np.array([len(v.states or ()) for v in header.variables], dtype=np.float64) - 1.0
    return score.penalty_on(header.rows) * excess[children] * excess[parents]
