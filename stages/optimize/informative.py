"""What S2 and S2+ share: pairwise information from listed scores, and the problem within k-trees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from stages.errors import InfeasibleError

from .bounded_lists import BoundedProblem, prepare_bounded
from .order_batches import BatchStream, OrderBatch
from .packing import fixed_parents

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.budgets import Budget
    from stages.kernels.informative import Information

    from . import OptimizeOptions


class InformedTrees(BatchStream):
    """k-trees chosen by their informative score; batches end when the budget runs out.

    Parameters
    ----------
    table : ParentSetTable
    options : OptimizeOptions
    budget : Budget
    """

    counted = "ktrees"

    def __init__(self, table: ParentSetTable, options: OptimizeOptions, budget: Budget):
        super().__init__(prepare_within(table, options.treewidth), options.seed)
        self.budget = budget
        self.information = pair_information(table)
        self.base = self.problem.score(self.problem.lists.set_offsets[:-1])

    def without_arcs(self) -> OrderBatch:
        """The network without arcs, which is in every k-tree."""
        lists = self.problem.lists
        empty = lists.set_offsets[1:] - 1
        order = np.arange(self.problem.n_variables, dtype=np.int32)
        return OrderBatch(float(lists.losses[empty].sum()), order, empty, 0)


def prepare_within(table: ParentSetTable, treewidth: int) -> BoundedProblem:
    """The problem without demands on k-trees, so that each of them holds a network.

    Raises
    ------
    InfeasibleError
        When fixed records demand arcs.
    """
    demanding = [child for child, parents in fixed_parents(table).items() if parents]
    if demanding:
        raise InfeasibleError(
            f"{table.header.names[demanding[0]]!r} has fixed parents, which k-trees found by informative scores "
            "need not hold: release such records or take another method (ils, kg, kmax, kastar)"
        )
    return prepare_bounded(table, treewidth)


def pair_information(table: ParentSetTable) -> Information:
    """Mutual information of all pairs times the number of rows, in nats, as far as the listed scores tell.

    It is what a single parent adds to the log-likelihood: the gain over the empty set, for BIC plus the penalty
    where rows and states are known. Pairs whose arc no list has, because it does not pay, count as 0.
    """
    from stages.kernels.informative import Information

    n = table.n_variables
    sizes = np.diff(table.parent_offsets)
    child_of_set = np.repeat(np.arange(n), np.diff(table.set_offsets))
    empty = np.full(n, np.nan)
    empty[child_of_set[sizes == 0]] = table.scores[sizes == 0]
    single = np.flatnonzero(sizes == 1)
    children, parents = child_of_set[single], table.parents[table.parent_offsets[single]].astype(np.int64)
    gains = table.scores[single] - empty[children] + _PenaltyOfOne(table)[children, parents]
    useful = gains > 0.0
    low, high = np.minimum(children, parents)[useful], np.maximum(children, parents)[useful]
    pairs, index = np.unique(low * n + high, return_inverse=True)
    values = np.zeros(len(pairs))
    np.maximum.at(values, index, gains[useful])
    ends = np.concatenate((pairs // n, pairs % n)), np.concatenate((pairs % n, pairs // n))
    ranked = np.lexsort((ends[1], ends[0]))
    offsets = np.searchsorted(ends[0][ranked], np.arange(n + 1)).astype(np.int64)
    return Information(offsets, ends[1][ranked].astype(np.int32), np.concatenate((values, values))[ranked])


class _PenaltyOfOne:
    """BIC's penalty for a first parent, by child and parent; 0 for other scores or unknown tables."""

    def __init__(self, table: ParentSetTable):
        header = table.header
        known = header.score == "bic" and header.rows and all(v.states for v in header.variables)
        states = [len(v.states) if known else 1 for v in header.variables]
        self.excess = np.array(states, dtype=np.float64) - 1.0
        self.per_parameter = math.log(header.rows) / 2.0 if known else 0.0

    def __getitem__(self, pairs: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        children, parents = pairs
        return self.per_parameter * self.excess[children] * self.excess[parents]
