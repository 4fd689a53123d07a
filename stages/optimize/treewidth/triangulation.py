"""Search over orders within triangulations of bounded width, from any network (a method of this project).

The moral graph of the present network is triangulated, and better families join the triangulation at random as long
as it keeps the bound. Then a search over orders finds the best network among all listed families that are cliques of
the triangulation; the next triangulation starts from this network. The elimination order is independent of the order
of the arcs, which suits large bounds; the k-trees of `annealing`, built along the order of the arcs, suit small ones:
triangulations gain on plants and accidents within 8, on pumsb_star within 20, and within 5 on andes, ad and 2,000
columns of 500 rows (examples/measured/ablation.md). A network that is too wide is narrowed first: families in the
part that cannot be eliminated lose the members that cost least.
"""

from __future__ import annotations

import numpy as np

from stages.graphs import positions_of, topological_order
from stages.kernels.ktrees.triangulation import bags_of, mark_within, new_triangulation, triangulate, widen
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import all_sets, index_members, keep_sets
from stages.runtime.budgets import Budget

from ..orders.insertion_ils import OrderShaker
from ..result import Parents, total_score
from .narrowing import EliminatedNetwork, graph_of_lists, narrowed, order_within, sets_within
from .table_bound import TableBound

MOST_VARIABLES = 4096
"""Largest number of variables; beyond it the bit matrices of a triangulation take too long."""

FEW_VARIABLES = 300
"""Largest number of variables on which a network that has just been narrowed is improved. That gains on andes (within
5, 103 nats in 60 s); on more variables the searches that follow gain more in that time.
"""

TRIES = 5
"""Better families tried per variable for each triangulation, fewer if they take more than `MOST_WORK`."""

MOST_WORK = 20_000_000
"""Approximate number of words of bit matrices visited per compiled call: some hundredths of a second."""

MOST_ORDERS = 100
"""New elimination orders for each triangulation; fewer if they take more than `MOST_WORK`."""

FIRST_TRIANGULATIONS = 10
"""Triangulations searched around a network that has just been narrowed."""

PROFILES = 5
"""Variables moved per variable in the search over orders within a triangulation."""


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
        self.chosen = sets_within(self.lists, parents)
        if elimination is None:
            scratch = graph_of_lists(self.lists, self.treewidth, self.bound)
            elimination = order_within(self.lists, self.chosen, scratch, self.bound, self.rng, budget)
        self.order[:] = topological_order(self.parents())
        if elimination is None:
            return False
        self.graph.ranks[:] = positions_of(elimination)
        self.graph.states[:] = self.bound.n_states[elimination]
        return bool(triangulate(self.lists, self.graph, self.chosen, self.treewidth, self.bound.most_cells))

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
            kept = keep_sets(self.lists, sets)
            shaker = OrderShaker(kept, index_members(kept), self.order, self.rng)
            shaker.search(budget, PROFILES * len(self.order))
            if shaker.score >= self.score:
                self.chosen, self.order = sets[shaker.chosen], shaker.order

    @property
    def score(self) -> float:
        """Score of the network, in nats."""
        return total_score(self.lists.scores, self.chosen)

    def parents(self) -> Parents:
        """Parents of each variable."""
        return tuple(all_sets(self.lists).take(self.chosen))

    @property
    def found(self) -> EliminatedNetwork:
        """The network, with the elimination order of the triangulation and its cliques."""
        bags = np.empty((len(self.order), self.treewidth + 1), dtype=np.int32)
        bags_of(self.graph, bags)
        return EliminatedNetwork(self.parents(), self.score, self.order, positions_of(self.graph.ranks), bags)


def narrowed_network(
    lists: SetLists, treewidth: int, bound: TableBound, rng: np.random.Generator, parents: Parents, budget: Budget
) -> EliminatedNetwork | None:
    """A network within the bounds: that of `parents`; if it is too wide, it is narrowed and then improved.

    None if it cannot be narrowed, or if the budget ends first. It is not improved among many variables
    (`FEW_VARIABLES`). Narrowing gains on dense data of some 100 columns (accidents, pumsb_star); it loses on 2,000
    columns of 500 rows.
    """
    if len(parents) > FEW_VARIABLES:
        return narrowed(lists, treewidth, bound, rng, parents, budget)
    search = TriangulationSearch(lists, treewidth, bound, rng)
    if not search.start(parents, budget):
        return None
    if search.parents() != parents:
        search.improve(FIRST_TRIANGULATIONS, budget)
    return search.found
