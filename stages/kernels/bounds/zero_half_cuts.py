"""Separation of zero-half cuts by tabu search over sums of cuts.

Counts and demands are whole numbers, so half of a sum of cuts may be rounded: the demand up, and counts up for some
variables and down for others (see `stages.optimize.bounds.zero_half_cuts`). Let s be the slack of the summed cuts and
a_v the share of the sets of variable v that are counted an odd number of times. The rounded half is violated by half
of 1 - s - sum over v of min(a_v, 1 - a_v), provided that the demand is odd; if it is even, one variable is rounded
the other way (Caprara and Fischetti 1996 on such cuts in general). The search minimises slack plus odd share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import borrowing, njit
from .cluster_cuts import SHARE_TOLERANCE

SUM_TENURE = 4
"""Tabu tenure in steps of a cut that entered or left (set by hand); up to three more at random."""


class SumRules(NamedTuple):
    """Parameters of the search for sums of cuts.

    Attributes
    ----------
    n_steps : int
        Changes per search.
    most_summed : int
        Cuts in a sum.
    least_violation : float
        Least violation (missing share) of a half that is kept.
    """

    n_steps: int
    most_summed: int
    least_violation: float


class OddSets(NamedTuple):
    """For each cut the sets with a share that it counts an odd number of times.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_cuts + 1,)
        Cut c has ``sets[offsets[c]:offsets[c + 1]]``.
    sets : ndarray of int32
        Indices among the sets that have a share; ascending within each cut.
    children : ndarray of int32
        The children of these sets.
    slacks : ndarray of float64, shape (n_cuts,)
        Counted share beyond the demand; non-negative.
    demands : ndarray of int64, shape (n_cuts,)
        Least count of each cut in any network.
    cut_offsets : ndarray of int64, shape (n_support + 1,)
        Set s is in ``cuts[cut_offsets[s]:cut_offsets[s + 1]]``.
    cuts : ndarray of int32
        Cuts that count a set an odd number of times.
    """

    offsets: np.ndarray
    sets: np.ndarray
    children: np.ndarray
    slacks: np.ndarray
    demands: np.ndarray
    cut_offsets: np.ndarray
    cuts: np.ndarray


class CutSum(NamedTuple):
    """A sum of cuts; initially all false, zero or empty.

    Attributes
    ----------
    inside : ndarray of bool, shape (n_cuts,)
        Cuts in the sum.
    shares : ndarray of float64, shape (n_support,)
        Negative for sets that the sum counts an odd number of times.
    odd_shares : ndarray of float64, shape (n_variables,)
        Share of each variable's sets that the sum counts an odd number of times.
    until : ndarray of int64, shape (n_cuts,)
        Step until which a cut is tabu.
    near : ndarray of int32, shape (n_cuts,)
        Candidates to enter or leave: cuts that count a set that is odd.
    is_near : ndarray of bool, shape (n_cuts,)
        Which cuts are in `near`.
    """

    inside: np.ndarray
    shares: np.ndarray
    odd_shares: np.ndarray
    until: np.ndarray
    near: np.ndarray
    is_near: np.ndarray


def new_cut_sum(n_cuts: int, shares: np.ndarray, n_variables: int) -> CutSum:
    """The empty sum, for the sets with these shares."""
    return CutSum(
        inside=np.zeros(n_cuts, dtype=np.bool_),
        shares=shares.copy(),
        odd_shares=np.zeros(n_variables),
        until=np.zeros(n_cuts, dtype=np.int64),
        near=np.empty(n_cuts, dtype=np.int32),
        is_near=np.zeros(n_cuts, dtype=np.bool_),
    )


@borrowing
def flip_cut(odd, total, cut):
    """Add a cut to the sum or remove it; returns the changes of demand and slack."""
    for k in range(odd.offsets[cut], odd.offsets[cut + 1]):
        s = odd.sets[k]
        total.odd_shares[odd.children[k]] += total.shares[s]
        # The sign of a share holds the parity, so one pass updates the odd shares.
        total.shares[s] = -total.shares[s]
    total.inside[cut] = not total.inside[cut]
    sign = 1 if total.inside[cut] else -1
    return sign * odd.demands[cut], sign * odd.slacks[cut]


@borrowing
def rounding_cost(odd_shares, demand):
    """Cost of rounding half of a sum: the lesser of odd and even share of every variable, plus the cheapest change of
    one variable if the demand is even.
    """
    cost, lowered, least = 0.0, 0, 1.0
    for v in range(len(odd_shares)):
        share = odd_shares[v]
        # If more than half of a variable's share is odd, rounding down costs less (the even share) and lowers the
        # demand by one.
        if share > 0.5:
            share = 1.0 - share
            lowered += 1
        cost += share
        # The extra cost of rounding this variable the other way.
        least = min(least, 1.0 - 2.0 * share)
    return cost if (demand - lowered) % 2 != 0 else cost + least


@borrowing
def change_by(odd, total, cut):
    """Change of slack and rounding cost when a cut is flipped, ignoring the parity of the demand."""
    change = -odd.slacks[cut] if total.inside[cut] else odd.slacks[cut]
    k, end = odd.offsets[cut], odd.offsets[cut + 1]
    while k < end:
        v = odd.children[k]
        before = total.odd_shares[v]
        after = before
        # The sets of a cut ascend, so sets of one variable are adjacent.
        while k < end and odd.children[k] == v:
            after += total.shares[odd.sets[k]]
            k += 1
        change += min(after, 1.0 - after) - min(before, 1.0 - before)
    return change


@borrowing
def best_cut(odd, total, step, size, most):
    """The cut whose flip minimises slack and rounding cost (-1 for none), and the work in sets."""
    # Only cuts that share an odd set are candidates; any other would only add odd shares of its own.
    n_near = work = 0
    for s in range(len(total.shares)):
        if total.shares[s] < 0.0:
            for k in range(odd.cut_offsets[s], odd.cut_offsets[s + 1]):
                cut = odd.cuts[k]
                if not total.is_near[cut]:
                    total.is_near[cut] = True
                    total.near[n_near] = cut
                    n_near += 1
    best, least = np.int64(-1), np.inf
    for k in range(n_near):
        cut = np.int64(total.near[k])
        total.is_near[cut] = False
        if total.until[cut] > step or (size <= 1 if total.inside[cut] else size >= most):
            continue
        change = change_by(odd, total, cut)
        work += odd.offsets[cut + 1] - odd.offsets[cut]
        if change < least:
            best, least = cut, change
    return best, work


@njit
def search_sums(odd, total, seeds, rules, rng, kept, pool, pool_offsets):
    """One search from every seed; appends the most violated sum of each to the pool.

    Parameters
    ----------
    total : CutSum
        The empty sum; restored afterwards.
    seeds : ndarray of int32
        Cuts to begin with.
    kept : ndarray of bool, shape (n_cuts,)
        Scratch.
    pool, pool_offsets : ndarray of int32, int64
        Receive the cuts of each sum, ascending; with room for one sum per seed.

    Returns
    -------
    tuple of (int, int)
        Sums found and the work in sets looked at.
    """
    n_steps, most = rules.n_steps, rules.most_summed
    n_found = work = 0
    for index in range(len(seeds)):
        # Half of 1 - cost is missing, so a cost below `least` is a violation of more than `least_violation`.
        demand, slack, size, is_found, least = 0, 0.0, 0, False, 1.0 - 2.0 * rules.least_violation
        cut = np.int64(seeds[index])
        for step in range(n_steps):
            more, wider = flip_cut(odd, total, cut)
            demand += more
            slack += wider
            size += 1 if total.inside[cut] else -1
            total.until[cut] = step + 1 + SUM_TENURE + rng.integers(0, 4)
            cost = slack + rounding_cost(total.odd_shares, demand)
            if size > 1 and cost < least - SHARE_TOLERANCE:
                is_found, least = True, cost
                copy_into(kept, total.inside)
            cut, looked_at = best_cut(odd, total, step + 1, size, most)
            work += looked_at
            if cut < 0:
                break
        place = pool_offsets[n_found]
        for c in range(len(kept)):
            if is_found and kept[c]:
                pool[place] = c
                place += 1
        if is_found:
            n_found += 1
            pool_offsets[n_found] = place
        total.inside[:] = False
        for s in range(len(total.shares)):
            total.shares[s] = abs(total.shares[s])
        total.odd_shares[:] = 0.0
        total.until[:] = 0
    return n_found, work
