"""k-A*'s choice of sets along one order by depth-first branch and bound.

The last variable takes its set first, as in `kastar`; the bound is that of `fill_bound`, sharpened at each choice by
a few steps. One path is held at a time, so that no room runs out, and the bound is so much sharper that some
thousands of choices prove what millions of states do not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import njit
from .fill_bound import lowest_bound
from .fill_prices import clear_prices
from .fills import hash_fill, is_covered, join, joins

ROOT_STEPS, STEPS = 400, 25
"""Changes of the prices before the first choice, and at each later one. Measured on wdbc at treewidth 2 and 5: more
steps need fewer choices in no less time."""

N_MARKS = 1 << 17
"""Filled graphs remembered; a power of two."""

DEPTH, CHOICES, IS_NEW, ORDER = 0, 1, 2, 3
"""Entries of `FillBranches.counts`: ranks decided on the present path (-1 at the end), choices bounded so far,
whether the present one is not bounded yet, and the number of orders begun."""

SALT = np.uint64(0x9E3779B97F4A7C15)
"""An odd number (2^64 by the golden ratio), whose multiples spread over all words."""


class FillBranches(NamedTuple):
    """The present path of choices, and what is open beside it; made once and used for one order after the other.

    Attributes
    ----------
    fills : ndarray of uint64, shape (n_ranks + 1, n_ranks, ceil(n_variables / 64))
        Filled graph by number of ranks decided.
    values : ndarray of float64, shape (n_ranks + 1,)
        Relative scores of the sets decided with that of the start clique, in nats.
    taken : ndarray of int64, shape (n_ranks,)
        Sets decided.
    options : ndarray of int64, shape (n_ranks, longest list)
        Sets that a rank may take, most promising first.
    worths : ndarray of float64, shape (n_ranks, longest list)
        What completions with each are worth at most.
    ends, nexts : ndarray of int64, shape (n_ranks,)
        Number of the options, and the next one to be tried.
    marks : ndarray of uint64, shape (N_MARKS, 2)
        Hashes of filled graphs met, other ones for each order; a newer one replaces an older one in its place.
    marked : ndarray of float64, shape (N_MARKS,)
        The best value at which each was met.
    counts : ndarray of int64, shape (4,)
        See `DEPTH`, `CHOICES`, `IS_NEW` and `ORDER`.
    trial, trial_fill, set_worths : ndarray
        Scratch: sets of a completion, its filled graph, and a worth for each set of a rank.
    """

    fills: np.ndarray
    values: np.ndarray
    taken: np.ndarray
    options: np.ndarray
    worths: np.ndarray
    ends: np.ndarray
    nexts: np.ndarray
    marks: np.ndarray
    marked: np.ndarray
    counts: np.ndarray
    trial: np.ndarray
    trial_fill: np.ndarray
    set_worths: np.ndarray


def new_branches(n_variables: int, width: int, longest: int) -> FillBranches:
    """Room for orders of so many variables, whose longest list holds `longest` sets."""
    n_ranks, n_words = n_variables - width - 1, -(-n_variables // 64)
    return FillBranches(
        fills=np.zeros((n_ranks + 1, n_ranks, n_words), dtype=np.uint64),
        values=np.zeros(n_ranks + 1),
        taken=np.zeros(n_ranks, dtype=np.int64),
        options=np.zeros((n_ranks, longest), dtype=np.int64),
        worths=np.zeros((n_ranks, longest)),
        ends=np.zeros(n_ranks, dtype=np.int64),
        nexts=np.zeros(n_ranks, dtype=np.int64),
        marks=np.zeros((N_MARKS, 2), dtype=np.uint64),
        marked=np.full(N_MARKS, -np.inf),
        counts=np.zeros(4, dtype=np.int64),
        trial=np.zeros(n_ranks, dtype=np.int64),
        trial_fill=np.zeros((n_ranks, n_words), dtype=np.uint64),
        set_worths=np.zeros(longest),
    )


@njit
def begin_order(ranked, branches, picks, value):
    """Nothing is decided but the start clique, whose relative score is `value`, and all prices are zero."""
    branches.counts[DEPTH], branches.counts[CHOICES], branches.counts[IS_NEW] = 0, 0, 1
    branches.counts[ORDER] += 1
    branches.values[0] = value
    clear_prices(picks)
    least = branches.fills[0]
    least[:] = 0
    # The last set of each rank is part of its others: empty, or what fixed records prescribe.
    for rank in range(len(least)):
        join(least, rank, ranked.masks[ranked.offsets[rank + 1] - 1], picks.extra)


@njit
def most_open(branches):
    """What the choices still open are worth at most."""
    depth, most = branches.counts[DEPTH], -np.inf
    if branches.counts[IS_NEW]:
        if depth == 0:
            return np.inf
        # A choice not bounded yet is worth what was said when it was listed.
        depth -= 1
        most = branches.worths[depth, branches.nexts[depth] - 1]
    for rank in range(depth + 1):
        for k in range(branches.nexts[rank], branches.ends[rank]):
            most = max(most, branches.worths[rank, k])
    return most


@njit
def was_met(branches, depth):
    """Whether the present filled graph was met with no smaller value; it is remembered from now on."""
    first, second = hash_fill(branches.fills[depth], depth)
    first ^= np.uint64(branches.counts[ORDER]) * SALT
    place = np.int64(first & np.uint64(N_MARKS - 1))
    value = branches.values[depth]
    is_marked = branches.marks[place, 0] == first and branches.marks[place, 1] == second
    if is_marked and branches.marked[place] >= value:
        return True
    branches.marks[place, 0], branches.marks[place, 1] = first, second
    branches.marked[place] = value
    return False


@njit
def complete(ranked, branches, depth, width, picks, is_guided, floor, best):
    """Complete the present choice by the sets picked where they fit (when guided), else by the best that fit.

    The choices go to `best` when they are worth more than `floor`; returns the new floor.
    """
    fill, trial, value = branches.trial_fill, branches.trial, branches.values[depth]
    copy_into(fill[depth:], branches.fills[depth, depth:])
    copy_into(trial, branches.taken[:depth])
    for rank in range(depth, len(fill)):
        s = ranked.offsets[rank]
        if is_guided and joins(fill, rank, ranked.masks[picks.chosen[rank]], picks.extra, width):
            # A better set may need no more fill.
            while not is_covered(ranked.masks[s], fill[rank], ranked.masks[picks.chosen[rank]]):
                s += 1
        else:
            while not joins(fill, rank, ranked.masks[s], picks.extra, width):
                s += 1
        join(fill, rank, ranked.masks[s], picks.extra)
        value += ranked.relative_scores[s]
        trial[rank] = s
    if value > floor:
        floor = value
        copy_into(best, trial)
    return floor


@njit
def list_options(ranked, branches, depth, width, picks, others, worths, floor):
    """List the sets that rank `depth` may take with a completion above `floor`; `others` is what all other ranks
    are worth.
    """
    fill, options, bounds = branches.fills[depth], branches.options[depth], branches.worths[depth]
    first, count = ranked.offsets[depth], 0
    for s in range(first, ranked.offsets[depth + 1]):
        bound = others + worths[s - first]
        if bound <= floor:
            continue
        # A better set with no more fill is the better choice.
        is_useful = True
        for better in range(first, s):
            if is_covered(ranked.masks[better], fill[depth], ranked.masks[s]):
                is_useful = False
                break
        if not is_useful:
            continue
        place = count
        while place > 0 and bounds[place - 1] < bound:
            options[place], bounds[place] = options[place - 1], bounds[place - 1]
            place -= 1
        options[place], bounds[place] = s, bound
        count += 1
    branches.ends[depth], branches.nexts[depth] = count, 0


@njit
def search_branches(ranked, branches, width, picks, best, floor, rounding, n_choices):
    """Bound up to `n_choices` further choices.

    Parameters
    ----------
    ranked : RankedSets
    branches : FillBranches
    width : int
        The treewidth bound.
    picks : PricedPicks
    best : ndarray of int64, shape (n_ranks,)
        Set of each rank in the best completion above `floor` met so far; overwritten when a better one is met.
    floor : float
        Its relative score, or another that is to be beaten.
    rounding : float
        Completions that are better by no more than this are not looked for.
    n_choices : int

    Returns
    -------
    tuple of (bool, float)
        Whether the search is over, and the new floor.
    """
    counts, n_ranks = branches.counts, len(best)
    last = counts[CHOICES] + n_choices
    while counts[DEPTH] >= 0:
        depth = counts[DEPTH]
        if counts[IS_NEW]:
            if counts[CHOICES] == last:
                return False, floor
            if depth == n_ranks and branches.values[depth] > floor:
                floor = branches.values[depth]
                copy_into(best, branches.taken)
            if depth == n_ranks or was_met(branches, depth):
                counts[DEPTH] -= 1
                counts[IS_NEW] = 0
                continue
            counts[CHOICES] += 1
            counts[IS_NEW] = 0
            floor = complete(ranked, branches, depth, width, picks, False, floor, best)
            worths = branches.set_worths[: ranked.offsets[depth + 1] - ranked.offsets[depth]]
            bound = lowest_bound(
                ranked,
                branches.fills[depth],
                depth,
                width,
                picks,
                branches.values[depth],
                floor + rounding,
                STEPS if depth else ROOT_STEPS,
                worths,
            )
            branches.ends[depth] = branches.nexts[depth] = 0
            if bound <= floor + rounding:
                continue
            floor = complete(ranked, branches, depth, width, picks, True, floor, best)
            others = bound - picks.values[depth]
            list_options(ranked, branches, depth, width, picks, others, worths, floor + rounding)
        elif branches.nexts[depth] == branches.ends[depth]:
            counts[DEPTH] -= 1
        else:
            k = branches.nexts[depth]
            branches.nexts[depth] += 1
            if branches.worths[depth, k] <= floor + rounding:
                continue
            s = branches.options[depth, k]
            copy_into(branches.fills[depth + 1, depth:], branches.fills[depth, depth:])
            join(branches.fills[depth + 1], depth, ranked.masks[s], picks.extra)
            branches.values[depth + 1] = branches.values[depth] + ranked.relative_scores[s]
            branches.taken[depth] = s
            counts[DEPTH] += 1
            counts[IS_NEW] = 1
    return True, floor
