"""The best network within a treewidth on few variables: dynamic programming over bags and sets of variables.

A k-tree is a tree of bags of K + 1 variables each; a bag and the next one share K. Order the members of each bag so
that bags agree on what they share. If each variable takes a set among its predecessors in some bag, the network is
acyclic, as the orders join to one of all variables; conversely, an order of all variables orders each bag.

For an ordered bag S and a set M of variables, the best total is that of sets for M, where the members of M outside S
are in bags that hang from S. A part M1 of M has its sets in the bags that hold the least of them: these hang from S
less one member, which is not in M1. The rest of M has its sets in S and in what else hangs from it. Sets of variables
are bit masks. Time grows as n^(K + 1) 3^n and memory as n^(K + 1) 2^n. Korhonen and Parviainen (2013) have the idea
of cliques and what hangs from them.
"""

from __future__ import annotations

import numpy as np

from ..bits import popcount
from ..jit import borrowing
from ..orders.subset_dp import NO_SET, squeeze


@borrowing
def bag_mask(bag):
    """The members of a bag as a mask."""
    mask = np.int64(0)
    for j in range(len(bag)):
        mask |= np.int64(1) << bag[j]
    return mask


@borrowing
def offer_hanging(bag, nodes, mask, total, hanging):
    """A total of a bag is one of what hangs from the bag less a member that takes its set there."""
    for j in range(len(bag)):
        if mask >> bag[j] & 1:
            hanging[nodes[j], mask] = max(hanging[nodes[j], mask], total)


@borrowing
def start_bags(scores, best, bags, separators, totals, hanging):
    """The totals of members of a bag that take sets in it, in nats; no other bag hangs from it.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_sets,)
    best : ndarray of int32, shape (n_variables, 2^(n_variables - 1))
        From `stages.kernels.orders.subset_dp.best_within_subsets`.
    bags : ndarray of int64, shape (n_bags, K + 1)
        All ordered choices of variables.
    separators : ndarray of int64, shape (n_bags, K + 1)
        The index of the bag less its j-th member, among ordered choices of K variables.
    totals : ndarray of float64, shape (n_bags, 2^n_variables)
        By bag and mask; minus infinity for no network. Filled where the mask is within the bag.
    hanging : ndarray of float64, shape (n_separators, 2^n_variables)
        The best totals of bags that hold the separator and one more variable, which takes its set in what hangs.
    """
    for b in range(len(bags)):
        bag = bags[b]
        before = np.int64(0)
        totals[b, 0] = 0.0
        for j in range(len(bag)):
            s = best[bag[j], squeeze(before, bag[j])]
            score = -np.inf if s == NO_SET else scores[s]
            own = np.int64(1) << bag[j]
            some = before
            while True:
                totals[b, some | own] = totals[b, some] + score
                if some == 0:
                    break
                some = (some - 1) & before
            before |= own
        for mask in range(1, totals.shape[1]):
            if mask & ~before == 0:
                offer_hanging(bag, separators[b], mask, totals[b, mask], hanging)


@borrowing
def best_hanging(bag, nodes, mask, hanging):
    """The best total of what hangs from the bag less some member outside `mask`."""
    most = -np.inf
    for j in range(len(bag)):
        if mask >> bag[j] & 1 == 0:
            most = max(most, hanging[nodes[j], mask])
    return most


@borrowing
def extend_bags(bags, separators, totals, hanging, parts, start, stop, size):
    """The totals of the bags ``start:stop`` of masks with `size` variables outside the bag, at least one.

    The totals of all bags with fewer variables outside must be there. `parts` is scratch: float64, shape
    (2^n_variables,).
    """
    n_masks = totals.shape[1]
    for b in range(start, stop):
        bag, nodes = bags[b], separators[b]
        inside = bag_mask(bag)
        for mask in range(n_masks):
            n_outside = popcount(np.uint64(mask & ~inside))
            if 0 < n_outside <= size:
                parts[mask] = best_hanging(bag, nodes, mask, hanging)
        for mask in range(n_masks):
            outside = mask & ~inside
            if popcount(np.uint64(outside)) != size:
                continue
            least = outside & -outside
            others = mask ^ least
            most, some = -np.inf, others
            while True:
                most = max(most, parts[some | least] + totals[b, others ^ some])
                if some == 0:
                    break
                some = (some - 1) & others
            totals[b, mask] = most
            # Its `size` + 1 variables outside the separator: not read before the next size.
            offer_hanging(bag, nodes, mask, most, hanging)
