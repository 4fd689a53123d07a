"""Networks whose families close no cycle, as the edges of a hypergraph (acyclic in the sense of Berge).

The moral graph of such a network is a forest of cliques, one for each family, whose width is the largest number of
parents. Unlike in a k-tree built along an order, a child may come before its parents in this tree. So many parents
fit where dependences are spread over the whole network, for example in thousands of variables with two parents each.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import child_of_sets

POWER = 0.6
"""Families join by their gain per number of parents to this power. Parents are scarce: a forest of n variables has
fewer than n. By experiment.
"""


def join_families(lists: SetLists) -> np.ndarray:
    """The set of each variable in such a network, greedily, as in Kruskal's minimum spanning tree (1956); int64.

    A variable whose last set has parents, because arcs are required, keeps this set.
    """
    children, sizes = child_of_sets(lists), np.diff(lists.parent_offsets)
    chosen = lists.set_offsets[1:] - 1
    gains = lists.scores - lists.scores[chosen][children]
    order = np.argsort(-gains / np.maximum(sizes, 1) ** POWER, kind="stable")
    order = np.concatenate((chosen[sizes[chosen] > 0], order[gains[order] > 0.0]))
    roots = list(range(len(chosen)))

    def root(variable: int) -> int:
        while roots[variable] != variable:
            roots[variable] = roots[roots[variable]]
            variable = roots[variable]
        return variable

    has_parents = [False] * len(chosen)
    n_parts, offsets, parents = len(chosen), lists.parent_offsets, lists.parents
    for s, child in zip(order.tolist(), children[order].tolist(), strict=True):
        if n_parts == 1:
            break
        if has_parents[child]:
            continue
        members = parents[offsets[s] : offsets[s + 1]].tolist()
        joined = {root(variable) for variable in (child, *members)}
        is_required = s == chosen[child]
        if len(joined) <= len(members) and not is_required:
            continue
        for other in joined:
            roots[other] = root(child)
        n_parts -= len(joined) - 1
        has_parents[child], chosen[child] = True, s
    return chosen
