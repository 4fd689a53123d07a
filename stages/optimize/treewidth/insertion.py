"""Search that inserts better sets and narrows the network around them (a method of this project).

The time of a step depends on a region of some hundred variables, not on their number, and the elimination order is
independent of the order of the arcs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.graphs import topological_order
from stages.kernels.ktrees.bounded_lists import new_bounded_lists
from stages.kernels.ktrees.clique_forest import bags_of_forest, new_clique_forest, take_order
from stages.kernels.ktrees.clique_regions import REGION_WORK, new_region
from stages.kernels.ktrees.clique_tree import find_contained
from stages.kernels.ktrees.elimination import new_sparse_graph
from stages.kernels.ktrees.insertion import search_regions
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import all_sets
from stages.runtime.budgets import Budget

from ..result import Parents, total_score
from .narrowing import graph_of_lists, order_within
from .table_bound import TableBound
from .triangulation import TriangulationSearch

LEAST_VARIABLES = 1000
"""With fewer variables the search within triangulations takes its place, which gained more on 69 variables with lists
of hundreds of sets.
"""

FIRST_WORK = 20_000_000
"""Work on a network that has just been narrowed: some tenths of a second."""

FIRST_TRIANGULATIONS = 10
"""Triangulations searched in its place."""

NODES = 128
"""Cliques of a region; set by hand."""

STEPS = 1000
"""Steps in each region; set by hand."""

HEAT = 3.0
"""First temperature in each region, in nats; by experiment on 2,000 variables."""

SLICE_WORK = 5_000_000
"""Work per compiled call: about a tenth of a second."""


class InsertionSearch:
    """A network within the bounds, its elimination order, and the lists that it takes its sets from.

    `lists` and `bound` as in `triangulation.TriangulationSearch`.
    """

    def __init__(self, lists: SetLists, treewidth: int, bound: TableBound, rng: np.random.Generator):
        n = len(lists.set_offsets) - 1
        self.lists, self.treewidth, self.bound, self.rng = lists, treewidth, bound, rng
        self.chosen = np.zeros(n, dtype=np.int64)  # int64, shape (n_variables,): sets of the network
        self.forest = new_clique_forest(n, treewidth)
        self._whole = graph_of_lists(lists, treewidth, bound)
        capacity = min(n, NODES) + treewidth
        sizes = np.diff(lists.parent_offsets)
        largest = int(sizes[sizes <= treewidth].max())
        pairs = capacity * (largest * (largest + 1) // 2 + 5 * treewidth + 1)
        self._local = new_sparse_graph(capacity, treewidth, pairs)
        self._region = new_region(n, capacity, treewidth)

    def start(self, parents: Parents, budget: Budget, elimination: np.ndarray | None = None) -> bool:
        """Start from a network; parameters and result as in `triangulation.TriangulationSearch.start`."""
        families = ListedSets.of(parents)
        find_contained(new_bounded_lists(self.lists), families.offsets, families.members, self.chosen)
        if elimination is None:
            elimination = order_within(self.lists, self.chosen, self._whole, self.bound, self.rng, budget)
        if elimination is None:
            return False
        return bool(take_order(self.lists, self._whole, self.forest, self.chosen, elimination.astype(np.int32)))

    def improve(self, budget: Budget, watch: Callable[[], bool]) -> None:
        """Search regions until the budget ends or `watch` returns true; the network never gets worse."""
        while not budget.is_spent() and not watch():
            search_regions(
                self.lists, self._whole, self._local, self.forest, self._region, self.rng, self.chosen,
                self.bound.n_states, HEAT, STEPS, self.work + SLICE_WORK, self.bound.most_cells,
            )  # fmt: skip

    @property
    def work(self) -> int:
        """Work so far, in steps of some nanoseconds."""
        return int(self._region.counts[REGION_WORK])

    @property
    def score(self) -> float:
        """Score of the network, in nats."""
        return total_score(self.lists.scores, self.chosen)

    @property
    def elimination(self) -> np.ndarray:
        """Its elimination order; int32."""
        return self.forest.order.copy()

    @property
    def order(self) -> np.ndarray:
        """An order in which parents come before their children; int32."""
        return np.array(topological_order(self.parents()), dtype=np.int32)

    def parents(self) -> Parents:
        """Parents of each variable."""
        return tuple(all_sets(self.lists).take(self.chosen))

    def bags(self) -> np.ndarray:
        """Clique of each variable, filled up with itself; int32, shape (n_variables, K + 1)."""
        bags = np.empty((len(self.chosen), self.treewidth + 1), dtype=np.int32)
        bags_of_forest(self.forest, bags)
        return bags


def narrowed_search(
    lists: SetLists, treewidth: int, bound: TableBound, rng: np.random.Generator, parents: Parents, budget: Budget
) -> InsertionSearch | TriangulationSearch | None:
    """A search from a network, which is narrowed to the bounds and then improved if it is too wide.

    None if it cannot be narrowed, or if the budget ends first.
    """
    if len(parents) < LEAST_VARIABLES:
        triangulations = TriangulationSearch(lists, treewidth, bound, rng)
        if not triangulations.start(parents, budget):
            return None
        if triangulations.parents() != parents:
            triangulations.improve(FIRST_TRIANGULATIONS, budget)
        return triangulations
    insertions = InsertionSearch(lists, treewidth, bound, rng)
    if not insertions.start(parents, budget):
        return None
    if insertions.parents() != parents:
        insertions.improve(budget, lambda: insertions.work > FIRST_WORK)
    return insertions
