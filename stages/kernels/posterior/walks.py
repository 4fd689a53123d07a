"""Markov chains of block moves: which variables are moved together, and which networks are kept."""

import numpy as np

from ..jit import borrowing, inlined
from .block_moves import LARGEST_BLOCK, move_block
from .covered_arcs import reverse_covered

ANYONE = 0.1
"""Probability that a member of a block is drawn from all variables, so that every pair has a positive probability."""

REVERSALS = 4
"""Covered arcs drawn after every move of a block."""


@inlined
def draw_partner(weighting, host, rng):
    """Draw a variable for the block of `host`: one of its partners, or with probability `ANYONE` any variable."""
    first, end = weighting.partner_offsets[host], weighting.partner_offsets[host + 1]
    drawn = rng.random()
    if end == first or rng.random() < ANYONE:
        return np.int32(drawn * (len(weighting.partner_offsets) - 1))
    # The first partner whose cumulative probability exceeds the number drawn.
    return weighting.partners[first + np.searchsorted(weighting.partner_shares[first : end - 1], drawn, side="right")]


@inlined
def draw_block(weighting, block, size, rng):
    """Fill ``block[:size]`` with a uniform variable and partners of the members drawn before."""
    block[0] = np.int32(rng.random() * (len(weighting.partner_offsets) - 1))
    n = 1
    while n < size:
        candidate = draw_partner(weighting, block[int(rng.random() * n)], rng)
        is_new = True
        for k in range(n):
            is_new &= block[k] != candidate
        if is_new:
            block[n] = candidate
            n += 1


@borrowing
def walk_on(lists, weighting, walk, n_moves, rng, samples, totals, done, most_work):
    """Make moves until about `most_work`; after every `n_moves` the network is a sample.

    Returns the total number of moves; ``n_samples * n_moves`` when all samples are drawn.

    Parameters
    ----------
    n_moves : int
        Moves of blocks between samples; each is followed by `REVERSALS` draws of arcs.
    samples : ndarray of int32, shape (n_samples, n_variables)
        Receives the set of each variable.
    totals : ndarray of float64, shape (n_samples,)
        Receives the scores of the networks, nats.
    done : int
        Moves made by earlier calls with the same arrays.
    most_work : int
        In the unit of `move_block`.
    """
    n = len(walk.flags)
    block = walk.block
    work = 0
    while done < n_moves * len(samples) and work < most_work:
        drawn, size = rng.random(), 1
        # The block is drawn independently of the network, so each move leaves the posterior invariant, as a step of a
        # Gibbs sampler does.
        while size < LARGEST_BLOCK and drawn >= weighting.size_shares[size - 1]:
            size += 1
        size = min(size, n)
        draw_block(weighting, block, size, rng)
        work += move_block(lists, weighting, walk, block, size, rng)
        for _ in range(REVERSALS):
            work += reverse_covered(lists, weighting, walk, rng)
        done += 1
        if done % n_moves == 0:
            t = done // n_moves - 1
            totals[t] = 0.0
            for v in range(n):
                samples[t, v] = walk.chosen[v]
                totals[t] += lists.scores[walk.chosen[v]]
    return done
