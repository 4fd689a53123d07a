"""k-A*: for one order after the other, the best choice of cliques.

Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.1. The orders are the ones of k-G with the same seed,
and k-G's choices are the first incumbent: so no order ends below k-G. An order is decided when the DAG on its start
clique (`start_cliques`) and its best choice behind it are found and proved; for other orders the gap is reported.

The paper's algorithm is best-first A* over the K-cliques that each variable joins, with the best sets among
predecessors as the only estimate: ``--best-first`` (`search_plainly`). By default the same optimum is found in
another way, this project's: depth first with a Lagrangian bound, which decides far more orders. If that does not end
soon, large neighbourhood search improves the incumbent.

In the search as the paper states it, a state is the k-tree on the variables placed so
far; its estimate is the score so far plus the best sets of the remaining variables among their predecessors. Nothing
else bounds it. Its kernels are S2+'s for growth along an order, on scores alone: no pair has information.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean
from typing import Any

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize import OptimizeOptions
from stages.optimize.bounds.rounding import proof_rounding
from stages.optimize.result import SearchResult
from stages.optimize.treewidth.problem import BoundedProblem
from stages.published.ktree_restarts import BatchStream, OrderBatch, best_of_batches
from stages.published.nie_2015_2016.kernels.growth_states import STATES, begin_growth, new_growth_states, rebuild
from stages.published.nie_2015_2016.kernels.informative_score import Information
from stages.published.nie_2015_2016.kernels.order_growth import estimate_rest, search_order
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.seeding import task_generator

from .kernels.branch_and_bound import CHOICES, new_branches, open_bound, search_branches
from .kernels.filled_graphs import rank_sets
from .kernels.neighbourhoods import search_neighbourhoods
from .kernels.prices import new_picks
from .kg import GreedyOrders, prepare_orders
from .start_cliques import StartCliques

CHOICES_BY_VARIABLES = 3_000_000
"""Limit on choices bounded for one order, times variables; for wdbc (31 variables) about half a minute."""

CALL_BY_VARIABLES = 1500
"""Choices bounded per kernel call, times variables: some hundredths of a second."""

LATE = 1000
"""Choices after which large neighbourhood search improves the incumbent."""

TRIALS_BY_VARIABLES = 600_000
"""Trials of that search, times variables; for wdbc an eighth of a second."""

ROOM = 4_000_000
"""Limit of states for one order: some 200 MB. The most promising one is then completed greedily."""

SLICE_WORK = 2_000_000
"""Cliques tried, and sets compared with them, per kernel call: some hundredths of a second."""


class BestCliques(BatchStream):
    """k-G's orders one by one, each with its best cliques; `budget` stops the search along an order.

    `is_plain`: search each order as the paper does.
    """

    work_per_variable = 20_000

    def __init__(self, orders: GreedyOrders, budget: Budget, is_plain: bool = False):
        super().__init__(orders.problem, orders.seed)
        self.orders = orders
        self.cliques = StartCliques(orders.problem, budget)
        self.exact_clique = self.cliques.n_exact
        self.budget = budget
        self.is_plain = is_plain
        self.late = LATE

    def batches(self, limit: int | None) -> Iterator[np.ndarray]:
        """The orders themselves."""
        for index, n_orders in self.orders.batches(limit):
            yield from itertools.islice(self.orders.drawn(index), n_orders)

    def facts(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        gaps = [gap for gap in columns["gap"] if gap > 0.0]
        facts: dict[str, Any] = {"decided": len(columns["gap"]) - len(gaps)}
        if gaps:
            facts |= {"undecided": len(gaps), "undecided_gap": {"largest": max(gaps), "mean": fmean(gaps)}}
        return facts

    def stats(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        return {**self.facts(columns), "per_order": columns}

    def evaluate(self, batch: np.ndarray) -> OrderBatch:
        tree = self.problem.new_tree()
        tree.order[:] = batch
        greedy = evaluate_order(
            self.problem.lists, self.problem.filters, tree, self.problem.new_clique_tables(), -np.inf
        )
        greedy, slack = self.cliques.complete(tree, greedy)
        found, bound, n_choices = (self._search_plainly if self.is_plain else self._search)(tree, greedy)
        # The DAG on the start clique and the sets of all others do not depend on each other.
        figures = {"gap": max(0.0, bound - found) + slack, "states": n_choices}
        return OrderBatch(found, tree.order, tree.chosen, 1, figures)

    def _search_plainly(self, tree: KTree, greedy: float) -> tuple[float, float, int]:
        """As `_search`, by the paper's search; it counts states."""
        start = float(self.problem.lists.scores[tree.chosen[tree.order[: tree.n_start]]].sum())
        before = tree.chosen.copy()
        found, bound, n_states = search_plainly(self.problem, tree, start, self.budget)
        if found <= greedy:
            tree.chosen[:] = before
        return max(found, greedy), bound, n_states

    def _search(self, tree: KTree, greedy: float) -> tuple[float, float, int]:
        """Improve the choices of `tree`, whose relative score is `greedy`; `tree` receives better ones.

        Returns the relative score of the best choices found, an upper bound on all, and the number of partial choices
        bounded.
        """
        lists, n, width = self.problem.lists, self.problem.n_variables, self.problem.treewidth
        start = float(lists.scores[tree.chosen[tree.order[: width + 1]]].sum())
        ranked = rank_sets(lists, tree.order, width)
        taken = np.full(len(ranked.offsets) - 1, -1, dtype=np.int64)
        branches, picks = new_branches(ranked, start), new_picks(n, width)
        rounding, per_call = proof_rounding(n, abs(greedy)), max(1, CALL_BY_VARIABLES // n)
        found, is_over, is_late = greedy, False, False
        while not is_over and branches.counts[CHOICES] * n < CHOICES_BY_VARIABLES and not self.budget.is_spent():
            if branches.counts[CHOICES] >= self.late and not is_late:
                # Seeded by the order itself, so that the result depends neither on the batch nor on the thread.
                is_late, rng = True, task_generator(self.seed, *tree.order.tolist())
                n_trials = TRIALS_BY_VARIABLES // n
                found = search_neighbourhoods(ranked, start, width, rng, taken, found, n_trials)
            is_over, found = search_branches(ranked, branches, width, picks, taken, found, rounding, per_call)
        if found > greedy:
            # Ranks are counted from the last variable of the order.
            tree.chosen[tree.order[::-1][: len(taken)]] = ranked.sources[taken]
        # The paper's estimate holds even if no choice was bounded.
        estimate = start + float(ranked.relative_scores[ranked.offsets[:-1]].sum())
        bound = found if is_over else min(estimate, float(open_bound(branches)))
        return found, bound, int(branches.counts[CHOICES])


def search(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The best of k-A*'s orders."""
    orders = BestCliques(prepare_orders(table, options, budget), budget, options.best_first)
    result = best_of_batches(orders, table, options, budget, reporter)
    result.facts["init"] = options.init
    return result


def warm_up(table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile everything that `search` may need: for orders decided soon, late, and not at all."""
    for is_plain in (False, True):
        search(table, replace(options, best_first=is_plain), budget, reporter)
    for late, limit in ((0, budget), (LATE, Budget(seconds=0.0))):
        orders = BestCliques(prepare_orders(table, options), limit)
        orders.late = late
        orders.evaluate(next(orders.batches(1)))


def search_plainly(
    problem: BoundedProblem, tree: KTree, start: float, budget: Budget, room: int = ROOM
) -> tuple[float, float, int]:
    """Choose the sets behind the start clique of `tree`, whose relative score is `start`.

    `tree` must have its order and positions; it receives the sets, unless the budget ends before any are found.
    Returns their relative score with the start clique's, minus infinity if none were found; an upper bound on all
    choices; and the number of states. Scores in nats.
    """
    lists, n, size = problem.lists, problem.n_variables, problem.treewidth + 1
    rest = np.empty(n + 1)
    estimate_rest(lists, tree, rest)
    per_call = max(1, SLICE_WORK // (n * size * (size + len(lists.scores) // n)))
    # A state has at most (K + 1) (n - K) successors.
    states = new_growth_states(room + per_call * size * (n - size + 1) + n)
    begin_growth(states, size, start, 0.0, start + rest[size])
    nothing, bound, state = _no_information(n), start + rest[size], -1
    is_cut = False
    while state < 0:
        if budget.is_spent():
            return -np.inf, bound, int(states.counts[STATES])
        if not is_cut:
            # Best first: no open state, and none closed, promises more than the next one.
            bound = float(states.estimates[states.heap[0]])
            is_cut = states.counts[STATES] > room
        state = search_order(
            lists, problem.filters, nothing, tree, states, rest, 1.0, 0 if is_cut else len(states.parents), per_call
        )
    rebuild(tree, states, state)
    found = start
    for t in range(size, n):
        variable = tree.order[t]
        tree.chosen[variable] = _first_inside(problem, variable, tree.bags[variable])
        found += float(lists.scores[tree.chosen[variable]])
    return found, bound if is_cut else found, int(states.counts[STATES])


def _no_information(n_variables: int) -> Information:
    """Mutual information of no pairs."""
    offsets = np.zeros(n_variables + 1, dtype=np.int64)
    return Information(offsets=offsets, neighbours=np.empty(0, dtype=np.int32), values=np.empty(0))


def _first_inside(problem: BoundedProblem, variable: int, bag: np.ndarray) -> int:
    """The best set of a variable whose members are in its bag."""
    lists = problem.lists
    first, end = lists.set_offsets[variable : variable + 2]
    offsets = lists.parent_offsets[first : end + 1]
    members = lists.parents[offsets[0] : offsets[-1]]
    outside = np.append(0, np.cumsum(~np.isin(members, bag)))
    starts = offsets - offsets[0]
    return int(first + np.flatnonzero(outside[starts[1:]] == outside[starts[:-1]])[0])
