"""Find sums of cuts that, halved and rounded, a fractional choice of sets violates: tabu search over the cuts.

What a cut counts and demands are whole numbers. So half of a sum of cuts may be rounded: what is demanded up, and
what is counted up for some variables and down for others (see `stages.optimize.bounds.zero_half_cuts`). With s the
slack of the summed cuts and a_v the share of those sets of variable v that are counted an odd number of times, it is
violated by half of 1 - s - sum over v of min(a_v, 1 - a_v), provided that what is demanded is odd; where it is not,
one variable is rounded the other way (Caprara & Fischetti 1996 on such cuts in general). The search looks for a sum
of cuts that leaves little slack and little odd share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import njit
from .cluster_cuts import SHARE_TOLERANCE

SUM_TENURE = 4
"""Steps for which a cut that entered or left stays, set by hand; up to three more at random."""


class SumRules(NamedTuple):
    """What a search for sums of cuts looks for, and how.

    Attributes
    ----------
    n_steps : int
        Changes per search.
    most_summed : int
        Cuts in a sum.
    least_violation : float
        Share that must be missing at least.
    """

    n_steps: int
    most_summed: int
    least_violation: float


class OddSets(NamedTuple):
    """The sets with a share that cuts count an odd number of times.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_cuts + 1,)
    sets : ndarray of int32
        Among the sets that have a share; those of a cut ascending.
    children : ndarray of int32
        The variables that they are of.
    slacks : ndarray of float64, shape (n_cuts,)
        What is counted beyond the demand; not negative.
    demands : ndarray of int64, shape (n_cuts,)
    cut_offsets : ndarray of int64, shape (n_support + 1,)
    cuts : ndarray of int32
        The same by sets.
    """

    offsets: np.ndarray
    sets: np.ndarray
    children: np.ndarray
    slacks: np.ndarray
    demands: np.ndarray
    cut_offsets: np.ndarray
    cuts: np.ndarray


class CutSum(NamedTuple):
    """A sum of cuts under change; all false, zero or empty at first.

    Attributes
    ----------
    inside : ndarray of bool, shape (n_cuts,)
    shares : ndarray of float64, shape (n_support,)
        Negative for sets counted an odd number of times.
    odd_shares : ndarray of float64, shape (n_variables,)
    until : ndarray of int64, shape (n_cuts,)
        Step up to which a cut stays.
    near : ndarray of int32, shape (n_cuts,)
    is_near : ndarray of bool, shape (n_cuts,)
        Cuts that count a set that is odd.
    """

    inside: np.ndarray
    shares: np.ndarray
    odd_shares: np.ndarray
    until: np.ndarray
    near: np.ndarray
    is_near: np.ndarray


def new_cut_sum(n_cuts: int, shares: np.ndarray, n_variables: int) -> CutSum:
    """The sum of no cut at all, for the sets with these shares."""
    return CutSum(
        inside=np.zeros(n_cuts, dtype=np.bool_),
        shares=shares.copy(),
        odd_shares=np.zeros(n_variables),
        until=np.zeros(n_cuts, dtype=np.int64),
        near=np.empty(n_cuts, dtype=np.int32),
        is_near=np.zeros(n_cuts, dtype=np.bool_),
    )


@njit
def flip_cut(odd, total, cut):
    """Take a cut into the sum or out of it; returns by how much demand and slack change."""
    for k in range(odd.offsets[cut], odd.offsets[cut + 1]):
        s = odd.sets[k]
        total.odd_shares[odd.children[k]] += total.shares[s]
        # The sign holds the parity, so one pass updates the sums of odd shares.
        total.shares[s] = -total.shares[s]
    total.inside[cut] = not total.inside[cut]
    sign = 1 if total.inside[cut] else -1
    return sign * odd.demands[cut], sign * odd.slacks[cut]


@njit
def rounding_cost(odd_shares, demand):
    """What rounding half of a sum costs: the lesser of odd and even share of every variable, and the change of
    one variable where the demand would not be rounded.
    """
    cost, lowered, least = 0.0, 0, 1.0
    for v in range(len(odd_shares)):
        share = odd_shares[v]
        # Where most of a variable's share is odd, rounding down costs less, namely the even share; each such
        # variable lowers what is demanded by one.
        if share > 0.5:
            share = 1.0 - share
            lowered += 1
        cost += share
        # What it costs more to round this variable the other way.
        least = min(least, 1.0 - 2.0 * share)
    return cost if (demand - lowered) % 2 != 0 else cost + least


@njit
def change_by(odd, total, cut):
    """What flipping a cut changes in slack and rounding cost, the demand left aside."""
    change = -odd.slacks[cut] if total.inside[cut] else odd.slacks[cut]
    k, end = odd.offsets[cut], odd.offsets[cut + 1]
    while k < end:
        v = odd.children[k]
        before = total.odd_shares[v]
        after = before
        # Sets of a cut ascend, so those of one variable stand together.
        while k < end and odd.children[k] == v:
            after += total.shares[odd.sets[k]]
            k += 1
        change += min(after, 1.0 - after) - min(before, 1.0 - before)
    return change


@njit
def best_cut(odd, total, step, size, most):
    """The cut to flip that leaves the least slack and rounding cost, -1 for none; and the work in sets."""
    # Only cuts that count a set that is odd are looked at; any other adds odd shares of its own.
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
    """One search from every seed; the sum of each that is violated most goes to the pool.

    Parameters
    ----------
    odd : OddSets
    total : CutSum
        Empty; is so again afterwards.
    seeds : ndarray of int32
        Cuts to begin with.
    rules : SumRules
    rng : numpy.random.Generator
    kept : ndarray of bool, shape (n_cuts,)
        Scratch.
    pool, pool_offsets : ndarray of int32, int64
        Receive the cuts of the sums, ascending; with room for a sum of every seed.

    Returns
    -------
    tuple of (int, int)
        Sums found and the work in sets looked at.
    """
    n_steps, most = rules.n_steps, rules.most_summed
    n_found = work = 0
    for index in range(len(seeds)):
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
