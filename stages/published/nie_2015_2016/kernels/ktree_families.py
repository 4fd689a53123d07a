"""The listed sets that fit a k-tree, by child, and a lower bound on the cost of networks of these sets.

Few sets of a list fit a k-tree, so dual ascent over clusters (`stages.kernels.bounds.dual_ascent`: some member of
every cluster has no parent in it) is fast here. Each cluster is searched for from one variable, which keeps it small.
The bound prunes most k-trees: they contain no network better than the incumbent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.bounds.dual_ascent import FREE, Placement, place, raise_cluster, wait_for_parent
from stages.kernels.jit import borrowing, njit
from stages.kernels.orders.set_lists import SetLists

from .informative_score import is_within


class Families(NamedTuple):
    """The sets that fit a k-tree; the last set of each child is among them.

    Arrays with one entry per set have capacity for all listed sets.
    """

    lists: SetLists  # these sets
    sets: np.ndarray  # int64: index of each among the listed sets
    # int32: the first clique that contains the set and its child, as the position of its variable in the order of the
    # k-tree; K for the start clique.
    cliques: np.ndarray


class AscentScratch(NamedTuple):
    """Scratch space of `bound_networks`."""

    placement: Placement  # after an ascent that placed all variables, its trail is a topological order of a network
    # Arrays of the depth-first search for a cluster, each of shape (n_variables,): variables as they are discovered
    # (int32), the path (int32), discovery numbers (int32, 0 between searches), lowest numbers reachable (int32), and
    # the next set of each variable (int64).
    members: np.ndarray
    path: np.ndarray
    number: np.ndarray
    lowest: np.ndarray
    following: np.ndarray
    inside: np.ndarray  # bool, shape (n_variables,): all False


def new_families(n_variables: int, n_sets: int, n_parents: int) -> Families:
    """Capacity for families from lists with `n_sets` sets and `n_parents` parents in all; initially none."""
    return Families(
        lists=SetLists(
            set_offsets=np.zeros(n_variables + 1, dtype=np.int64),
            parent_offsets=np.zeros(n_sets + 1, dtype=np.int64),
            parents=np.zeros(n_parents, dtype=np.int32),
            scores=np.zeros(n_sets),
        ),
        sets=np.zeros(n_sets, dtype=np.int64),
        cliques=np.zeros(n_sets, dtype=np.int32),
    )


def new_ascent_scratch(n_variables: int, n_sets: int) -> AscentScratch:
    """Scratch for `Families` of the same size."""
    return AscentScratch(
        placement=Placement(
            reduced=np.zeros(n_sets),
            waiting=np.full(n_variables, -1, dtype=np.int64),
            following=np.full(n_sets, -1, dtype=np.int32),
            child=np.zeros(n_sets, dtype=np.int32),
            placed=np.zeros(n_variables, dtype=np.bool_),
            trail=np.zeros(n_variables, dtype=np.int32),
        ),
        members=np.zeros(n_variables, dtype=np.int32),
        path=np.zeros(n_variables, dtype=np.int32),
        number=np.zeros(n_variables, dtype=np.int32),
        lowest=np.zeros(n_variables, dtype=np.int32),
        following=np.zeros(n_variables, dtype=np.int64),
        inside=np.zeros(n_variables, dtype=np.bool_),
    )


@borrowing
def collect_families(lists, filters, tree, families):
    """Fill `families` for a k-tree; returns the sum of the best relative scores of all children, in nats."""
    keys, offsets, parents = filters.keys, lists.parent_offsets, lists.parents
    fitting = families.lists
    start = np.int32(tree.bags.shape[1] - 1)
    total = 0.0
    count, n_parents = np.int64(0), np.int64(0)
    for child in range(len(tree.order)):
        fitting.set_offsets[child] = count
        for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
            if not is_within(keys, offsets, parents, tree.edges, s, child):
                continue
            # A set and its child form a clique; the clique of its latest member is the first to contain it.
            latest = max(start, tree.position[child])
            for i in range(offsets[s], offsets[s + 1]):
                latest = max(latest, tree.position[parents[i]])
                fitting.parents[n_parents] = parents[i]
                n_parents += 1
            families.sets[count] = s
            families.cliques[count] = latest
            fitting.scores[count] = lists.scores[s]
            count += 1
            fitting.parent_offsets[count] = n_parents
        total += fitting.scores[fitting.set_offsets[child]]
    fitting.set_offsets[len(tree.order)] = count
    return total


@borrowing
def find_cluster(lists, scratch, start):
    """Fill ``scratch.members`` with a violated cluster near an unplaced variable; returns its size.

    Every free set of a member has a parent among the members. Consider the graph with an arc from each variable to
    one such parent per free set. A strongly connected component that no arc leaves is such a cluster, and the
    component that depth-first search completes first is one (Tarjan 1972).
    """
    placement, members, path = scratch.placement, scratch.members, scratch.path
    number, lowest, following = scratch.number, scratch.lowest, scratch.following
    visited, depth = 0, 0
    variable = np.int32(start)
    while True:
        if number[variable] == 0:
            members[visited] = path[depth] = variable
            visited += 1
            depth += 1
            number[variable] = lowest[variable] = visited
            following[variable] = lists.set_offsets[variable]
        s = following[variable]
        if s < lists.set_offsets[variable + 1]:
            following[variable] = s + 1
            if placement.reduced[s] > FREE:
                continue
            # A parent that is already discovered does not enlarge the cluster; the latest one closes the shortest
            # cycle.
            last, unmet = np.int32(0), np.int32(-1)
            for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
                parent = lists.parents[k]
                if not placement.placed[parent]:
                    last = max(last, number[parent])
                    if number[parent] == 0:
                        unmet = parent
            if last:
                lowest[variable] = min(lowest[variable], last)
            else:
                variable = unmet
        # All sets are done and an earlier node is reachable: the component is not complete yet.
        elif lowest[variable] < number[variable]:
            depth -= 1
            above = path[depth - 1]
            lowest[above] = min(lowest[above], lowest[variable])
            variable = above
        else:
            break
    # The root of the first completed component: its members are all variables discovered from here on.
    first = number[variable] - 1
    for k in range(visited):
        number[members[k]] = 0
    for k in range(first, visited):
        members[k - first] = members[k]
    return visited - first


@borrowing
def bound_networks(lists, scratch, slack, start):
    """Lower bound on the cost of every network of the listed sets, in nats; the ascent ends once it reaches `slack`.

    Otherwise all variables are placed: ``scratch.placement`` has the reduced costs and an order, its trail. The
    search for clusters begins at variable `start`; another start leads to other clusters and another bound.
    """
    placement, members, inside = scratch.placement, scratch.members, scratch.inside
    n = len(members)
    placement.waiting[:] = -1
    placement.placed[:] = False
    for child in range(n):
        first = lists.set_offsets[child]
        for s in range(first, lists.set_offsets[child + 1]):
            placement.child[s] = child
            placement.reduced[s] = lists.scores[first] - lists.scores[s]
    top = np.int64(0)
    for s in range(lists.set_offsets[n]):
        # Each free set waits at an unplaced parent; `place` moves it on to another one. A variable with a free set
        # whose parents are all placed is placed.
        if placement.reduced[s] <= FREE and not wait_for_parent(lists, placement, s, lists.parent_offsets[s]):
            child = placement.child[s]
            if not placement.placed[child]:
                top = place(lists, placement, child, top, True)
    raised = 0.0
    while top < n and raised < slack:
        # As long as variables remain, each of their free sets has a parent among them: they contain a violated
        # cluster.
        while placement.placed[start]:
            start = (start + 1) % n
        size = find_cluster(lists, scratch, start)
        least, top = raise_cluster(lists, placement, members, size, inside, top)
        raised += least
        start = (start + 1) % n
    return raised


@njit
def follow_trail(families, placement, chosen):
    """Fill ``chosen`` with each variable's best set among its predecessors in the trail; returns their cost."""
    lists, trail = families.lists, placement.trail
    position = np.empty(len(trail), dtype=np.int64)
    for t in range(len(trail)):
        position[trail[t]] = t
    total = 0.0
    for t in range(len(trail)):
        # The search ends: all parents of the free set by which the variable was placed come before it.
        first = s = lists.set_offsets[trail[t]]
        while True:
            stands = True
            for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
                stands &= position[lists.parents[k]] < t
            if stands:
                break
            s += 1
        chosen[trail[t]] = families.sets[s]
        total += lists.scores[first] - lists.scores[s]
    return total
