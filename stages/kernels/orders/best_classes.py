"""The best equivalence classes of networks by dynamic programming over subsets (Chen and Tian 2014).

Two networks on the same variables whose sink has the same parents in both are equivalent exactly if they are
equivalent without the sink: the sink ends no other v-structure. So only the best classes on each subset of the
variables can be part of the best classes on all. A class is a key of 64 bits, a sum of random numbers: of each
adjacent pair, and of each v-structure. Two classes that are compared have the same key with probability 2^-64.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import borrowing
from .subset_dp import NO_SET, squeeze


class BestClasses(NamedTuple):
    """The best classes on subsets of one size, best first.

    Attributes
    ----------
    counts : ndarray of int64, shape (n_subsets,)
        Number of classes.
    totals : ndarray of float64, shape (n_subsets, most)
        Score of a network of each class, relative to the best sets, in nats.
    keys : ndarray of uint64, shape (n_subsets, most)
        Keys of the classes.
    families : ndarray of int32, shape (n_subsets, most, n_variables)
        Listed set of every variable in that network; -1 for variables outside the subset.
    """

    counts: np.ndarray
    totals: np.ndarray
    keys: np.ndarray
    families: np.ndarray


class ClassKeys(NamedTuple):
    """Random numbers whose sum is the key of a class.

    Attributes
    ----------
    arcs : ndarray of uint64, shape (n_variables, n_variables)
        Of the arc from the second variable to the first; the same for both directions, unless data tell them apart.
    colliders : ndarray of uint64, shape (n_variables, n_variables, n_variables)
        Of the v-structure at the first variable with two parents, the smaller one first.
    """

    arcs: np.ndarray
    colliders: np.ndarray


@borrowing
def complete_totals(scores, best, rests, start, stop):
    """Scores of the best completions of networks on the subsets ``start:stop`` (nats), by the scores of larger masks.

    Parameters as for `subset_dp.extend_totals`; `rests` is float64, shape (2^n_variables,), 0 for all variables, and
    -inf marks subsets that cannot be completed.
    """
    n = len(best)
    for mask in range(stop - 1, start - 1, -1):
        most = -np.inf
        for added in range(n):
            if not mask >> added & 1:
                s = best[added, squeeze(mask, added)]
                if s != NO_SET:
                    most = max(most, scores[s] + rests[mask | 1 << added])
        rests[mask] = most


@borrowing
def family_key(keys, set_masks, families, sink, family):
    """What a sink with the parents `family` (a mask) adds to the key of a network with these sets."""
    key = np.uint64(0)
    n = len(families)
    for p in range(n):
        if not family >> p & 1:
            continue
        key += keys.arcs[sink, p]
        for q in range(p + 1, n):
            if family >> q & 1 and not (set_masks[families[p]] >> q & 1 or set_masks[families[q]] >> p & 1):
                key += keys.colliders[sink, p, q]
    return key


@borrowing
def insert_class(found, row, total, key, families, sink, s):
    """Add a network to the best classes of a subset: `families` of another one, and set `s` of a further sink.

    Of a class the better network stays; the worst class gives way when there is no place left.
    """
    count, most = found.counts[row], found.totals.shape[1]
    place = count
    for k in range(count):
        if found.keys[row, k] == key:
            if total <= found.totals[row, k]:
                return
            place = k
            break
    if place == most:
        if total <= found.totals[row, most - 1]:
            return
        place = most - 1
    elif place == count:
        found.counts[row] = count + 1
    # Classes before `place` move by one while they are worse.
    while place > 0 and found.totals[row, place - 1] < total:
        found.totals[row, place] = found.totals[row, place - 1]
        found.keys[row, place] = found.keys[row, place - 1]
        copy_into(found.families[row, place], found.families[row, place - 1])
        place -= 1
    found.totals[row, place] = total
    found.keys[row, place] = key
    copy_into(found.families[row, place], families)
    found.families[row, place, sink] = s


@borrowing
def extend_classes(lists, set_masks, scores, best, rests, least, keys, places, before, subsets, start, stop, found):
    """The best classes on ``subsets[start:stop]`` from the best classes on subsets with one variable less.

    Parameters
    ----------
    lists : SetLists
        The candidate sets, best first.
    set_masks : ndarray of int64, shape (n_sets,)
        Members of each set.
    scores, best, rests : ndarray
        As for `complete_totals`.
    least : float
        Networks that no completion brings to this score are left out; -inf for none.
    keys : ClassKeys
        Of the classes.
    places : ndarray of int32, shape (2^n_variables,)
        Row in `before` of each subset with one variable less, -1 where it has none.
    before : BestClasses
        The best classes on these.
    subsets : ndarray of int64
        Subsets of one size, as masks.
    found : BestClasses
        Receives the classes, one row for each subset.
    """
    n, most = len(best), found.totals.shape[1]
    for row in range(start, stop):
        mask = subsets[row]
        floor = least - rests[mask]
        found.counts[row] = 0
        for sink in range(n):
            if not mask >> sink & 1:
                continue
            rest = mask & ~(1 << sink)
            at = places[rest]
            if at < 0 or before.counts[at] == 0 or best[sink, squeeze(mask, sink)] == NO_SET:
                continue
            # Sets are best first, so none before the best one within `rest` is a subset of it.
            for s in range(best[sink, squeeze(mask, sink)], lists.set_offsets[sink + 1]):
                highest = before.totals[at, 0] + scores[s]
                if highest < floor or (found.counts[row] == most and highest <= found.totals[row, most - 1]):
                    break
                if set_masks[s] & ~rest:
                    continue
                for e in range(before.counts[at]):
                    total = before.totals[at, e] + scores[s]
                    if total < floor or (found.counts[row] == most and total <= found.totals[row, most - 1]):
                        break
                    families = before.families[at, e]
                    key = before.keys[at, e] + family_key(keys, set_masks, families, sink, set_masks[s])
                    insert_class(found, row, total, key, families, sink, s)
