"""Moves through networks that leave the posterior as it is: parent sets of a few variables are drawn anew together.

A move takes a block of variables, forgets their parent sets and draws new ones from their joint distribution
given all other families (Goudie and Mukherjee 2016). With the block's families gone, let D_x be x and its
descendants. A listed set of x is out if it meets D_x; else all that matters about it is which of the other D_y
it meets, for then x will descend from y. So sets fall into classes, and a choice of one class for each
variable makes no cycle if "x descends from y" has none on the block: 3 choices of 2 variables, 25 of 3, 543 of
4. The weights of the classes are summed up over the lists, a choice is drawn in proportion to the product of
its classes' weights, then a set of each class in proportion to its own. No move is ever refused, and reversing
an arc (Grzegorczyk and Husmeier 2008) is a block of two.

Which block is drawn must not depend on the network. Weights are mantissas and exponents, see `scaled`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .scaled import NOTHING, power_of_two

LARGEST_BLOCK = 4
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
    weights, powers : ndarray of float64, ndarray of int32, shape (n_sets,)
        Weight relative to the child's best set: mantissa and exponent.
    rest_powers : ndarray of int32, shape (n_sets,)
        Exponent that the weights of the set and all that follow in its list do not reach together.
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
    """A network on its way, and room to work.

    Attributes
    ----------
    chosen : ndarray of int64, shape (n_variables,)
        The set of every variable.
    child_offsets : ndarray of int64, shape (n_variables + 1,)
    children : ndarray of int32
        Children of i stand from ``children[child_offsets[i]]`` on, in any order; there is room for all that list i.
    n_children : ndarray of int32, shape (n_variables,)
    flags : ndarray of uint8, shape (n_variables,)
        Bit k: the variable is in D_x of the block's k-th member x; 0 between moves.
    stack : ndarray of int32, shape (LARGEST_BLOCK * n_variables,)
    classes : ndarray of uint8, shape (LARGEST_BLOCK, longest list)
    sums, powers : ndarray of float64, ndarray of int64, shape (LARGEST_BLOCK, 2^LARGEST_BLOCK)
    """

    chosen: np.ndarray
    child_offsets: np.ndarray
    children: np.ndarray
    n_children: np.ndarray
    flags: np.ndarray
    stack: np.ndarray
    classes: np.ndarray
    sums: np.ndarray
    powers: np.ndarray


ANYONE = 0.1
"""Share of members of blocks that are drawn among all variables: so that every pair is drawn at times."""

OUT = 255
"""Class of sets that close a cycle with the rest of the network."""


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
def sum_classes(lists, walk, child, k, n_classes):
    """Sum up the weights of a child's sets by class; the number of sets looked at."""
    sums, powers, own = walk.sums[k], walk.powers[k], 1 << k
    sums[:n_classes] = 0.0
    powers[:n_classes] = NOTHING
    first = lists.set_offsets[child]
    for s in range(first, lists.set_offsets[child + 1]):
        if sums[0] > 0.0 and lists.rest_powers[s] < powers[0] + NEGLIGIBLE:
            return s - first
        met = 0
        for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            met |= walk.flags[lists.parents[i]]
        if met & own:
            walk.classes[k, s - first] = OUT
            continue
        walk.classes[k, s - first] = met
        if sums[met] == 0.0:
            powers[met] = lists.powers[s]
        sums[met] += lists.weights[s] * power_of_two(lists.powers[s] - powers[met])
    return lists.set_offsets[child + 1] - first


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
    weights = np.empty(len(choices))
    reached = 0.0
    for c in range(len(choices)):
        weight = 1.0
        total = np.int64(0)
        for k in range(size):
            weight *= walk.sums[k, choices[c, k]]
            total += walk.powers[k, choices[c, k]]
        if weight > 0.0:
            reached += weight * power_of_two(total - largest)
        weights[c] = reached
    drawn = rng.random() * reached
    for c in range(len(choices)):
        if drawn < weights[c]:
            return c
    return -1


@njit
def draw_set(lists, walk, child, k, wanted, n_seen, rng):
    """A set of the wanted class in proportion to its weight."""
    first = lists.set_offsets[child]
    drawn = rng.random() * walk.sums[k, wanted]
    last = np.int64(-1)
    for place in range(n_seen):
        if walk.classes[k, place] == wanted:
            last = first + place
            drawn -= lists.weights[last] * power_of_two(lists.powers[last] - walk.powers[k, wanted])
            if drawn < 0.0:
                break
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
    """
    for k in range(size):
        unlink_family(lists, walk, block[k])
    n_flagged = 0
    for k in range(size):
        n_flagged = flag_descendants(walk, block[k], np.uint8(1 << k), n_flagged)
    seen = np.empty(LARGEST_BLOCK, dtype=np.int64)
    for k in range(size):
        seen[k] = sum_classes(lists, walk, block[k], k, 1 << size)
    choices = lists.choices[lists.choice_offsets[size - 1] : lists.choice_offsets[size]]
    drawn = draw_choice(walk, choices, size, rng)
    for k in range(size):
        walk.chosen[block[k]] = draw_set(lists, walk, block[k], k, choices[drawn, k], seen[k], rng)
        link_family(lists, walk, block[k])
    for k in range(n_flagged):
        walk.flags[walk.stack[k]] = 0


@njit
def draw_partner(lists, host, rng):
    """A variable to join the block of another: one of its partners, at times anyone; possibly itself."""
    first, end = lists.partner_offsets[host], lists.partner_offsets[host + 1]
    drawn = rng.random()
    if end == first or rng.random() < ANYONE:
        return np.int32(drawn * (len(lists.partner_offsets) - 1))
    low, high = first, end - 1
    while low < high:
        middle = (low + high) // 2
        if lists.partner_shares[middle] > drawn:
            high = middle
        else:
            low = middle + 1
    return lists.partners[low]


@njit
def draw_block(lists, block, size, rng):
    """Fill ``block[:size]``: any variable, then partners of those before."""
    block[0] = np.int32(rng.random() * (len(lists.partner_offsets) - 1))
    n = 1
    while n < size:
        candidate = draw_partner(lists, block[int(rng.random() * n)], rng)
        is_new = True
        for k in range(n):
            is_new &= block[k] != candidate
        if is_new:
            block[n] = candidate
            n += 1


@njit
def walk_on(lists, walk, n_moves, rng, samples, totals):
    """Make moves, and keep the network that they lead to each time there were so many.

    Parameters
    ----------
    lists : WeightedLists
    walk : Walk
    n_moves : int
    rng : numpy.random.Generator
    samples : ndarray of int32, shape (n_samples, n_variables)
        Receives the sets chosen.
    totals : ndarray of float64, shape (n_samples,)
        Receives the scores of the networks, nats.
    """
    n = len(walk.chosen)
    block = np.empty(LARGEST_BLOCK, dtype=np.int32)
    for t in range(len(samples)):
        for _ in range(n_moves):
            drawn, size = rng.random(), 1
            while size < LARGEST_BLOCK and drawn >= lists.size_shares[size - 1]:
                size += 1
            size = min(size, n)
            draw_block(lists, block, size, rng)
            move_block(lists, walk, block, size, rng)
        totals[t] = 0.0
        for v in range(n):
            samples[t, v] = walk.chosen[v]
            totals[t] += lists.scores[walk.chosen[v]]
