"""Connected regions of a forest of cliques, and the interfaces through which the rest of the graph reaches them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from .elimination import begin_graph, join_pair

REGION_SIZE, INTERFACES, REGION_CHANGES, REGION_STAMP, REGION_WORK = 0, 1, 2, 3, 4
"""Entries of `Region.counts`: members; interface pairs; changes of the present step; stamp of the latest traversal;
work so far, in steps of some nanoseconds.
"""


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
        See `REGION_SIZE`, `INTERFACES`, `REGION_CHANGES`, `REGION_STAMP`, `REGION_WORK`.
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
def add_node(region, most, v):
    """Make a variable a node of the region if there is room; returns whether it is one."""
    if region.places[v] >= 0:
        return True
    size = region.counts[REGION_SIZE]
    if size >= most:
        return False
    region.members[size] = v
    region.places[v] = size
    region.counts[REGION_SIZE] = size + 1
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
    for k in range(region.counts[REGION_SIZE]):
        region.places[region.members[k]] = -1
    region.counts[REGION_SIZE] = 0


@borrowing
def grow_region(lists, forest, region, rng, child, wanted):
    """Fill the region: paths between `child` and the members of set `wanted`, then nodes next to the present ones.

    Returns
    -------
    bool
        Whether the paths fit.
    """
    most = len(region.members) - forest.later.shape[1]
    region.counts[REGION_SIZE] = 0
    add_node(region, most, child)
    for i in range(lists.parent_offsets[wanted], lists.parent_offsets[wanted + 1]):
        if not add_path(forest, region, most, child, lists.parents[i]):
            leave_region(region)
            return False
    k = 0
    while k < region.counts[REGION_SIZE] and region.counts[REGION_SIZE] < most:
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
    n_nodes = region.counts[REGION_SIZE]
    top = region.members[0]
    for k in range(n_nodes):
        if forest.ranks[region.members[k]] > forest.ranks[top]:
            top = region.members[k]
    for i in range(forest.sizes[top]):
        add_node(region, len(region.members), forest.later[top, i])
    size = region.counts[REGION_SIZE]
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
