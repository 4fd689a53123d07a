"""k-A*: for one order after the other, the best choice of cliques by best-first search.

Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.1. An order whose search outgrows the room for
states is finished by k-G from the most promising state; so is every order to begin with, which prunes the
search, and so no order ends below k-G.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..bounds.anytime_bound import AnytimeBound
from ..orders.initial_orders import OrderSampler, make_sampler
from ..result import SearchResult
from .batches import OrderStream, best_of_batches
from .problem import BoundedProblem, prepare_bounded

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.ktrees.ktree import KTree
    from stages.kernels.ktrees.start_clique import CliqueTables
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .. import OptimizeOptions

MAX_STATES = 1_000_000
"""States kept for one order; some 50 MB."""

SLICE_WORK = 400_000
"""Variables placed by rebuilt states per kernel call: some hundredths of a second."""


class PathOrders(OrderStream):
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

    def next_order(
        self, tree: KTree, clique: CliqueTables, rng: np.random.Generator, floor: float, is_first: bool
    ) -> float:
        from stages.kernels.ktrees.orders import evaluate_order

        lists = self.problem.lists
        tree.order[:] = self.problem.respect(self.sampler.draw(rng, is_first))
        greedy = evaluate_order(lists, tree, clique, -np.inf)
        chosen = tree.chosen.copy()
        found = self._search(tree, greedy)
        if found > greedy:
            return found
        tree.chosen[:] = chosen
        return greedy

    def _search(self, tree: KTree, greedy: float) -> float:
        """Loss of the best completion above `greedy`, with its choices in `tree`; at most `greedy` if none."""
        from stages.kernels.ktrees.kastar import (
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
        if state == -2:
            return greedy
        complete = state >= 0
        if not complete:
            state = pop_state(states)
        rebuild(tree, states, state)
        tree.position[tree.order] = np.arange(n, dtype=np.int32)
        return place_rest(lists, tree, int(states.depths[state]), float(states.values[state]), -np.inf)


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
