"""Swaps of neighbours in an order: the gain of each, and climbing by the best one.

A swap changes only the sets of its two variables and the gains of three swaps: its own and the two next to it.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.jit import borrowing
from stages.kernels.orders.set_lists import GAIN_TOLERANCE, best_with, contains, first_consistent


@borrowing
def swap_gain(lists, index, order, position, chosen, i):
    """Gain of swapping the variables at positions `i` and ``i + 1``.

    The former gains the latter as a possible parent and the latter loses the former; no other variable is affected.
    Returns the gain in nats, minus infinity if the latter then has no consistent set, and the sets of the two
    variables (now at i, now at i + 1) after the swap.
    """
    left, right = order[i], order[i + 1]
    left_set, right_set = chosen[left], chosen[right]
    gain = 0.0
    if contains(lists, right_set, left):
        # Better sets were inconsistent even with more predecessors: the search continues behind the present set.
        lower = first_consistent(lists, right_set + 1, lists.set_offsets[right + 1], position, i)
        if lower < 0:
            return -np.inf, left_set, right_set
        gain += lists.scores[lower] - lists.scores[right_set]
        right_set = lower
    # Limit i + 2 admits the latter, still at i + 1; no set of the former contains the former itself.
    better = best_with(lists, index, left, right, position, i + 2, left_set)
    if better >= 0:
        gain += lists.scores[better] - lists.scores[left_set]
        left_set = better
    return gain, left_set, right_set


@borrowing
def refresh_swaps(lists, index, order, position, chosen, gains, start, stop):
    """Recompute ``gains[start:stop]``, the gain of every adjacent swap in that range."""
    for i in range(max(start, 0), min(stop, len(gains))):
        gains[i], _, _ = swap_gain(lists, index, order, position, chosen, i)


@borrowing
def apply_swap(lists, index, order, position, chosen, gains, i):
    """Swap positions `i` and ``i + 1``, and update the two choices and the three gains that change."""
    left, right = order[i], order[i + 1]
    _, left_set, right_set = swap_gain(lists, index, order, position, chosen, i)
    chosen[left], chosen[right] = left_set, right_set
    order[i], order[i + 1] = right, left
    position[left], position[right] = i + 1, i
    # Every other swap has the same two variables, sets and predecessors as before.
    refresh_swaps(lists, index, order, position, chosen, gains, i - 1, i + 2)


@borrowing
def climb_swaps(lists, index, order, position, chosen, gains, max_steps):
    """Apply the best improving adjacent swap up to `max_steps` times; ties go to the first.

    `gains` must be up to date. Returns the number of swaps applied; fewer than `max_steps` means a local optimum.
    """
    for step in range(max_steps):
        best = np.int64(-1)
        best_gain = GAIN_TOLERANCE
        for i in range(len(gains)):
            if gains[i] > best_gain:
                best_gain = gains[i]
                best = i
        if best < 0:
            return step
        apply_swap(lists, index, order, position, chosen, gains, best)
    return max_steps
