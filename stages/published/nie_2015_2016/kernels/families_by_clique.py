"""The sets that dynamic programming over a k-tree may choose, indexed by the first clique that contains each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.jit import njit


class CliqueFamilies(NamedTuple):
    """Nonempty, unpruned sets that fit the k-tree, indexed by the first clique that contains each with its child."""

    # int64, shape (n_variables + 1,): by the position in the order of the variable that forms the clique; the start
    # clique has position K.
    offsets: np.ndarray
    sets: np.ndarray  # int64: grouped by child, best first
    children: np.ndarray  # int32: child of each of `sets`
    best: np.ndarray  # float64, shape (n_variables,): relative score of each variable's best unpruned set, in nats
    # float64, shape (n_variables,): gain of that set over the empty set; infinite if the empty set was pruned.
    most: np.ndarray


def new_clique_families(n_variables: int, n_sets: int) -> CliqueFamilies:
    """Capacity for `n_sets` families."""
    return CliqueFamilies(
        offsets=np.zeros(n_variables + 1, dtype=np.int64),
        sets=np.zeros(n_sets, dtype=np.int64),
        children=np.zeros(n_sets, dtype=np.int32),
        best=np.zeros(n_variables),
        most=np.zeros(n_variables),
    )


@njit
def sort_families(families, reduced, most_reduced, sorted_families):
    """Fill `sorted_families` with the families of reduced cost at most `most_reduced`; the others are pruned.

    `reduced` (float64) has the reduced cost of each family in nats, see `ktree_families.bound_networks`. Returns the
    cost of the best unpruned sets, relative to the best fitting sets, in nats.
    """
    lists = families.lists
    n = len(lists.set_offsets) - 1
    offsets = sorted_families.offsets
    offsets[:] = 0
    lack = 0.0
    for child in range(n):
        sorted_families.best[child] = -np.inf
        sorted_families.most[child] = np.inf
        first = lists.set_offsets[child]
        for s in range(first, lists.set_offsets[child + 1]):
            if reduced[s] > most_reduced:
                continue
            # Sets come best first. The search counts costs from the best unpruned set, so the advantage of pruned
            # better sets is a constant of all networks.
            if sorted_families.best[child] == -np.inf:
                sorted_families.best[child] = lists.scores[s]
                lack += lists.scores[first] - lists.scores[s]
            if lists.parent_offsets[s] < lists.parent_offsets[s + 1]:
                offsets[families.cliques[s] + 1] += 1
            else:
                gain = sorted_families.best[child] - lists.scores[s]
                sorted_families.most[child] = gain
    for t in range(n):
        offsets[t + 1] += offsets[t]
    # Counting sort by clique. Families come child by child, and the sort is stable; so the families of a clique are
    # grouped by child, best first.
    filled = offsets[:-1].copy()
    for child in range(n):
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            if reduced[s] <= most_reduced and lists.parent_offsets[s] < lists.parent_offsets[s + 1]:
                place = filled[families.cliques[s]]
                sorted_families.sets[place] = families.sets[s]
                sorted_families.children[place] = child
                filled[families.cliques[s]] += 1
    return lack
