"""Lagrangian relaxation of the cuts: every variable takes one set, and cuts are priced instead of enforced.

A cut demands that the chosen sets, each counted by its weight, count at least `demand`. For a cluster C and
k = 1, 2, ... the sets of members with fewer than k parents in C form such a cut: the first k members of C in a
topological order take one each (Bartlett and Cussens 2017). Zero-half cuts are derived from these.

For any non-negative multipliers the cheapest choice of sets at reduced cost bounds the cost of all networks from
below, so a bound from any method in floating point is valid after one evaluation (`relax`). `improve_multipliers` is
the volume algorithm (Barahona and Anbil 2000): a subgradient method whose averaged choices approximate a fractional
solution, from which separators find further cuts.

Under a treewidth bound further rows follow the cuts: some sets have no greater share together than an edge that each
of them needs (`stages.optimize.bounds.width.edge_prices`). Edges are chosen apart from the sets (`edges`). The
multiplier of such a row is at most zero: minus the price of its sets. Rows over edges and triangles alone
(`triangles`) stand between the cuts and those rows; like cuts they have a demand and a multiplier of at least zero.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..heap import is_lower, pop, push
from ..jit import borrowing, njit
from ..orders.set_lists import SetLists
from .edges import Edges, choose_edges, count_columns, n_priced
from .subgradient_ascent import BOUND, SHARE, raise_bound

WEIGHT = 3
"""Entry of the volume algorithm's pace, after the entries of `subgradient_ascent`: the largest weight of a new choice
in the average.
"""

MOVED, SLACK, VIOLATION, LACK = 0, 1, 2, 3
"""Rows of its scratch: trial multipliers, direction of the step, shortfall of every demand under the averaged
choices, and under the latest choice.
"""


class Cuts(NamedTuple):
    """Cuts over the sets of some `SetLists`.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_cuts + 1,)
        Cut c counts ``sets[offsets[c]:offsets[c + 1]]``.
    sets : ndarray of int32
        Sets that a cut counts.
    weights : ndarray of int8
        Multiplicity.
    demands : ndarray of float64, shape (n_cuts,)
        Least weighted number of counted sets in any network.
    """

    offsets: np.ndarray
    sets: np.ndarray
    weights: np.ndarray
    demands: np.ndarray


class SetCuts(NamedTuple):
    """The same cuts indexed by set.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_sets + 1,)
        Set s is counted by ``cuts[offsets[s]:offsets[s + 1]]``.
    cuts : ndarray of uint32
        A cut of weight w is listed w times, so no weights are stored.
    demands : ndarray of float64, shape (n_cuts,)
        As in `Cuts`.
    """

    offsets: np.ndarray
    cuts: np.ndarray
    demands: np.ndarray


def no_cuts() -> Cuts:
    """An empty collection of cuts."""
    return Cuts(
        offsets=np.zeros(1, dtype=np.int64),
        sets=np.empty(0, dtype=np.int32),
        weights=np.empty(0, dtype=np.int8),
        demands=np.empty(0),
    )


def cuts_by_set(cuts: Cuts, n_sets: int) -> SetCuts:
    """The index of cuts by set; cuts of a set ascending."""
    offsets = np.zeros(n_sets + 1, dtype=np.int64)
    counting = np.empty(int(np.sum(cuts.weights, dtype=np.int64)), dtype=np.uint32)
    list_by_set(cuts, offsets, counting)
    return SetCuts(offsets=offsets, cuts=counting, demands=cuts.demands)


@njit
def list_by_set(cuts, offsets, counting):
    """Fill offsets (zero at first) and cuts of a `SetCuts`."""
    for k in range(len(cuts.sets)):
        offsets[cuts.sets[k] + 1] += cuts.weights[k]
    for s in range(len(offsets) - 1):
        offsets[s + 1] += offsets[s]
    place = offsets[:-1].copy()
    for c in range(len(cuts.demands)):
        for k in range(cuts.offsets[c], cuts.offsets[c + 1]):
            at = place[cuts.sets[k]]
            for _ in range(cuts.weights[k]):
                counting[at] = c
                at += 1
            place[cuts.sets[k]] = at


@borrowing
def restrict_cuts(cuts, place, offsets, sets, weights):
    """The cuts over some of the sets, into offsets (shape (n_cuts + 1,)), sets and weights; returns the entries.

    `place` numbers the sets that stay, and is -1 for all others. Entries beyond the capacity of `sets` are counted
    but not written.
    """
    offsets[0] = n_kept = 0
    for c in range(len(cuts.demands)):
        for k in range(cuts.offsets[c], cuts.offsets[c + 1]):
            at = place[cuts.sets[k]]
            if at >= 0:
                if n_kept < len(sets):
                    sets[n_kept] = at
                    weights[n_kept] = cuts.weights[k]
                n_kept += 1
        offsets[c + 1] = n_kept
    return n_kept


@njit
def mark_least(set_offsets, reduced, most, marks):
    """Mark the `most` sets of least reduced cost of each variable, and sets that tie with the last of them."""
    least = np.empty(most, dtype=np.int64)  # heap of the least costs so far, the largest on top
    for v in range(len(set_offsets) - 1):
        first, last = set_offsets[v], set_offsets[v + 1]
        n_least = 0
        for s in range(first, last):
            if n_least == most and reduced[s] < reduced[least[0]]:
                pop(least, most, reduced, is_lower, reduced)
                n_least -= 1
            if n_least < most:
                push(least, n_least, s, reduced, is_lower, reduced)
                n_least += 1
        limit = reduced[least[0]] if n_least == most else np.inf
        for s in range(first, last):
            if reduced[s] <= limit:
                marks[s] = True


@borrowing
def counted_sets(lists, members, demand, inside, found):
    """Sets of `members` with fewer than `demand` parents among them, into `found`; returns their number.

    `inside` is scratch, all False, one for each variable; `found` has room for all sets of the members.
    """
    for k in range(len(members)):
        inside[members[k]] = True
    count = 0
    for k in range(len(members)):
        for s in range(lists.set_offsets[members[k]], lists.set_offsets[members[k] + 1]):
            hits = 0
            j = lists.parent_offsets[s]
            while hits < demand and j < lists.parent_offsets[s + 1]:
                if inside[lists.parents[j]]:
                    hits += 1
                j += 1
            if hits < demand:
                found[count] = s
                count += 1
    for k in range(len(members)):
        inside[members[k]] = False
    return count


@borrowing
def reduce_costs(costs, cuts, multipliers, reduced, terms):
    """The reduced cost of every set: its cost less the multipliers of the cuts that count it.

    Parameters
    ----------
    cuts : Cuts
        Cuts whose multipliers are subtracted.
    multipliers : ndarray of float64, shape (n_cuts,)
        In nats, non-negative.
    reduced : ndarray of float64, shape (n_sets,)
        Receives the reduced costs, nats.
    terms : ndarray of int64, shape (n_sets,)
        Receives how many multipliers were subtracted from each cost; it bounds the rounding error.
    """
    copy_into(reduced, costs)
    terms[:] = 0
    # By cut, since most multipliers that are read are positive and a third of all cuts have none.
    for c in range(len(multipliers)):
        if multipliers[c] > 0.0:
            for k in range(cuts.offsets[c], cuts.offsets[c + 1]):
                s = np.uint32(cuts.sets[k])
                reduced[s] -= multipliers[c] * cuts.weights[k]
                terms[s] += 1


@borrowing
def choose_least(set_offsets, reduced, chosen):
    """The set of least reduced cost of each variable, the first one on ties, into `chosen`; returns their sum."""
    total = 0.0
    for v in range(len(chosen)):
        best = set_offsets[v]
        for s in range(best, set_offsets[v + 1]):
            if reduced[s] < reduced[best]:
                best = s
        chosen[v] = best
        total += reduced[best]
    return total


@borrowing
def relax(lists, costs, cuts, multipliers, reduced, chosen):
    """Least reduced cost over all choices of one set per variable: a lower bound on every network's cost.

    Parameters
    ----------
    cuts : SetCuts
        As in `reduce_costs`, indexed by set.
    multipliers : ndarray of float64, shape (n_cuts,)
        In nats, non-negative.
    reduced : ndarray of float64, shape (n_sets,)
        Receives costs less the multipliers of the cuts that count the set.
    chosen : ndarray of int64, shape (n_variables,)
        Receives the set of least reduced cost of each variable; the first one on ties.
    """
    total = 0.0
    for c in range(len(multipliers)):
        # Every network meets the demands, so the multipliers' terms are at most zero for it and its cost is at least
        # this sum.
        total += multipliers[c] * cuts.demands[c]
    for s in range(len(reduced)):
        k, end = np.uint64(cuts.offsets[s]), np.uint64(cuts.offsets[s + 1])
        first = second = third = fourth = 0.0
        # Four partial sums: in a single one each addition would wait for the one before.
        while k + np.uint64(4) <= end:
            first += multipliers[cuts.cuts[k]]
            second += multipliers[cuts.cuts[k + np.uint64(1)]]
            third += multipliers[cuts.cuts[k + np.uint64(2)]]
            fourth += multipliers[cuts.cuts[k + np.uint64(3)]]
            k += np.uint64(4)
        while k < end:
            first += multipliers[cuts.cuts[k]]
            k += np.uint64(1)
        reduced[s] = costs[s] - ((first + second) + (third + fourth))
    return total + choose_least(lists.set_offsets, reduced, chosen)


@borrowing
def count_lacks(cuts, sets, shares, lacks):
    """Write the shortfall of each cut's demand when `sets` have these shares into `lacks`; negative for slack."""
    copy_into(lacks, cuts.demands)
    for i in range(len(sets)):
        for k in range(cuts.offsets[sets[i]], cuts.offsets[sets[i] + 1]):
            lacks[cuts.cuts[k]] -= shares[i]


class Volume(NamedTuple):
    """State of the volume algorithm."""

    lists: SetLists
    costs: np.ndarray
    cuts: SetCuts  # the cuts, then the rows of edges
    edges: Edges
    multipliers: np.ndarray  # float64, shape (n_cuts,): the best ones so far, nats
    shares: np.ndarray  # float64, shape (n_sets,): averaged choices, which sum to one for every variable
    pace: np.ndarray  # float64, shape (4,): pace of the ascent (its bound is a cost in nats), then `WEIGHT`
    trial: np.ndarray  # float64, shape (4, n_cuts): see `MOVED`, `SLACK`, `VIOLATION` and `LACK`
    # Scratch as in `relax`.
    reduced: np.ndarray
    chosen: np.ndarray


def new_volume(
    lists: SetLists,
    costs: np.ndarray,
    cuts: SetCuts,
    edges: Edges,
    multipliers: np.ndarray,
    shares: np.ndarray,
    pace: np.ndarray,
) -> Volume:
    """Return the state at these multipliers; their bound is written to the pace. Multipliers, all shares and pace
    change in place.
    """
    volume = Volume(
        lists=lists,
        costs=costs,
        cuts=cuts,
        edges=edges,
        multipliers=multipliers,
        shares=shares,
        pace=pace,
        trial=np.empty((4, len(multipliers))),
        reduced=np.empty(len(shares)),
        chosen=np.empty(len(lists.set_offsets) - 1, dtype=np.int64),
    )
    pace[BOUND] = relax(lists, costs, volume.cuts, multipliers, volume.reduced, volume.chosen)
    pace[BOUND] -= choose_edges(edges, multipliers[len(multipliers) - n_priced(edges) :])
    return volume


@borrowing
def move_multipliers(volume, rise):
    """Step along the violations of the averaged choices; False if there are none, up to rounding."""
    multipliers, moved, slack = volume.multipliers, volume.trial[MOVED], volume.trial[SLACK]
    n_cuts = len(multipliers) - len(volume.edges.needed)
    norm = 0.0
    for c in range(len(multipliers)):
        lack = volume.trial[VIOLATION, c]
        # Projected subgradient: a multiplier at zero cannot fall; the one of an edge's row cannot rise.
        if c < n_cuts:
            if multipliers[c] <= 0.0 and lack < 0.0:
                lack = 0.0
        elif multipliers[c] >= 0.0 and lack > 0.0:
            lack = 0.0
        slack[c] = lack
        norm += lack * lack
    if norm < 1e-14:
        return False
    step = rise / norm
    for c in range(len(multipliers)):
        change = multipliers[c] + step * slack[c]
        moved[c] = max(0.0, change) if c < n_cuts else min(0.0, change)
    return True


@njit
def average_choices(volume):
    """The bound at the trial multipliers; its choices enter the averages."""
    shares, chosen, violation, lacks = volume.shares, volume.chosen, volume.trial[VIOLATION], volume.trial[LACK]
    edges = volume.edges
    bound = relax(volume.lists, volume.costs, volume.cuts, volume.trial[MOVED], volume.reduced, chosen)
    bound -= choose_edges(edges, volume.trial[MOVED, len(lacks) - n_priced(edges) :])
    count_lacks(volume.cuts, chosen, np.ones(len(chosen)), lacks)
    count_columns(edges, edges.chosen, lacks)
    # The weight of the new choice that minimises the squared violation of the average, between a tenth of the
    # largest weight and all of it (Barahona and Anbil 2000).
    along = square = 0.0
    for c in range(len(lacks)):
        change = violation[c] - lacks[c]
        along += violation[c] * change
        square += change * change
    weight = volume.pace[WEIGHT]
    if square > 0.0:
        weight = min(max(along / square, 0.1 * weight), weight)
    shares *= 1.0 - weight
    for v in range(len(chosen)):
        shares[chosen[v]] += weight
    for e in range(len(edges.shares)):
        edges.shares[e] += weight * (edges.chosen[e] - edges.shares[e])
    # Averages are linear in the choices, so their violations are averages too.
    for c in range(len(lacks)):
        violation[c] += weight * (lacks[c] - violation[c])
    return bound


@borrowing
def keep_multipliers(volume):
    """The trial multipliers become the best ones."""
    copy_into(volume.multipliers, volume.trial[MOVED])
    rise = 0.0
    for c in range(len(volume.multipliers)):
        rise += volume.trial[SLACK, c] * volume.trial[LACK, c]
    # The subgradient at the new multipliers still points in this direction: a longer step would have gained more (the
    # factor is from Barahona and Anbil 2000).
    if rise > 0.0 and volume.pace[SHARE] < 2.0:
        volume.pace[SHARE] *= 1.1


@njit
def improve_multipliers(volume, target, n_steps):
    """Steps of the volume algorithm towards `target`, the cost of the incumbent in nats."""
    count_lacks(volume.cuts, np.arange(len(volume.shares)), volume.shares, volume.trial[VIOLATION])
    count_columns(volume.edges, volume.edges.shares, volume.trial[VIOLATION])
    raise_bound(volume, volume.pace, target, n_steps, move_multipliers, average_choices, keep_multipliers)
