"""Prices of the Lagrangian relaxation of k-A*'s choice of sets along one order; `lagrangian_bound` evaluates the
bound.

Whenever two members of a rank's row of the filled graph become adjacent, the later one, u, must have the earlier one,
x, in its own row. This constraint is relaxed. Each rank picks a set and a row independently and pays a price for each
pair (u, x) that its row demands. Rank u is rewarded with the sum of these prices if its pick holds x. For any prices
>= 0 the sum of the best picks is an upper bound. Subgradient steps (Held, Wolfe, Crowder 1974) lower this bound.
Adjacent pairs have no price. Nor have pairs of spare members, which a rank adds only for their rewards.

There is a price for each triple of variables, but few ever differ from zero: only these are numbered, in the order in
which they appear. A table finds them by the rank of the triple in the combinatorial number system, modulo its size.
Up to 185 variables each triple can have a price. With more variables, triples may share a place: the first one gets
it, and the prices of the others stay zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.bits import lowest_bit
from stages.kernels.bounds.subgradient_ascent import new_pace
from stages.kernels.jit import borrowing, inlined

MOST_PRICES = 1 << 20
"""Limit on the number of non-zero prices: further ones stay zero, and the bound stays valid. Up to 40 MB."""

MOST_PRICED = 2000
"""Largest number of variables with prices; their rewards take 32 MB."""

PRICES, CHANGES = 0, 1
"""Entries of `PricedPicks.counts`: the next number of a price, and the number of changes in the present step."""


class PricedPicks(NamedTuple):
    """Prices along one order, and the pick of each rank at these prices."""

    blocks: np.ndarray  # int64, shape (n_ranks,): rank of the first triple of each paying rank
    numbers: np.ndarray  # int32, shape (power of two,): the table: numbers of the prices, 0 for none
    indices: np.ndarray  # int64, shape (n_prices,): rank of each number's triple among all triples; -1 for number 0
    # `heads`, `links` (int32, shape (n_ranks, n_variables) and (n_prices,)): the prices of each pair of a later and
    # an earlier member as a linked list of numbers, ended by 0.
    heads: np.ndarray
    links: np.ndarray
    # int32, shape (n_prices, 3), by number: the paying rank, then the later and the earlier member of the pair.
    triples: np.ndarray
    # `prices`, `best_prices` (float64, shape (n_prices,)): in nats, by number: the present ones and the ones of the
    # lowest bound so far; number 0 stands for all zero prices.
    prices: np.ndarray
    best_prices: np.ndarray
    # int32, shape (n_prices,): numbers of the prices that the present step raises; negative numbers of the prices
    # that it lowers.
    changes: np.ndarray
    counts: np.ndarray  # int64, shape (2,): see `PRICES` and `CHANGES`
    # float64, shape (n_ranks, n_variables): sum of the prices that undecided ranks pay for a pair, by its later and
    # its earlier member. No columns if there are more than `MOST_PRICED` variables.
    rewards: np.ndarray
    values: np.ndarray  # float64, shape (n_ranks,): value of each pick in nats
    chosen: np.ndarray  # int64, shape (n_ranks,): the set picked
    # `asked`, `held` (uint64, shape (n_ranks, ceil(n_variables / 64))): the row with the picked set; the same row
    # with spare members.
    asked: np.ndarray
    held: np.ndarray
    is_stale: np.ndarray  # bool, shape (n_ranks,): prices have changed since the rank's pick
    pace: np.ndarray  # float64, shape (3,): as in `stages.kernels.bounds.subgradient_ascent`, for minus the bound
    # Scratch: uint64, shape (ceil(n_variables / 64),).
    extra: np.ndarray
    trial: np.ndarray
    # Scratch: shape (n_variables,).
    gains: np.ndarray
    spare: np.ndarray


def new_picks(n_variables: int, width: int) -> PricedPicks:
    """Prices of zero."""
    n_ranks, n_words = n_variables - width - 1, -(-n_variables // 64)
    n_prices = 1 + min(MOST_PRICES, n_variables * (n_variables - 1) * (n_variables - 2) // 6)
    n_priced = n_variables if n_variables <= MOST_PRICED else 0
    later = n_variables - 1 - np.arange(n_ranks)
    return PricedPicks(
        blocks=later * (later - 1) * (later - 2) // 6,
        numbers=np.zeros(1 << n_prices.bit_length(), dtype=np.int32),
        indices=np.full(n_prices, -1, dtype=np.int64),
        heads=np.zeros((n_ranks, n_priced), dtype=np.int32),
        links=np.empty(n_prices, dtype=np.int32),
        triples=np.empty((n_prices, 3), dtype=np.int32),
        prices=np.zeros(n_prices),
        best_prices=np.zeros(n_prices),
        changes=np.empty(n_prices, dtype=np.int32),
        counts=np.array([1, 0], dtype=np.int64),
        rewards=np.zeros((n_ranks, n_priced)),
        values=np.empty(n_ranks),
        chosen=np.empty(n_ranks, dtype=np.int64),
        asked=np.empty((n_ranks, n_words), dtype=np.uint64),
        held=np.empty((n_ranks, n_words), dtype=np.uint64),
        is_stale=np.ones(n_ranks, dtype=np.bool_),
        pace=new_pace(),
        extra=np.empty(n_words, dtype=np.uint64),
        trial=np.empty(n_words, dtype=np.uint64),
        gains=np.empty(n_variables),
        spare=np.empty(n_variables, dtype=np.int64),
    )


@inlined
def holds(fill, rank, member):
    """Whether a row has a member."""
    bit = np.uint64(member)
    return (fill[rank, bit >> np.uint64(6)] >> (bit & np.uint64(63))) & np.uint64(1) != 0


@inlined
def pair_index(n_variables, later, earlier):
    """Rank of a pair of members among all pairs.

    Members count from the first variable of the order: pairs b > a have the rank C(b, 2) + a in the combinatorial
    number system, triples c > b > a the rank C(c, 3) + C(b, 2) + a.
    """
    b = n_variables - 1 - later
    return (b * (b - 1) >> 1) + n_variables - 1 - earlier


@inlined
def price_at(index, numbers, indices, prices):
    """The price of a triple, by its rank among all triples."""
    # Number 0 has the index -1, so a free place gives 0, and so does a place taken by another triple.
    k = numbers[index & (len(numbers) - 1)]
    return prices[k] if indices[k] == index else 0.0


@borrowing
def numbered(picks, rank, later, earlier):
    """Number of the price that a rank pays for a pair, a new number if necessary; 0 if the price cannot have one."""
    index = picks.blocks[rank] + pair_index(len(picks.gains), later, earlier)
    place = index & (len(picks.numbers) - 1)
    k = np.int64(picks.numbers[place])
    if k == 0 and picks.counts[PRICES] < len(picks.prices):
        k = picks.counts[PRICES]
        picks.counts[PRICES] += 1
        picks.numbers[place], picks.indices[k] = k, index
        picks.triples[k, 0], picks.triples[k, 1], picks.triples[k, 2] = rank, later, earlier
        picks.links[k] = picks.heads[later, earlier]
        picks.heads[later, earlier] = k
    # Another triple may have the place: then this one has no price, and the bound holds at any prices.
    return k if picks.indices[k] == index else np.int64(0)


@borrowing
def sum_rewards(picks, depth):
    """Fill ``picks.rewards`` from the prices paid by ranks from `depth` on."""
    picks.rewards[depth:] = 0.0
    for k in range(1, picks.counts[PRICES]):
        if picks.triples[k, 0] >= depth:
            picks.rewards[picks.triples[k, 1], picks.triples[k, 2]] += picks.prices[k]


@inlined
def asks_for(picks, rank, later, earlier):
    """Whether a pick pays for a pair: both are in its row, not both spare."""
    held, asked = picks.held, picks.asked
    return (
        holds(held, rank, later)
        and holds(held, rank, earlier)
        and (holds(asked, rank, later) or holds(asked, rank, earlier))
    )


@borrowing
def change_price(picks, k, change):
    """Add to the price of number `k`; no price falls below zero."""
    rank, later, earlier = picks.triples[k, 0], picks.triples[k, 1], picks.triples[k, 2]
    price = max(0.0, picks.prices[k] + change)
    picks.rewards[later, earlier] += price - picks.prices[k]
    picks.prices[k] = price
    picks.is_stale[later] = picks.is_stale[rank] = True


@borrowing
def note_change(picks, k):
    """List a price for the present step to change, unless it has no number."""
    if k != 0:
        picks.changes[picks.counts[CHANGES]] = k
        picks.counts[CHANGES] += 1


@borrowing
def list_violated(fill, depth, picks):
    """List the violated pairs: a rank asks for the pair, but the pick of the later member does not hold the earlier
    one.
    """
    held, asked = picks.held, picks.asked
    n_ranks, n_words = fill.shape
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
                        note_change(picks, numbered(picks, rank, later, earlier))


@borrowing
def list_slack(fill, depth, picks):
    """List the positive prices, with a minus sign, of pairs that a pick holds although the paying ranks do not ask
    for them.
    """
    n_ranks, n_words = fill.shape
    for later in range(depth, n_ranks):
        for w in range(n_words):
            members = picks.held[later, w] & ~fill[later, w]
            while members != 0:
                earlier = np.int64(64 * w) + np.int64(lowest_bit(members))
                members &= members - np.uint64(1)
                k = np.int64(picks.heads[later, earlier])
                while k != 0:
                    rank = picks.triples[k, 0]
                    if rank >= depth and picks.prices[k] > 0.0 and not asks_for(picks, rank, later, earlier):
                        note_change(picks, -k)
                    k = np.int64(picks.links[k])


@borrowing
def step_prices(problem, drop):
    """A subgradient step by which a linear bound would fall by `drop` nats; returns False if there is no price to
    change.

    The price of a violated pair rises; the price of a pair with slack falls. No pair is both, since ranks ask for
    violated pairs only. `problem` holds the first six arguments of `lagrangian_bound.lowest_bound`.
    """
    _, fill, depth, _, picks, _ = problem
    picks.counts[CHANGES] = 0
    list_violated(fill, depth, picks)
    list_slack(fill, depth, picks)
    number = picks.counts[CHANGES]
    # Each component of the subgradient is 1 or -1, so its squared norm is the number of components.
    length = drop / max(1, number)
    for i in range(number):
        k = np.int64(picks.changes[i])
        change_price(picks, abs(k), length if k > 0 else -length)
    return number > 0
