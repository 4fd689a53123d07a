"""S2+: k-trees grown by A* on the informative score, the best network within each (Nie, de Campos, Ji 2016).

As described by Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.4: the first k-tree is the most
informative one that contains the most informative clique; the others start from random cliques. A* over all k-trees
with the clique ends by itself where there are few variables. If it reaches its limit of states, A* along one order
follows. In this order each variable shares most information with the ones before. This A* chooses the K-clique that
each variable joins, and completes the most promising state greedily at a limit of its own. Such k-trees are counted
as undecided. Unlike in section 4.3 of that paper, a run whose time ends before the first k-tree is solved does not go
on: it returns the best network found until then.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.ktrees.ktree import KTree
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.rounding import proof_rounding
from stages.optimize.result import SearchResult
from stages.published.ktree_restarts import OrderBatch, best_of_batches
from stages.published.nie_2015_2016.kernels.growth_states import begin_growth, new_growth_states, rebuild
from stages.published.nie_2015_2016.kernels.informative_clique import best_clique
from stages.published.nie_2015_2016.kernels.informative_growth import (
    GROWTH_ENDED,
    GROWTH_UNFINISHED,
    begin_with_clique,
    largest_sums,
    rebuild_whole,
    search_growth,
)
from stages.published.nie_2015_2016.kernels.informative_score import best_within_ktree, informative_score
from stages.published.nie_2015_2016.kernels.order_growth import estimate_rest, grow_order, search_order
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

from .informative_score import InformedTrees, gap_figures
from .ktree_dp import InsideSolver

GROWTH_ROOM = 100_000
"""Limit of states of the search over all k-trees with a clique."""

ROOM = 50_000
"""Limit of states along one order."""

SLICE_WORK = 2_000_000
"""Cliques evaluated, and sets compared with them, per kernel call: some hundredths of a second."""

CLIQUE_STARTS, CLIQUE_WORK = 20, 20_000_000
"""Greedy cliques before the search for the most informative one, and limit of its work in variables visited."""

CLIQUE_PACE, CLIQUE_SHARE = 14_000_000, 0.1
"""Variables visited per second, and share of the remaining time for this search: further k-trees matter more than the
proof of the first clique. Measured on accidents at treewidth 8, where a k-tree takes 0.6 seconds.
"""


class GuidedTrees(InformedTrees):
    """S2+'s k-trees, one a batch."""

    work_per_variable = 100_000

    tallied = ("grown", "undecided")

    def batch_size(self, index: int) -> int:
        return 1

    def evaluate(self, batch: tuple[int, int]) -> OrderBatch:
        index, _ = batch
        problem = self.problem
        tree, nothing = problem.new_tree(), self.least_network()
        if self.start is not None:
            if index == 0:
                self.grow_from_start(tree)
                return self._solve(tree, nothing, False)
            index -= 1
        rng = task_generator(self.seed, index)
        tree.order[:] = rng.permutation(problem.n_variables)
        # Only the first k-tree must contain the most informative clique; the other start cliques are random.
        proved = index > 0 or self._take_best_clique(tree)
        grown = self._most_informative(tree)
        if grown is None:
            return nothing
        best, decided = grown
        return self._solve(best, nothing, not (proved and decided))

    def _take_best_clique(self, tree: KTree) -> bool:
        """Let the order of `tree` begin with the clique of largest informative score; returns whether it is proved
        largest.
        """
        n, lists = self.problem.n_variables, self.problem.lists
        members = np.empty(self.problem.treewidth + 1, dtype=np.int64)
        most = self._largest_sums()
        tops = self.problem.scores[lists.set_offsets[:-1]]
        work = int(min(CLIQUE_WORK, CLIQUE_PACE * CLIQUE_SHARE * self.budget.time_left()))
        proved = best_clique(lists, tops, self.information, most, CLIQUE_STARTS, members, work)
        tree.order[:] = np.concatenate((members, np.setdiff1d(np.arange(n), members)))
        return bool(proved)

    def _largest_sums(self) -> np.ndarray:
        most = np.empty((self.problem.n_variables, self.problem.treewidth + 1))
        largest_sums(self.information, most)
        return most

    def _most_informative(self, tree: KTree) -> tuple[KTree, bool] | None:
        """The most informative k-tree found that contains the first clique of ``tree.order``, and whether it is
        proved most informative; None if the budget ended before any was found.
        """
        best = _Incumbent(self)
        rest = np.empty(self.problem.n_variables + 1)
        self._order_along(tree, rest)
        # A first k-tree by information alone; with a limit of no states it is grown greedily.
        if not self._grow(tree, rest, 0.0, 0):
            return None
        best.offer(tree)
        first_order = tree.order.copy()
        # With fixed arcs not every k-tree is feasible; growth along an order meets their constraints.
        if not self.problem.is_demanding and self._search_all(tree, best):
            return best.tree, True
        tree.order[:] = first_order
        self._order_along(tree, rest)
        if self._grow(tree, rest, best.informative, ROOM):
            best.offer(tree)
        return best.tree, False

    def _order_along(self, tree: KTree, most: np.ndarray) -> None:
        """Order the variables behind the first clique: the next one is always the one that shares most information
        with those before.
        """
        problem = self.problem
        tree.order[:] = problem.respect(tree.order)
        grow_order(self.information, problem.precedences, tree.order, problem.treewidth + 1, most)
        tree.position[tree.order] = np.arange(problem.n_variables, dtype=np.int32)

    def _search_all(self, tree: KTree, best: _Incumbent) -> bool:
        """Search all k-trees with the first clique of ``tree.order`` for more informative ones than the best; True if
        there is provably none.
        """
        lists, n = self.problem.lists, self.problem.n_variables
        most, states = self._largest_sums(), new_growth_states(GROWTH_ROOM)
        per_call = max(1, SLICE_WORK // (n * (n + len(lists.scores) // n)))
        # Each round finds the k-tree of largest value for the quotient of the round before (Dinkelbach).
        while True:
            weight = best.informative
            floor = proof_rounding(n, abs(weight * self.base) + abs(self.base))
            begin_with_clique(self.information, self.base, tree, most, states, weight)
            state = GROWTH_UNFINISHED
            while state == GROWTH_UNFINISHED:
                if self.budget.is_spent():
                    return False
                state = search_growth(lists, self.information, self.base, tree, most, states, weight, floor, per_call)
            if state < 0:
                return state == GROWTH_ENDED
            rebuild_whole(tree, states, state)
            best.offer(tree)
            if best.informative <= weight:
                return True

    def _solve(self, tree: KTree, nothing: OrderBatch, undecided: bool) -> OrderBatch:
        """The best network within a k-tree."""
        answer = InsideSolver(self.problem).solve(tree, nothing.relative_score, self.budget)
        if answer is None:
            return nothing
        best = nothing
        if answer.relative_score > nothing.relative_score:
            best = OrderBatch(answer.relative_score, tree.order, answer.chosen, 1)
        figures = {"grown": 1, "undecided": int(undecided), **gap_figures([answer.gap])}
        return best._replace(n_orders=1, figures=figures)

    def _grow(self, tree: KTree, most: np.ndarray, weight: float, room: int) -> bool:
        """Build the most informative k-tree found along the order that meets the constraints of fixed records; False
        if the budget ended.
        """
        n, lists = self.problem.n_variables, self.growth.lists
        size = self.problem.treewidth + 1
        rest = np.empty(n + 1)
        estimate_rest(lists, tree, rest)
        # Both are upper bounds on the contribution of the steps from a position on, and the weight is not negative.
        rest = most + weight * rest
        states = new_growth_states(room + n)
        begin_growth(states, size, 0.0, 0.0, rest[size])
        # A state's successors: each clique is compared with the sets of the next variable that fit so far.
        per_call = max(1, SLICE_WORK // (n * size * (size + len(lists.scores) // n)))
        state = -1
        while state < 0:
            if self.budget.is_spent():
                return False
            state = search_order(
                lists, self.growth.filters, self.information, tree, states, rest, weight, room, per_call
            )
        rebuild(tree, states, state)
        tree.position[tree.order] = np.arange(n, dtype=np.int32)
        return True


class _Incumbent:
    """The most informative k-tree so far."""

    tree: KTree

    def __init__(self, trees: GuidedTrees):
        self.trees = trees
        self.informative = -np.inf  # informative score of `tree`; minus infinity before the first one

    def offer(self, tree: KTree) -> None:
        """Take a k-tree if it is more informative."""
        trees = self.trees
        relative_score = best_within_ktree(trees.problem.lists, trees.problem.filters, tree)
        found = informative_score(trees.information, trees.base, tree, relative_score)
        if found > self.informative:
            self.informative = found
            self.tree = deepcopy(tree)


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best of the networks within S2+'s k-trees."""
    trees = GuidedTrees(table, options, budget)
    return best_of_batches(trees, table, options, budget, reporter)


def warm_up(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile all that `search` may need: bounds settle small cliques, a clique of all variables is searched."""
    for treewidth in (options.treewidth, table.n_variables - 1):
        search(table, replace(options, treewidth=treewidth), budget, reporter)
