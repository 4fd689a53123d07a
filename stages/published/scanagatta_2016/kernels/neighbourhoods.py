"""Large neighbourhood search (Shaw 1998) for good choices of sets along one order.

Each trial frees a share of the ranks; they choose again in random order while the others keep their sets. The result
is kept if it is no worse. It gives branch and bound a better incumbent for orders that are not decided soon. With it
the proof is much shorter; depth-first search finds the best choices late.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.jit import borrowing, njit
from stages.kernels.ktrees.orders import shuffle_order

from .filled_graphs import add_members, fill_graph, fits, is_covered

LEAST_FREED, MOST_FREED = 0.05, 0.55
"""Range of the share of the ranks that a trial frees."""

SKIPPED = 0.15
"""Probability that a freed rank skips a set that fits."""

FRUITLESS = 500
"""Trials without improvement after which all ranks are freed (a restart). Measured on the hardest order of wdbc at
treewidth 5: four in five runs of 8,000 trials find the optimum.
"""


@borrowing
def choose_again(ranked, fill, sequence, width, rng, extra):
    """Let each rank of `sequence`, one after the other, choose a good set that fits."""
    for rank in sequence:
        s, last = ranked.offsets[rank], ranked.offsets[rank + 1] - 1
        # The last set of each rank is part of its row from the beginning, so it always fits.
        while s < last and (not fits(fill, rank, ranked.masks[s], extra, width) or rng.random() < SKIPPED):
            s += 1
        add_members(fill, rank, ranked.masks[s], extra)


@njit
def search_neighbourhoods(ranked, value, width, rng, best, floor, n_trials):
    """Search for choices of sets along an order whose relative score exceeds `floor`.

    Returns the new floor: the relative score of `best`, or the former floor.

    Parameters
    ----------
    value : float
        Relative score of the start clique, in nats.
    best : ndarray of int64, shape (n_ranks,)
        Overwritten with the sets of the best choices if they exceed `floor`.
    """
    n_ranks = len(best)
    current, trial = np.empty(n_ranks, dtype=np.int64), np.empty(n_ranks, dtype=np.int64)
    sequence, extra = np.arange(n_ranks), np.empty(ranked.masks.shape[1], dtype=np.uint64)
    # The least that all choices lead to: the filled graph of the last sets.
    least = np.empty((n_ranks, len(extra)), dtype=np.uint64)
    fill_graph(ranked, best[:0], least, extra)
    fill = least.copy()
    current_value, n_waited = -np.inf, FRUITLESS
    for _ in range(n_trials):
        fill[:] = least
        if n_waited == FRUITLESS:
            current_value, n_waited = -np.inf, 0
        else:
            freed = LEAST_FREED + (MOST_FREED - LEAST_FREED) * rng.random()
            # Sets of the present choice fit together, so adding some of them to `least` overfills no row.
            for rank in range(n_ranks):
                if rng.random() >= freed:
                    add_members(fill, rank, ranked.masks[current[rank]], extra)
        shuffle_order(rng, sequence)
        choose_again(ranked, fill, sequence, width, rng, extra)
        total = value
        # The rows allow more than the chosen sets: each rank takes its best set within its row.
        for rank in range(n_ranks):
            s = ranked.offsets[rank]
            while not is_covered(ranked.masks[s], fill[rank], least[rank]):
                s += 1
            trial[rank] = s
            total += ranked.relative_scores[s]
        n_waited += 1
        if total > current_value:
            n_waited = 0
        if total >= current_value:
            current_value = total
            copy_into(current, trial)
        if total > floor:
            floor = total
            copy_into(best, trial)
    return floor
