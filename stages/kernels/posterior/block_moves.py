"""Gibbs moves over networks: the parent sets of a block of variables are drawn jointly given all other families.

Goudie and Mukherjee (2016). Without the block's families, let D_x be x and its descendants. A listed set of x that
meets D_x closes a cycle. Any other set matters only by which D_y it meets: x then descends from each such y. These y
define the set's class. A choice of one class for each variable is acyclic if the relation "x descends from y" is
acyclic on the block: 3 choices of 2 variables, 25 of 3. The weights of the classes are summed over the lists. A
choice is drawn in proportion to the product of its classes' weights, then a set of each class in proportion to its
own weight. Every move is accepted, and the reversal of an arc (Grzegorczyk and Husmeier 2008) is a block of two.

The sets that meet D_y are found 64 and more at a time: each candidate parent has a bitmap of the sets that contain
it, and the bitmaps of the candidates in D_y are united.

The block must not depend on the network (`walks`). Weights are mantissas and exponents (`scaled_numbers`).
"""

from typing import NamedTuple

import numpy as np

from ..bits import WORD_BITS, lowest_bit
from ..jit import inlined
from .scaled_numbers import NOTHING, power_of_two

LARGEST_BLOCK = 3
"""Maximum number of variables in a block."""

NEGLIGIBLE = -60
"""The rest of a list is skipped if its weight, relative to the sets of class 0 (always possible), is less than two to
this power: less than the rounding error of sums.
"""

WORDS_AT_ONCE = 32
"""Words of a list's bitmaps that are united before their weights are summed."""


class Weighting(NamedTuple):
    """Weights of the sets of `SetLists`, bitmaps of the sets, and the distribution of blocks."""

    candidate_offsets: np.ndarray  # int64, shape (n_variables + 1,)
    # int32: variables in any set of child i: ``candidates[candidate_offsets[i]:candidate_offsets[i + 1]]``,
    # ascending.
    candidates: np.ndarray
    bitmap_offsets: np.ndarray  # int64, shape (n_variables + 1,)
    # uint64: from ``bitmap_offsets[i]`` on: for each candidate of child i in turn a bitmap of its list, 64 sets to a
    # word; a bit is set if the set contains the candidate.
    bitmaps: np.ndarray
    # `weights`, `powers`: float64, int32, shape (n_sets,): weight relative to the child's best set: mantissa and
    # exponent.
    weights: np.ndarray
    powers: np.ndarray
    # int32, shape (n_sets,): exponent of an upper bound on the total weight of the set and all that follow in its
    # list.
    rest_powers: np.ndarray
    partner_offsets: np.ndarray  # int64, shape (n_variables + 1,)
    # int32: candidates for the block of variable i: ``partners[partner_offsets[i]:partner_offsets[i + 1]]``.
    partners: np.ndarray
    partner_shares: np.ndarray  # float64: cumulative probabilities of the partners of each variable
    # float64, shape (LARGEST_BLOCK,): cumulative probabilities of blocks of 1, 2, ... variables.
    size_shares: np.ndarray
    choice_offsets: np.ndarray  # int64, shape (LARGEST_BLOCK + 1,)
    # uint8, shape (n_choices, LARGEST_BLOCK): acyclic choices of classes of k variables: ``choices[choice_offsets[k -
    # 1]:choice_offsets[k], :k]``.
    choices: np.ndarray


class Walk(NamedTuple):
    """The network of a chain, and scratch."""

    chosen: np.ndarray  # int64, shape (n_variables,): the set of each variable
    child_offsets: np.ndarray  # int64, shape (n_variables + 1,)
    # int32, shape (n_pairs,): the children of i start at ``child_offsets[i]``, in any order; their capacity is the
    # number of variables that list i.
    children: np.ndarray
    n_children: np.ndarray  # int32, shape (n_variables,)
    block: np.ndarray  # int32, shape (LARGEST_BLOCK,): the variables of a move
    # uint8, shape (n_variables,): bit k: the variable is in D_x of the block's k-th member x; 0 between moves.
    flags: np.ndarray
    stack: np.ndarray  # int32, shape (LARGEST_BLOCK * n_variables,)
    meeting: np.ndarray  # int32, shape (n_variables,): indices of the candidates that are in any D_x
    # uint64, shape (LARGEST_BLOCK, LARGEST_BLOCK, words of the longest list): entry [k, j, word]: the sets of the
    # block's k-th member that meet D_x of the j-th, 64 to a word; for j = k, the sets that do not meet D_x of the
    # k-th.
    met: np.ndarray
    words: np.ndarray  # int64, shape (LARGEST_BLOCK,): number of words of `met` that were filled
    # `sums`, `powers`: float64, int64, shape (LARGEST_BLOCK, 2^LARGEST_BLOCK): weights of the classes of each member.
    sums: np.ndarray
    powers: np.ndarray
    reached: np.ndarray  # float64: cumulative weights of the acyclic choices


@inlined
def link_family(lists, walk, child):
    """Add a variable to the children of its parents."""
    s = walk.chosen[child]
    for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        parent = lists.parents[k]
        walk.children[walk.child_offsets[parent] + walk.n_children[parent]] = child
        walk.n_children[parent] += 1


@inlined
def unlink_family(lists, walk, child):
    """Remove a variable from the children of its parents."""
    s = walk.chosen[child]
    for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        parent = lists.parents[k]
        place = walk.child_offsets[parent]
        while walk.children[place] != child:
            place += 1
        walk.n_children[parent] -= 1
        # Order does not matter: the last child fills the gap.
        walk.children[place] = walk.children[walk.child_offsets[parent] + walk.n_children[parent]]


@inlined
def flag_descendants(walk, variable, flag, n_seen):
    """Flag a variable and its descendants; returns the stack's height, `n_seen` before."""
    child_offsets, children, n_children = walk.child_offsets, walk.children, walk.n_children
    flags, stack = walk.flags, walk.stack
    first = n_seen
    flags[variable] |= flag
    stack[n_seen] = variable
    n_seen += 1
    while first < n_seen:
        v = stack[first]
        first += 1
        for k in range(n_children[v]):
            child = children[child_offsets[v] + k]
            if not flags[child] & flag:
                flags[child] |= flag
                stack[n_seen] = child
                n_seen += 1
    return n_seen


@inlined
def meet_descendants(lists, weighting, walk, child, k, first, end, n_meeting, size):
    """Fill words `first` to ``end - 1`` of ``walk.met[k]`` for `child`, the k-th member of a block of `size`.

    `n_meeting` (int): number of entries of ``walk.meeting``.
    """
    candidates, bitmaps, flags = weighting.candidates, weighting.bitmaps, walk.flags
    first_candidate, n_sets = (
        weighting.candidate_offsets[child],
        lists.set_offsets[child + 1] - lists.set_offsets[child],
    )
    n_words = (n_sets + WORD_BITS - 1) // WORD_BITS
    for j in range(size):
        walk.met[k, j, first:end] = np.uint64(0)
    for i in range(n_meeting):
        candidate = walk.meeting[i]
        flag = flags[candidates[first_candidate + candidate]]
        start = weighting.bitmap_offsets[child] + candidate * n_words
        contained = bitmaps[start + first : start + end]
        for j in range(size):
            if flag >> j & 1:
                met = walk.met[k, j, first:end]
                # Over neighbouring words, so that the processor takes several at a time.
                for w in range(len(met)):
                    met[w] |= contained[w]
    # Sets that meet D_x itself would close a cycle: keep the others, without the bits beyond the list.
    free = walk.met[k, k]
    for w in range(first, end):
        free[w] = ~free[w]
    if end == n_words and n_sets % WORD_BITS:
        free[end - 1] &= (np.uint64(1) << np.uint64(n_sets % WORD_BITS)) - np.uint64(1)


@inlined
def sets_of_class(met, k, word, wanted, size):
    """The sets of class `wanted` among 64 sets of the block's k-th member, as a word."""
    found = met[k, k, word]
    for j in range(size):
        if j != k:
            found &= met[k, j, word] if wanted >> j & 1 else ~met[k, j, word]
    return found


@inlined
def sum_classes(lists, weighting, walk, child, k, size):
    """Sum the weights of a child's sets by class; returns the work (words of bitmaps read)."""
    weights, exponents, rest_powers = weighting.weights, weighting.powers, weighting.rest_powers
    candidates, meeting, met, flags = weighting.candidates, walk.meeting, walk.met, walk.flags
    sums, powers = walk.sums[k], walk.powers[k]
    sums[: 1 << size] = 0.0
    powers[: 1 << size] = NOTHING
    first_candidate, end_candidate = weighting.candidate_offsets[child], weighting.candidate_offsets[child + 1]
    n_meeting = 0
    for c in range(end_candidate - first_candidate):
        if flags[candidates[first_candidate + c]]:
            meeting[n_meeting] = c
            n_meeting += 1
    word, n_words = 0, (lists.set_offsets[child + 1] - lists.set_offsets[child] + WORD_BITS - 1) // WORD_BITS
    for first in range(lists.set_offsets[child], lists.set_offsets[child + 1], WORD_BITS):
        # Class 0 meets no D_y: in any acyclic choice it may replace the class of a skipped set, and its weight is
        # larger by at least this power of two.
        if sums[0] > 0.0 and rest_powers[first] < powers[0] + NEGLIGIBLE:
            break
        if word % WORDS_AT_ONCE == 0:
            meet_descendants(
                lists, weighting, walk, child, k, word, min(word + WORDS_AT_ONCE, n_words), n_meeting, size
            )
        for c in range(1 << size):
            # Bit k of a class of member k itself is not used.
            if c >> k & 1:
                continue
            left = sets_of_class(met, k, word, c, size)
            if left == 0:
                continue
            if sums[c] == 0.0:
                # Best first: the first set of a class is its heaviest, so no shift below is positive.
                powers[c] = exponents[first + np.int64(lowest_bit(left))]
            total = 0.0
            while left:
                s = first + np.int64(lowest_bit(left))
                left &= left - np.uint64(1)
                total += weights[s] * power_of_two(exponents[s] - powers[c])
            sums[c] += total
        word += 1
    walk.words[k] = word
    return word * (n_meeting + WORD_BITS // 2) + end_candidate - first_candidate


@inlined
def draw_choice(walk, choices, size, rng):
    """Draw one of the acyclic choices of classes, a row of `choices`, in proportion to its weight."""
    sums, powers, cumulative = walk.sums, walk.powers, walk.reached
    largest = np.int64(NOTHING) * LARGEST_BLOCK
    for c in range(len(choices)):
        total = np.int64(0)
        is_there = True
        for k in range(size):
            is_there &= sums[k, choices[c, k]] > 0.0
            total += powers[k, choices[c, k]]
        if is_there:
            # Relative to the largest exponent of a possible choice no power overflows, and that choice has power 1.
            largest = max(largest, total)
    reached = 0.0
    for c in range(len(choices)):
        weight = 1.0
        total = np.int64(0)
        for k in range(size):
            weight *= sums[k, choices[c, k]]
            total += powers[k, choices[c, k]]
        if weight > 0.0:
            reached += weight * power_of_two(total - largest)
        cumulative[c] = reached
    drawn = rng.random() * reached
    for c in range(len(choices)):
        if drawn < cumulative[c]:
            return c
    return -1


@inlined
def draw_set(lists, weighting, walk, child, k, wanted, size, rng):
    """Draw a set of class `wanted` in proportion to its weight."""
    weights, exponents, power = weighting.weights, weighting.powers, walk.powers[k, wanted]
    met, start = walk.met, lists.set_offsets[child]
    drawn = rng.random() * walk.sums[k, wanted]
    last = np.int64(-1)
    for word in range(walk.words[k]):
        left = sets_of_class(met, k, word, wanted, size)
        while left:
            last = start + word * WORD_BITS + np.int64(lowest_bit(left))
            left &= left - np.uint64(1)
            drawn -= weights[last] * power_of_two(exponents[last] - power)
            # Rounding may leave a rest; then the last set of the class is taken.
            if drawn < 0.0:
                return last
    return last


@inlined
def move_block(lists, weighting, walk, block, size, rng):
    """Draw the sets of the variables ``block[:size]``.

    `block` is int32, shape (LARGEST_BLOCK,). Returns the work: variables, words and choices processed.
    """
    for k in range(size):
        unlink_family(lists, walk, block[k])
    # All families of the block are unlinked by now, as D_x must not depend on them.
    n_flagged = 0
    for k in range(size):
        n_flagged = flag_descendants(walk, block[k], np.uint8(1 << k), n_flagged)
    choices = weighting.choices[weighting.choice_offsets[size - 1] : weighting.choice_offsets[size]]
    work = n_flagged + len(choices)
    for k in range(size):
        work += sum_classes(lists, weighting, walk, block[k], k, size)
    drawn = draw_choice(walk, choices, size, rng)
    for k in range(size):
        walk.chosen[block[k]] = draw_set(lists, weighting, walk, block[k], k, choices[drawn, k], size, rng)
        link_family(lists, walk, block[k])
    for k in range(n_flagged):
        walk.flags[walk.stack[k]] = 0
    return work
