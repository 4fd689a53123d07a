"""An index of listed sets by pairs of members: which sets may become cliques when two variables become adjacent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import first_not_below
from ..jit import borrowing, njit
from .ktree import BoundedLists

BLOCK = 8
"""Signatures compared at once."""


class MemberPairs(NamedTuple):
    """The sets of all children that contain two variables a < b.

    Attributes
    ----------
    children : ndarray of int32, shape (n_sets,)
        The child of each set.
    starts : ndarray of int64, shape (n_variables + 1,)
        The pairs of each smaller variable a, ascending by b.
    partners : ndarray of int32, shape (n_pairs,)
        The larger variable b.
    offsets : ndarray of int64, shape (n_pairs + 1,)
    sets : ndarray of int32
        Sets that contain the pair, ascending.
    signatures : ndarray of uint64
        Of each of `sets` the bits of its members, see `signature_bit`; behind the last, a block of all bits.
    """

    children: np.ndarray
    starts: np.ndarray
    partners: np.ndarray
    offsets: np.ndarray
    sets: np.ndarray
    signatures: np.ndarray


def index_member_pairs(lists: BoundedLists) -> MemberPairs:
    """Index the sets by their pairs of members: memory and time as the number of pairs of all sets."""
    n = len(lists.set_offsets) - 1
    sizes = np.diff(lists.parent_offsets)
    entries = int((sizes * (sizes - 1) // 2).sum())
    larger, entry_sets = np.empty(entries, dtype=np.int32), np.empty(entries, dtype=np.int32)
    ends = sort_by_smaller(lists.parent_offsets, lists.parents, n, larger, entry_sets)
    starts, partners, offsets = sort_by_larger(ends, larger, entry_sets)
    children = np.repeat(np.arange(n, dtype=np.int32), np.diff(lists.set_offsets))
    signatures = np.zeros(entries + BLOCK, dtype=np.uint64)
    signatures[entries:] = ~np.uint64(0)
    sign(lists.parent_offsets, lists.parents, entry_sets, signatures)
    return MemberPairs(
        children=children, starts=starts, partners=partners, offsets=offsets, sets=entry_sets, signatures=signatures
    )


@borrowing
def signature_bit(variable):
    """A bit of 64 for each variable: a set lies within another one only if the bits of its members do."""
    return np.uint64(1) << (np.uint64(variable) & np.uint64(63))


@borrowing
def sign(parent_offsets, parents, entry_sets, signatures):
    """Fill `MemberPairs.signatures`, zeros before."""
    for k in range(len(entry_sets)):
        for i in range(parent_offsets[entry_sets[k]], parent_offsets[entry_sets[k] + 1]):
            signatures[k] |= signature_bit(parents[i])


@njit
def sort_by_smaller(parent_offsets, parents, n_variables, larger, entry_sets):
    """Counting sort of all pairs of members of all sets by the smaller one; stable, so sets ascend.

    Parameters
    ----------
    larger, entry_sets : ndarray of int32, one entry per pair and set
        Output: the larger member and the set.

    Returns
    -------
    ndarray of int64, shape (n_variables + 1,)
        Start of each smaller member's entries.
    """
    starts = np.zeros(n_variables + 1, dtype=np.int64)
    for s in range(len(parent_offsets) - 1):
        for i in range(parent_offsets[s], parent_offsets[s + 1]):
            for j in range(parent_offsets[s], i):
                starts[min(parents[i], parents[j]) + 1] += 1
    for v in range(n_variables):
        starts[v + 1] += starts[v]
    cursor = starts[:-1].copy()
    for s in range(len(parent_offsets) - 1):
        for i in range(parent_offsets[s], parent_offsets[s + 1]):
            for j in range(parent_offsets[s], i):
                smaller = min(parents[i], parents[j])
                larger[cursor[smaller]] = max(parents[i], parents[j])
                entry_sets[cursor[smaller]] = s
                cursor[smaller] += 1
    return starts


@njit
def sort_by_larger(ends, larger, entry_sets):
    """Counting sort of each smaller member's entries by the larger one, in place; stable.

    Parameters
    ----------
    ends : ndarray of int64, shape (n_variables + 1,)
        From `sort_by_smaller`.

    Returns
    -------
    starts, partners, offsets
        As of `MemberPairs`.
    """
    n_variables = len(ends) - 1
    cursor = np.zeros(n_variables, dtype=np.int64)
    n_pairs = np.int64(0)
    # `cursor` is zero between two smaller members. Only what one touched is reset: a step per entry.
    for v in range(n_variables):
        for k in range(ends[v], ends[v + 1]):
            n_pairs += cursor[larger[k]] == 0
            cursor[larger[k]] = 1
        for k in range(ends[v], ends[v + 1]):
            cursor[larger[k]] = 0
    starts = np.zeros(n_variables + 1, dtype=np.int64)
    partners, offsets = np.empty(n_pairs, dtype=np.int32), np.zeros(n_pairs + 1, dtype=np.int64)
    pair = np.int64(0)
    for v in range(n_variables):
        own_larger, own_sets = larger[ends[v] : ends[v + 1]].copy(), entry_sets[ends[v] : ends[v + 1]].copy()
        for other in own_larger:
            cursor[other] += 1
        at = ends[v]
        for other in range(v + 1, n_variables):
            if cursor[other]:
                partners[pair] = other
                offsets[pair] = at
                at += cursor[other]
                # From here on no count but the place of the pair's next entry.
                cursor[other] = offsets[pair]
                pair += 1
        for k in range(len(own_larger)):
            entry_sets[cursor[own_larger[k]]] = own_sets[k]
            cursor[own_larger[k]] += 1
        for other in own_larger:
            cursor[other] = 0
        starts[v + 1] = pair
    offsets[n_pairs] = len(entry_sets)
    return starts, partners, offsets


@borrowing
def any_within(signatures, first, outside):
    """Whether one of the `BLOCK` signatures from `first` on has no bit of `outside`; without branches, in vectors."""
    count = np.uint64(0)
    for k in range(np.uint64(first), np.uint64(first) + np.uint64(BLOCK)):
        count += np.uint64((signatures[k] & outside) == np.uint64(0))
    return count != 0


@borrowing
def find_member_pair(starts, partners, a, b):
    """Index of the pair of two variables; -1 if no set contains both."""
    smaller, larger = min(a, b), max(a, b)
    end = starts[smaller + 1]
    found = first_not_below(partners, starts[smaller], end, larger)
    return found if found < end and partners[found] == larger else np.int64(-1)
