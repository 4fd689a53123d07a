"""The exact DAG on a start clique of more variables than the kernels solve.

Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3: the DAG on the first K + 1 variables of an order is
learnt exactly. The kernels do this up to `EXACT_CLIQUE` members, which takes less than a millisecond. From there to
`MOST_VARIABLES` the dynamic programme over subsets runs here, within the budget. In still larger cliques, further
members take their best sets among the earlier ones: then the DAG is not proved best.
"""

from __future__ import annotations

import numpy as np

from formats.sets.listed_sets import ListedSets
from stages.kernels.ktrees.ktree import KTree
from stages.kernels.ktrees.start_clique import EXACT_CLIQUE
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import all_sets, new_lists
from stages.optimize.bounds.subset_dp import MOST_VARIABLES, solve_by_subsets, subsets_fit
from stages.optimize.treewidth.problem import BoundedProblem
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter


class StartCliques:
    """Exact DAGs on the start cliques of orders, within a budget."""

    def __init__(self, problem: BoundedProblem, budget: Budget):
        self.problem = problem
        self.budget = budget
        self.size = problem.new_tree().n_start

    @property
    def n_exact(self) -> int:
        """Number of the first members on which the DAG is exact if the budget allows."""
        return min(self.size, MOST_VARIABLES)

    @property
    def is_costly(self) -> bool:
        """Whether the clique is beyond the kernels."""
        return self.size > EXACT_CLIQUE

    def complete(self, tree: KTree, relative_score: float, floor: float = -np.inf) -> tuple[float, float]:
        """Give the start clique of `tree` its best DAG; the rest of the tree does not depend on it.

        The sets of `tree` have this relative score. An order that cannot reach `floor` is left as it is. Returns the
        new relative score, and how far the clique's DAG may be below its best one; both in nats.
        """
        if not self.is_costly:
            return relative_score, 0.0
        lists, chosen = self.problem.lists, tree.chosen
        members, (offsets, sets) = tree.order[: self.size], self._sets_inside(tree.order, self.size)
        # Without cycles excluded, each member takes its best set within the clique.
        best = sets[offsets[:-1]]
        room = float((lists.scores[best] - lists.scores[chosen[members]]).sum())
        if room <= 0.0 or relative_score + room <= floor or not subsets_fit(self.n_exact):
            return relative_score, room
        if self.n_exact < self.size:
            offsets, sets = self._sets_inside(tree.order, self.n_exact)
        inside = self._lists_inside(tree.order, self.n_exact, offsets, sets)
        solved = solve_by_subsets(inside, self.budget, NullReporter())
        if solved is None:
            return relative_score, room
        exact = members[: self.n_exact]
        found = sets[solved[1]]
        gain = float((lists.scores[found] - lists.scores[chosen[exact]]).sum())
        # A gain within rounding leaves the kernel's choice, which is then a best one, too.
        if gain > 0.0:
            chosen[exact] = found
        gain = max(0.0, gain)
        return relative_score + gain, 0.0 if self.n_exact == self.size else room - gain

    def _sets_inside(self, order: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """The sets of the first `size` variables of an order that lie within these.

        Where the list of each variable begins (int64, shape (size + 1,)), and the indices of the sets among all sets
        (int64), best first.
        """
        lists, place = self.problem.lists, self._places(order, size)
        starts, ends = lists.set_offsets[order[:size]], lists.set_offsets[order[:size] + 1]
        sets = np.concatenate([np.arange(start, end) for start, end in zip(starts.tolist(), ends.tolist())])
        listed = all_sets(lists).take(sets)
        outside = np.append(0, np.cumsum(place[listed.members] < 0))
        kept = np.flatnonzero(outside[listed.offsets[1:]] == outside[listed.offsets[:-1]])
        owners = np.repeat(np.arange(size), ends - starts)[kept]
        return np.searchsorted(owners, np.arange(size + 1)).astype(np.int64), sets[kept]

    def _lists_inside(self, order: np.ndarray, size: int, offsets: np.ndarray, sets: np.ndarray) -> SetLists:
        """The same sets as lists of their own, whose variables are the places in the order."""
        listed = all_sets(self.problem.lists).take(sets)
        members = ListedSets(listed.offsets, self._places(order, size)[listed.members])
        return new_lists(offsets, members, self.problem.scores[sets])

    def _places(self, order: np.ndarray, size: int) -> np.ndarray:
        """Places of the first `size` variables of an order; -1 for all others (int32)."""
        place = np.full(len(order), -1, dtype=np.int32)
        place[order[:size]] = np.arange(size, dtype=np.int32)
        return place
