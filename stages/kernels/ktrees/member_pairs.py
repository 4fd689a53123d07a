"""An index of listed sets by pairs of members: which sets may become cliques when two variables become adjacent."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import first_not_below
from ..jit import borrowing
from ..orders.set_lists import SetLists


class MemberPairs(NamedTuple):
    """The sets that contain two variables a < b, by child.

    Attributes
    ----------
    starts : ndarray of int64, shape (n_variables + 1,)
        The pairs of each smaller variable a, ascending by b.
    partners : ndarray of int32, shape (n_pairs,)
        The larger variable b.
    offsets : ndarray of int64, shape (n_pairs + 1,)
    children : ndarray of int32
        The children with a set that contains the pair, ascending.
    child_offsets : ndarray of int64, shape (n_children + 1,)
    sets : ndarray of int32
        The sets of each of these children, best first.
    signatures : ndarray of uint64, shape (n_sets,)
        For each listed set the bits of its members, see `signature_bit`.
    """

    starts: np.ndarray
    partners: np.ndarray
    offsets: np.ndarray
    children: np.ndarray
    child_offsets: np.ndarray
    sets: np.ndarray
    signatures: np.ndarray


def index_member_pairs(lists: SetLists) -> MemberPairs:
    """Index the sets by their pairs of members: memory and time grow with the number of pairs of all sets."""
    n, n_sets = len(lists.set_offsets) - 1, len(lists.scores)
    sizes = np.diff(lists.parent_offsets)
    entries = np.empty(int((sizes * (sizes - 1) // 2).sum()), dtype=np.int64)
    number_pairs(lists.parent_offsets, lists.parents, n, entries)
    entries.sort()
    sets = (entries % n_sets).astype(np.int32)
    entries //= n_sets
    child_of_set = np.repeat(np.arange(n, dtype=np.int32), np.diff(lists.set_offsets))
    is_new_pair = np.diff(entries, prepend=-1) > 0
    first_of_child = np.flatnonzero(is_new_pair | (np.diff(child_of_set[sets], prepend=-1) != 0))
    first_of_pair = np.flatnonzero(is_new_pair)
    smaller, larger = np.divmod(entries[first_of_pair], n)
    signatures = np.zeros(n_sets, dtype=np.uint64)
    sign(lists.parent_offsets, lists.parents, signatures)
    return MemberPairs(
        starts=np.searchsorted(smaller, np.arange(n + 1)),
        partners=larger.astype(np.int32),
        offsets=np.append(np.searchsorted(first_of_child, first_of_pair), len(first_of_child)),
        children=child_of_set[sets[first_of_child]],
        child_offsets=np.append(first_of_child, len(sets)),
        sets=sets,
        signatures=signatures,
    )


@borrowing
def number_pairs(parent_offsets, parents, n_variables, entries):
    """Fill `entries` with a number for each pair of members of each set, ascending by the smaller member, then by the
    larger one, then by the set.
    """
    n_sets, k = len(parent_offsets) - 1, 0
    for s in range(n_sets):
        for i in range(parent_offsets[s], parent_offsets[s + 1]):
            for j in range(parent_offsets[s], i):
                smaller, larger = min(parents[i], parents[j]), max(parents[i], parents[j])
                entries[k] = (np.int64(smaller) * n_variables + larger) * n_sets + s
                k += 1


@borrowing
def signature_bit(variable):
    """One of 64 bits for each variable: a set lies within another one only if the bits of its members do."""
    return np.uint64(1) << (np.uint64(variable) & np.uint64(63))


@borrowing
def sign(parent_offsets, parents, signatures):
    """Fill `MemberPairs.signatures`, zeros before."""
    for s in range(len(signatures)):
        for i in range(parent_offsets[s], parent_offsets[s + 1]):
            signatures[s] |= signature_bit(parents[i])


@borrowing
def find_member_pair(starts, partners, a, b):
    """Index of the pair of two variables; -1 if no set contains both."""
    smaller, larger = min(a, b), max(a, b)
    end = starts[smaller + 1]
    found = first_not_below(partners, starts[smaller], end, larger)
    return found if found < end and partners[found] == larger else np.int64(-1)
