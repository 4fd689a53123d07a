"""Moves through networks that leave the posterior as it is: parent sets of a few variables are drawn anew together.

A move takes a block of variables, forgets their parent sets and draws new ones from their joint distribution
given all other families (Goudie and Mukherjee 2016). With the block's families gone, let D_x be x and its
descendants. A listed set of x is out if it meets D_x; else all that matters about it is which of the other D_y
it meets, for then x will descend from y. So sets fall into classes, and a choice of one class for each
variable makes no cycle if "x descends from y" has none on the block: 3 choices of 2 variables, 25 of 3. The
weights of the classes are summed up over the lists, a choice is drawn in proportion to the product of its classes'
weights, then a set of each class in proportion to its own. No move is ever refused, and reversing an arc
(Grzegorczyk and Husmeier 2008) is a block of two.

Which of a child's sets meet D_y is told 64 sets at a time: for each candidate parent there is a bitmap of the sets
that have it, and those of the candidates in D_y are united.

Which block is drawn must not depend on the network (`tempered_walks`). Weights are mantissas and exponents, see
`scaled`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import WORD_BITS, lowest_bit
from ..jit import njit
from .scaled import NOTHING, power_of_two

LARGEST_BLOCK = 3
"""Variables in a block at most."""

NEGLIGIBLE = -60
"""A list is left when what is to come weighs less than two to this power times what can always be chosen: less than
the rounding of sums."""


class WeightedLists(NamedTuple):
    """Listed sets with weights, and the blocks that are drawn.

    Attributes
    ----------
    set_offsets : ndarray of int64, shape (n_variables + 1,)
        Sets of child i are ``set_offsets[i]:set_offsets[i + 1]``, best first.
    parent_offsets : ndarray of int64
    parents : ndarray of int32
    candidate_offsets : ndarray of int64, shape (n_variables + 1,)
    candidates : ndarray of int32
        Variables in any set of child i: ``candidates[candidate_offsets[i]:candidate_offsets[i + 1]]``, ascending.
    bitmap_offsets : ndarray of int64, shape (n_variables + 1,)
    bitmaps : ndarray of uint64
        From ``bitmap_offsets[i]`` on a word for each candidate of child i about its first 64 sets, then about the
        next 64, ...; bit b: the b-th of these sets has the candidate.
    rungs : ndarray of float64, shape (n_rungs,)
        Powers of the posterior, 1 first.
    weights, powers : ndarray of float64, ndarray of int32, shape (n_rungs, n_sets)
        Weight relative to the child's best set: mantissa and exponent. Moves take those of one rung, shape (n_sets,).
    rest_powers : ndarray of int32, shape (n_rungs, n_sets)
        Likewise; exponent that the weights of the set and all that follow in its list do not reach together.
    scores : ndarray of float64, shape (n_sets,)
        Nats.
    partner_offsets : ndarray of int64, shape (n_variables + 1,)
    partners : ndarray of int32
        Who joins the block of a variable: ``partners[partner_offsets[i]:partner_offsets[i + 1]]``.
    partner_shares : ndarray of float64
        How often: cumulative shares for each variable, the last of them 1.
    size_shares : ndarray of float64, shape (LARGEST_BLOCK,)
        How often blocks have 1, 2, ... variables: cumulative shares.
    choice_offsets : ndarray of int64, shape (LARGEST_BLOCK + 1,)
    choices : ndarray of uint8, shape (n_choices, LARGEST_BLOCK)
        Acyclic choices of classes of k variables: ``choices[choice_offsets[k - 1]:choice_offsets[k], :k]``.
    """

    set_offsets: np.ndarray
    parent_offsets: np.ndarray
    parents: np.ndarray
    candidate_offsets: np.ndarray
    candidates: np.ndarray
    bitmap_offsets: np.ndarray
    bitmaps: np.ndarray
    rungs: np.ndarray
    weights: np.ndarray
    powers: np.ndarray
    rest_powers: np.ndarray
    scores: np.ndarray
    partner_offsets: np.ndarray
    partners: np.ndarray
    partner_shares: np.ndarray
    size_shares: np.ndarray
    choice_offsets: np.ndarray
    choices: np.ndarray


class Walk(NamedTuple):
    """Networks on their way, and room to work.

    Attributes
    ----------
    standing : ndarray of int64, shape (n_rungs,)
        Which of the networks stands on each rung.
    chosen : ndarray of int64, shape (n_rungs, n_variables)
        The set of every variable, of each network. Moves take those of one, shape (n_variables,).
    child_offsets : ndarray of int64, shape (n_variables + 1,)
    children : ndarray of int32, shape (n_rungs, room)
        Likewise; children of i stand from ``children[child_offsets[i]]`` on, in any order; there is room for all that
        list i.
    n_children : ndarray of int32, shape (n_rungs, n_variables)
        Likewise.
    flags : ndarray of uint8, shape (n_variables,)
        Bit k: the variable is in D_x of the block's k-th member x; 0 between moves.
    stack : ndarray of int32, shape (LARGEST_BLOCK * n_variables,)
    meeting : ndarray of int32, shape (n_variables,)
        Places of the candidates that are in any D_x.
    met : ndarray of uint64, shape (LARGEST_BLOCK, words of the longest list, LARGEST_BLOCK)
        Of the sets of the block's k-th member, 64 to a word: which of them meet D_x of the j-th; for j = k, which are
        not out.
    words : ndarray of int64, shape (LARGEST_BLOCK,)
        How many words of `met` were filled.
    sums, powers : ndarray of float64, ndarray of int64, shape (LARGEST_BLOCK, 2^LARGEST_BLOCK)
    reached : ndarray of float64
        Cumulative weights of choices of classes.
    """

    standing: np.ndarray
    chosen: np.ndarray
    child_offsets: np.ndarray
    children: np.ndarray
    n_children: np.ndarray
    flags: np.ndarray
    stack: np.ndarray
    meeting: np.ndarray
    met: np.ndarray
    words: np.ndarray
    sums: np.ndarray
    powers: np.ndarray
    reached: np.ndarray


@njit
def link_family(lists, walk, child):
    """Enter a variable among the children of its parents."""
    s = walk.chosen[child]
    for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        parent = lists.parents[k]
        walk.children[walk.child_offsets[parent] + walk.n_children[parent]] = child
        walk.n_children[parent] += 1


@njit
def unlink_family(lists, walk, child):
    """Take a variable from among the children of its parents."""
    s = walk.chosen[child]
    for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        parent = lists.parents[k]
        place = walk.child_offsets[parent]
        while walk.children[place] != child:
            place += 1
        walk.n_children[parent] -= 1
        walk.children[place] = walk.children[walk.child_offsets[parent] + walk.n_children[parent]]


@njit
def flag_descendants(walk, variable, flag, n_seen):
    """Flag a variable and its descendants; those seen so far on the stack, also by earlier calls, in number."""
    first = n_seen
    walk.flags[variable] |= flag
    walk.stack[n_seen] = variable
    n_seen += 1
    while first < n_seen:
        v = walk.stack[first]
        first += 1
        for k in range(walk.n_children[v]):
            child = walk.children[walk.child_offsets[v] + k]
            if not walk.flags[child] & flag:
                walk.flags[child] |= flag
                walk.stack[n_seen] = child
                n_seen += 1
    return n_seen


@njit
def meet_descendants(lists, walk, child, k, word, n_meeting):
    """Of 64 sets of a child, the block's k-th member: which meet D_x of each member, and which are not out.

    Parameters
    ----------
    lists : WeightedLists
    walk : Walk
        Receives words of `met`.
    child, k : int
    word : int
        Which 64 sets.
    n_meeting : int
        Entries of ``walk.meeting``.
    """
    first = lists.candidate_offsets[child]
    start = lists.bitmap_offsets[child] + word * (lists.candidate_offsets[child + 1] - first)
    zero, one = np.uint64(0), np.uint64(1)
    met_0, met_1, met_2 = zero, zero, zero
    for i in range(n_meeting):
        candidate = walk.meeting[i]
        flag = np.uint64(walk.flags[lists.candidates[first + candidate]])
        bits = lists.bitmaps[start + candidate]
        met_0 |= bits & (zero - (flag & one))
        met_1 |= bits & (zero - (flag >> one & one))
        met_2 |= bits & (zero - (flag >> np.uint64(2)))
    met = walk.met[k, word]
    met[0], met[1], met[2] = met_0, met_1, met_2
    n_sets = lists.set_offsets[child + 1] - lists.set_offsets[child] - word * WORD_BITS
    listed = ~zero if n_sets >= WORD_BITS else (one << np.uint64(n_sets)) - one
    met[k] = ~met[k] & listed


@njit
def sets_of_class(walk, k, word, wanted, size):
    """Which of 64 sets of the block's k-th member are of a class, as a word."""
    found = walk.met[k, word, k]
    for j in range(size):
        if j != k:
            found &= walk.met[k, word, j] if wanted >> j & 1 else ~walk.met[k, word, j]
    return found


@njit
def sum_classes(lists, walk, child, k, size):
    """Sum up the weights of a child's sets by class; the number of words of bitmaps looked at."""
    sums, powers = walk.sums[k], walk.powers[k]
    sums[: 1 << size] = 0.0
    powers[: 1 << size] = NOTHING
    first_candidate, end_candidate = lists.candidate_offsets[child], lists.candidate_offsets[child + 1]
    n_meeting = 0
    for c in range(end_candidate - first_candidate):
        if walk.flags[lists.candidates[first_candidate + c]]:
            walk.meeting[n_meeting] = c
            n_meeting += 1
    word = 0
    for first in range(lists.set_offsets[child], lists.set_offsets[child + 1], WORD_BITS):
        if sums[0] > 0.0 and lists.rest_powers[first] < powers[0] + NEGLIGIBLE:
            break
        meet_descendants(lists, walk, child, k, word, n_meeting)
        for c in range(1 << size):
            if c >> k & 1:
                continue
            left = sets_of_class(walk, k, word, c, size)
            if left == 0:
                continue
            if sums[c] == 0.0:
                powers[c] = lists.powers[first + np.int64(lowest_bit(left))]
            total = 0.0
            while left:
                s = first + np.int64(lowest_bit(left))
                left &= left - np.uint64(1)
                total += lists.weights[s] * power_of_two(lists.powers[s] - powers[c])
            sums[c] += total
        word += 1
    walk.words[k] = word
    return word * (n_meeting + WORD_BITS // 2) + end_candidate - first_candidate


@njit
def draw_choice(walk, choices, size, rng):
    """One of the acyclic choices of classes, a row of `choices`, in proportion to its weight."""
    largest = np.int64(NOTHING) * LARGEST_BLOCK
    for c in range(len(choices)):
        total = np.int64(0)
        is_there = True
        for k in range(size):
            is_there &= walk.sums[k, choices[c, k]] > 0.0
            total += walk.powers[k, choices[c, k]]
        if is_there:
            largest = max(largest, total)
    reached = 0.0
    for c in range(len(choices)):
        weight = 1.0
        total = np.int64(0)
        for k in range(size):
            weight *= walk.sums[k, choices[c, k]]
            total += walk.powers[k, choices[c, k]]
        if weight > 0.0:
            reached += weight * power_of_two(total - largest)
        walk.reached[c] = reached
    drawn = rng.random() * reached
    for c in range(len(choices)):
        if drawn < walk.reached[c]:
            return c
    return -1


@njit
def draw_set(lists, walk, child, k, wanted, size, rng):
    """A set of the wanted class in proportion to its weight."""
    drawn = rng.random() * walk.sums[k, wanted]
    last = np.int64(-1)
    for word in range(walk.words[k]):
        left = sets_of_class(walk, k, word, wanted, size)
        while left:
            last = lists.set_offsets[child] + word * WORD_BITS + np.int64(lowest_bit(left))
            left &= left - np.uint64(1)
            drawn -= lists.weights[last] * power_of_two(lists.powers[last] - walk.powers[k, wanted])
            if drawn < 0.0:
                return last
    return last


@njit
def move_block(lists, walk, block, size, rng):
    """Draw the sets of the variables ``block[:size]`` anew.

    Parameters
    ----------
    lists : WeightedLists
    walk : Walk
    block : ndarray of int32, shape (LARGEST_BLOCK,)
    size : int
    rng : numpy.random.Generator

    Returns
    -------
    int
        Work done: variables, words and choices looked at.
    """
    for k in range(size):
        unlink_family(lists, walk, block[k])
    n_flagged = 0
    for k in range(size):
        n_flagged = flag_descendants(walk, block[k], np.uint8(1 << k), n_flagged)
    choices = lists.choices[lists.choice_offsets[size - 1] : lists.choice_offsets[size]]
    work = n_flagged + len(choices)
    for k in range(size):
        work += sum_classes(lists, walk, block[k], k, size)
    drawn = draw_choice(walk, choices, size, rng)
    for k in range(size):
        walk.chosen[block[k]] = draw_set(lists, walk, block[k], k, choices[drawn, k], size, rng)
        link_family(lists, walk, block[k])
    for k in range(n_flagged):
        walk.flags[walk.stack[k]] = 0
    return work
