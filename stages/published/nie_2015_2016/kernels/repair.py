"""Rebuild a k-tree so that it contains the cliques that fixed records demand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.bits import has_bit, set_bit
from stages.kernels.jit import borrowing, njit
from stages.kernels.ktrees.ktree import add_edges, form_bag, join_start_clique, latest_member
from stages.kernels.ktrees.orders import Precedences, pull_forward
from stages.kernels.ktrees.set_filters import pair_bit
from stages.kernels.orders.set_lists import SetLists


class TreeDemands(NamedTuple):
    """Constraints from fixed records on a k-tree built along an order."""

    lists: SetLists  # the last set of a variable holds the earlier variables that it must join
    precedences: Precedences  # empty if there are no constraints


@njit
def mend_ktree(demands, tree, rng):
    """Build a k-tree that meets `demands` in one pass along the order of a given one, keeping as much of it as
    possible.

    Required predecessors move to just before the variables that need them. A variable joins its former K-clique if
    this clique still exists and contains all variables that it must join. Otherwise it joins a random K-clique in the
    bag of the latest member that it must join; if there is no such member, of the latest one that it joined before.
    Order, positions, bags and edges of `tree` are overwritten; the new order agrees with the precedences.
    """
    offsets, parents = demands.lists.parent_offsets, demands.lists.parents
    order, position, bags, edges = tree.order, tree.position, tree.bags, tree.edges
    n, size = len(order), bags.shape[1]
    former = bags.copy()
    pull_forward(demands.precedences, order, order.copy(), np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.int32))
    edges[:] = np.uint64(0)
    # The key of the empty sets, see `growth_states.rebuild`.
    set_bit(edges, np.int64(n) * (n + 1) >> 1)
    for t in range(n):
        position[order[t]] = t
    join_start_clique(order, bags, edges, size)
    for t in range(size, n):
        variable = order[t]
        last = demands.lists.set_offsets[variable + 1] - 1
        first, end = offsets[last], offsets[last + 1]
        # The bag of a member of the former start clique is the whole clique; without the variable it is a K-clique as
        # well.
        if _joins_again(former[variable], variable, edges, position, t, parents, first, end):
            k = 0
            for member in former[variable]:
                if member != variable:
                    bags[variable, k] = member
                    k += 1
            bags[variable, size - 1] = variable
        else:
            latest = np.int32(-1)
            if first < end:
                latest = latest_member(position, parents, first, end)
            else:
                for member in former[variable]:
                    if position[member] < t:
                        latest = max(latest, position[member])
                if latest < 0:
                    latest = np.int32(rng.random() * t)
            # A random member of the host's bag is left out, but none that the variable must join: so the K-clique is
            # random.
            host = order[latest]
            unwanted = bags[host, int(rng.random() * size)]
            form_bag(
                bags, host, variable, variable, unwanted, parents, first, end, tree.n_states, tree.most_cells
            )  # fmt: skip
        add_edges(edges, bags, variable)
        set_bit(edges, pair_bit(variable, variable))


@borrowing
def _joins_again(bag, variable, edges, position, place, parents, first, end):
    """Whether the other members of `bag` are a clique before `place` and contain ``parents[first:end]``."""
    found = 0
    for i in range(len(bag)):
        if bag[i] == variable:
            continue
        if position[bag[i]] >= place:
            return False
        for j in range(i):
            if bag[j] != variable and not has_bit(edges, pair_bit(bag[i], bag[j])):
                return False
        for k in range(first, end):
            found += parents[k] == bag[i]
    return found == end - first
