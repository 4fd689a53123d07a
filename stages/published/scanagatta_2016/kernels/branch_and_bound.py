"""k-A*'s choice of sets along one order, by depth-first branch and bound.

The last variable of the order takes its set first: a partial choice is a filled graph (`filled_graphs`). The upper
bound is computed by `lagrangian_bound`; at each choice a few steps improve it from the prices of the choice before.
It is much tighter than the paper's estimate (the best sets among predecessors): some thousands of choices suffice for
a proof that takes best-first search with that estimate tens of millions of states.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.jit import borrowing

from .filled_graphs import RankedSets, add_members, fill_graph, fits, is_covered
from .lagrangian_bound import lowest_bound

ROOT_STEPS, STEPS = 400, 25
"""Price steps before the first choice, and at each later one. Measured on wdbc at treewidth 2 and 5: more steps need
fewer choices in no less time.
"""

ROOT_WORK = 100_000
"""Limit on price steps before the first choice, times variables: about a second."""

N_MARKS = 1 << 14
"""Size of the transposition table of filled graphs; a power of two."""

SALT = np.uint64(0x9E3779B97F4A7C15)
"""An odd number (2^64 by the golden ratio): its multiples spread over all words (Knuth's multiplicative hashing)."""

DEPTH, CHOICES, IS_NEW = 0, 1, 2
"""Entries of `Branches.counts`: ranks decided in the present choice (-1 at the end); choices bounded so far; whether
the present choice is still unbounded.
"""


class Branches(NamedTuple):
    """The present path of choices along one order, and the open options beside it."""

    fill: np.ndarray  # uint64, shape (n_ranks, ceil(n_variables / 64)): filled graph of the present choice
    # float64, shape (n_ranks + 1,), by number of ranks decided: relative score of their sets plus the start clique's,
    # in nats.
    values: np.ndarray
    taken: np.ndarray  # int64, shape (n_ranks,): sets decided
    options: np.ndarray  # int64, shape (n_ranks, longest list): sets that a rank may take, most promising first
    bounds: np.ndarray  # float64, shape (n_ranks, longest list): upper bounds on completions with each such set
    # `ends`, `nexts` (int64, shape (n_ranks,)): number of the options, and the next one to try.
    ends: np.ndarray
    nexts: np.ndarray
    # uint64, shape (N_MARKS, 2): hashes of the filled graphs visited; a newer one replaces an older one in its place.
    marks: np.ndarray
    marked: np.ndarray  # float64, shape (N_MARKS,): the best value at which each was visited
    counts: np.ndarray  # int64, shape (3,): see `DEPTH`, `CHOICES` and `IS_NEW`
    # Scratch: sets of a completion, its filled graph, and a bound for each set of a rank.
    trial: np.ndarray
    trial_fill: np.ndarray
    set_bounds: np.ndarray


def new_branches(ranked: RankedSets, value: float) -> Branches:
    """Only the start clique is decided; its relative score is `value`."""
    n_ranks, n_words = len(ranked.offsets) - 1, ranked.masks.shape[1]
    longest = int(np.diff(ranked.offsets).max()) if n_ranks else 0
    return Branches(
        fill=np.empty((n_ranks, n_words), dtype=np.uint64),
        values=np.full(n_ranks + 1, value),
        taken=np.empty(n_ranks, dtype=np.int64),
        options=np.empty((n_ranks, longest), dtype=np.int64),
        bounds=np.empty((n_ranks, longest)),
        ends=np.zeros(n_ranks, dtype=np.int64),
        nexts=np.zeros(n_ranks, dtype=np.int64),
        marks=np.zeros((N_MARKS, 2), dtype=np.uint64),
        marked=np.zeros(N_MARKS),
        counts=np.array([0, 0, 1], dtype=np.int64),
        trial=np.empty(n_ranks, dtype=np.int64),
        trial_fill=np.empty((n_ranks, n_words), dtype=np.uint64),
        set_bounds=np.empty(longest),
    )


@borrowing
def open_bound(branches):
    """Upper bound on all choices still open; infinite before the first one is bounded."""
    depth, most = branches.counts[DEPTH], -np.inf
    if branches.counts[IS_NEW]:
        if depth == 0:
            return np.inf
        # An unbounded choice has the bound at which it was listed.
        depth -= 1
        most = branches.bounds[depth, branches.nexts[depth] - 1]
    # Depth first: the only other open choices are the untried options beside the path.
    for rank in range(depth + 1):
        for k in range(branches.nexts[rank], branches.ends[rank]):
            most = max(most, branches.bounds[rank, k])
    return most


@borrowing
def hash_rows(fill, depth):
    """Hash of the rows from `depth` on, two words."""
    # Two chains of multiplications and shifts; the factors are from the last step of MurmurHash3 (Appleby 2011).
    first, second = np.uint64(depth) + np.uint64(1), np.uint64(depth) + SALT
    for rank in range(depth, fill.shape[0]):
        for w in range(fill.shape[1]):
            first = (first ^ fill[rank, w]) * np.uint64(0xFF51AFD7ED558CCD)
            first ^= first >> np.uint64(32)
            second = (second ^ fill[rank, w]) * np.uint64(0xC4CEB9FE1A85EC53)
            second ^= second >> np.uint64(29)
    return first, second


@borrowing
def is_met(branches, depth):
    """Whether the present filled graph was visited before at no smaller value (dominance); it is marked from now on.

    The gain of completions depends only on the rows still to be decided. Their 128-bit hash represents them: among a
    million choices, two graphs share a hash with probability 1e-27.
    """
    first, second = hash_rows(branches.fill, depth)
    place = np.int64(first & np.uint64(N_MARKS - 1))
    value = branches.values[depth]
    is_marked = branches.marks[place, 0] == first and branches.marks[place, 1] == second
    # Completions gain the same from here on, so the earlier visit ends at least as high.
    if is_marked and branches.marked[place] >= value:
        return True
    branches.marks[place, 0], branches.marks[place, 1] = first, second
    branches.marked[place] = value
    return False


@borrowing
def complete(ranked, branches, depth, width, picks, floor, best):
    """Complete the present choice greedily: each rank takes the set that it picked, or its best set that fits.

    Choices above `floor` go to `best`; returns the new floor.
    """
    fill, trial, value = branches.trial_fill, branches.trial, branches.values[depth]
    for rank in range(depth, len(fill)):
        copy_into(fill[rank], branches.fill[rank])
    copy_into(trial, branches.taken[:depth])
    for rank in range(depth, len(fill)):
        s, picked = ranked.offsets[rank], ranked.masks[picks.chosen[rank]]
        if fits(fill, rank, picked, picks.extra, width):
            # A better set may lie within the row that the picked set leads to.
            while not is_covered(ranked.masks[s], fill[rank], picked):
                s += 1
        else:
            while not fits(fill, rank, ranked.masks[s], picks.extra, width):
                s += 1
        add_members(fill, rank, ranked.masks[s], picks.extra)
        value += ranked.relative_scores[s]
        trial[rank] = s
    if value > floor:
        floor = value
        copy_into(best, trial)
    return floor


@borrowing
def list_options(ranked, branches, depth, others, floor):
    """List the sets that rank `depth` may take, by descending bound; `others` bounds all other ranks together."""
    row, options, bounds = branches.fill[depth], branches.options[depth], branches.bounds[depth]
    first, count = ranked.offsets[depth], 0
    for s in range(first, ranked.offsets[depth + 1]):
        bound = others + branches.set_bounds[s - first]
        if bound <= floor:
            continue
        # A better set that leads to no larger row dominates this set.
        is_dominated = False
        for better in range(first, s):
            if is_covered(ranked.masks[better], row, ranked.masks[s]):
                is_dominated = True
                break
        if is_dominated:
            continue
        place = count
        while place > 0 and bounds[place - 1] < bound:
            options[place], bounds[place] = options[place - 1], bounds[place - 1]
            place -= 1
        options[place], bounds[place] = s, bound
        count += 1
    branches.ends[depth], branches.nexts[depth] = count, 0


@borrowing
def bound_choice(ranked, branches, depth, width, picks, best, floor, rounding):
    """Bound the present choice, complete it, and list the options of the next rank; returns the new floor."""
    n_ranks, n_priced = picks.rewards.shape
    n_steps = 0
    if n_priced > 0:
        n_steps = STEPS if depth else max(STEPS, min(ROOT_STEPS, ROOT_WORK // n_ranks))
    set_bounds = branches.set_bounds[: ranked.offsets[depth + 1] - ranked.offsets[depth]]
    bound = lowest_bound(
        ranked, branches.fill, depth, width, picks, branches.values[depth], floor + rounding, n_steps, set_bounds
    )
    branches.ends[depth] = branches.nexts[depth] = 0
    if bound > floor + rounding:
        floor = complete(ranked, branches, depth, width, picks, floor, best)
        # Without the pick of this rank, the bound is the bound of all other ranks: each set of the rank adds its own.
        list_options(ranked, branches, depth, bound - picks.values[depth], floor + rounding)
    return floor


@borrowing
def search_branches(ranked, branches, width, picks, best, floor, rounding, n_choices):
    """Bound up to `n_choices` further choices.

    Returns whether the search is over, and the new floor.

    Parameters
    ----------
    width : int
        The treewidth bound.
    best : ndarray of int64, shape (n_ranks,)
        Overwritten with the sets of the best choices above `floor`.
    floor : float
        Relative score of the incumbent, in nats; finite, since the length of price steps depends on it.
    rounding : float
        Only completions that are better by more than this are searched for.
    """
    counts, n_ranks = branches.counts, len(best)
    last = counts[CHOICES] + n_choices
    while counts[DEPTH] >= 0:
        depth = counts[DEPTH]
        if counts[IS_NEW]:
            if counts[CHOICES] == last:
                return False, floor
            counts[IS_NEW] = 0
            # Rows are computed anew, since a set cannot be removed from them.
            fill_graph(ranked, branches.taken[:depth], branches.fill, picks.extra)
            if depth == n_ranks and branches.values[depth] > floor:
                floor = branches.values[depth]
                copy_into(best, branches.taken)
            # A complete choice, or a dominated one: return to the rank before.
            if depth == n_ranks or is_met(branches, depth):
                counts[DEPTH] -= 1
                continue
            counts[CHOICES] += 1
            floor = bound_choice(ranked, branches, depth, width, picks, best, floor, rounding)
        elif branches.nexts[depth] == branches.ends[depth]:
            counts[DEPTH] -= 1
        else:
            k = branches.nexts[depth]
            branches.nexts[depth] += 1
            # The floor may have risen since the option was listed.
            if branches.bounds[depth, k] <= floor + rounding:
                continue
            s = branches.options[depth, k]
            branches.values[depth + 1] = branches.values[depth] + ranked.relative_scores[s]
            branches.taken[depth] = s
            counts[DEPTH] += 1
            counts[IS_NEW] = 1
    return True, floor
