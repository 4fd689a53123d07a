"""The exact DAG on the first variables of an order, which are all adjacent in the k-tree.

The dynamic programme over subsets (`solve_core`) also solves the groups of `slim_dp`. Unlike `orders.subset_dp` it
tabulates no best set per child and subset: few subsets remain after `peel_clique`, and scanning the lists costs less
than filling such tables.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..bits import lowest_bit
from ..jit import borrowing
from .ktree import first_fitting, mask_earlier

EXACT_CLIQUE = 12
"""Largest number of variables for which the DAG is exact; further variables of the clique follow in order."""


class CliqueTables(NamedTuple):
    """Scratch space of `solve_start_clique` for cliques of m = min(K + 1, `EXACT_CLIQUE`) variables.

    Attributes
    ----------
    values, sinks, taken : ndarray of float64, int64, int64, shape (2^m,)
        For each subset of the clique: relative score of its best DAG in nats, a sink of that DAG, and the sink's set.
    starts : ndarray of int64, shape (m + 1,)
        Offsets of each member's sets in the following arrays.
    masks, candidates : ndarray of int64, shape (m 2^(m - 1),)
        Sets of each member within the clique, best first, as masks and as indices.
    """

    values: np.ndarray
    sinks: np.ndarray
    taken: np.ndarray
    starts: np.ndarray
    masks: np.ndarray
    candidates: np.ndarray


def new_clique_tables(n_members: int, n_candidates: int) -> CliqueTables:
    """Scratch for up to `n_members` variables with `n_candidates` sets within them in all."""
    return CliqueTables(
        values=np.zeros(1 << n_members),
        sinks=np.zeros(1 << n_members, dtype=np.int64),
        taken=np.zeros(1 << n_members, dtype=np.int64),
        starts=np.zeros(n_members + 1, dtype=np.int64),
        masks=np.zeros(n_candidates, dtype=np.int64),
        candidates=np.zeros(n_candidates, dtype=np.int64),
    )


def start_clique_tables(treewidth: int) -> CliqueTables:
    """Scratch for the start clique of a k-tree; each of its m members has at most 2^(m - 1) sets within it."""
    n_members = min(treewidth + 1, EXACT_CLIQUE)
    return new_clique_tables(n_members, n_members << (n_members - 1))


@borrowing
def solve_start_clique(lists, filters, tree, clique):
    """Best DAG on the start clique; fills ``tree.chosen`` of its members.

    Exact on the first `EXACT_CLIQUE` members. Members that cannot lie on a cycle take their best set; the others are
    solved by dynamic programming over subsets: the best DAG on a subset has a sink, which takes its best set within
    the rest (Silander and Myllymäki 2006). Further members take their best set among the earlier ones.

    Parameters
    ----------
    tree : KTree
        A k-tree with the start clique joined.
    clique : CliqueTables
        Scratch space.

    Returns
    -------
    float
        Sum of the relative scores of the DAG's sets, in nats.
    """
    order, chosen, relative_scores = tree.order, tree.chosen, lists.scores
    size = tree.n_start
    exact = min(size, EXACT_CLIQUE)
    _collect_clique_sets(lists, filters, tree, exact, clique)
    free, core = peel_clique(exact, clique)
    for t in range(exact):
        if not core >> t & 1:
            chosen[order[t]] = clique.candidates[clique.starts[t]]
    solve_core(relative_scores, clique, free, core)
    # From the whole core back, sink after sink.
    while core:
        t = clique.sinks[core]
        chosen[order[t]] = clique.taken[core]
        core &= ~(1 << t)
    for t in range(exact, size):
        chosen[order[t]] = first_fitting(lists, filters, tree, order[t], lists.set_offsets[order[t]], t)
    total = 0.0
    for t in range(size):
        total += relative_scores[chosen[order[t]]]
    return total


@borrowing
def _collect_clique_sets(lists, filters, tree, exact, clique):
    """Collect the sets of the first `exact` variables that lie within these, as masks of positions."""
    offsets, parents, position = lists.parent_offsets, lists.parents, tree.position
    masks, candidates = clique.masks, clique.candidates
    count = 0
    for t in range(exact):
        clique.starts[t] = count
        child = tree.order[t]
        outside = ~mask_earlier(filters, position, child, exact)
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            if filters.masks[s] & outside != 0:
                continue
            mask = 0
            for i in range(offsets[s], offsets[s + 1]):
                place = position[parents[i]]
                if place >= exact:
                    mask = -1
                    break
                mask |= 1 << place
            if mask >= 0:
                masks[count] = mask
                candidates[count] = s
                count += 1
    clique.starts[exact] = count


@borrowing
def peel_clique(exact, clique):
    """Remove the variables that cannot lie on a cycle; each of these takes its best set.

    A variable whose sets contain only variables of `free` comes first and joins `free`. A variable that is in no
    set of the remaining ones comes last.

    Returns
    -------
    tuple of (int, int)
        Masks of `free` and of the remaining variables.
    """
    starts, masks = clique.starts, clique.masks
    free, core = 0, (1 << exact) - 1
    peeled = True
    while peeled:
        peeled = False
        for t in range(exact):
            bit = 1 << t
            if not core & bit:
                continue
            wanted = 0
            for c in range(starts[t], starts[t + 1]):
                wanted |= masks[c]
            # It comes after all of `free` and before the rest, so none of its sets can close a cycle.
            if wanted & ~free == 0:
                free |= bit
                core &= ~bit
                peeled = True
                continue
            wanted = 0
            for other in range(exact):
                if core >> other & 1:
                    for c in range(starts[other], starts[other + 1]):
                        wanted |= masks[c]
            if not wanted & bit:
                core &= ~bit
                peeled = True
    return free, core


@borrowing
def solve_core(relative_scores, clique, free, core):
    """Fill `values`, `sinks` and `taken` for all subsets of `core`; variables of `free` precede all of these."""
    values, sinks, taken = clique.values, clique.sinks, clique.taken
    starts, masks, candidates = clique.starts, clique.masks, clique.candidates
    values[0] = 0.0
    subset = 0
    while subset != core:
        # The next larger mask that is a subset of `core`, so that all its subsets are done.
        subset = (subset - core) & core
        best = -np.inf
        sinks_left = subset
        while sinks_left:
            sink = np.int64(lowest_bit(np.uint64(sinks_left)))
            sinks_left &= sinks_left - 1
            rest = subset & ~(1 << sink)
            for c in range(starts[sink], starts[sink + 1]):
                # Sets are listed best first: the first that fits is the sink's best one.
                if masks[c] & ~(rest | free) == 0:
                    value = values[rest] + relative_scores[candidates[c]]
                    if value > best:
                        best = value
                        sinks[subset] = sink
                        taken[subset] = candidates[c]
                    break
        values[subset] = best
