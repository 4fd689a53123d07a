"""Partial choices of sets within a k-tree: lists of states of which none is better than another in all respects.

For the dynamic programming of `ktree_dp`, which says what they mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit


class InsideStates(NamedTuple):
    """Partial choices. Those of one clique are a range, cheapest first; each continues one or two earlier ones.

    Attributes
    ----------
    costs : ndarray of float64, shape (capacity,)
        In nats.
    taken : ndarray of int64
        Mask of the clique's members that have got their set.
    above : ndarray of int64, shape (capacity, K + 1)
        Mask of the members that are ancestors of each member.
    first, second : ndarray of int64
        States continued; -1 for none.
    sets : ndarray of int64
        Set chosen with this state; -1 for none.
    counts : ndarray of int64, shape (2,)
        Number of states; number of times that states were dropped for want of room.
    """

    costs: np.ndarray
    taken: np.ndarray
    above: np.ndarray
    first: np.ndarray
    second: np.ndarray
    sets: np.ndarray
    counts: np.ndarray


@njit
def add_ancestors(above, member, ancestors):
    """Make all of `ancestors` (a mask, closed upwards) ancestors of `member`; False if that closes a cycle."""
    if (ancestors >> member) & 1:
        return False
    for j in range(len(above)):
        if j == member or (above[j] >> member) & 1:
            if (ancestors >> j) & 1:
                return False
            above[j] |= ancestors
    return True


@njit
def is_dominated(states, one, other, most):
    """Whether `other` of `states` is no better than `one` whatever comes; `most` is that of the members.

    Members that only `other` has given their set can do without one, at the price of their best.
    """
    if states.taken[one] & ~states.taken[other]:
        return False
    for j in range(states.above.shape[1]):
        if states.above[one, j] & ~states.above[other, j]:
            return False
    price = states.costs[one]
    for j in range(len(most)):
        if (states.taken[other] & ~states.taken[one]) >> j & 1:
            price += most[j]
    return price <= states.costs[other]


@njit
def copy_state(source, i, target, k):
    """Copy state `i` of `source` to place `k` of `target`."""
    target.costs[k] = source.costs[i]
    target.taken[k] = source.taken[i]
    target.above[k] = source.above[i]
    target.first[k] = source.first[i]
    target.second[k] = source.second[i]
    target.sets[k] = source.sets[i]


@njit
def thin_out(found, kept, most, limit):
    """Reduce the candidates `found` to at most `limit` undominated ones, cheapest first; `kept` is scratch."""
    n_found = found.counts[0]
    ranked = np.argsort(found.costs[:n_found], kind="mergesort")
    n_kept = 0
    for i in ranked:
        useful = True
        copy_state(found, i, kept, n_kept)
        for k in range(n_kept):
            if is_dominated(kept, k, n_kept, most):
                useful = False
                break
        if useful:
            if n_kept == limit:
                found.counts[1] += 1
                break
            n_kept += 1
    for k in range(n_kept):
        copy_state(kept, k, found, k)
    found.counts[0] = n_kept


@njit
def add_candidate(found, kept, most, limit, state):
    """Append a candidate to `found`: ``state`` is (cost, taken, above, first, second, set)."""
    if found.counts[0] == len(found.costs):
        thin_out(found, kept, most, limit)
    k = found.counts[0]
    found.costs[k] = state[0]
    found.taken[k] = state[1]
    found.above[k] = state[2]
    found.first[k] = state[3]
    found.second[k] = state[4]
    found.sets[k] = state[5]
    found.counts[0] += 1


@njit
def store(found, kept, most, limit, states):
    """Append the best candidates to `states` and forget the others; the range they take."""
    thin_out(found, kept, most, limit)
    start = states.counts[0]
    for k in range(found.counts[0]):
        copy_state(found, k, states, start + k)
    states.counts[0] += found.counts[0]
    found.counts[0] = 0
    return start, states.counts[0]
