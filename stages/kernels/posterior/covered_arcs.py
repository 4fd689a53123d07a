"""Reversals of covered arcs: steps within the class of networks that imply the same independences.

An arc is covered if its head has the same parents as its tail, and the tail. Its reversal leads to an equivalent
network, and such reversals connect all networks of a class (Chickering 1995). A head, then one of its parents are
drawn uniformly. Both families have as many parents after the reversal as the other had before, so the step back is
as probable, and the rule of Metropolis needs the scores alone. They are equal under a score such as BDeu. Reversals
pay where many networks of a class have much weight (nltcs).
"""

import math

import numpy as np

from ..bits import WORD_BITS, lowest_bit
from ..jit import borrowing, inlined
from .block_moves import link_family, unlink_family


@inlined
def candidate_bits(lists, weighting, child, candidate, word):
    """Which of 64 sets of `child` contain a candidate, as a word; nothing if no set does."""
    first, end = weighting.candidate_offsets[child], weighting.candidate_offsets[child + 1]
    place = first + np.searchsorted(weighting.candidates[first:end], candidate)
    if place == end or weighting.candidates[place] != candidate:
        return np.uint64(0)
    n_words = (lists.set_offsets[child + 1] - lists.set_offsets[child] + WORD_BITS - 1) // WORD_BITS
    return weighting.bitmaps[weighting.bitmap_offsets[child] + (place - first) * n_words + word]


@borrowing
def find_listed(lists, weighting, child, other, extra):
    """The set of `child` with the members of the set `other`, and `extra` unless it is -1; -1 if not listed."""
    first, end = lists.set_offsets[child], lists.set_offsets[child + 1]
    size = lists.parent_offsets[other + 1] - lists.parent_offsets[other] + (extra >= 0)
    for word in range((end - first + WORD_BITS - 1) // WORD_BITS):
        start = first + word * WORD_BITS
        left = ~np.uint64(0) if end - start >= WORD_BITS else (np.uint64(1) << np.uint64(end - start)) - np.uint64(1)
        if extra >= 0:
            left &= candidate_bits(lists, weighting, child, extra, word)
        for k in range(lists.parent_offsets[other], lists.parent_offsets[other + 1]):
            left &= candidate_bits(lists, weighting, child, lists.parents[k], word)
        while left:
            s = start + np.int64(lowest_bit(left))
            left &= left - np.uint64(1)
            if lists.parent_offsets[s + 1] - lists.parent_offsets[s] == size:
                return s
    return np.int64(-1)


@borrowing
def is_part_of(lists, one, other):
    """Whether all members of a set are members of another."""
    for k in range(lists.parent_offsets[one], lists.parent_offsets[one + 1]):
        is_there = False
        for i in range(lists.parent_offsets[other], lists.parent_offsets[other + 1]):
            is_there |= lists.parents[i] == lists.parents[k]
        if not is_there:
            return False
    return True


@borrowing
def reverse_covered(lists, weighting, walk, rng):
    """Draw an arc of the network, and reverse it if it is covered, by the rule of Metropolis.

    Returns the work: sets compared.
    """
    head = np.int32(rng.random() * len(walk.chosen))
    old = walk.chosen[head]
    size = lists.parent_offsets[old + 1] - lists.parent_offsets[old]
    if size == 0:
        return 1
    tail = lists.parents[lists.parent_offsets[old] + np.int64(rng.random() * size)]
    tail_old = walk.chosen[tail]
    is_smaller = lists.parent_offsets[tail_old + 1] - lists.parent_offsets[tail_old] == size - 1
    if not (is_smaller and is_part_of(lists, tail_old, old)):
        return 1
    new, tail_new = (
        find_listed(lists, weighting, head, tail_old, -1),
        find_listed(lists, weighting, tail, tail_old, head),
    )
    if new >= 0 and tail_new >= 0:
        scores = lists.scores
        gain = scores[new] + scores[tail_new] - scores[old] - scores[tail_old]
        if gain >= 0.0 or rng.random() < math.exp(gain):
            unlink_family(lists, walk, head)
            unlink_family(lists, walk, tail)
            walk.chosen[head], walk.chosen[tail] = new, tail_new
            link_family(lists, walk, head)
            link_family(lists, walk, tail)
    n_sets = 2
    for v in (head, tail):
        n_sets += lists.set_offsets[v + 1] - lists.set_offsets[v]
    return n_sets * size // WORD_BITS + 1
