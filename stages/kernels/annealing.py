"""A random walk over orders: one variable at a time moves to a slot drawn by its score and a temperature."""

from __future__ import annotations

import numpy as np

from .insertion import GAIN_TOLERANCE, move_to_slot, slot_profile
from .jit import njit
from .topological import reorder

REACH = 30.0
"""Slots this many temperatures under the present one are left out: their weight is below 1e-13."""


@njit
def draw_slot(profile, n_steps, first_slot, last_slot, score, temperature, rng):
    """A slot between the first and the last, with probability proportional to exp(score / temperature).

    At temperature 0, one of the best slots; the present one is among them when nothing improves.

    Returns
    -------
    tuple of (int, float)
        The slot and its score relative to the present one.
    """
    low = first_slot
    k = 0
    weights = 0.0
    highest = -np.inf
    slot_low, slot_high, slot_score = -1, -1, 0.0
    while low <= last_slot:
        while k < n_steps and profile.slots[k] == low:
            score += profile.changes[k]
            k += 1
        high = min(profile.slots[k] if k < n_steps else last_slot + 1, last_slot + 1)
        if temperature > 0.0:
            weight = (high - low) * np.exp(min(score / temperature, 600.0))
        elif score > highest + GAIN_TOLERANCE:
            highest = score
            weights = 0.0
            weight = float(high - low)
        else:
            weight = float(high - low) if score > highest - GAIN_TOLERANCE else 0.0
        # One pass over the steps: a later one replaces the draw with its share of the weight so far.
        weights += weight
        if rng.random() * weights < weight:
            slot_low, slot_high, slot_score = low, high, score
        low = high
    return slot_low + int(rng.random() * (slot_high - slot_low)), slot_score


@njit
def walk_slice(lists, state, profile, rng, temperature, n_moves):
    """Move `n_moves` random variables, one after the other; every quarter of n moves redraw the order.

    Parameters
    ----------
    lists : SetLists
    state : OrderState
        Changed in place.
    profile : Profile
        Scratch.
    rng : numpy.random.Generator
    temperature : float
        In nats. At 0 the walk climbs, drifting among equals.
    n_moves : int

    Returns
    -------
    tuple of (float, int)
        Change of the score in nats, and sets tested.
    """
    n = len(state.order)
    period = n // 4 + 1
    total = 0.0
    work = 0
    for move in range(n_moves):
        if move % period == 0:
            gain, tested = reorder(lists, state, rng, (move // period) % 2 == 1)
            total += gain
            work += tested
        x = int(rng.random() * n)
        n_children, n_own, n_steps, last_slot, score, tested = slot_profile(
            lists, x, state, profile, REACH * temperature + GAIN_TOLERANCE
        )
        work += tested
        first_slot = profile.own_slots[n_own - 1]
        slot, change = draw_slot(profile, n_steps, first_slot, last_slot, score, temperature, rng)
        if slot != state.position[x]:
            move_to_slot(x, slot, state, profile, n_children, n_own)
            total += change
    return total, work
