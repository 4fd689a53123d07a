"""The best network within the treewidth so far."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formats.graphs.algorithms import elimination_width, find_cycle, moral_graph
from formats.records import ParentSetTable
from stages.graphs.treewidth import min_fill_order
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter
from stages.runtime.seeding import task_generator

from ... import OptimizeOptions
from ...result import SearchResult, listed_result, total_score
from ...treewidth.annealing import OrderSearch
from ...treewidth.bounded_search import search as search_bounded
from ...treewidth.problem import prepare_both

FIRST_MOVES = 2000
"""Moves per variable of the first search."""

FIRST_SHARE = 0.25
"""Largest share of a time limit for the first search."""

ROUNDING_MOVES = 20
"""Moves per variable of the search from the order of a fractional solution."""


class BestWithinWidth:
    """The best network so far: its sets as indices in `table` (int64), score in nats, elimination order.

    A search of `FIRST_MOVES` moves finds the first one.
    """

    def __init__(self, table: ParentSetTable, options: OptimizeOptions, budget: Budget):
        self.table, self.treewidth, self.moves = table, options.given_treewidth, FIRST_MOVES * table.n_variables
        self._index = {(v, table.parent_set(s)): s for v in range(table.n_variables) for s in self._sets_of(v)}
        short = budget.part(FIRST_SHARE)
        short.evaluations = self.moves if budget.evaluations is None else min(budget.evaluations, self.moves)
        found = search_bounded(table, options, short, NullReporter())
        assert found.elimination is not None and found.bound is not None
        self.first_bound = found.bound  # of that search
        self.chosen = self._sets(found.parents)
        self.score, self.elimination = total_score(table.scores, self.chosen), list(found.elimination)
        self.rng = task_generator(options.seed, 0, 2)
        self._search = OrderSearch(prepare_both(table, self.treewidth)[0], self.rng)

    def _sets_of(self, child: int) -> range:
        return range(self.table.set_offsets[child], self.table.set_offsets[child + 1])

    def _sets(self, parents: Sequence[tuple[int, ...]]) -> np.ndarray:
        return np.array([self._index[child, tuple(family)] for child, family in enumerate(parents)], dtype=np.int64)

    def result(self) -> SearchResult:
        """The network as a result."""
        return listed_result(self.table, self.chosen, self.score, self.elimination)

    def offer(self, chosen: np.ndarray) -> bool:
        """Keep this choice if it is better; returns whether it is a network within the treewidth."""
        parents = [self.table.parent_set(s) for s in chosen.tolist()]
        if find_cycle(parents) is not None:
            return False
        graph = moral_graph(parents)
        elimination = min_fill_order(graph)
        if elimination_width(graph, elimination) > self.treewidth:
            return False
        self.keep(chosen, elimination)
        return True

    def round(self, y: np.ndarray, budget: Budget) -> None:
        """A short search from the order in which the variable of least degree in `y` is eliminated first.

        `y` has the shares of pairs (float64, shape (n_variables, n_variables)).
        """
        n, problem = len(y), self._search.problem
        order = np.empty(n, dtype=np.int32)
        degrees = y.sum(axis=1)
        for place in range(n - 1, -1, -1):
            variable = order[place] = int(np.argmin(degrees))
            degrees = degrees - y[variable]
            degrees[variable] = np.inf
        search = OrderSearch(problem, self._search.rng)
        search.start(problem.respect(order))
        moves = ROUNDING_MOVES * n
        search.climb(moves, budget, moves)
        self.moves += search.moves
        best = search.best
        self.keep(problem.source[best.chosen], best.order[::-1].tolist())

    def keep(self, chosen: np.ndarray, elimination: list[int]) -> None:
        """Keep these sets (int64), with an elimination order within the treewidth, if they score more."""
        score = total_score(self.table.scores, chosen)
        if score > self.score:
            self.chosen, self.score, self.elimination = chosen.copy(), score, elimination
