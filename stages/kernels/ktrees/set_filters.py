"""Keys and bit masks of listed sets that exclude most sets at a glance: they do not fit a k-tree."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from ..orders.set_lists import MemberIndex, SetLists


class SetFilters(NamedTuple):
    """What kernels of k-trees look at first in each set of their `SetLists`.

    These lists have sets of at most K members, none dominated; their scores are relative to the best set of the same
    child. The last set of a child always fits: it is empty or prescribed by fixed records.

    Attributes
    ----------
    keys : ndarray of int64, shape (n_sets,)
        Bit of `ktree.KTree.edges` that must be set for the set to fit: the pair of its first two members, the
        diagonal for a single member, the bit after all pairs (always set) for the empty set.
    candidate_offsets : ndarray of int64, shape (n_variables + 1,)
    candidates : ndarray of int32
        The members of the sets of each child, ascending.
    masks : ndarray of uint64, shape (n_sets,)
        Bit i modulo 64 for each member of a set that is the i-th of the child's candidates.
    """

    keys: np.ndarray
    candidate_offsets: np.ndarray
    candidates: np.ndarray
    masks: np.ndarray


def new_set_filters(lists: SetLists, index: MemberIndex) -> SetFilters:
    """The filters of the sets of `lists`, which `index` is about."""
    n, n_sets = len(lists.set_offsets) - 1, len(lists.scores)
    keys = np.empty(n_sets, dtype=np.int64)
    key_sets(lists.parent_offsets, lists.parents, n, keys)
    # Pairs are sorted by member; here by child.
    by_child = np.argsort(index.pair_children, kind="stable")
    children = index.pair_children[by_child]
    candidate_offsets = np.searchsorted(children, np.arange(n + 1))
    numbers = np.empty(len(by_child), dtype=np.int64)
    numbers[by_child] = np.arange(len(by_child)) - candidate_offsets[children]
    masks = np.zeros(n_sets, dtype=np.uint64)
    mask_sets(index.member_offsets, index.member_sets, numbers, masks)
    return SetFilters(
        keys=keys,
        candidate_offsets=candidate_offsets,
        candidates=np.repeat(np.arange(n, dtype=np.int32), np.diff(index.pair_offsets))[by_child],
        masks=masks,
    )


@borrowing
def pair_bit(a, b):
    """Index of the bit of the pair {a, b}; a may equal b."""
    high = np.int64(max(a, b))
    return (high * (high + 1) >> 1) + min(a, b)


@borrowing
def key_sets(parent_offsets, parents, n_variables, keys):
    """Fill ``SetFilters.keys``."""
    for s in range(len(keys)):
        first, end = parent_offsets[s], parent_offsets[s + 1]
        if end == first:
            keys[s] = np.int64(n_variables) * (n_variables + 1) >> 1
        else:
            keys[s] = pair_bit(parents[first], parents[min(first + 1, end - 1)])


@borrowing
def mask_sets(member_offsets, member_sets, numbers, masks):
    """Fill ``SetFilters.masks``, zeros before; `numbers` gives each member's place among the child's candidates."""
    for pair in range(len(numbers)):
        bit = np.uint64(1) << (np.uint64(numbers[pair]) & np.uint64(63))
        for k in range(member_offsets[pair], member_offsets[pair + 1]):
            masks[member_sets[k]] |= bit


@borrowing
def mask_earlier(filters, position, child, place):
    """The bits of the candidates of `child` that stand before position `place`, as in ``SetFilters.masks``."""
    mask, first = np.uint64(0), filters.candidate_offsets[child]
    for i in range(filters.candidate_offsets[child + 1] - first):
        is_earlier = np.uint64(position[filters.candidates[first + i]] < place)
        mask |= is_earlier << (np.uint64(i) & np.uint64(63))
    return mask
