"""A Lagrangian bound on what the ranks of an order can still gain: the best pick of each at the prices of `prices`,
and subgradient steps that lower the sum of these.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.bits import has_bit, lowest_bit, popcount, set_bit
from stages.kernels.jit import borrowing, inlined, njit

from .filled_graphs import fits
from .prices import PRICES, holds, pair_index, price_at, step_prices, sum_rewards

STALLED, SHORTER, SHORTEST = 10, 0.6, 1e-3
"""After `STALLED` steps without a lower bound the step length is multiplied by `SHORTER`; below `SHORTEST` of the
initial length the ascent ends.
"""


@inlined
def enter_largest(spare, n_spare, room, gains, element):
    """Insert an element into the list of the `room` ones of largest gain, descending; its new length."""
    place = n_spare
    while place > 0 and gains[spare[place - 1]] < gains[element]:
        if place < room:
            spare[place] = spare[place - 1]
        place -= 1
    if place < room:
        spare[place] = element
        n_spare = min(n_spare + 1, room)
    return n_spare


@borrowing
def spare_members(fill, rank, asked, room, picks):
    """List in ``picks.spare`` the `room` members that gain most when added to a row: rewards less prices.

    Pairs of spare members have no price, so the gains of members do not depend on one another. Returns their number
    and sum.
    """
    n_ranks, n = picks.rewards.shape
    rewards, gains, spare, block = picks.rewards, picks.gains, picks.spare, picks.blocks[rank]
    numbers, indices, prices = picks.numbers, picks.indices, picks.prices
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
                # Members of the start clique, and pairs adjacent already, cost nothing.
                if later < n_ranks and not holds(fill, later, earlier):
                    gain -= price_at(block + pair_index(n, later, earlier), numbers, indices, prices)
        if gain > 0.0:
            gains[member] = gain
            n_spare = enter_largest(spare, n_spare, room, gains, member)
    total = 0.0
    for k in range(n_spare):
        total += gains[spare[k]]
    return n_spare, total


@borrowing
def total_price(fill, rank, asked, picks):
    """What a rank pays for the pairs within a row."""
    n_ranks, n_words, n, block = len(fill), len(asked), len(picks.gains), picks.blocks[rank]
    numbers, indices, prices = picks.numbers, picks.indices, picks.prices
    total = 0.0
    for w in range(n_words):
        members = asked[w]
        while members != 0:
            later = np.int64(64 * w) + np.int64(lowest_bit(members))
            members &= members - np.uint64(1)
            # The start clique from here on: all of it is adjacent.
            if later >= n_ranks:
                return total
            # The remaining members are the earlier ones.
            for v in range(w, n_words):
                priced = (members if v == w else asked[v]) & ~fill[later, v]
                while priced != 0:
                    earlier = np.int64(64 * v) + np.int64(lowest_bit(priced))
                    priced &= priced - np.uint64(1)
                    total += price_at(block + pair_index(n, later, earlier), numbers, indices, prices)
    return total


@borrowing
def pick(ranked, fill, rank, width, picks, bounds):
    """Put the best set and row of a rank at the present prices into ``picks``.

    `bounds` is empty, or has an entry for each set of the rank: it becomes the value of the best pick with that set,
    minus infinity if the set does not fit.
    """
    n, n_words = picks.rewards.shape[1], fill.shape[1]
    rewards, asked, first = picks.rewards[rank], picks.trial, ranked.offsets[rank]
    room = width
    for w in range(n_words):
        room -= np.int64(popcount(fill[rank, w]))
    # Spare members gain at most the `room` largest rewards. Sets are best first, so with no bounds wanted the search
    # ends at the first set that cannot beat the best pick.
    n_spare, most = 0, 0.0
    for member in range(rank + 1, n):
        if rewards[member] > 0.0 and not holds(fill, rank, member):
            picks.gains[member] = rewards[member]
            n_spare = enter_largest(picks.spare, n_spare, room, picks.gains, member)
    for k in range(n_spare):
        most += picks.gains[picks.spare[k]]
    best = -np.inf
    for s in range(first, ranked.offsets[rank + 1]):
        if len(bounds) > 0:
            bounds[s - first] = -np.inf
        elif ranked.relative_scores[s] + most <= best:
            break
        room = width
        for w in range(n_words):
            asked[w] = ranked.masks[s, w] | fill[rank, w]
            room -= np.int64(popcount(asked[w]))
        if room < 0 or not fits(fill, rank, ranked.masks[s], picks.extra, width):
            continue
        value = ranked.relative_scores[s] - total_price(fill, rank, asked, picks)
        for w in range(n_words):
            # What the row has already is no merit of this pick, hence no reward.
            members = asked[w] & ~fill[rank, w]
            while members != 0:
                value += rewards[64 * w + np.int64(lowest_bit(members))]
                members &= members - np.uint64(1)
        n_spare, gain = spare_members(fill, rank, asked, room, picks)
        value += gain
        if len(bounds) > 0:
            bounds[s - first] = value
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
    """`value` plus the values of all picks from `depth` on; stale ranks pick again."""
    nothing = np.empty(0)
    for rank in range(depth, len(fill)):
        if picks.is_stale[rank]:
            pick(ranked, fill, rank, width, picks, nothing)
        value += picks.values[rank]
    return value


@borrowing
def lowest_bound(ranked, fill, depth, width, picks, value, floor, n_steps, bounds):
    """Upper bound on the relative score of all completions of a partial choice, by up to `n_steps` price changes.

    Parameters
    ----------
    fill : ndarray of uint64, shape (n_ranks, ceil(n_variables / 64))
        Filled graph of the ranks decided.
    depth : int
        Number of ranks decided.
    picks : PricedPicks
        Its prices are the starting point (warm start); they become those of the bound.
    value : float
        Relative score of the sets decided, in nats.
    floor : float
        The ascent ends once the bound is at most this.
    bounds : ndarray of float64
        Becomes the value of the best pick with each set of rank `depth`, unless the bound is at most `floor`.
    """
    sum_rewards(picks, depth)
    picks.is_stale[depth:] = True
    lowest, factor, n_waited = np.inf, 1.0, 0
    for step in range(n_steps + 1):
        bound = sum_of_picks(ranked, fill, depth, width, picks, value)
        if bound < lowest:
            lowest, n_waited = bound, 0
            # Any prices give a valid bound; the lowest is kept, as subgradient steps may raise it.
            copy_into(picks.best_prices, picks.prices[: picks.counts[PRICES]])
        else:
            n_waited += 1
            if n_waited == STALLED:
                factor, n_waited = factor * SHORTER, 0
        if lowest <= floor:
            return lowest
        # Polyak's (1969) step length: a share of what the bound is above the floor, over the squared norm of the
        # subgradient, by which `step_prices` divides.
        if step == n_steps or factor < SHORTEST or not step_prices(fill, depth, picks, factor * (bound - floor)):
            break
    # Back to the prices of the lowest bound, at which the bounds by set are taken.
    copy_into(picks.prices, picks.best_prices[: picks.counts[PRICES]])
    sum_rewards(picks, depth)
    picks.is_stale[depth:] = True
    pick(ranked, fill, depth, width, picks, bounds)
    return sum_of_picks(ranked, fill, depth, width, picks, value)
