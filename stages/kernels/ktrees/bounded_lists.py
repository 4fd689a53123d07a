"""Candidate lists as kernels of k-trees use them, with bit masks that exclude most sets at a glance."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from ..orders.set_lists import SetLists


class BoundedLists(NamedTuple):
    """The view of `SetLists` that k-tree kernels use: sets of at most K members, best first, none dominated.

    The last set of a child always fits: it is empty or prescribed by fixed records.

    Attributes
    ----------
    set_offsets, parent_offsets, parents, pair_offsets, pair_children, member_offsets, member_sets Arrays of the
        `SetLists`, shared.
    relative_scores : ndarray of float64, shape (n_sets,)
        Score less the best listed score of the same child, in nats; at most 0.
    keys : ndarray of int64, shape (n_sets,)
        Bit of `ktree.KTree.edges` that must be set for the set to fit: the pair of its first two members, the
        diagonal for a single member, the bit after all pairs (always set) for the empty set.
    candidate_offsets : ndarray of int64, shape (n_variables + 1,)
    candidates : ndarray of int32
        The members of the sets of each child, ascending.
    masks : ndarray of uint64, shape (n_sets,)
        Bit i modulo 64 for each member of a set that is the i-th of the child's candidates.
    """

    set_offsets: np.ndarray
    relative_scores: np.ndarray
    parent_offsets: np.ndarray
    parents: np.ndarray
    pair_offsets: np.ndarray
    pair_children: np.ndarray
    member_offsets: np.ndarray
    member_sets: np.ndarray
    keys: np.ndarray
    candidate_offsets: np.ndarray
    candidates: np.ndarray
    masks: np.ndarray


def new_bounded_lists(lists: SetLists) -> BoundedLists:
    """The view of candidate lists that k-tree kernels use; unchanged arrays are shared."""
    n = len(lists.set_offsets) - 1
    best = np.repeat(lists.scores[lists.set_offsets[:-1]], np.diff(lists.set_offsets))
    keys = np.empty(len(lists.scores), dtype=np.int64)
    key_sets(lists.parent_offsets, lists.parents, n, keys)
    # Pairs are sorted by member; here by child.
    by_child = np.argsort(lists.pair_children, kind="stable")
    children = lists.pair_children[by_child]
    candidate_offsets = np.searchsorted(children, np.arange(n + 1))
    numbers = np.empty(len(by_child), dtype=np.int64)
    numbers[by_child] = np.arange(len(by_child)) - candidate_offsets[children]
    masks = np.zeros(len(lists.scores), dtype=np.uint64)
    mask_sets(lists.member_offsets, lists.member_sets, numbers, masks)
    return BoundedLists(
        set_offsets=lists.set_offsets,
        relative_scores=lists.scores - best,
        parent_offsets=lists.parent_offsets,
        parents=lists.parents,
        pair_offsets=lists.pair_offsets,
        pair_children=lists.pair_children,
        member_offsets=lists.member_offsets,
        member_sets=lists.member_sets,
        keys=keys,
        candidate_offsets=candidate_offsets,
        candidates=np.repeat(np.arange(n, dtype=np.int32), np.diff(lists.pair_offsets))[by_child],
        masks=masks,
    )


@borrowing
def pair_bit(a, b):
    """Index of the bit of the pair {a, b}; a may equal b."""
    high = np.int64(max(a, b))
    return (high * (high + 1) >> 1) + min(a, b)


@borrowing
def key_sets(parent_offsets, parents, n_variables, keys):
    """Fill ``BoundedLists.keys``."""
    for s in range(len(keys)):
        first, end = parent_offsets[s], parent_offsets[s + 1]
        if end == first:
            keys[s] = np.int64(n_variables) * (n_variables + 1) >> 1
        else:
            keys[s] = pair_bit(parents[first], parents[min(first + 1, end - 1)])


@borrowing
def mask_sets(member_offsets, member_sets, numbers, masks):
    """Fill ``BoundedLists.masks``, zeros before; `numbers` gives each member's place among the child's candidates."""
    for pair in range(len(numbers)):
        bit = np.uint64(1) << (np.uint64(numbers[pair]) & np.uint64(63))
        for k in range(member_offsets[pair], member_offsets[pair + 1]):
            masks[member_sets[k]] |= bit


@borrowing
def mask_earlier(lists, position, child, place):
    """The bits of the candidates of `child` that stand before position `place`, as in ``BoundedLists.masks``."""
    mask, first = np.uint64(0), lists.candidate_offsets[child]
    for i in range(lists.candidate_offsets[child + 1] - first):
        is_earlier = np.uint64(position[lists.candidates[first + i]] < place)
        mask |= is_earlier << (np.uint64(i) & np.uint64(63))
    return mask
