"""Acyclic selection over an order, and its update for an adjacent swap: ASOBS (Scanagatta et al. 2015)."""

from __future__ import annotations

import numpy as np

from ..bits import add_family, has_bit
from ..jit import borrowing


@borrowing
def first_acyclic(lists, start, stop, descendants):
    """The first of the sets ``start:stop`` without a member in the bitset `descendants`; -1 if there is none."""
    for s in range(start, stop):
        free = True
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            if has_bit(descendants, np.int64(lists.parents[k])):
                free = False
                break
        if free:
            return s
    return -1


@borrowing
def take_set(lists, child, s, family, descendants, stack):
    """Make set `s` the parents of `child`; returns the work of updating the transitive closure."""
    first, last, _ = family
    first[child] = lists.parent_offsets[s]
    last[child] = lists.parent_offsets[s + 1]
    return add_family(descendants, child, family, stack)


@borrowing
def select_slice(lists, order, chosen, family, descendants, stack, start, budget):
    """From position `start` down to 0, give each variable its best set that closes no cycle.

    Returns the position to continue from (-1 when all are done), and the work: sets tested and rows united.

    Parameters
    ----------
    chosen : ndarray of int64, shape (n_variables,)
        Filled; entries that are not negative (fixed records) remain.
    family : tuple of (ndarray of int64, ndarray of int64, ndarray of int32)
        First and last index of each variable's chosen parents in ``lists.parents``, and that array.
    descendants : ndarray of uint64, shape (n_variables, n_words)
        Descendants of each variable under the arcs chosen so far.
    stack : ndarray of int32, shape (n_variables,)
        Scratch.
    """
    work = 0
    for i in range(start, -1, -1):
        child = order[i]
        if chosen[child] < 0:
            first, stop = lists.set_offsets[child], lists.set_offsets[child + 1]
            found = first_acyclic(lists, first, stop, descendants[child])
            chosen[child] = found
            work += 1 + found - first + take_set(lists, child, found, family, descendants, stack)
            if work >= budget:
                return i - 1, work
    return -1, work


@borrowing
def swap_selection(lists, order, chosen, reached, i):
    """Gain of acyclic selection when the variables at `i` and ``i + 1`` are swapped and both choose anew.

    All other choices stay: the cheap update that Theorem 4 allows. The variable that is later after the swap takes
    its best set without a descendant, then the other one does. Returns the gain in nats, minus infinity if one of the
    two has no set, and their sets.

    Parameters
    ----------
    order : ndarray of int32
        A topological order of the network.
    chosen : ndarray of int64, shape (n_variables,)
        Index of the set of each variable.
    reached : ndarray of uint8, shape (n_variables,)
        Scratch.
    """
    later, earlier = order[i], order[i + 1]
    reached[order[:i]] = 0
    # Flag 1 marks the later variable and its descendants, flag 2 the earlier variable and its descendants.
    reached[later], reached[earlier] = 1, 2
    # Without arcs into the two, all their descendants follow them in the order: one pass finds these descendants.
    for place in range(i + 2, len(order)):
        variable = order[place]
        flags = np.uint8(0)
        for k in range(lists.parent_offsets[chosen[variable]], lists.parent_offsets[chosen[variable] + 1]):
            flags |= reached[lists.parents[k]]
        reached[variable] = flags
    later_set = first_unreached(lists, later, reached, np.uint8(1))
    if later_set < 0:
        return -np.inf, later_set, later_set
    forbidden = np.uint8(2)
    for k in range(lists.parent_offsets[later_set], lists.parent_offsets[later_set + 1]):
        if reached[lists.parents[k]] & np.uint8(2):
            # The later variable now descends from the earlier one, and so do all descendants of the later one.
            forbidden = np.uint8(3)
    earlier_set = first_unreached(lists, earlier, reached, forbidden)
    if earlier_set < 0:
        return -np.inf, later_set, earlier_set
    gain = lists.scores[later_set] - lists.scores[chosen[later]]
    gain += lists.scores[earlier_set] - lists.scores[chosen[earlier]]
    return gain, later_set, earlier_set


@borrowing
def first_unreached(lists, child, reached, flags):
    """The first set of `child` without a member whose entry of `reached` has one of `flags`; -1 if there is none."""
    for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
        free = True
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            if reached[lists.parents[k]] & flags:
                free = False
                break
        if free:
            return s
    return -1


@borrowing
def best_swap(lists, order, chosen, reached, start, stop, best_gain, best):
    """The swap of largest gain among the incumbent `best` and the positions ``start:stop``; ties go to the first.

    Returns its gain in nats and its position.
    """
    for i in range(start, stop):
        gain, _, _ = swap_selection(lists, order, chosen, reached, i)
        if gain > best_gain:
            best_gain, best = gain, i
    return best_gain, best
