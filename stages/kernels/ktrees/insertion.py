"""Insertion of better sets within regions of a tree of cliques; what it makes too wide loses its cheapest members.

A region is a connected part of the tree of an elimination order: it holds the path between a variable and the members
of a set that it wants, and cliques around. What lies outside is fixed and reaches the region through cliques only,
the interfaces. So a network stays within the bound if the region's families, with the interfaces as cliques, can be
eliminated within it. Each step gives a variable a better set; then, as long as elimination gets stuck, one family
among the vertices left loses a member. Steps are accepted as in simulated annealing; a region that ends worse is
taken back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from .elimination import begin_graph, eliminate_moral, eliminate_sparse, eliminate_vertex, join_families, join_pair
from .narrowing import NO_SMALLER_SET, smaller_set

SIZE, INTERFACES, CHANGES, STAMP, WORK = 0, 1, 2, 3, 4
"""Entries of `Region.counts`: members; interface pairs; changes of the present step; stamp of the latest traversal;
work so far, in steps of some nanoseconds.
"""

ORDERS = 10
"""Random elimination orders tried for the whole network after a region has changed."""

LEAST_GAIN = 1e-6
"""Nats; smaller gains may be rounding."""


class CliqueForest(NamedTuple):
    """The forest of cliques along an elimination order: the clique of a variable is it and its later neighbours.

    Attributes
    ----------
    order : ndarray of int32, shape (n_variables,)
        The elimination order.
    later : ndarray of int32, shape (n_variables, K)
    sizes : ndarray of int32, shape (n_variables,)
        Later neighbours of each variable, and their number.
    above : ndarray of int32, shape (n_variables,)
        The first of them in the order; the next variable of the order if there is none, -1 for the last one.
    below, beside : ndarray of int32, shape (n_variables,)
        A variable below each one, and the next one below the same; -1 for none.
    ranks : ndarray of int32, shape (n_variables,)
    """

    order: np.ndarray
    later: np.ndarray
    sizes: np.ndarray
    above: np.ndarray
    below: np.ndarray
    beside: np.ndarray
    ranks: np.ndarray


class Region(NamedTuple):
    """Members of a region and scratch.

    Attributes
    ----------
    members : ndarray of int32, shape (capacity,)
        The nodes of the region first, then the later neighbours of its highest node.
    places : ndarray of int32, shape (n_variables,)
        Place of each variable among the members; -1 for others. All -1 between regions.
    is_free : ndarray of bool, shape (capacity,)
        Whether all parents of the member are members.
    interfaces : ndarray of int32, shape (pairs, 2)
        Places of pairs that stay joined.
    before : ndarray of int64, shape (capacity,)
        Sets of the members when the region began.
    changed : ndarray of int32, shape (changes,)
    former : ndarray of int64, shape (changes,)
        Children that changed in the present step, and their sets before; latest last.
    stamps : ndarray of int64, shape (n_variables,)
    stack : ndarray of int32, shape (n_variables,)
        Scratch.
    counts : ndarray of int64, shape (5,)
        See `SIZE`, `INTERFACES`, `CHANGES`, `STAMP`, `WORK`.
    """

    members: np.ndarray
    places: np.ndarray
    is_free: np.ndarray
    interfaces: np.ndarray
    before: np.ndarray
    changed: np.ndarray
    former: np.ndarray
    stamps: np.ndarray
    stack: np.ndarray
    counts: np.ndarray


def new_clique_forest(n_variables: int, width: int) -> CliqueForest:
    """No cliques yet."""
    return CliqueForest(
        order=np.zeros(n_variables, dtype=np.int32),
        later=np.zeros((n_variables, width), dtype=np.int32),
        sizes=np.zeros(n_variables, dtype=np.int32),
        above=np.zeros(n_variables, dtype=np.int32),
        below=np.zeros(n_variables, dtype=np.int32),
        beside=np.zeros(n_variables, dtype=np.int32),
        ranks=np.zeros(n_variables, dtype=np.int32),
    )


def new_region(n_variables: int, capacity: int, width: int) -> Region:
    """No region yet; `capacity` is the largest number of members."""
    n_changes = 4 * capacity
    return Region(
        members=np.zeros(capacity, dtype=np.int32),
        places=np.full(n_variables, -1, dtype=np.int32),
        is_free=np.zeros(capacity, dtype=np.bool_),
        interfaces=np.zeros((capacity * (width + 1), 2), dtype=np.int32),
        before=np.zeros(capacity, dtype=np.int64),
        changed=np.zeros(n_changes, dtype=np.int32),
        former=np.zeros(n_changes, dtype=np.int64),
        stamps=np.zeros(n_variables, dtype=np.int64),
        stack=np.zeros(n_variables, dtype=np.int32),
        counts=np.zeros(5, dtype=np.int64),
    )


@borrowing
def order_cliques(whole, forest):
    """Take the cliques of a complete elimination."""
    n = len(forest.order)
    for t in range(n):
        v = whole.order[t]
        forest.order[t] = v
        forest.ranks[v] = t
        forest.below[v] = -1
    for t in range(n - 1, -1, -1):
        v = forest.order[t]
        forest.sizes[v] = whole.sizes[v]
        above = np.int32(-1)
        for i in range(whole.sizes[v]):
            u = whole.later[v, i]
            forest.later[v, i] = u
            if above < 0 or forest.ranks[u] < forest.ranks[above]:
                above = u
        if above < 0 and t < n - 1:
            # Components form one tree, with nothing in common.
            above = forest.order[t + 1]
        forest.above[v] = above
        if above >= 0:
            forest.beside[v] = forest.below[above]
            forest.below[above] = v


@borrowing
def eliminate_network(lists, whole, forest, rng, chosen, most_cells):
    """Eliminate the moral graph of a network within the bounds; if that succeeds, `forest` has its cliques."""
    if not eliminate_moral(lists, whole, rng, chosen, most_cells):
        return False
    order_cliques(whole, forest)
    return True


@borrowing
def add_node(region, most, v):
    """Make a variable a node of the region if there is room; returns whether it is one."""
    if region.places[v] >= 0:
        return True
    size = region.counts[SIZE]
    if size >= most:
        return False
    region.members[size] = v
    region.places[v] = size
    region.counts[SIZE] = size + 1
    return True


@borrowing
def add_path(forest, region, most, child, member):
    """Add the nodes between two variables; returns whether they are in one tree and there was room."""
    a, b = np.int32(child), np.int32(member)
    while a != b:
        # The lower one climbs: both meet at the lowest node above both.
        if forest.ranks[a] > forest.ranks[b]:
            a, b = b, a
        if not add_node(region, most, a):
            return False
        a = forest.above[a]
        if a < 0:
            return False
    return add_node(region, most, a)


@borrowing
def leave_region(region):
    """Clear the members."""
    for k in range(region.counts[SIZE]):
        region.places[region.members[k]] = -1
    region.counts[SIZE] = 0


@borrowing
def grow_region(lists, forest, region, rng, child, wanted):
    """Fill the region: paths between `child` and the members of set `wanted`, then nodes next to the present ones.

    Returns
    -------
    bool
        Whether the paths fit.
    """
    most = len(region.members) - forest.later.shape[1]
    region.counts[SIZE] = 0
    add_node(region, most, child)
    for i in range(lists.parent_offsets[wanted], lists.parent_offsets[wanted + 1]):
        if not add_path(forest, region, most, child, lists.parents[i]):
            leave_region(region)
            return False
    k = 0
    while k < region.counts[SIZE] and region.counts[SIZE] < most:
        v = region.members[k]
        if forest.above[v] >= 0 and rng.random() < 0.7:
            add_node(region, most, forest.above[v])
        u = forest.below[v]
        while u >= 0:
            if rng.random() < 0.7:
                add_node(region, most, u)
            u = forest.beside[u]
        k += 1
    return True


@borrowing
def join_interface(region, local, v, forest):
    """Join the later neighbours of `v`, all members, as an interface."""
    for i in range(forest.sizes[v]):
        a = region.places[forest.later[v, i]]
        for j in range(i):
            b = region.places[forest.later[v, j]]
            if join_pair(local, a, b):
                k = region.counts[INTERFACES]
                region.interfaces[k, 0] = a
                region.interfaces[k, 1] = b
                region.counts[INTERFACES] = k + 1


@borrowing
def is_inside(lists, region, s):
    """Whether all members of set `s` are in the region."""
    for i in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
        if region.places[lists.parents[i]] < 0:
            return False
    return True


@borrowing
def enclose(lists, forest, region, local, chosen, cells):
    """Complete the members by the later neighbours of the highest node; list the interfaces and the free members."""
    n_nodes = region.counts[SIZE]
    top = region.members[0]
    for k in range(n_nodes):
        if forest.ranks[region.members[k]] > forest.ranks[top]:
            top = region.members[k]
    for i in range(forest.sizes[top]):
        add_node(region, len(region.members), forest.later[top, i])
    size = region.counts[SIZE]
    begin_graph(local, size)
    region.counts[INTERFACES] = 0
    join_interface(region, local, top, forest)
    for k in range(n_nodes):
        u = forest.below[region.members[k]]
        while u >= 0:
            if region.places[u] < 0 or region.places[u] >= n_nodes:
                join_interface(region, local, u, forest)
            u = forest.beside[u]
    for k in range(size):
        v = region.members[k]
        region.before[k] = chosen[v]
        region.is_free[k] = is_inside(lists, region, chosen[v])
        local.cells[k] = cells[v]


@borrowing
def fits_region(lists, region, local, rng, chosen, most_cells):
    """Whether the families of the free members and the interfaces can be eliminated within the bounds."""
    size, places = region.counts[SIZE], region.places
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
    region.counts[WORK] += 20 * size
    return eliminate_sparse(local, size, rng, most_cells)


@borrowing
def closes_cycle(lists, region, chosen, child):
    """Whether the set of `child` has a descendant of it."""
    stamps, stack, offsets = region.stamps, region.stack, lists.parent_offsets
    region.counts[STAMP] += 1
    stamp, n_waiting = region.counts[STAMP], 1
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
        region.counts[WORK] += 2
    return False


@borrowing
def change_set(lists, region, chosen, child, s):
    """Give a child a set in the present step; returns the change of the score in nats."""
    k = region.counts[CHANGES]
    region.changed[k] = child
    region.former[k] = chosen[child]
    region.counts[CHANGES] = k + 1
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
    return -np.inf if closes_cycle(lists, region, chosen, child) else change


@borrowing
def drop_cheapest(lists, region, local, rng, chosen, child):
    """Let a free family other than that of `child` lose a member, where elimination got stuck.

    The member costs least per edge among the vertices left, up to a random factor. Returns the change of the score in
    nats; -inf if no family can lose one.
    """
    offsets, parents, places, degrees = lists.parent_offsets, lists.parents, region.places, local.degrees
    least, best, best_child = np.inf, NO_SMALLER_SET, np.int32(-1)
    for k in range(region.counts[SIZE]):
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
            if other == NO_SMALLER_SET:
                continue
            cost = (lists.scores[s] - lists.scores[other]) / (n_left - 1) * (0.5 + rng.random())
            if cost < least:
                least, best, best_child = cost, other, v
    region.counts[WORK] += 4 * region.counts[SIZE]
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
    region.counts[CHANGES] = 0
    change = change_set(lists, region, chosen, child, s)
    change += turn_back(lists, region, chosen, child, s)
    while change > least and not fits_region(lists, region, local, rng, chosen, most_cells):
        if region.counts[CHANGES] == len(region.changed):
            change = -np.inf
            break
        change += drop_cheapest(lists, region, local, rng, chosen, child)
    if change > least:
        return change
    for k in range(region.counts[CHANGES] - 1, -1, -1):
        chosen[region.changed[k]] = region.former[k]
    return 0.0


@borrowing
def lacking_place(lists, region, rng, chosen):
    """Place of the member that lacks more to its best set, of two random ones."""
    size = region.counts[SIZE]
    one, two = int(rng.random() * size), int(rng.random() * size)
    a, b = region.members[one], region.members[two]
    lacks_a = lists.scores[lists.set_offsets[a]] - lists.scores[chosen[a]]
    lacks_b = lists.scores[lists.set_offsets[b]] - lists.scores[chosen[b]]
    return one if lacks_a >= lacks_b else two


@borrowing
def anneal_region(lists, region, local, rng, chosen, heat, n_steps, most_cells):
    """Steps within the region, cooling from `heat` nats to nothing; returns the change of the score in nats."""
    change = 0.0
    for step in range(n_steps):
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
        The search ends once ``region.counts[WORK]`` reaches it.

    Returns
    -------
    float
        The gain in nats.
    """
    n, gain = len(chosen), 0.0
    while region.counts[WORK] < limit:
        region.counts[WORK] += 100
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
        change += anneal_region(lists, region, local, rng, chosen, heat, n_steps, most_cells)
        is_changed, is_kept = False, change > -LEAST_GAIN
        for k in range(region.counts[SIZE]):
            is_changed |= chosen[region.members[k]] != region.before[k]
        if is_changed and is_kept:
            tried = 0
            is_kept = False
            while tried < ORDERS and not is_kept:
                is_kept = eliminate_network(lists, whole, forest, rng, chosen, most_cells)
                tried += 1
            region.counts[WORK] += 30 * n * tried
        if is_kept:
            gain += change
        else:
            for k in range(region.counts[SIZE]):
                chosen[region.members[k]] = region.before[k]
        leave_region(region)
    return gain


@borrowing
def take_order(lists, whole, forest, chosen, order):
    """Eliminate the moral graph of a network along `order`, whose cliques `forest` takes.

    Returns
    -------
    bool
        Whether all cliques have at most K + 1 members.
    """
    join_families(whole, lists, chosen)
    for t in range(len(order)):
        if not eliminate_vertex(whole, order[t], np.inf):
            return False
    order_cliques(whole, forest)
    return True


@borrowing
def bags_of_forest(forest, bags):
    """Fill the row of each variable with its clique, padded with the variable itself."""
    for v in range(len(bags)):
        for i in range(bags.shape[1]):
            bags[v, i] = forest.later[v, i] if i < forest.sizes[v] else v
