"""A Lagrangian bound on the total gain that the ranks of an order can still make: the best pick of each rank at the
present prices (`prices`), and subgradient steps that lower the sum of the picks' values.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.bits import has_bit, lowest_bit, popcount, set_bit
from stages.kernels.bounds.subgradient_ascent import BOUND, IDLE, SHARE, raise_bound
from stages.kernels.jit import borrowing, inlined, njit

from .filled_graphs import fits
from .prices import PRICES, holds, pair_index, price_at, step_prices, sum_rewards


@inlined
def enter_largest(spare, n_spare, room, gains, element):
    """Insert an element into the list of the `room` elements of largest gain, descending; returns its new length."""
    place = n_spare
    while place > 0 and gains[spare[place - 1]] < gains[element]:
        if place < room:
            spare[place] = spare[place - 1]
        place -= 1
    if place < room:
        spare[place] = element
        n_spare = min(n_spare + 1, room)
    return n_spare


@inlined
def gain_of(fill, rank, member, row, picks):
    """Gain of a rank by a further member of its row: the reward less the prices for its pairs with `row`."""
    n_ranks, n = picks.rewards.shape
    # Beyond `MOST_PRICED` variables.
    if n == 0:
        return 0.0
    numbers, indices, prices, block = picks.numbers, picks.indices, picks.prices, picks.blocks[rank]
    gain = picks.rewards[rank, member]
    for w in range(len(row)):
        others = row[w]
        while others != 0:
            other = np.int64(64 * w) + np.int64(lowest_bit(others))
            others &= others - np.uint64(1)
            later, earlier = min(member, other), max(member, other)
            # Members of the start clique, and pairs that are adjacent already, cost nothing.
            if later < n_ranks and not holds(fill, later, earlier):
                gain -= price_at(block + pair_index(n, later, earlier), numbers, indices, prices)
    return gain


@borrowing
def spare_members(fill, rank, row, room, picks):
    """List in ``picks.spare`` the `room` members that gain most when added to a row.

    Pairs of spare members have no price, so the gains of members do not depend on one another. Returns their number
    and sum.
    """
    rewards, gains, spare = picks.rewards, picks.gains, picks.spare
    n_spare, total = 0, 0.0
    for member in range(rank + 1, rewards.shape[1]):
        if rewards[rank, member] <= 0.0 or has_bit(row, member):
            continue
        gains[member] = gain_of(fill, rank, member, row, picks)
        if gains[member] > 0.0:
            n_spare = enter_largest(spare, n_spare, room, gains, member)
    for k in range(n_spare):
        total += gains[spare[k]]
    return n_spare, total


@borrowing
def pick(ranked, fill, rank, width, picks, bounds):
    """Put the best set and row of a rank at the present prices into ``picks``.

    `bounds` is empty, or has an entry for each set of the rank. The entry becomes the value of the best pick with
    that set, minus infinity if the set does not fit.
    """
    n_words, row, first = fill.shape[1], picks.trial, ranked.offsets[rank]
    copy_into(row, fill[rank])
    free = width
    for w in range(n_words):
        free -= np.int64(popcount(row[w]))
    # A member costs at least as much in a larger row, so the members of a set and the spare ones together gain at
    # most this. Sets are best first: if no bounds are wanted, the search ends at the first set that cannot beat the
    # best pick.
    _, most = spare_members(fill, rank, row, free, picks)
    best = -np.inf
    for s in range(first, ranked.offsets[rank + 1]):
        if len(bounds) > 0:
            bounds[s - first] = -np.inf
        elif ranked.relative_scores[s] + most <= best:
            break
        if not fits(fill, rank, ranked.masks[s], picks.extra, width):
            continue
        copy_into(row, fill[rank])
        value, room = ranked.relative_scores[s], free
        for w in range(n_words):
            # Members already in the row earn this pick no reward.
            members = ranked.masks[s, w] & ~fill[rank, w]
            while members != 0:
                member = np.int64(64 * w) + np.int64(lowest_bit(members))
                members &= members - np.uint64(1)
                # Each pair is paid for when its second member joins the row.
                value += gain_of(fill, rank, member, row, picks)
                set_bit(row, member)
                room -= 1
        if len(bounds) == 0 and value + most <= best:
            continue
        n_spare, gain = spare_members(fill, rank, row, room, picks)
        value += gain
        if len(bounds) > 0:
            bounds[s - first] = value
        if value > best:
            best = value
            picks.chosen[rank] = s
            copy_into(picks.asked[rank], row)
            copy_into(picks.held[rank], row)
            for k in range(n_spare):
                set_bit(picks.held[rank], picks.spare[k])
    picks.values[rank] = best
    picks.is_stale[rank] = False


@njit
def minus_bound(problem):
    """Minus the sum of `value` and the values of all picks from `depth` on; stale ranks pick again.

    `problem` holds the first six arguments of `lowest_bound`.
    """
    ranked, fill, depth, width, picks, value = problem
    nothing = np.empty(0)
    for rank in range(depth, len(fill)):
        if picks.is_stale[rank]:
            pick(ranked, fill, rank, width, picks, nothing)
        value += picks.values[rank]
    return -value


@borrowing
def keep_prices(problem):
    """The present prices become the best ones."""
    _, _, _, _, picks, _ = problem
    copy_into(picks.best_prices, picks.prices[: picks.counts[PRICES]])


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
        Its prices are the starting point (warm start); it receives the prices of the bound.
    value : float
        Relative score of the sets decided, in nats.
    floor : float
        The ascent ends once the bound is at most this.
    bounds : ndarray of float64
        Becomes the value of the best pick with each set of rank `depth`, unless the bound is at most `floor`.
    """
    sum_rewards(picks, depth)
    picks.is_stale[depth:] = True
    problem = (ranked, fill, depth, width, picks, value)
    picks.pace[BOUND], picks.pace[SHARE], picks.pace[IDLE] = minus_bound(problem), 1.0, 0.0
    keep_prices(problem)
    raise_bound(problem, picks.pace, -floor, n_steps, step_prices, minus_bound, keep_prices)
    if -picks.pace[BOUND] <= floor:
        return -picks.pace[BOUND]
    # Return to the prices of the lowest bound; the bounds by set are computed at these.
    copy_into(picks.prices, picks.best_prices[: picks.counts[PRICES]])
    sum_rewards(picks, depth)
    picks.is_stale[depth:] = True
    pick(ranked, fill, depth, width, picks, bounds)
    return -minus_bound(problem)
