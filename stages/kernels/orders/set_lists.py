"""The listed sets on which all searches and bounds work, and the best consistent sets given an order.

A set is consistent with an order when all its members precede the child. Lists are sorted best first, so the first
consistent set is the best one. The members of a set are compared with an array of positions up to the first failure:
3 to 5 ns per set on real lists, against 3.5 to 6 ns with members padded to four per set. One word of bits per set
would take 0.7 to 3.5 ns, but only up to 64 variables, where search is cheap or dynamic programming applies. Memory
is proportional to the number of listed parents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import first_not_below
from ..jit import borrowing

GAIN_TOLERANCE = 1e-6
"""Nats; smaller gains of a change of an order count as rounding."""


class SetLists(NamedTuple):
    """Parent sets listed for every variable, and their scores: what searches and bounds work on.

    Costs, shares and whatever else belongs to a set are arrays of their own, by the same indices.

    Attributes
    ----------
    set_offsets : ndarray of int64, shape (n_variables + 1,)
        Child i has the sets ``set_offsets[i]:set_offsets[i + 1]``, the best first.
    parent_offsets : ndarray of int64, shape (n_sets + 1,)
        Set s has ``parents[parent_offsets[s]:parent_offsets[s + 1]]``.
    parents : ndarray of int32
        Ascending within each set.
    scores : ndarray of float64, shape (n_sets,)
        In nats. Searches for k-trees take each score less the best one of the same child: at most 0.
    """

    set_offsets: np.ndarray
    parent_offsets: np.ndarray
    parents: np.ndarray
    scores: np.ndarray


class MemberIndex(NamedTuple):
    """Which listed sets of a child contain a variable: an index by pairs (parent, child).

    Attributes
    ----------
    pair_offsets : ndarray of int64, shape (n_variables + 1,)
        The pairs of each parent, ascending by child.
    pair_children : ndarray of int32, shape (n_pairs,)
    pair_first : ndarray of int32, shape (n_pairs,)
        The best set of the child that contains the parent.
    member_offsets : ndarray of int64, shape (n_pairs + 1,)
    member_sets : ndarray of int32
        Sets of the pair's child that contain the pair's parent, best first.
    """

    pair_offsets: np.ndarray
    pair_children: np.ndarray
    pair_first: np.ndarray
    member_offsets: np.ndarray
    member_sets: np.ndarray


@borrowing
def sort_members(lists, cursor, entry_sets, entry_children):
    """Counting sort of all (parent, child, set) entries by parent; stable, so children and sets ascend."""
    for child in range(len(lists.set_offsets) - 1):
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
                parent = lists.parents[k]
                slot = cursor[parent]
                entry_sets[slot] = s
                entry_children[slot] = child
                cursor[parent] = slot + 1


@borrowing
def is_consistent(lists, s, position, limit):
    """True when every member of set `s` precedes position `limit`."""
    for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        if position[lists.parents[k]] >= limit:
            return False
    return True


@borrowing
def first_consistent(lists, start, stop, position, limit):
    """The first of the sets ``start:stop`` whose members all precede `limit`; -1 if there is none."""
    for s in range(start, stop):
        if is_consistent(lists, s, position, limit):
            return s
    return -1


@borrowing
def contains(lists, s, variable):
    """True when `variable` is a member of set `s`."""
    for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):  # noqa: SIM110
        if lists.parents[k] == variable:
            return True
    return False


@borrowing
def find_pair(index, parent, child):
    """The number of the pair (parent, child) in `MemberIndex`; -1 when no set of `child` contains `parent`."""
    end = index.pair_offsets[parent + 1]
    found = first_not_below(index.pair_children, index.pair_offsets[parent], end, child)
    return found if found < end and index.pair_children[found] == child else -1


@borrowing
def choose_slice(lists, order, position, chosen, start, budget):
    """Choose the best consistent sets of the variables ``order[start:]`` until `budget` sets were tested.

    Returns the position to continue from (the number of variables when all are done), and the sets tested. A variable
    without a consistent set gets -1.
    """
    work = 0
    for i in range(start, len(order)):
        child = order[i]
        first, stop = lists.set_offsets[child], lists.set_offsets[child + 1]
        found = first_consistent(lists, first, stop, position, i)
        chosen[child] = found
        work += 1 + (stop if found < 0 else found) - first
        if work >= budget:
            return i + 1, work
    return len(order), work


@borrowing
def best_with(lists, index, child, parent, position, limit, below):
    """Best set of `child` before index `below` that contains `parent` and precedes `limit`; -1 if there is none."""
    pair = find_pair(index, parent, child)
    if pair >= 0:
        for k in range(index.member_offsets[pair], index.member_offsets[pair + 1]):
            s = np.int64(index.member_sets[k])
            if s >= below:
                break
            if is_consistent(lists, s, position, limit):
                return s
    return -1
