"""Families lose members until the moral graph of a network can be eliminated within the bounds."""

from __future__ import annotations

import numpy as np

from ..jit import borrowing, njit
from .sparse_elimination import eliminate_moral

NO_SMALLER_SET = np.int64(-1)
"""A list holds no smaller set."""


@borrowing
def smaller_set(lists, child, s, member):
    """The best listed set of `child` within set `s` less `member`; `NO_SMALLER_SET` if there is none."""
    offsets, parents = lists.parent_offsets, lists.parents
    for other in range(s + 1, lists.set_offsets[child + 1]):
        found = True
        for i in range(offsets[other], offsets[other + 1]):
            inside = False
            for j in range(offsets[s], offsets[s + 1]):
                inside |= parents[j] == parents[i] and parents[j] != member
            if not inside:
                found = False
                break
        if found:
            return other
    return NO_SMALLER_SET


@borrowing
def list_losses(lists, graph, chosen, least_left, costs, children, sets):
    """List what families lose with a member, if at least `least_left` vertices of the family are left.

    With two vertices left, the members left are listed; with one, all members. Returns the number of entries written
    to `costs` (nats per edge), `children` and `sets` (the smaller sets).
    """
    offsets, parents = lists.parent_offsets, lists.parents
    count = 0
    for child in range(len(chosen)):
        s = chosen[child]
        n_left = np.int64(graph.degrees[child] >= 0)
        for i in range(offsets[s], offsets[s + 1]):
            n_left += graph.degrees[parents[i]] >= 0
        if n_left < least_left:
            continue
        for i in range(offsets[s], offsets[s + 1]):
            if least_left > 1 and graph.degrees[parents[i]] < 0:
                continue
            other = smaller_set(lists, child, s, parents[i])
            if other != NO_SMALLER_SET:
                costs[count] = (lists.scores[s] - lists.scores[other]) / max(1, n_left - 1)
                children[count] = child
                sets[count] = other
                count += 1
    return count


@njit
def narrow(lists, graph, rng, chosen, most_cells, share):
    """One step towards the bounds: if elimination gets stuck, families among the vertices left lose members.

    Members with the least loss of score per edge are dropped: from a share of all candidates, one member per family.

    Parameters
    ----------
    graph : SparseGraph
        For the network.
    chosen : ndarray of int64, shape (n_variables,)
        Index of the set of each variable; changed.
    share : float
        Share of the candidate families and members that change.

    Returns
    -------
    int
        0 if the moral graph is within the bounds: then ``graph.order`` eliminates it. 1 if families have changed,
        2 if none can.
    """
    n = len(chosen)
    offsets = lists.parent_offsets
    if eliminate_moral(lists, graph, rng, chosen, most_cells):
        return 0
    most = 0
    for child in range(n):
        most += offsets[chosen[child] + 1] - offsets[chosen[child]]
    costs = np.empty(most)
    children, sets = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    count = list_losses(lists, graph, chosen, 2, costs, children, sets)
    if count == 0:
        # All edges among the vertices left were filled in: they come from families with one vertex left.
        count = list_losses(lists, graph, chosen, 1, costs, children, sets)
    if count == 0:
        return 2
    changes = max(1, int(share * count))
    changed = np.zeros(n, dtype=np.bool_)
    for k in np.argsort(costs[:count]):
        if changes and not changed[children[k]]:
            chosen[children[k]] = sets[k]
            changed[children[k]] = True
            changes -= 1
    return 1
