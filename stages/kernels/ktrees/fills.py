"""Filled graphs along one order: what choosing sets from the last variable to the first demands of a k-tree.

All neighbours that a variable has among the earlier ones, once the later ones are eliminated, form a clique with
it: its fill. A choice of sets fits a k-tree along the order exactly when no fill exceeds K members, as the
reversed order is a perfect elimination order of the filled graph, which a k-tree along the order extends.

Variables go by rank: 0 is the last of the order. Fills and sets are rows of bits of ranks. Variables of the start
clique have ranks too, but no fill: all of them are adjacent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import lowest_bit, popcount, set_bit
from ..jit import njit
from .ktree import stands_before


class RankedSets(NamedTuple):
    """The sets whose members stand before their child in one order, by rank of the child.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_ranks + 1,)
        Of the ranks outside the start clique alone; the sets of each are best first.
    masks : ndarray of uint64, shape (n_sets, ceil(n_variables / 64))
        Members, as bits of ranks.
    relative_scores : ndarray of float64, shape (n_sets,)
        In nats.
    sources : ndarray of int64, shape (n_sets,)
        Index among the lists' sets.
    """

    offsets: np.ndarray
    masks: np.ndarray
    relative_scores: np.ndarray
    sources: np.ndarray


class FillScratch(NamedTuple):
    """Scratch space: `fill` and `changed` hold filled graphs, `extra` a set, `firsts` a set per rank, and `kept`
    the fills of a rank's successors.
    """

    fill: np.ndarray
    changed: np.ndarray
    extra: np.ndarray
    firsts: np.ndarray
    kept: np.ndarray


def rank_sets(lists, order: np.ndarray, width: int) -> RankedSets:
    """The sets that an order allows outside its start clique."""
    n = len(order)
    position = np.empty(n, dtype=np.int32)
    position[order] = np.arange(n, dtype=np.int32)
    n_words = -(-n // 64)
    offsets = np.zeros(n - width, dtype=np.int64)
    count_ranked(lists, order, position, offsets)
    n_sets = int(offsets[-1])
    ranked = RankedSets(
        offsets=offsets,
        masks=np.zeros((n_sets, n_words), dtype=np.uint64),
        relative_scores=np.empty(n_sets),
        sources=np.empty(n_sets, dtype=np.int64),
    )
    fill_ranked(lists, order, position, ranked)
    return ranked


def new_scratch(ranked: RankedSets) -> FillScratch:
    """Scratch space for one order."""
    n_ranks, n_words = len(ranked.offsets) - 1, ranked.masks.shape[1]
    longest = int(np.diff(ranked.offsets).max(initial=0))
    return FillScratch(
        fill=np.zeros((n_ranks, n_words), dtype=np.uint64),
        changed=np.zeros((n_ranks, n_words), dtype=np.uint64),
        extra=np.zeros(n_words, dtype=np.uint64),
        firsts=np.zeros(n_ranks, dtype=np.int64),
        kept=np.zeros((longest, n_words), dtype=np.uint64),
    )


@njit
def count_ranked(lists, order, position, offsets):
    """Fill ``RankedSets.offsets``."""
    n = len(order)
    for rank in range(len(offsets) - 1):
        place = n - 1 - rank
        child = order[place]
        offsets[rank + 1] = offsets[rank]
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            if stands_before(lists.parent_offsets, lists.parents, position, s, place):
                offsets[rank + 1] += 1


@njit
def fill_ranked(lists, order, position, ranked):
    """Fill the sets that `count_ranked` counted."""
    n = len(order)
    count = 0
    for rank in range(len(ranked.offsets) - 1):
        place = n - 1 - rank
        child = order[place]
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            if stands_before(lists.parent_offsets, lists.parents, position, s, place):
                for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
                    set_bit(ranked.masks[count], n - 1 - position[lists.parents[i]])
                ranked.relative_scores[count] = lists.relative_scores[s]
                ranked.sources[count] = s
                count += 1


@njit
def lowest_rank(words):
    """The lowest rank in a set, that of its latest member; -1 for none."""
    for w in range(len(words)):
        if words[w] != 0:
            return np.int64(64 * w) + np.int64(lowest_bit(words[w]))
    return np.int64(-1)


@njit
def is_covered(members, fill, others):
    """Whether all `members` are in a fill or among `others`."""
    outside = np.uint64(0)
    for w in range(len(members)):
        outside |= members[w] & ~(fill[w] | others[w])
    return outside == 0


@njit
def joins(fill, rank, members, extra, width):
    """Whether fills stay within `width` members when `members` join that of `rank`; `extra` is scratch.

    The latest member of a fill must be adjacent to the others, which its own fill passes on in turn: so the change
    runs along one path.
    """
    for w in range(len(extra)):
        extra[w] = members[w]
    while True:
        size = 0
        is_new = False
        for w in range(len(extra)):
            word = fill[rank, w] | extra[w]
            is_new |= word != fill[rank, w]
            size += np.int64(popcount(word))
            extra[w] = word
        if not is_new:
            return True
        if size > width:
            return False
        rank = lowest_rank(extra)
        if rank < 0 or rank >= len(fill):
            return True
        extra[rank >> 6] ^= np.uint64(1) << np.uint64(rank & 63)


@njit
def join(fill, rank, members, extra):
    """Add `members` to the fill of `rank`, and what follows to others."""
    for w in range(len(extra)):
        extra[w] = members[w]
    while True:
        is_new = False
        for w in range(len(extra)):
            word = fill[rank, w] | extra[w]
            is_new |= word != fill[rank, w]
            fill[rank, w] = word
            extra[w] = word
        if not is_new:
            return
        rank = lowest_rank(extra)
        if rank < 0 or rank >= len(fill):
            return
        extra[rank >> 6] ^= np.uint64(1) << np.uint64(rank & 63)


@njit
def hash_fill(fill, rank):
    """Hash of the filled graph from `rank` on, two words."""
    first, second = np.uint64(rank) + np.uint64(1), np.uint64(rank) + np.uint64(0x9E3779B97F4A7C15)
    for r in range(rank, fill.shape[0]):
        for w in range(fill.shape[1]):
            first = (first ^ fill[r, w]) * np.uint64(0xFF51AFD7ED558CCD)
            first ^= first >> np.uint64(32)
            second = (second ^ fill[r, w]) * np.uint64(0xC4CEB9FE1A85EC53)
            second ^= second >> np.uint64(29)
    return first, second
