"""A group of neighbouring cliques whose members choose their sets anew while the rest of the network is fixed.

After BN-SLIM (Peruvemba Ramaswamy, Szeider 2021). The members of some connected cliques of the tree choose among the
sets within the group, or keep their present set. The intersections with cliques outside remain cliques, so the rest
of the network stays within the bound. Acyclicity: a directed path that leaves the group re-enters it through a kept
set. So a kept set with parents outside counts as containing every member from which a path outside the group leads to
one of these parents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, njit

LEVELS = 3
"""Sizes of groups: up to K + 1, K + 2 or K + 3 members."""

SIZE, NODES, WORK, STAMP = 0, 1, 2, 3
"""Entries of `BagGroup.counts`: number of members; number of tree nodes (the first members); work so far, in steps of
some nanoseconds; stamp of the latest traversal.
"""


class BagGroup(NamedTuple):
    """Members of a group, their admissible sets, and scratch.

    Attributes
    ----------
    members : ndarray of int32, shape (capacity,)
    counts : ndarray of int64, shape (4,)
        See `SIZE`, `NODES`, `WORK`, `STAMP`.
    adjacent : ndarray of int64, shape (capacity,)
        Mask of the members to which each member must stay adjacent.
    starts : ndarray of int64, shape (capacity + 1,)
        Offsets of each member's choices in `above`, `covers`, `sets` and `relative_scores`.
    above, covers, sets : ndarray of int64
        Choices of each member, best first: mask of the members that become its ancestors, mask of the members that
        become a clique (0 for a kept set, whose clique lies outside the group), and index of the set.
    relative_scores : ndarray of float64
        Relative scores of the choices, in nats.
    picks, best_picks : ndarray of int64, shape (capacity,)
        Index of the choice of each member.
    missing, best_missing : ndarray of int64, shape (3,)
        Masks of pairs that are not adjacent.
    bounds : ndarray of float64, shape (capacity, capacity)
        Upper bound on the sum of relative scores with one pair not adjacent.
    places : ndarray of int32, shape (n_variables,)
        Index among the members; -1 for all others. All -1 between groups.
    stamps, waiting, flags : ndarray of int64, int32, bool, shape (n_variables,)
        Scratch.
    """

    members: np.ndarray
    counts: np.ndarray
    adjacent: np.ndarray
    starts: np.ndarray
    above: np.ndarray
    covers: np.ndarray
    sets: np.ndarray
    relative_scores: np.ndarray
    picks: np.ndarray
    best_picks: np.ndarray
    missing: np.ndarray
    best_missing: np.ndarray
    bounds: np.ndarray
    places: np.ndarray
    stamps: np.ndarray
    waiting: np.ndarray
    flags: np.ndarray


def new_bag_group(n_variables: int, capacity: int, n_choices: int) -> BagGroup:
    """An empty group for up to `capacity` members with `n_choices` choices in all."""
    return BagGroup(
        members=np.zeros(capacity, dtype=np.int32),
        counts=np.zeros(4, dtype=np.int64),
        adjacent=np.zeros(capacity, dtype=np.int64),
        starts=np.zeros(capacity + 1, dtype=np.int64),
        above=np.zeros(n_choices, dtype=np.int64),
        covers=np.zeros(n_choices, dtype=np.int64),
        sets=np.zeros(n_choices, dtype=np.int64),
        relative_scores=np.zeros(n_choices),
        picks=np.zeros(capacity, dtype=np.int64),
        best_picks=np.zeros(capacity, dtype=np.int64),
        missing=np.zeros(3, dtype=np.int64),
        best_missing=np.zeros(3, dtype=np.int64),
        bounds=np.zeros((capacity, capacity)),
        places=np.full(n_variables, -1, dtype=np.int32),
        stamps=np.zeros(n_variables, dtype=np.int64),
        waiting=np.zeros(n_variables, dtype=np.int32),
        flags=np.zeros(n_variables, dtype=np.bool_),
    )


@borrowing
def grow_group(cliques, group, rng, seed, most):
    """Fill the group with the clique of `seed` and random adjacent cliques of the tree, up to `most` members.

    Returns
    -------
    int
        The highest of the tree nodes; -1 if the clique of `seed` is already too large.
    """
    members, places = group.members, group.places
    top, n_nodes = seed, 1
    if 1 + cliques.sizes[seed] > most:
        return np.int32(-1)
    members[0] = seed
    places[seed] = 0
    # The members are the tree nodes and the earlier neighbours of the highest node `top`: the earlier neighbours of
    # every other node lie in the clique of its parent. A child adds one member; the parent of `top` replaces `top`'s
    # neighbours by its own.
    while True:
        found, chosen = 0, np.int32(-1)
        above = cliques.above[top]
        if above >= 0 and n_nodes + 1 + cliques.sizes[above] <= most:
            found, chosen = 1, above
        if n_nodes + 1 + cliques.sizes[top] <= most:
            for k in range(n_nodes):
                other = cliques.below[members[k]]
                while other >= 0:
                    if places[other] < 0:
                        # Reservoir sampling: each of the candidates found is chosen with equal probability.
                        found += 1
                        if rng.random() * found < 1.0:
                            chosen = other
                    other = cliques.beside[other]
        if found == 0:
            break
        if chosen == above:
            top = chosen
        members[n_nodes] = chosen
        places[chosen] = n_nodes
        n_nodes += 1
    size = n_nodes
    for k in range(cliques.sizes[top]):
        members[size] = cliques.earlier[top, k]
        places[members[size]] = size
        size += 1
    group.counts[SIZE] = size
    group.counts[NODES] = n_nodes
    return top


@borrowing
def keep_adjacent(cliques, group, variable):
    """Require that the earlier neighbours of `variable` stay a clique."""
    mask = np.int64(0)
    for k in range(cliques.sizes[variable]):
        # All of them are members: they lie in the clique of a node of the group.
        mask |= 1 << group.places[cliques.earlier[variable, k]]
    for k in range(cliques.sizes[variable]):
        group.adjacent[group.places[cliques.earlier[variable, k]]] |= mask


@borrowing
def mark_interfaces(cliques, group, top):
    """Fill ``group.adjacent`` from the separators between the group and the rest of the tree."""
    group.adjacent[:] = 0
    if cliques.above[top] >= 0:
        keep_adjacent(cliques, group, np.int64(top))
    for k in range(group.counts[NODES]):
        other = cliques.below[group.members[k]]
        while other >= 0:
            if group.places[other] < 0:
                keep_adjacent(cliques, group, np.int64(other))
            other = cliques.beside[other]


@borrowing
def reached_from(lists, chosen, group, s):
    """Mask of the members that are in set `s` or from which a path outside the group leads to a parent in `s`."""
    offsets, parents = lists.parent_offsets, lists.parents
    places, stamps, waiting = group.places, group.stamps, group.waiting
    group.counts[STAMP] += 1
    stamp = group.counts[STAMP]
    mask = np.int64(0)
    n_waiting = 0
    while True:
        for i in range(offsets[s], offsets[s + 1]):
            parent = parents[i]
            if places[parent] >= 0:
                mask |= 1 << np.int64(places[parent])
            elif stamps[parent] != stamp:
                stamps[parent] = stamp
                waiting[n_waiting] = parent
                n_waiting += 1
        if n_waiting == 0:
            return mask
        n_waiting -= 1
        group.counts[WORK] += 1
        s = chosen[waiting[n_waiting]]


@borrowing
def collect_choices(lists, chosen, group):
    """Collect the choices of the members; returns the sum of the relative scores of their present sets, in nats."""
    offsets, parents, places = lists.parent_offsets, lists.parents, group.places
    count, total = 0, 0.0
    for place in range(group.counts[SIZE]):
        variable = group.members[place]
        group.starts[place] = count
        present = chosen[variable]
        total += lists.scores[present]
        group.counts[WORK] += lists.set_offsets[variable + 1] - lists.set_offsets[variable]
        for s in range(lists.set_offsets[variable], lists.set_offsets[variable + 1]):
            mask = np.int64(0)
            for i in range(offsets[s], offsets[s + 1]):
                other = places[parents[i]]
                if other < 0:
                    mask = np.int64(-1)
                    break
                mask |= 1 << np.int64(other)
            # Among sets with members outside, only the present one is known to lie in a clique.
            if mask >= 0:
                group.above[count] = mask
                group.covers[count] = mask | 1 << place
            elif s == present:
                group.above[count] = reached_from(lists, chosen, group, s)
                group.covers[count] = 0
            else:
                continue
            group.relative_scores[count] = lists.scores[s]
            group.sets[count] = s
            count += 1
    group.starts[group.counts[SIZE]] = count
    return total


@njit
def order_members(group):
    """Order the members so that the earlier neighbours of each form a clique, given the missing pairs.

    Members without a missing pair are adjacent to all others and come first. For a path a - b - c - d of missing
    pairs the order is a, c, d, b: each is non-adjacent to at most one before it.
    """
    size, missing = group.counts[SIZE], group.best_missing
    inner = missing[1]
    ends = (missing[0] | missing[2]) & ~inner
    first = missing[0] & ends
    rank = np.zeros(size, dtype=np.int64)
    for place in range(size):
        bit = 1 << place
        if inner == 0:
            rank[place] = 1 if missing[0] & bit else 0
        elif bit & first:
            rank[place] = 1
        elif bit & inner & missing[2]:
            rank[place] = 2
        elif bit & ends:
            rank[place] = 3
        elif bit & inner:
            rank[place] = 4
    ordered = np.empty_like(group.members[:size])
    count = 0
    for wanted in range(5):
        for place in range(size):
            if rank[place] == wanted:
                ordered[count] = group.members[place]
                count += 1
    return ordered
