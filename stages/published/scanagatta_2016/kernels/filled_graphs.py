"""Filled graphs along one order: they decide whether a choice of sets fits a k-tree along it.

Variables are eliminated from the last of the order to the first. When a variable is eliminated, its earlier
neighbours form a clique with it; they are its row of the filled graph. A choice of sets fits a k-tree along the order
if and only if no row exceeds K members. The reversed order is then a perfect elimination order of the filled graph,
and some k-tree along the order contains this graph.

Variables are numbered by rank: 0 is the last of the order. Rows and sets are bits of ranks. The K + 1 variables of
the start clique have ranks but no rows: all of them are adjacent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.bits import lowest_bit, popcount, set_bit
from stages.kernels.jit import borrowing
from stages.kernels.ktrees.ktree import stands_before


class RankedSets(NamedTuple):
    """The sets whose members stand before their child in one order, by rank of the child."""

    # int64, shape (n_ranks + 1,), for the ranks outside the start clique. The sets of each are best first. The last
    # set of a rank is a subset of all others: empty, or prescribed by fixed records.
    offsets: np.ndarray
    masks: np.ndarray  # uint64, shape (n_sets, ceil(n_variables / 64)): members, as bits of ranks
    relative_scores: np.ndarray  # float64, shape (n_sets,): in nats
    sources: np.ndarray  # int64, shape (n_sets,): index among the lists' sets


def rank_sets(lists, order: np.ndarray, width: int) -> RankedSets:
    """The sets that an order allows outside its start clique of `width` + 1 variables."""
    n = len(order)
    position = np.empty(n, dtype=np.int32)
    position[order] = np.arange(n, dtype=np.int32)
    n_sets, offsets = len(lists.scores), np.zeros(n - width, dtype=np.int64)
    masks, sources = np.zeros((n_sets, -(-n // 64)), dtype=np.uint64), np.empty(n_sets, dtype=np.int64)
    list_consistent(lists, order, position, offsets, masks, sources)
    sources = sources[: offsets[-1]]
    return RankedSets(
        offsets=offsets, masks=masks[: len(sources)], relative_scores=lists.scores[sources], sources=sources
    )


@borrowing
def list_consistent(lists, order, position, offsets, masks, sources):
    """Fill ``RankedSets.offsets``, and the first entries of `masks` (all zero before) and `sources`."""
    count = 0
    for rank in range(len(offsets) - 1):
        place = len(order) - 1 - rank
        child = order[place]
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            if stands_before(lists.parent_offsets, lists.parents, position, s, place):
                for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
                    set_bit(masks[count], len(order) - 1 - position[lists.parents[i]])
                sources[count] = s
                count += 1
        offsets[rank + 1] = count


@borrowing
def lowest_rank(words):
    """The lowest rank in a set, which is the rank of its latest member; -1 for none."""
    for w in range(len(words)):
        if words[w] != 0:
            return np.int64(64 * w) + np.int64(lowest_bit(words[w]))
    return np.int64(-1)


@borrowing
def is_covered(members, row, others):
    """Whether all `members` are in a row or among `others`."""
    outside = np.uint64(0)
    for w in range(len(members)):
        outside |= members[w] & ~(row[w] | others[w])
    return outside == 0


@borrowing
def fits(fill, rank, members, extra, width):
    """Whether no row exceeds `width` members when `members` are added to the row of `rank`; `extra` is scratch.

    The latest member of a row becomes adjacent to the others: they are added to its row, whose latest member passes
    them on in turn. So the change runs along one path, and ends at the first row that has all these members.
    """
    copy_into(extra, members)
    while True:
        size = 0
        is_new = False
        for w in range(len(extra)):
            word = fill[rank, w] | extra[w]
            is_new |= word != fill[rank, w]
            size += np.int64(popcount(word))
            extra[w] = word
        # The row has these members already, and so have the later rows on the path.
        if not is_new:
            return True
        if size > width:
            return False
        rank = lowest_rank(extra)
        if rank < 0 or rank >= len(fill):
            return True
        extra[rank >> 6] ^= np.uint64(1) << np.uint64(rank & 63)


@borrowing
def add_members(fill, rank, members, extra):
    """Add `members` to the row of `rank`, and to other rows as described in `fits`."""
    copy_into(extra, members)
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


@borrowing
def fill_graph(ranked, chosen, fill, extra):
    """Fill `fill` with the filled graph of the sets `chosen` by the first ranks; all other ranks take their last
    sets.
    """
    fill[:] = np.uint64(0)
    for rank in range(len(fill)):
        # An undecided rank takes at least its last set, a subset of all its others.
        s = chosen[rank] if rank < len(chosen) else ranked.offsets[rank + 1] - 1
        add_members(fill, rank, ranked.masks[s], extra)
