"""Good choices of sets along one order by large neighbourhood search (Shaw 1998), for any number of variables.

A share of the ranks is freed and takes sets anew, in random order, while the others hold theirs; the outcome stays if
it is no worse. k-A* asks for it where an order is not decided soon: a proof is much shorter once the best choices are
known, and depth-first search meets them late.
"""

from __future__ import annotations

import numpy as np

from ..arrays import copy_into
from ..jit import njit
from .fills import is_covered, join, joins
from .orders import shuffle_order

LEAST_FREED, MOST_FREED = 0.05, 0.55
"""Between these lies the share of the ranks that a trial frees."""

PASSED_OVER = 0.15
"""Chance of a freed rank to pass over a set that fits."""

FRUITLESS = 500
"""Trials without anything better before all ranks are freed. Measured on the hardest order of wdbc at treewidth 5:
of runs of 8,000 trials four in five meet the best choices."""


@njit
def fit_anew(ranked, fill, sequence, width, rng, extra):
    """Let ranks take a good set each that fits, one after the other, and add these to the fills."""
    for rank in sequence:
        s, last = ranked.offsets[rank], ranked.offsets[rank + 1] - 1
        # The last set of each rank is part of its fill from the beginning.
        while s < last and (
            not joins(fill, rank, ranked.masks[s], extra, width) or rng.random() < PASSED_OVER
        ):
            s += 1
        join(fill, rank, ranked.masks[s], extra)


@njit
def search_neighbourhoods(ranked, least, value, width, rng, best, floor, n_trials):
    """Look for choices of sets along an order that are worth more than `floor`.

    Parameters
    ----------
    ranked : RankedSets
    least : ndarray of uint64, shape (n_ranks, ceil(n_variables / 64))
        Fills with the last set of each rank, which is part of its others.
    value : float
        Relative score of the start clique, in nats.
    width : int
        The treewidth bound.
    rng : numpy.random.Generator
    best : ndarray of int64, shape (n_ranks,)
        Set of each rank in the best choices above `floor`; overwritten when better ones are met.
    floor : float
    n_trials : int

    Returns
    -------
    float
        The new floor.
    """
    n_ranks = len(best)
    current, trial = np.empty(n_ranks, dtype=np.int64), np.empty(n_ranks, dtype=np.int64)
    sequence, fill = np.arange(n_ranks), np.empty_like(least)
    extra = np.empty(least.shape[1], dtype=np.uint64)
    current_worth, n_waited = -np.inf, FRUITLESS
    for _ in range(n_trials):
        copy_into(fill, least)
        if n_waited == FRUITLESS:
            current_worth, n_waited = -np.inf, 0
        else:
            freed = LEAST_FREED + (MOST_FREED - LEAST_FREED) * rng.random()
            for rank in range(n_ranks):
                if rng.random() >= freed:
                    join(fill, rank, ranked.masks[current[rank]], extra)
        shuffle_order(rng, sequence)
        fit_anew(ranked, fill, sequence, width, rng, extra)
        worth = value
        for rank in range(n_ranks):
            s = ranked.offsets[rank]
            while not is_covered(ranked.masks[s], fill[rank], least[rank]):
                s += 1
            trial[rank] = s
            worth += ranked.relative_scores[s]
        n_waited += 1
        if worth > current_worth:
            n_waited = 0
        if worth >= current_worth:
            current_worth = worth
            copy_into(current, trial)
        if worth > floor:
            floor = worth
            copy_into(best, trial)
    return floor
