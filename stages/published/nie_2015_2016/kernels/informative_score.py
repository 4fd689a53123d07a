"""The informative score of k-trees, by which S2 and S2+ choose them (Nie, de Campos, Ji 2015).

IS(T) = S_mi(T) / abs(S_l(T)): the mutual information along the edges of T over the score of the best choice of
sets within T, cycles allowed (Scanagatta et al. 2016, section 3.4).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.arrays import first_not_below
from stages.kernels.bits import has_bit
from stages.kernels.jit import borrowing, inlined
from stages.kernels.ktrees.ktree import is_clique
from stages.kernels.ktrees.set_filters import pair_bit


class Information(NamedTuple):
    """Mutual information of pairs times the number of rows, in nats; 0 for the pairs not listed."""

    offsets: np.ndarray  # int64, shape (n_variables + 1,)
    neighbours: np.ndarray  # int32: partners of each variable in its pairs, ascending
    values: np.ndarray  # float64: entry of each of these pairs; every pair is listed from both ends


@borrowing
def information_between(information, a, b):
    """Entry of the pair {a, b}."""
    low, end = information.offsets[a], information.offsets[a + 1]
    if end - low == len(information.offsets) - 2:
        # All other variables are listed, `a` itself is not: so entries after it stand one place earlier.
        return 0.0 if a == b else information.values[low + b - (b > a)]
    found = first_not_below(information.neighbours, low, end, b)
    return information.values[found] if found < end and information.neighbours[found] == b else 0.0


@borrowing
def total_information(information, tree):
    """Sum over the edges of the k-tree: S_mi."""
    order, bags = tree.order, tree.bags
    size = bags.shape[1]
    total = 0.0
    for t in range(size):
        for j in range(t):
            total += information_between(information, order[j], order[t])
    for t in range(size, len(order)):
        for j in range(size - 1):
            total += information_between(information, bags[order[t], j], order[t])
    return total


@inlined
def is_within(keys, offsets, parents, edges, s, child):
    """True when set `s` and its child form a clique of the k-tree."""
    found = has_bit(edges, keys[s]) and is_clique(offsets, parents, edges, s)
    if found:
        for i in range(offsets[s], offsets[s + 1]):
            if not has_bit(edges, pair_bit(parents[i], child)):
                found = False
                break
    return found


@borrowing
def best_within_ktree(lists, filters, tree):
    """Sum over all variables of the relative score in nats of the best set within the k-tree, cycles allowed.

    No network within the k-tree has a better score. Every child's last set must be within it.
    """
    keys, offsets, parents, relative_scores = (filters.keys, lists.parent_offsets, lists.parents, lists.scores)
    total = 0.0
    for child in range(len(tree.order)):
        s = lists.set_offsets[child]
        while not is_within(keys, offsets, parents, tree.edges, s, child):
            s += 1
        total += relative_scores[s]
    return total


@borrowing
def holds_last_sets(lists, filters, tree):
    """Whether the last set of every child, which fixed records prescribe if it is not empty, is within the k-tree."""
    for child in range(len(tree.order)):
        last = lists.set_offsets[child + 1] - 1
        if not is_within(filters.keys, lists.parent_offsets, lists.parents, tree.edges, last, child):
            return False
    return True


@borrowing
def informative_score(information, base, tree, relative_score):
    """IS of a k-tree; `relative_score` is the sum of its best sets relative to the best listed ones, whose sum is
    `base`.
    """
    return total_information(information, tree) / max(abs(base + relative_score), 1e-300)
