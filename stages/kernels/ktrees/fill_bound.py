"""A Lagrangian bound on what the ranks of an order can still take: the best pick of each at the prices of
`fill_prices`, and steps that lower the sum of these.
"""

from __future__ import annotations

import numpy as np

from ..arrays import copy_into
from ..bits import has_bit, lowest_bit, popcount, set_bit
from ..jit import inlined, njit
from .fill_prices import holds, step_prices, sum_rewards
from .fills import joins

STALLED, SHORTER, SHORTEST = 10, 0.6, 1e-3
"""Steps without a better bound before they become `SHORTER` by that factor, and the factor at which they end."""


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
def spare_members(fill, rank, asked, room, picks):
    """List in ``picks.spare`` up to `room` members that pay as additions to a fill; their number and sum."""
    n_ranks, n = picks.rewards.shape
    pair, slots, rewards, gains, spare = picks.pair, picks.slots, picks.rewards, picks.gains, picks.spare
    block = picks.blocks[rank]
    n_spare = 0
    for member in range(rank + 1, n):
        gain = rewards[rank, member]
        if gain <= 0.0 or has_bit(asked, member):
            continue
        for w in range(len(asked)):
            others = asked[w]
            while others != 0 and gain > 0.0:
                other = np.int64(64 * w) + np.int64(lowest_bit(others))
                others &= others - np.uint64(1)
                later, earlier = min(member, other), max(member, other)
                if later < n_ranks and not holds(fill, later, earlier):
                    gain -= picks.prices[slots[block + pair[later, earlier]]]
        if gain > 0.0:
            gains[member] = gain
            n_spare = enter_largest(spare, n_spare, room, gains, member)
    total = 0.0
    for k in range(n_spare):
        total += gains[spare[k]]
    return n_spare, total


@njit
def price_of(fill, rank, asked, picks):
    """What a rank pays for the pairs within a fill."""
    n_ranks, n_words, block = len(fill), len(asked), picks.blocks[rank]
    total = 0.0
    for w in range(n_words):
        members = asked[w]
        while members != 0:
            later = np.int64(64 * w) + np.int64(lowest_bit(members))
            members &= members - np.uint64(1)
            if later >= n_ranks:
                return total
            # The remaining members are the earlier ones.
            for v in range(w, n_words):
                priced = (members if v == w else asked[v]) & ~fill[later, v]
                while priced != 0:
                    earlier = np.int64(64 * v) + np.int64(lowest_bit(priced))
                    priced &= priced - np.uint64(1)
                    total += picks.prices[picks.slots[block + picks.pair[later, earlier]]]
    return total


@njit
def pick(ranked, fill, rank, width, picks, worths):
    """The best set and fill of a rank at the present prices, into ``picks``.

    `worths` has an entry for each set of the rank, which becomes the worth of the best pick with it (minus
    infinity where it does not fit), or none when these are not wanted.
    """
    n, n_words = picks.rewards.shape[1], fill.shape[1]
    rewards, asked, first = picks.rewards[rank], picks.trial, ranked.offsets[rank]
    room = width
    for w in range(n_words):
        room -= np.int64(popcount(fill[rank, w]))
    # No rank is rewarded with more than its `room` largest rewards.
    n_spare, most = 0, 0.0
    for member in range(rank + 1, n):
        if rewards[member] > 0.0 and not holds(fill, rank, member):
            picks.gains[member] = rewards[member]
            n_spare = enter_largest(picks.spare, n_spare, room, picks.gains, member)
    for k in range(n_spare):
        most += picks.gains[picks.spare[k]]
    best = -np.inf
    for s in range(first, ranked.offsets[rank + 1]):
        if len(worths) > 0:
            worths[s - first] = -np.inf
        elif ranked.relative_scores[s] + most <= best:
            break
        room = width
        for w in range(n_words):
            asked[w] = ranked.masks[s, w] | fill[rank, w]
            room -= np.int64(popcount(asked[w]))
        if room < 0 or not joins(fill, rank, ranked.masks[s], picks.extra, width):
            continue
        value = ranked.relative_scores[s] - price_of(fill, rank, asked, picks)
        for w in range(n_words):
            members = asked[w] & ~fill[rank, w]
            while members != 0:
                value += rewards[64 * w + np.int64(lowest_bit(members))]
                members &= members - np.uint64(1)
        n_spare, gain = spare_members(fill, rank, asked, room, picks)
        value += gain
        if len(worths) > 0:
            worths[s - first] = value
        if value > best:
            best = value
            picks.chosen[rank] = s
            for w in range(n_words):
                picks.asked[rank, w] = picks.held[rank, w] = asked[w]
            for k in range(n_spare):
                set_bit(picks.held[rank], picks.spare[k])
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


@njit
def lowest_bound(ranked, fill, depth, width, picks, value, floor, n_steps, worths):
    """Bound what completing a choice can be worth, by up to `n_steps` changes of the prices.

    Parameters
    ----------
    ranked : RankedSets
    fill : ndarray of uint64, shape (n_ranks, ceil(n_variables / 64))
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
    lowest, factor, n_waited = np.inf, 1.0, 0
    for step in range(n_steps + 1):
        bound = sum_of_picks(ranked, fill, depth, width, picks, value)
        if bound < lowest:
            lowest, n_waited = bound, 0
            copy_into(picks.best_prices, picks.prices[: picks.counts[0]])
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
    copy_into(picks.prices, picks.best_prices[: picks.counts[0]])
    sum_rewards(picks, depth)
    picks.is_stale[depth:] = True
    pick(ranked, fill, depth, width, picks, worths)
    return sum_of_picks(ranked, fill, depth, width, picks, value)
