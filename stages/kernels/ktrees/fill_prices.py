"""Prices of a Lagrangian bound on what the ranks of an order can still take, which `fill_bound` works out.

Whenever two members of a rank's fill are to be neighbours, the later one, u, must have the earlier one, x, in its
own fill. This is relaxed: each rank picks a set and a fill by itself, pays a price for each pair (u, x) that it asks
for, and u is rewarded with the sum of these prices when its pick holds x. For any prices >= 0 no feasible choice is
worth more than the sum of the best picks. Subgradient steps (Held, Wolfe, Crowder 1974) lower that sum. Pairs that
are neighbours already have no price, and neither have pairs of spare members, those that a rank adds for their
rewards alone.

There is a slot for each triple of variables, but few prices are ever other than zero: those alone are kept.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import lowest_bit
from ..jit import inlined, njit


class PricedPicks(NamedTuple):
    """Prices, and what each rank picks at these; made once and used for one order after the other.

    Attributes
    ----------
    pair : ndarray of int64, shape (n_variables, n_variables)
        Place of the pair of two ranks in the block of each rank before them.
    blocks : ndarray of int64, shape (n_ranks,)
        Where the block of each rank begins.
    slots : ndarray of int32
        By rank that pays and pair: the number of its price, 0 for none.
    prices, best_prices : ndarray of float64
        In nats, by number; number 0 is 0. And those of the lowest bound met.
    listed : ndarray of int32, shape (n_prices, 3)
        By number: the rank that pays, the later and the earlier member of the pair.
    counts : ndarray of int64, shape (1,)
        The next number.
    rewards : ndarray of float64, shape (n_ranks, n_variables)
        Sum of the prices that ranks still to come pay for a pair, by its later and its earlier member.
    values : ndarray of float64, shape (n_ranks,)
        Worth of each pick in nats.
    chosen : ndarray of int64, shape (n_ranks,)
        The set picked.
    asked, held : ndarray of uint64, shape (n_ranks, ceil(n_variables / 64))
        The fill with that set, and the same with spare members.
    is_stale : ndarray of bool, shape (n_ranks,)
        Prices have changed since the rank's pick.
    extra, trial : ndarray of uint64, shape (ceil(n_variables / 64),)
        Scratch.
    gains, spare : ndarray, shape (n_variables,)
        Scratch.
    """

    pair: np.ndarray
    blocks: np.ndarray
    slots: np.ndarray
    prices: np.ndarray
    best_prices: np.ndarray
    listed: np.ndarray
    counts: np.ndarray
    rewards: np.ndarray
    values: np.ndarray
    chosen: np.ndarray
    asked: np.ndarray
    held: np.ndarray
    is_stale: np.ndarray
    extra: np.ndarray
    trial: np.ndarray
    gains: np.ndarray
    spare: np.ndarray


def new_picks(n_variables: int, width: int) -> PricedPicks:
    """Prices of zero."""
    n_ranks, n_words = n_variables - width - 1, -(-n_variables // 64)
    # Counted from the first variable of the order, the pairs of any rank before them have the same places.
    low, high = np.triu_indices(n_variables, 1)
    backward = n_variables - 1 - low
    pair = np.zeros((n_variables, n_variables), dtype=np.int64)
    pair[low, high] = pair[high, low] = backward * (backward - 1) // 2 + n_variables - 1 - high
    later = n_variables - 1 - np.arange(n_ranks + 1)
    blocks = np.concatenate(([0], np.cumsum(later * (later - 1) // 2)))
    n_slots = int(blocks[n_ranks])
    return PricedPicks(
        pair=pair,
        blocks=blocks[:n_ranks],
        slots=np.zeros(n_slots, dtype=np.int32),
        prices=np.zeros(n_slots + 1),
        best_prices=np.zeros(n_slots + 1),
        listed=np.zeros((n_slots + 1, 3), dtype=np.int32),
        counts=np.ones(1, dtype=np.int64),
        rewards=np.zeros((n_ranks, n_variables)),
        values=np.zeros(n_ranks),
        chosen=np.zeros(n_ranks, dtype=np.int64),
        asked=np.zeros((n_ranks, n_words), dtype=np.uint64),
        held=np.zeros((n_ranks, n_words), dtype=np.uint64),
        is_stale=np.ones(n_ranks, dtype=np.bool_),
        extra=np.zeros(n_words, dtype=np.uint64),
        trial=np.zeros(n_words, dtype=np.uint64),
        gains=np.zeros(n_variables),
        spare=np.zeros(n_variables, dtype=np.int64),
    )


@inlined
def holds(fills, rank, member):
    """Whether a fill has a member."""
    bit = np.uint64(member)
    return (fills[rank, bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1) != 0


@inlined
def price_slot(picks, rank, later, earlier):
    """Where the number of the price is that a rank pays for a pair."""
    return picks.blocks[rank] + picks.pair[later, earlier]


@njit
def clear_prices(picks):
    """Set all prices to zero, for another order."""
    for k in range(1, picks.counts[0]):
        picks.slots[price_slot(picks, picks.listed[k, 0], picks.listed[k, 1], picks.listed[k, 2])] = 0
    picks.counts[0] = 1


@njit
def sum_rewards(picks, depth):
    """Fill ``picks.rewards`` from the prices that ranks from `depth` on pay."""
    picks.rewards[depth:] = 0.0
    for k in range(1, picks.counts[0]):
        if picks.listed[k, 0] >= depth:
            picks.rewards[picks.listed[k, 1], picks.listed[k, 2]] += picks.prices[k]


@inlined
def asks_for(picks, rank, later, earlier):
    """Whether a pick pays for a pair: both are in its fill, not both spare."""
    held, asked = picks.held, picks.asked
    return (
        holds(held, rank, later)
        and holds(held, rank, earlier)
        and (holds(asked, rank, later) or holds(asked, rank, earlier))
    )


@njit
def change_price(picks, rank, later, earlier, change):
    """Add to the price that a rank pays for a pair; no price falls below zero."""
    slot = price_slot(picks, rank, later, earlier)
    k = np.int64(picks.slots[slot])
    if k == 0:
        k = picks.counts[0]
        picks.counts[0] += 1
        picks.slots[slot] = k
        picks.listed[k, 0], picks.listed[k, 1], picks.listed[k, 2] = rank, later, earlier
        # The lowest bound was met without it.
        picks.prices[k] = picks.best_prices[k] = 0.0
    price = max(0.0, picks.prices[k] + change)
    picks.rewards[later, earlier] += price - picks.prices[k]
    picks.prices[k] = price
    picks.is_stale[later] = picks.is_stale[rank] = True


@njit
def raise_prices(fill, depth, picks, change):
    """Make pairs dearer that ranks ask for in vain, by `change` each when it is positive; the number of these."""
    held, asked = picks.held, picks.asked
    n_ranks, n_words = fill.shape
    number = 0
    for rank in range(depth, n_ranks):
        for w in range(n_words):
            laters = held[rank, w]
            while laters != 0:
                later = np.int64(64 * w) + np.int64(lowest_bit(laters))
                laters &= laters - np.uint64(1)
                if later >= n_ranks:
                    break
                is_asked = holds(asked, rank, later)
                # The remaining members are the earlier ones.
                for v in range(w, n_words):
                    pairs = (laters if v == w else held[rank, v]) & ~fill[later, v] & ~held[later, v]
                    if not is_asked:
                        pairs &= asked[rank, v]
                    while pairs != 0:
                        earlier = np.int64(64 * v) + np.int64(lowest_bit(pairs))
                        pairs &= pairs - np.uint64(1)
                        number += 1
                        if change > 0.0:
                            change_price(picks, rank, later, earlier, change)
    return number


@njit
def lower_prices(fill, depth, picks, change):
    """Make pairs cheaper that are held for nobody, by `change` each when it is positive; the number of these."""
    n_ranks, n_words = fill.shape
    number = 0
    for rank in range(depth, n_ranks):
        for w in range(n_words):
            useless = picks.held[rank, w] & ~fill[rank, w]
            while useless != 0:
                member = np.int64(64 * w) + np.int64(lowest_bit(useless))
                useless &= useless - np.uint64(1)
                place = picks.pair[rank, member]
                for payer in range(depth, rank):
                    price = picks.prices[picks.slots[picks.blocks[payer] + place]]
                    if price > 0.0 and not asks_for(picks, payer, rank, member):
                        number += 1
                        if change > 0.0:
                            change_price(picks, payer, rank, member, -change)
    return number


@njit
def step_prices(fill, depth, picks, length):
    """Change the prices by a subgradient step; False when there is none.

    A pair that a rank asks for in vain becomes dearer, one that is held for nobody cheaper, all by as much: `length`
    over their number.
    """
    number = raise_prices(fill, depth, picks, 0.0) + lower_prices(fill, depth, picks, 0.0)
    if number == 0:
        return False
    # What is raised is asked for, and what is lowered is not: neither undoes the other.
    raise_prices(fill, depth, picks, length / number)
    lower_prices(fill, depth, picks, length / number)
    return True
