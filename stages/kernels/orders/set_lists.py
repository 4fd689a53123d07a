"""Best consistent parent sets given an order of the variables.

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
    """Candidate parent sets of all children, and an index of them by pairs (parent, child)."""

    set_offsets: np.ndarray  # int64, shape (n_variables + 1,): sets of child i, best first
    scores: np.ndarray  # float64, shape (n_sets,): in nats
    parent_offsets: np.ndarray  # int64, shape (n_sets + 1,)
    parents: np.ndarray  # int32
    # int64, shape (n_variables + 1,): offsets of the pairs (p, child) of each parent p, ascending by child.
    pair_offsets: np.ndarray
    pair_children: np.ndarray  # int32, shape (n_pairs,)
    pair_first: np.ndarray  # int32, shape (n_pairs,): the best set of the child that contains the parent
    member_offsets: np.ndarray  # int64, shape (n_pairs + 1,)
    member_sets: np.ndarray  # int32: sets of the pair's child that contain the pair's parent, best first


@borrowing
def sort_members(set_offsets, parent_offsets, parents, cursor, entry_sets, entry_children):
    """Counting sort of all (parent, child, set) entries by parent; stable, so children and sets ascend."""
    for child in range(len(set_offsets) - 1):
        for s in range(set_offsets[child], set_offsets[child + 1]):
            for k in range(parent_offsets[s], parent_offsets[s + 1]):
                slot = cursor[parents[k]]
                entry_sets[slot] = s
                entry_children[slot] = child
                cursor[parents[k]] = slot + 1


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
def find_pair(lists, parent, child):
    """Index of the pair (parent, child) in ``pair_children``; -1 when no set of `child` contains `parent`."""
    end = lists.pair_offsets[parent + 1]
    found = first_not_below(lists.pair_children, lists.pair_offsets[parent], end, child)
    return found if found < end and lists.pair_children[found] == child else -1


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
def best_with(lists, child, parent, position, limit, below):
    """Best set of `child` before index `below` that contains `parent` and precedes `limit`; -1 if there is none."""
    pair = find_pair(lists, parent, child)
    if pair >= 0:
        for k in range(lists.member_offsets[pair], lists.member_offsets[pair + 1]):
            s = np.int64(lists.member_sets[k])
            if s >= below:
                break
            if is_consistent(lists, s, position, limit):
                return s
    return -1
