"""Insertion of better sets within regions of a tree of cliques; what it makes too wide loses its cheapest members.

A region is a connected part of the tree of an elimination order: it holds the path between a variable and the members
of a set that it wants, and cliques around. What lies outside is fixed and reaches the region through cliques only,
the interfaces. So a network stays within the bound if the region's families, with the interfaces as cliques, can be
eliminated within it. Each step gives a variable a better set; then, as long as elimination gets stuck, one family
among the vertices left loses a member. Steps are accepted as in simulated annealing; a region that ends worse is
taken back.
"""

from __future__ import annotations

import numpy as np

from ..jit import borrowing
from .clique_forest import eliminate_network
from .clique_regions import (
    INTERFACES,
    REGION_CHANGES,
    REGION_SIZE,
    REGION_STAMP,
    REGION_WORK,
    enclose,
    grow_region,
    is_inside,
    leave_region,
)
from .elimination import begin_graph, eliminate_sparse, join_pair
from .narrowing import NO_SMALLER_SET, smaller_set

ORDERS = 10
"""Random elimination orders tried for the whole network after a region has changed."""

LEAST_GAIN = 1e-6
"""Nats; smaller gains may be rounding."""


@borrowing
def fits_region(lists, region, local, rng, chosen, most_cells):
    """Whether the families of the free members and the interfaces can be eliminated within the bounds."""
    size, places = region.counts[REGION_SIZE], region.places
    begin_graph(local, size)
    for k in range(region.counts[INTERFACES]):
        join_pair(local, region.interfaces[k, 0], region.interfaces[k, 1])
    for k in range(size):
        if not region.is_free[k]:
            continue
        s = chosen[region.members[k]]
        first, end = lists.parent_offsets[s], lists.parent_offsets[s + 1]
        for i in range(first, end):
            join_pair(local, k, places[lists.parents[i]])
            for j in range(first, i):
                join_pair(local, places[lists.parents[i]], places[lists.parents[j]])
    region.counts[REGION_WORK] += 20 * size
    return eliminate_sparse(local, size, rng, most_cells)


@borrowing
def closes_cycle_in_region(lists, region, chosen, child):
    """Whether the set of `child` has a descendant of it."""
    stamps, stack, offsets = region.stamps, region.stack, lists.parent_offsets
    region.counts[REGION_STAMP] += 1
    stamp, n_waiting = region.counts[REGION_STAMP], 1
    stack[0] = child
    while n_waiting:
        n_waiting -= 1
        s = chosen[stack[n_waiting]]
        for i in range(offsets[s], offsets[s + 1]):
            p = lists.parents[i]
            if p == child:
                return True
            if stamps[p] != stamp:
                stamps[p] = stamp
                stack[n_waiting] = p
                n_waiting += 1
        region.counts[REGION_WORK] += 2
    return False


@borrowing
def change_set(lists, region, chosen, child, s):
    """Give a child a set in the present step; returns the change of the score in nats."""
    k = region.counts[REGION_CHANGES]
    region.changed[k] = child
    region.former[k] = chosen[child]
    region.counts[REGION_CHANGES] = k + 1
    change = lists.scores[s] - lists.scores[chosen[child]]
    chosen[child] = s
    return change


@borrowing
def turn_back(lists, region, chosen, child, s):
    """Take `child` out of the sets of the members of its new set `s`.

    Returns
    -------
    float
        The change of the score in nats; -inf if a set cannot lose it or another cycle is closed.
    """
    change = 0.0
    for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        p = lists.parents[i]
        present = chosen[p]
        for j in range(lists.parent_offsets[present], lists.parent_offsets[present + 1]):
            if lists.parents[j] == child:
                other = smaller_set(lists, p, present, child)
                if other == NO_SMALLER_SET or not region.is_free[region.places[p]]:
                    return -np.inf
                change += change_set(lists, region, chosen, p, other)
                break
    return -np.inf if closes_cycle_in_region(lists, region, chosen, child) else change


@borrowing
def drop_cheapest(lists, region, local, rng, chosen, child):
    """Let a free family other than that of `child` lose a member, where elimination got stuck.

    The member costs least per edge among the vertices left, up to a random factor. Returns the change of the score in
    nats; -inf if no family can lose one.
    """
    offsets, parents, places, degrees = lists.parent_offsets, lists.parents, region.places, local.degrees
    least, best, best_child = np.inf, NO_SMALLER_SET, np.int32(-1)
    for k in range(region.counts[REGION_SIZE]):
        v = region.members[k]
        if v == child or not region.is_free[k]:
            continue
        s = chosen[v]
        n_left = np.int64(degrees[k] >= 0)
        for i in range(offsets[s], offsets[s + 1]):
            n_left += degrees[places[parents[i]]] >= 0
        if n_left < 2:
            continue
        for i in range(offsets[s], offsets[s + 1]):
            if degrees[places[parents[i]]] < 0:
                continue
            other = smaller_set(lists, v, s, parents[i])
            region.counts[REGION_WORK] += 4 * (lists.set_offsets[v + 1] - s)
            if other == NO_SMALLER_SET:
                continue
            cost = (lists.scores[s] - lists.scores[other]) / (n_left - 1) * (0.5 + rng.random())
            if cost < least:
                least, best, best_child = cost, other, v
    region.counts[REGION_WORK] += 4 * region.counts[REGION_SIZE]
    if best == NO_SMALLER_SET:
        return -np.inf
    return change_set(lists, region, chosen, best_child, best)


@borrowing
def insert_set(lists, region, local, rng, chosen, child, s, least, most_cells):
    """One step: give `child` the set `s`, all within the region, and narrow the rest of the region.

    Returns
    -------
    float
        The change of the score in nats; 0 if the step is taken back, as it would change it by `least` or less.
    """
    region.counts[REGION_CHANGES] = 0
    change = change_set(lists, region, chosen, child, s)
    change += turn_back(lists, region, chosen, child, s)
    while change > least and not fits_region(lists, region, local, rng, chosen, most_cells):
        if region.counts[REGION_CHANGES] == len(region.changed):
            change = -np.inf
            break
        change += drop_cheapest(lists, region, local, rng, chosen, child)
    if change > least:
        return change
    for k in range(region.counts[REGION_CHANGES] - 1, -1, -1):
        chosen[region.changed[k]] = region.former[k]
    return 0.0


@borrowing
def lacking_place(lists, region, rng, chosen):
    """Place of the member that lacks more to its best set, of two random ones."""
    size = region.counts[REGION_SIZE]
    one, two = int(rng.random() * size), int(rng.random() * size)
    a, b = region.members[one], region.members[two]
    lacks_a = lists.scores[lists.set_offsets[a]] - lists.scores[chosen[a]]
    lacks_b = lists.scores[lists.set_offsets[b]] - lists.scores[chosen[b]]
    return one if lacks_a >= lacks_b else two


@borrowing
def anneal_region(lists, region, local, rng, chosen, heat, n_steps, limit, most_cells):
    """Steps within the region, cooling from `heat` nats to nothing, until the work reaches `limit`.

    Returns the change of the score in nats.
    """
    change = 0.0
    for step in range(n_steps):
        if region.counts[REGION_WORK] >= limit:
            break
        region.counts[REGION_WORK] += 10
        k = lacking_place(lists, region, rng, chosen)
        child = region.members[k]
        n_better = chosen[child] - lists.set_offsets[child]
        if n_better == 0 or not region.is_free[k]:
            continue
        s = lists.set_offsets[child] + int(rng.random() * n_better)
        if is_inside(lists, region, s):
            temperature = heat * (1.0 - step / n_steps)
            least = temperature * np.log(1.0 - rng.random())
            change += insert_set(lists, region, local, rng, chosen, child, s, min(least, -1e-12), most_cells)
    return change


@borrowing
def search_regions(lists, whole, local, forest, region, rng, chosen, cells, heat, n_steps, limit, most_cells):
    """Search one region after the other; the network does not get worse.

    Parameters
    ----------
    whole, local : SparseGraph
        For the network and for a region.
    forest : CliqueForest
        Of the network `chosen`; changed with it.
    cells : ndarray of float64, shape (n_variables,)
        States of the variables; ones if tables are not bounded.
    heat : float
        First temperature in each region, in nats.
    n_steps : int
        Steps in each region.
    limit : int
        The search ends once ``region.counts[REGION_WORK]`` reaches it.

    Returns
    -------
    float
        The gain in nats.
    """
    n, gain = len(chosen), 0.0
    while region.counts[REGION_WORK] < limit:
        region.counts[REGION_WORK] += 100
        child = np.int32(rng.random() * n)
        other = np.int32(rng.random() * n)
        first = lists.set_offsets
        lacks = lists.scores[first[child]] - lists.scores[chosen[child]]
        if lists.scores[first[other]] - lists.scores[chosen[other]] > lacks:
            child = other
        if chosen[child] == first[child]:
            continue
        wanted = first[child] + int(rng.random() * (chosen[child] - first[child]))
        if not grow_region(lists, forest, region, rng, child, wanted):
            continue
        enclose(lists, forest, region, local, chosen, cells)
        change = 0.0
        if region.is_free[region.places[child]]:
            change += insert_set(lists, region, local, rng, chosen, child, wanted, -heat - 1e-12, most_cells)
        change += anneal_region(lists, region, local, rng, chosen, heat, n_steps, limit, most_cells)
        is_changed, is_kept = False, change > -LEAST_GAIN
        for k in range(region.counts[REGION_SIZE]):
            is_changed |= chosen[region.members[k]] != region.before[k]
        if is_changed and is_kept:
            tried = 0
            is_kept = False
            while tried < ORDERS and not is_kept:
                is_kept = eliminate_network(lists, whole, forest, rng, chosen, most_cells)
                tried += 1
            region.counts[REGION_WORK] += 30 * n * tried
        if is_kept:
            gain += change
        else:
            for k in range(region.counts[REGION_SIZE]):
                chosen[region.members[k]] = region.before[k]
        leave_region(region)
    return gain
