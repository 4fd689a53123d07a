"""The relaxation behind upper bounds: every variable takes one set, cuts are priced instead of kept.

A cut says that among the sets it counts at least `demand` are taken. For cluster C and k = 1, 2, ... the sets of
members with fewer than k parents in C are such: the first k members of C in a topological order take one each
(Bartlett & Cussens 2017). With any multipliers that are not negative the best choice of sets, cut by cut rewarded,
bounds the loss of all networks from below; so a bound found in floating point, by whatever method, is checked by
evaluating it once. `improve_multipliers` is the volume algorithm (Barahona & Anbil 2000): a subgradient method
whose averaged choices approximate a fractional solution, in which `cluster_search` finds further cuts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .jit import njit

PATIENCE = 20
"""Steps without a better bound after which steps become shorter."""


class Cuts(NamedTuple):
    """Cuts over the sets of some `Columns`.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_cuts + 1,)
    sets : ndarray of int32
        Sets that a cut counts.
    demands : ndarray of float64, shape (n_cuts,)
        How many of them at least are taken.
    """

    offsets: np.ndarray
    sets: np.ndarray
    demands: np.ndarray


@njit
def counted_sets(columns, members, demand, inside, found):
    """Sets of `members` with fewer than `demand` parents among them, into `found`; returns their number.

    `inside` is scratch, all False, one for each variable; `found` has room for all sets of the members.
    """
    for k in range(len(members)):
        inside[members[k]] = True
    count = 0
    for k in range(len(members)):
        for s in range(columns.set_offsets[members[k]], columns.set_offsets[members[k] + 1]):
            hits = 0
            for j in range(columns.parent_offsets[s], columns.parent_offsets[s + 1]):
                if inside[columns.parents[j]]:
                    hits += 1
            if hits < demand:
                found[count] = s
                count += 1
    for k in range(len(members)):
        inside[members[k]] = False
    return count


@njit
def relax(columns, cuts, multipliers, reduced, chosen):
    """Least loss over all choices of one set per variable, with cuts priced; a bound on every network's loss.

    Parameters
    ----------
    columns : Columns
    cuts : Cuts
    multipliers : ndarray of float64, shape (n_cuts,)
        In nats, not negative.
    reduced : ndarray of float64, shape (n_sets,)
        Receives losses less the multipliers of the cuts that count the set.
    chosen : ndarray of int64, shape (n_variables,)
        Receives the sets of the least reduced cost.
    """
    reduced[:] = columns.losses
    total = 0.0
    for c in range(len(multipliers)):
        price = multipliers[c]
        if price > 0.0:
            total += price * cuts.demands[c]
            for k in range(cuts.offsets[c], cuts.offsets[c + 1]):
                reduced[cuts.sets[k]] -= price
    for v in range(len(chosen)):
        best = columns.set_offsets[v]
        for s in range(best + 1, columns.set_offsets[v + 1]):
            if reduced[s] < reduced[best]:
                best = s
        chosen[v] = best
        total += reduced[best]
    return total


@njit
def improve_multipliers(columns, cuts, multipliers, shares, trial, reduced, chosen, pace, target, n_steps):
    """Steps of the volume algorithm.

    Parameters
    ----------
    columns : Columns
    cuts : Cuts
    multipliers : ndarray of float64, shape (n_cuts,)
        The best ones so far, improved in place.
    shares : ndarray of float64, shape (n_sets,)
        Averaged choices, updated in place; sum to one for every variable.
    trial : ndarray of float64, shape (3, n_cuts)
        Scratch.
    reduced, chosen : ndarray
        Scratch as of `relax`.
    pace : ndarray of float64, shape (4,)
        Bound at `multipliers`; length of steps; most weight of a new choice in the average; steps without a
        better bound.
    target : float
        Loss of the best network known, in nats.
    n_steps : int
    """
    moved, slack, violation = trial[0], trial[1], trial[2]
    n_cuts, n = len(multipliers), len(chosen)
    for _ in range(n_steps):
        norm = 0.0
        for c in range(n_cuts):
            lack = cuts.demands[c]
            for k in range(cuts.offsets[c], cuts.offsets[c + 1]):
                lack -= shares[cuts.sets[k]]
            violation[c] = lack
            if multipliers[c] <= 0.0 and lack < 0.0:
                lack = 0.0
            slack[c] = lack
            norm += lack * lack
        if norm < 1e-14 or target <= pace[0]:
            return
        step = pace[1] * (target - pace[0]) / norm
        for c in range(n_cuts):
            moved[c] = max(0.0, multipliers[c] + step * slack[c])
        bound = relax(columns, cuts, moved, reduced, chosen)
        # The weight of the new choice that brings the average nearest to keeping all cuts.
        for v in range(n):
            reduced[chosen[v]] = np.inf
        along = square = rise = 0.0
        for c in range(n_cuts):
            lack = cuts.demands[c]
            for k in range(cuts.offsets[c], cuts.offsets[c + 1]):
                if reduced[cuts.sets[k]] == np.inf:
                    lack -= 1.0
            rise += slack[c] * lack
            change = violation[c] - lack
            along += violation[c] * change
            square += change * change
        weight = pace[2] if square <= 0.0 else min(max(along / square, 0.1 * pace[2]), pace[2])
        for s in range(len(shares)):
            shares[s] *= 1.0 - weight
        for v in range(n):
            shares[chosen[v]] += weight
        if bound > pace[0]:
            pace[0] = bound
            multipliers[:] = moved
            pace[3] = 0.0
            if rise > 0.0 and pace[1] < 2.0:
                pace[1] *= 1.1
        else:
            pace[3] += 1.0
            if pace[3] >= PATIENCE:
                pace[1] = max(0.66 * pace[1], 1e-5)
                pace[3] = 0.0
