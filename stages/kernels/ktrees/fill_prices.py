"""A Lagrangian bound on what the ranks of an order can still take; for orders of up to 64 variables.

Whenever two members of a rank's fill are to be neighbours, the later one, u, must have the earlier one, x, in its
own fill. This is relaxed: each rank picks a set and a fill by itself, pays a price for each pair (u, x) that it asks
for, and u is rewarded with the sum of these prices when its pick holds x. For any prices >= 0 no feasible choice is
worth more than the sum of the best picks. Subgradient steps (Held, Wolfe, Crowder 1974) lower that sum. Pairs that
are neighbours already have no price, and neither have pairs of spare members, those that a rank adds for their
rewards alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..bits import lowest_bit, popcount
from ..jit import inlined, njit
from .fills import RankedSets, joins

MAX_RANKS = 64
"""Fills are single words here."""

STALLED, SHORTER, SHORTEST = 10, 0.6, 1e-3
"""Steps without a better bound before they become `SHORTER` by that factor, and the factor at which they end."""


class PricedPicks(NamedTuple):
    """Prices, and what each rank picks at these.

    Attributes
    ----------
    pair : ndarray of int64, shape (n_variables, n_variables)
        Place of the pair of two ranks in the block of each rank before them.
    blocks : ndarray of int64, shape (n_ranks,)
        Where the block of each rank begins.
    prices, best_prices : ndarray of float64
        By rank that pays and pair, in nats; and those of the lowest bound met.
    rewards : ndarray of float64, shape (n_ranks, n_variables)
        Sum of the prices that ranks still to come pay for a pair, by its later and its earlier member.
    values : ndarray of float64, shape (n_ranks,)
        Worth of each pick in nats.
    chosen : ndarray of int64, shape (n_ranks,)
        The set picked.
    asked, held : ndarray of uint64, shape (n_ranks,)
        The fill with that set, and the same with spare members.
    is_stale : ndarray of bool, shape (n_ranks,)
        Prices have changed since the rank's pick.
    extra : ndarray of uint64, shape (1,)
        Scratch.
    gains, spare : ndarray, shape (n_variables,)
        Scratch.
    """

    pair: np.ndarray
    blocks: np.ndarray
    prices: np.ndarray
    best_prices: np.ndarray
    rewards: np.ndarray
    values: np.ndarray
    chosen: np.ndarray
    asked: np.ndarray
    held: np.ndarray
    is_stale: np.ndarray
    extra: np.ndarray
    gains: np.ndarray
    spare: np.ndarray


def new_picks(ranked: RankedSets, n_variables: int) -> PricedPicks:
    """Prices of zero for an order."""
    n_ranks = len(ranked.offsets) - 1
    # Counted from the first variable of the order, the pairs of any rank before them have the same places.
    low, high = np.triu_indices(n_variables, 1)
    backward = n_variables - 1 - low
    pair = np.zeros((n_variables, n_variables), dtype=np.int64)
    pair[low, high] = pair[high, low] = backward * (backward - 1) // 2 + n_variables - 1 - high
    later = n_variables - 1 - np.arange(n_ranks + 1)
    blocks = np.concatenate(([0], np.cumsum(later * (later - 1) // 2)))
    return PricedPicks(
        pair=pair,
        blocks=blocks[:n_ranks],
        prices=np.zeros(blocks[n_ranks]),
        best_prices=np.zeros(blocks[n_ranks]),
        rewards=np.zeros((n_ranks, n_variables)),
        values=np.zeros(n_ranks),
        chosen=np.zeros(n_ranks, dtype=np.int64),
        asked=np.zeros(n_ranks, dtype=np.uint64),
        held=np.zeros(n_ranks, dtype=np.uint64),
        is_stale=np.ones(n_ranks, dtype=np.bool_),
        extra=np.zeros(1, dtype=np.uint64),
        gains=np.zeros(n_variables),
        spare=np.zeros(n_variables, dtype=np.int64),
    )


@inlined
def has(word, element):
    """Whether an element is in a set of one word."""
    return (word >> np.uint64(element)) & np.uint64(1) != 0


@inlined
def enter_largest(spare, n_spare, room, gains, element):
    """Put an element among the `room` ones of largest gain, in descending order; their new number."""
    place = n_spare
    while place > 0 and gains[spare[place - 1]] < gains[element]:
        if place < room:
            spare[place] = spare[place - 1]
        place -= 1
    if place < room:
        spare[place] = element
        n_spare = min(n_spare + 1, room)
    return n_spare


@njit
def sum_rewards(picks, depth):
    """Fill ``picks.rewards`` from the prices that ranks from `depth` on pay."""
    pair, blocks, prices, rewards = picks.pair, picks.blocks, picks.prices, picks.rewards
    n_ranks, n = rewards.shape
    rewards[depth:] = 0.0
    for rank in range(depth, n_ranks):
        for later in range(rank + 1, n_ranks):
            for earlier in range(later + 1, n):
                rewards[later, earlier] += prices[blocks[rank] + pair[later, earlier]]


@njit
def spare_members(fill, rank, asked, room, picks):
    """List in ``picks.spare`` up to `room` members that pay as additions to a fill; their number and sum."""
    n_ranks, n = picks.rewards.shape
    pair, prices, rewards, gains, spare = picks.pair, picks.prices, picks.rewards, picks.gains, picks.spare
    block = picks.blocks[rank]
    n_spare = 0
    for member in range(rank + 1, n):
        gain = rewards[rank, member]
        if gain <= 0.0 or has(asked, member):
            continue
        others = asked
        while others != 0 and gain > 0.0:
            other = np.int64(lowest_bit(others))
            others &= others - np.uint64(1)
            later, earlier = min(member, other), max(member, other)
            if later < n_ranks and not has(fill[later, 0], earlier):
                gain -= prices[block + pair[later, earlier]]
        if gain > 0.0:
            gains[member] = gain
            n_spare = enter_largest(spare, n_spare, room, gains, member)
    total = 0.0
    for k in range(n_spare):
        total += gains[spare[k]]
    return n_spare, total


@njit
def pick(ranked, fill, rank, width, picks, worths):
    """The best set and fill of a rank at the present prices, into ``picks``.

    `worths` has an entry for each set of the rank, which becomes the worth of the best pick with it (minus
    infinity where it does not fit), or none when these are not wanted.
    """
    n_ranks, n = picks.rewards.shape
    pair, prices, rewards = picks.pair, picks.prices, picks.rewards
    present, block, first = fill[rank, 0], picks.blocks[rank], ranked.offsets[rank]
    room = width - np.int64(popcount(present))
    # No rank is rewarded with more than its `room` largest rewards.
    n_spare, most = 0, 0.0
    for member in range(rank + 1, n):
        if rewards[rank, member] > 0.0 and not has(present, member):
            picks.gains[member] = rewards[rank, member]
            n_spare = enter_largest(picks.spare, n_spare, room, picks.gains, member)
    for k in range(n_spare):
        most += picks.gains[picks.spare[k]]
    best = -np.inf
    for s in range(first, ranked.offsets[rank + 1]):
        if len(worths) > 0:
            worths[s - first] = -np.inf
        elif ranked.relative_scores[s] + most <= best:
            break
        asked = ranked.masks[s, 0] | present
        room = width - np.int64(popcount(asked))
        if room < 0 or not joins(fill, rank, ranked.masks[s], picks.extra, width):
            continue
        value = ranked.relative_scores[s]
        members = asked
        while members != 0:
            later = np.int64(lowest_bit(members))
            members &= members - np.uint64(1)
            if not has(present, later):
                value += rewards[rank, later]
            if later < n_ranks:
                priced = members & ~fill[later, 0]
                while priced != 0:
                    value -= prices[block + pair[later, np.int64(lowest_bit(priced))]]
                    priced &= priced - np.uint64(1)
        n_spare, gain = spare_members(fill, rank, asked, room, picks)
        value += gain
        if len(worths) > 0:
            worths[s - first] = value
        if value > best:
            best = value
            held = asked
            for k in range(n_spare):
                held |= np.uint64(1) << np.uint64(picks.spare[k])
            picks.chosen[rank], picks.asked[rank], picks.held[rank] = s, asked, held
    picks.values[rank] = best
    picks.is_stale[rank] = False


@njit
def sum_of_picks(ranked, fill, depth, width, picks, value):
    """`value` with the worth of all picks from `depth` on, those of stale ranks made anew."""
    nothing = np.empty(0)
    for rank in range(depth, len(fill)):
        if picks.is_stale[rank]:
            pick(ranked, fill, rank, width, picks, nothing)
        value += picks.values[rank]
    return value


@inlined
def asks_for(held, asked, later, earlier):
    """Whether a pick pays for a pair: both are in its fill, not both spare."""
    return has(held, later) and has(held, earlier) and (has(asked, later) or has(asked, earlier))


@njit
def change_price(picks, rank, later, earlier, change):
    """Add to the price that a rank pays for a pair; no price falls below zero."""
    place = picks.blocks[rank] + picks.pair[later, earlier]
    price = max(0.0, picks.prices[place] + change)
    picks.rewards[later, earlier] += price - picks.prices[place]
    picks.prices[place] = price
    picks.is_stale[later] = picks.is_stale[rank] = True


@njit
def step_prices(fill, depth, picks, length):
    """Change the prices by a subgradient step; False when there is none.

    A pair that a rank asks for in vain becomes dearer, one that is held for nobody cheaper, all by as much: `length`
    over their number.
    """
    held, asked, prices = picks.held, picks.asked, picks.prices
    n_ranks, number = len(fill), 0
    for is_counted in (False, True):
        change = length / max(number, 1)
        for rank in range(depth, n_ranks):
            laters = held[rank]
            while laters != 0:
                later = np.int64(lowest_bit(laters))
                laters &= laters - np.uint64(1)
                if later >= n_ranks:
                    break
                # The remaining members are the earlier ones.
                pairs = laters & ~fill[later, 0] & ~held[later]
                if not has(asked[rank], later):
                    pairs &= asked[rank]
                while pairs != 0:
                    earlier = np.int64(lowest_bit(pairs))
                    pairs &= pairs - np.uint64(1)
                    number += 1
                    if is_counted:
                        change_price(picks, rank, later, earlier, change)
            useless = held[rank] & ~fill[rank, 0]
            while useless != 0:
                member = np.int64(lowest_bit(useless))
                useless &= useless - np.uint64(1)
                place = picks.pair[rank, member]
                for payer in range(depth, rank):
                    is_wanted = asks_for(held[payer], asked[payer], rank, member)
                    if not is_wanted and prices[picks.blocks[payer] + place] > 0.0:
                        number += 1
                        if is_counted:
                            change_price(picks, payer, rank, member, -change)
        if number == 0:
            return False
    return True


@njit
def lowest_bound(ranked, fill, depth, width, picks, value, floor, n_steps, worths):
    """Bound what completing a choice can be worth, by up to `n_steps` changes of the prices.

    Parameters
    ----------
    ranked : RankedSets
    fill : ndarray of uint64, shape (n_ranks, 1)
        Filled graph of the ranks decided.
    depth : int
        Number of ranks decided.
    width : int
        The treewidth bound.
    picks : PricedPicks
        Its prices are where the steps start; they become those of the bound.
    value : float
        Relative scores of the sets decided.
    floor : float
        Bounds at most this are good enough.
    n_steps : int
    worths : ndarray of float64
        Becomes the worth of the best pick with each set of rank `depth`, unless the bound is good enough.

    Returns
    -------
    float
    """
    sum_rewards(picks, depth)
    picks.is_stale[depth:] = True
    first = picks.blocks[depth]
    lowest, factor, n_waited = np.inf, 1.0, 0
    for step in range(n_steps + 1):
        bound = sum_of_picks(ranked, fill, depth, width, picks, value)
        if bound < lowest:
            lowest, n_waited = bound, 0
            copy_into(picks.best_prices[first:], picks.prices[first:])
        else:
            n_waited += 1
            if n_waited == STALLED:
                factor, n_waited = factor * SHORTER, 0
        if lowest <= floor:
            return lowest
        if (
            step == n_steps
            or factor < SHORTEST
            or not step_prices(fill, depth, picks, factor * (bound - floor))
        ):
            break
    copy_into(picks.prices[first:], picks.best_prices[first:])
    sum_rewards(picks, depth)
    picks.is_stale[depth:] = True
    pick(ranked, fill, depth, width, picks, worths)
    return sum_of_picks(ranked, fill, depth, width, picks, value)
