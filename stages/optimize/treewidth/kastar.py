"""k-A*: for one order after the other, the best choice of cliques by best-first search.

Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.1. An order whose search outgrows the room for
states is finished by k-G from the most promising state; so is every order to begin with, which prunes the
search, and so no order ends below k-G. An order is decided when its best choice is found and proved; of the
others it is told how much better their best choice may be.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from stages.runtime.seeding import task_generator

from ..bounds.anytime_bound import AnytimeBound
from ..orders.initial_orders import OrderSampler, make_sampler
from ..result import SearchResult
from .batches import BatchStream, OrderBatch, best_of_batches
from .problem import BoundedProblem, prepare_bounded

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.ktrees.ktree import KTree
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions

MAX_STATES = 1_000_000
"""States kept for one order; some 50 MB."""

SLICE_WORK = 400_000
"""Variables placed by rebuilt states per kernel call: some hundredths of a second."""


class PathOrders(BatchStream):
    """Orders, each with its best cliques.

    Parameters
    ----------
    problem : BoundedProblem
    seed : int
    sampler : OrderSampler
    budget : Budget
        Stops the search along an order when it runs out.
    """

    work_per_variable = 20_000

    def __init__(self, problem: BoundedProblem, seed: int, sampler: OrderSampler, budget: Budget):
        super().__init__(problem, seed)
        self.sampler = sampler
        self.budget = budget

    def batch_size(self, index: int) -> int:
        return 1

    def facts(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        gaps = [gap for gap in columns["gap"] if gap > 0.0]
        facts: dict[str, Any] = {"decided": len(columns["gap"]) - len(gaps)}
        if gaps:
            facts |= {"undecided": len(gaps), "undecided_gap": {"largest": max(gaps), "mean": fmean(gaps)}}
        return facts

    def stats(self, columns: dict[str, list[float]]) -> dict[str, Any]:
        return {**self.facts(columns), "per_order": columns}

    def evaluate(self, batch: tuple[int, int]) -> OrderBatch:
        from stages.kernels.ktrees.orders import evaluate_order

        index, _ = batch
        lists, tree = self.problem.lists, self.problem.new_tree()
        tree.order[:] = self.problem.respect(self.sampler.draw(task_generator(self.seed, index), index == 0))
        greedy = evaluate_order(lists, tree, self.problem.new_clique_tables(), -np.inf)
        chosen = tree.chosen.copy()
        found, bound, n_states = self._search(tree, greedy)
        if found <= greedy:
            found, tree.chosen[:] = greedy, chosen
        figures = {"gap": max(0.0, bound - found), "states": n_states}
        return OrderBatch(found, tree.order, tree.chosen, 1, figures)

    def _search(self, tree: KTree, greedy: float) -> tuple[float, float, int]:
        """Look for better than `greedy` along the order of `tree`, which takes the choices found.

        Returns
        -------
        tuple of (float, float, int)
            Relative score of the choices; what the best ones have at most; states met.
        """
        from stages.kernels.ktrees.kastar import (
            STATES,
            estimate_rest,
            new_path_states,
            pop_state,
            rebuild,
            search_paths,
        )
        from stages.kernels.ktrees.orders import place_rest

        problem, lists = self.problem, self.problem.lists
        n, size = problem.n_variables, problem.treewidth + 1
        rest = np.empty(n + 1)
        estimate_rest(lists, tree, rest)
        start = float(lists.relative_scores[tree.chosen[tree.order[:size]]].sum())
        states = new_path_states(MAX_STATES, size, start, start + rest[size])
        fitting = np.empty(int(np.diff(lists.set_offsets).max()), dtype=np.int64)
        state = -1
        while state == -1 and not self.budget.is_spent():
            _, state = search_paths(lists, tree, states, rest, greedy, fitting, max(1, SLICE_WORK // n))
        n_states = int(states.counts[STATES])
        if state == -2:
            return greedy, greedy, n_states
        is_complete = state >= 0
        if not is_complete:
            state = pop_state(states)
        rebuild(tree, states, state)
        tree.position[tree.order] = np.arange(n, dtype=np.int32)
        found = place_rest(lists, tree, int(states.depths[state]), float(states.values[state]), -np.inf)
        return found, found if is_complete else float(states.estimates[state]), n_states


def search(
    table: ParentSetTable, options: OptimizeOptions, budget: Budget, reporter: Reporter
) -> SearchResult:
    """The best of k-A*'s orders."""
    problem = prepare_bounded(table, options.width)
    orders = PathOrders(problem, options.seed, make_sampler(table, options), budget)
    anytime_bound = AnytimeBound(table, options.seed, budget, options.treewidth)
    result = best_of_batches(orders, options, budget, reporter, anytime_bound)
    result.facts["init"] = options.init
    return result
