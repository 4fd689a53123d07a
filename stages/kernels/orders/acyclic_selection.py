"""Acyclic selection over an order: the evaluation step of ASOBS (Scanagatta et al. 2015)."""

from __future__ import annotations

import numpy as np

from ..bits import add_family, has_bit
from ..jit import njit


@njit
def first_acyclic(lists, start, stop, descendants):
    """The first of the sets ``start:stop`` without a member in the bitset `descendants`; -1 if there is
    none.
    """
    for s in range(start, stop):
        free = True
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            if has_bit(descendants, np.int64(lists.parents[k])):
                free = False
                break
        if free:
            return s
    return -1


@njit
def take_set(lists, child, s, family, descendants, stack):
    """Make set `s` the parents of `child`; returns the work done on the closure."""
    first, last, _ = family
    first[child] = lists.parent_offsets[s]
    last[child] = lists.parent_offsets[s + 1]
    return add_family(descendants, child, family, stack)


@njit
def select_slice(lists, order, chosen, family, descendants, stack, start, budget):
    """From position `start` down to 0, give each variable its best set that closes no cycle.

    Parameters
    ----------
    lists : SetLists
    order : ndarray of int32
    chosen : ndarray of int64, shape (n_variables,)
        Filled; entries that are not negative are taken as made (fixed records) and left alone.
    family : tuple of (ndarray of int64, ndarray of int64, ndarray of int32)
        First and last index of each variable's chosen parents in ``lists.parents``, and that array.
    descendants : ndarray of uint64, shape (n_variables, n_words)
        Closed under the arcs chosen so far.
    stack : ndarray of int32, shape (n_variables,)
    start, budget : int

    Returns
    -------
    tuple of (int, int)
        Position to continue from (-1 when all are done), and the work done (sets tested and rows united).
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
