"""Walks through networks by moves of blocks: which block comes next, and several networks on the rungs of a ladder.

A chain holds several networks (parallel tempering, Geyer 1991): that on the first rung moves by the posterior,
those on the others by powers of it that are less than 1, so that they leave modes easily. After every round of
moves networks on neighbouring rungs change places by Metropolis' rule.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import njit
from .block_moves import LARGEST_BLOCK, Walk, WeightedLists, move_block

ANYONE = 0.1
"""Share of members of blocks that are drawn among all variables: so that every pair is drawn at times."""


@njit
def draw_partner(lists, host, rng):
    """A variable to join the block of another: one of its partners, at times anyone; possibly itself."""
    first, end = lists.partner_offsets[host], lists.partner_offsets[host + 1]
    drawn = rng.random()
    if end == first or rng.random() < ANYONE:
        return np.int32(drawn * (len(lists.partner_offsets) - 1))
    low, high = first, end - 1
    while low < high:
        middle = (low + high) // 2
        if lists.partner_shares[middle] > drawn:
            high = middle
        else:
            low = middle + 1
    return lists.partners[low]


@njit
def draw_block(lists, block, size, rng):
    """Fill ``block[:size]``: any variable, then partners of those before."""
    block[0] = np.int32(rng.random() * (len(lists.partner_offsets) - 1))
    n = 1
    while n < size:
        candidate = draw_partner(lists, block[int(rng.random() * n)], rng)
        is_new = True
        for k in range(n):
            is_new &= block[k] != candidate
        if is_new:
            block[n] = candidate
            n += 1


@njit
def on_rung(lists, walk, rung):
    """The weights of a rung and the network that stands there, as moves take them."""
    row = walk.standing[rung]
    weighted = WeightedLists(
        set_offsets=lists.set_offsets,
        parent_offsets=lists.parent_offsets,
        parents=lists.parents,
        candidate_offsets=lists.candidate_offsets,
        candidates=lists.candidates,
        bitmap_offsets=lists.bitmap_offsets,
        bitmaps=lists.bitmaps,
        rungs=lists.rungs,
        weights=lists.weights[rung],
        powers=lists.powers[rung],
        rest_powers=lists.rest_powers[rung],
        scores=lists.scores,
        partner_offsets=lists.partner_offsets,
        partners=lists.partners,
        partner_shares=lists.partner_shares,
        size_shares=lists.size_shares,
        choice_offsets=lists.choice_offsets,
        choices=lists.choices,
    )
    network = Walk(
        standing=walk.standing,
        chosen=walk.chosen[row],
        child_offsets=walk.child_offsets,
        children=walk.children[row],
        n_children=walk.n_children[row],
        flags=walk.flags,
        stack=walk.stack,
        meeting=walk.meeting,
        met=walk.met,
        words=walk.words,
        sums=walk.sums,
        powers=walk.powers,
        reached=walk.reached,
    )
    return weighted, network


@njit
def change_places(lists, walk, rng):
    """Let networks on neighbouring rungs change places, from the first rung on."""
    totals = np.zeros(len(walk.standing))
    for rung in range(len(totals)):
        for s in walk.chosen[walk.standing[rung]]:
            totals[rung] += lists.scores[s]
    for rung in range(len(totals) - 1):
        gain = (lists.rungs[rung] - lists.rungs[rung + 1]) * (totals[rung + 1] - totals[rung])
        if gain >= 0.0 or rng.random() < math.exp(gain):
            totals[rung + 1] = totals[rung]
            row = walk.standing[rung]
            walk.standing[rung] = walk.standing[rung + 1]
            walk.standing[rung + 1] = row


@njit
def walk_on(lists, walk, round_moves, n_rounds, rng, samples, totals, done, most_work):
    """Make rounds of moves, and keep the network on the first rung after so many of them, until about `most_work`.

    Parameters
    ----------
    lists : WeightedLists
    walk : Walk
    round_moves : int
        Moves on every rung before networks change places.
    n_rounds : int
        From one network that is kept to the next.
    rng : numpy.random.Generator
    samples : ndarray of int32, shape (n_samples, n_variables)
        Receives the sets chosen.
    totals : ndarray of float64, shape (n_samples,)
        Receives the scores of the networks, nats.
    done : int
        Moves made by earlier calls with the same arrays.
    most_work : int
        As `move_block` counts it.

    Returns
    -------
    int
        Moves made by now; ``n_samples * n_rounds * n_rungs * round_moves`` when all networks are there.
    """
    n, n_rungs = len(walk.flags), len(walk.standing)
    sample_moves = n_rounds * n_rungs * round_moves
    block = np.empty(LARGEST_BLOCK, dtype=np.int32)
    work = 0
    while done < sample_moves * len(samples) and work < most_work:
        weighted, network = on_rung(lists, walk, done // round_moves % n_rungs)
        end = done - done % round_moves + round_moves
        while done < end and work < most_work:
            drawn, size = rng.random(), 1
            while size < LARGEST_BLOCK and drawn >= lists.size_shares[size - 1]:
                size += 1
            size = min(size, n)
            draw_block(lists, block, size, rng)
            work += move_block(weighted, network, block, size, rng)
            done += 1
        if done % (n_rungs * round_moves) == 0:
            change_places(lists, walk, rng)
            work += n_rungs * n
        if done % sample_moves == 0:
            t = done // sample_moves - 1
            totals[t] = 0.0
            for v in range(n):
                s = walk.chosen[walk.standing[0], v]
                samples[t, v] = s
                totals[t] += lists.scores[s]
    return done
