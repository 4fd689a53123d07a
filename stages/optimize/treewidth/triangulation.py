"""Search over orders within triangulations of bounded width, from any network (a method of this project).

The moral graph of the present network is triangulated, and better families join the triangulation at random as long
as it keeps the bound. Then a search over orders finds the best network among all listed families that are cliques of
the triangulation; the next triangulation starts from this network. The elimination order is independent of the order
of the arcs, which suits large bounds; the k-trees of `annealing`, built along the order of the arcs, suit small ones.
A network that is too wide is narrowed first: families in the part that cannot be eliminated lose the members that
cost least.
"""

from __future__ import annotations

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.graphs import positions_of, topological_order
from stages.kernels.ktrees.bounded_lists import new_bounded_lists
from stages.kernels.ktrees.clique_tree import find_contained
from stages.kernels.ktrees.narrowing import narrow
from stages.kernels.ktrees.triangulation import (
    adopt_order,
    bags_of,
    eliminate_least,
    mark_within,
    new_triangulation,
    triangulate,
    widen,
)
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import all_sets, index_lists, keep_sets
from stages.runtime.budgets import Budget

from ..orders.insertion_ils import OrderShaker
from ..result import Parents, total_score
from .table_bound import TableBound

MOST_VARIABLES = 4096
"""Largest number of variables; beyond it a triangulation takes too long."""

TRIES = 5
"""Better families tried per variable for each triangulation, fewer if they take more than `MOST_WORK`."""

MOST_WORK = 20_000_000
"""Approximate number of words of bit matrices visited per compiled call: some hundredths of a second."""

MOST_ORDERS = 100
"""New elimination orders for each triangulation; fewer if they take more than `MOST_WORK`."""

FIRST_ORDERS = 20
"""Greedy elimination orders, random among equal degrees, that are tried before a network counts as too wide."""

PROFILES = 5
"""Variables moved per variable in the search over orders within a triangulation."""

SHARE = 0.05
"""Share of the families in the core that lose a member in one step."""


class TriangulationSearch:
    """A network within the bounds, its triangulation, and the lists that it takes its sets from.

    `lists` lack the sets that are too large for the bounds; `bound` limits the tables of cliques.
    """

    def __init__(self, lists: SetLists, treewidth: int, bound: TableBound, rng: np.random.Generator):
        n = len(lists.set_offsets) - 1
        self.lists, self.treewidth, self.bound, self.rng = lists, treewidth, bound, rng
        self.graph = new_triangulation(bound.n_states, 1 + int(np.diff(lists.parent_offsets).max(initial=0)))
        self.chosen = np.zeros(n, dtype=np.int64)  # int64, shape (n_variables,): sets of the present network
        self.order = np.arange(n, dtype=np.int32)  # int32, shape (n_variables,): parents come before their children
        self._within = np.empty(len(lists.scores), dtype=np.bool_)
        words = n * (1 + n // 64)
        self._n_tries = max(1, min(TRIES * n, MOST_WORK // words))
        self._n_orders = min(MOST_ORDERS, MOST_WORK // (n * n + words * treewidth))

    def start(self, parents: Parents, budget: Budget, elimination: np.ndarray | None = None) -> bool:
        """Start from a network, narrowed to the bounds if it is too wide; returns whether it is within them.

        Sets that are not listed are replaced by their best listed subsets. `elimination` is an order within the
        bounds, if one is known.
        """
        families = ListedSets.of(parents)
        find_contained(new_bounded_lists(self.lists), families.offsets, families.members, self.chosen)
        most_cells = self.bound.most_cells
        if elimination is not None:
            self.graph.ranks[:] = positions_of(elimination)
            self.graph.states[:] = self.bound.n_states[elimination]
            is_within = triangulate(self.lists, self.graph, self.chosen, self.treewidth, most_cells)
        else:
            is_within = self._find_order()
        state = 0 if is_within else 1
        while state == 1 and not budget.is_spent():
            state = narrow(self.lists, self.graph, self.rng, self.chosen, self.treewidth, most_cells, SHARE)
        self.order[:] = topological_order(self.parents())
        return state == 0

    def _find_order(self) -> bool:
        """Triangulate the moral graph by a greedy order within the bounds; returns whether one was found."""
        graph, most_cells = self.graph, self.bound.most_cells
        triangulate(self.lists, graph, self.chosen, self.treewidth, most_cells)
        for _ in range(FIRST_ORDERS):
            if eliminate_least(graph, self.rng, self.treewidth, most_cells):
                adopt_order(graph)
                return triangulate(self.lists, graph, self.chosen, self.treewidth, most_cells)
        return False

    def improve(self, n_triangulations: int, budget: Budget) -> None:
        """Search within one triangulation after the other; the network never gets worse."""
        for _ in range(n_triangulations):
            if budget.is_spent():
                return
            widen(
                self.lists, self.graph, self.rng, self.chosen, self.treewidth, self.bound.most_cells,
                self._n_tries, self._n_orders,
            )  # fmt: skip
            mark_within(self.lists, self.graph, self._within)
            sets = np.flatnonzero(self._within)
            kept = index_lists(*keep_sets(self.lists, sets), self.lists.scores[sets])
            shaker = OrderShaker(kept, self.order, self.rng)
            shaker.search(budget, PROFILES * len(self.order))
            if shaker.score >= self.score:
                self.chosen, self.order = sets[shaker.chosen], shaker.order

    @property
    def score(self) -> float:
        """Score of the network, in nats."""
        return total_score(self.lists.scores, self.chosen)

    @property
    def elimination(self) -> np.ndarray:
        """The elimination order of the triangulation; int32."""
        return positions_of(self.graph.ranks)

    def parents(self) -> Parents:
        """Parents of each variable."""
        return tuple(all_sets(self.lists).take(self.chosen))

    def bags(self) -> np.ndarray:
        """Clique of each variable in the triangulation, filled up with itself; int32, shape (n_variables, K + 1)."""
        bags = np.empty((len(self.order), self.treewidth + 1), dtype=np.int32)
        bags_of(self.graph, bags)
        return bags


def elimination_within(
    parents: Parents, treewidth: int, bound: TableBound, rng: np.random.Generator
) -> np.ndarray | None:
    """An elimination order of a network within the bounds, if greedy elimination finds one; int32."""
    families = ListedSets.of(parents)
    if families.sizes.max() > treewidth:
        return None
    lists = index_lists(np.arange(len(parents) + 1), families, np.zeros(len(parents)))
    search = TriangulationSearch(lists, treewidth, bound, rng)
    # With no smaller sets in the lists, the network cannot be narrowed.
    return search.elimination if search.start(parents, Budget()) else None
