"""Dual ascent over cluster cuts: an upper bound on the score of every network, polynomial and valid at any moment.

In a network every cluster of variables has a member whose parents all lie outside: the first of them in a
topological order. So if all sets that the members could take that way cost something against their best sets, the
network costs at least the least of it. Troesser, de Givry and Katsirelos (2021) raise such bounds one after the
other: place greedily every variable that has a set without reduced cost among the placed ones; what is left over
is a violated cluster; shrink it, raise its multiplier by the smallest reduced cost of its sets, and take that off
all of them, which sets one more of them free. Placed variables stay placed, so rounds share all work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit

FREE = 1e-9
"""Nats of reduced cost that count as none: more than the rounding of sums, far less than any difference of
scores that matters.
"""

ASCENT_MORE, ASCENT_DONE, ASCENT_FULL, ASCENT_INFEASIBLE = 0, 1, 2, 3
"""How a slice of `ascend` ended: out of work, all placed, no room for clusters, no network at all."""


CLUSTERS, WORK_LEFT = 0, 1
"""Entries of the progress of `ascend`: clusters so far, and the work that may still be done, in sets looked at."""


class Columns(NamedTuple):
    """What bounds see of candidate lists: sets by what they cost against their child's best one.

    Attributes
    ----------
    set_offsets : ndarray of int64, shape (n_variables + 1,)
    costs : ndarray of float64, shape (n_sets,)
        Best listed score of the same child less the set's score, in nats; not negative.
    parent_offsets : ndarray of int64, shape (n_sets + 1,)
    parents : ndarray of int32
    """

    set_offsets: np.ndarray
    costs: np.ndarray
    parent_offsets: np.ndarray
    parents: np.ndarray


class Placement(NamedTuple):
    """Which variables are placed; every free set of the others waits at a parent that is not.

    Attributes
    ----------
    reduced : ndarray of float64, shape (n_sets,)
        Reduced costs in nats.
    waiting : ndarray of int64, shape (n_variables,)
        First of the free sets that wait at a variable, -1 for none.
    following : ndarray of int32, shape (n_sets,)
        The next set that waits at the same variable.
    child : ndarray of int32, shape (n_sets,)
    placed : ndarray of bool, shape (n_variables,)
    trail : ndarray of int32, shape (n_variables,)
        Placed variables in the order of placement.
    """

    reduced: np.ndarray
    waiting: np.ndarray
    following: np.ndarray
    child: np.ndarray
    placed: np.ndarray
    trail: np.ndarray


def new_columns(lists) -> Columns:
    """The view of `SetLists`, or of a table of parent sets with the same four arrays, that bounds work on."""
    best = np.repeat(lists.scores[lists.set_offsets[:-1]], np.diff(lists.set_offsets))
    return Columns(
        set_offsets=lists.set_offsets,
        costs=best - lists.scores,
        parent_offsets=lists.parent_offsets,
        parents=lists.parents,
    )


def new_placement(columns: Columns) -> Placement:
    """Nothing placed; reduced costs are the costs."""
    n, n_sets = len(columns.set_offsets) - 1, len(columns.costs)
    return Placement(
        reduced=columns.costs.copy(),
        waiting=np.full(n, -1, dtype=np.int64),
        following=np.full(n_sets, -1, dtype=np.int32),
        child=np.repeat(np.arange(n, dtype=np.int32), np.diff(columns.set_offsets)),
        placed=np.zeros(n, dtype=np.bool_),
        trail=np.empty(n, dtype=np.int32),
    )


@njit
def avoids(columns, s, inside):
    """True when no member of set `s` is `inside`."""
    for k in range(columns.parent_offsets[s], columns.parent_offsets[s + 1]):
        if inside[columns.parents[k]]:
            return False
    return True


@njit
def wait_for_parent(columns, placement, s):
    """Let the free set `s` wait at a parent that is not placed; False when there is none."""
    for k in range(columns.parent_offsets[s], columns.parent_offsets[s + 1]):
        parent = columns.parents[k]
        if not placement.placed[parent]:
            placement.following[s] = placement.waiting[parent]
            placement.waiting[parent] = s
            return True
    return False


@njit
def place(columns, placement, variable, top):
    """Place a variable, and all whose free sets are then placed; returns the new top of the trail.

    A set that no longer waits in vain stays where it is, so that `unplace` has nothing else to undo.
    """
    placement.placed[variable] = True
    placement.trail[top] = variable
    done = top
    top += 1
    while done < top:
        variable = placement.trail[done]
        done += 1
        s = placement.waiting[variable]
        placement.waiting[variable] = -1
        while s >= 0:
            following = np.int64(placement.following[s])
            child = placement.child[s]
            if placement.placed[child] or not wait_for_parent(columns, placement, s):
                placement.following[s] = placement.waiting[variable]
                placement.waiting[variable] = s
                if not placement.placed[child]:
                    placement.placed[child] = True
                    placement.trail[top] = child
                    top += 1
            s = following
    return top


@njit
def unplace(placement, top, until):
    """Undo the placements ``trail[until:top]``."""
    for k in range(until, top):
        placement.placed[placement.trail[k]] = False


@njit
def place_free(columns, placement):
    """Place all that sets without reduced cost allow; returns the top of the trail."""
    top = np.int64(0)
    for s in range(len(placement.reduced)):
        if placement.reduced[s] <= FREE and not wait_for_parent(columns, placement, s):
            child = placement.child[s]
            if not placement.placed[child]:
                top = place(columns, placement, child, top)
    return top


@njit
def shrink_cluster(columns, placement, members, size, top, rng):
    """Make the violated cluster ``members[:size]`` of all variables not placed minimal, members tried at random.

    Members are placed tentatively: those that then are not placed are a smaller violated cluster.

    Returns
    -------
    tuple of (int, int)
        Size of the cluster and work in placements.
    """
    # Fisher-Yates shuffle: other clusters come up in other rounds.
    for k in range(size - 1, 0, -1):
        j = rng.integers(0, k + 1)
        members[k], members[j] = members[j], members[k]
    left, first, work = size, top, 0
    for k in range(size):
        if placement.placed[members[k]]:
            continue
        new_top = place(columns, placement, members[k], top)
        work += 1 + new_top - top
        # If some member is still not placed, those left are a violated cluster too; otherwise this member is needed.
        if new_top - top < left:
            left -= new_top - top
            top = new_top
        else:
            unplace(placement, new_top, top)
    kept = 0
    for k in range(size):
        if not placement.placed[members[k]]:
            members[kept] = members[k]
            kept += 1
    unplace(placement, top, first)
    return kept, work


@njit
def raise_cluster(columns, placement, members, size, inside, top):
    """Raise the multiplier of a cluster by the least reduced cost of the sets that its cut counts, which lose it.

    Returns that cost, infinite where no set avoids the cluster, and the new top of the trail. `inside` is scratch,
    all False.
    """
    for k in range(size):
        inside[members[k]] = True
    least = np.inf
    for k in range(size):
        for s in range(columns.set_offsets[members[k]], columns.set_offsets[members[k] + 1]):
            if placement.reduced[s] < least and avoids(columns, s, inside):
                least = placement.reduced[s]
    if least < np.inf:
        for k in range(size):
            child = members[k]
            for s in range(columns.set_offsets[child], columns.set_offsets[child + 1]):
                if not avoids(columns, s, inside):
                    continue
                placement.reduced[s] -= least
                # The set became free: its child can be placed, or waits for a parent.
                if placement.reduced[s] <= FREE:
                    placement.reduced[s] = 0.0
                    if not wait_for_parent(columns, placement, s) and not placement.placed[child]:
                        top = place(columns, placement, child, top)
    for k in range(size):
        inside[members[k]] = False
    return least, top


@njit
def ascend(columns, placement, top, members, inside, rng, pool, pool_offsets, raised, progress):
    """Raise cluster after cluster.

    Parameters
    ----------
    columns : Columns
    placement : Placement
    top : int
        Variables placed so far.
    members : ndarray of int32, shape (n_variables,)
        Scratch.
    inside : ndarray of bool, shape (n_variables,)
        Scratch, all False.
    rng : numpy.random.Generator
    pool, pool_offsets, raised : ndarray of int32, int64, float64
        Receive the clusters (members ascending) and by how much each was raised, in nats.
    progress : ndarray of int64, shape (2,)
        See `CLUSTERS` and `WORK_LEFT`.

    Returns
    -------
    tuple of (int, int)
        New top and one of the ``ASCENT_`` codes.
    """
    n = len(placement.placed)
    while top < n:
        if progress[WORK_LEFT] <= 0:
            return top, ASCENT_MORE
        cluster = progress[CLUSTERS]
        if cluster >= len(raised) or pool_offsets[cluster] + n > len(pool):
            return top, ASCENT_FULL
        size = np.int64(0)
        # What cannot be placed is violated: every free set of a member has a parent among the members.
        for v in range(n):
            if not placement.placed[v]:
                members[size] = v
                size += 1
        size, work = shrink_cluster(columns, placement, members, size, top, rng)
        # A placement counts as five sets looked at; the weights are set by hand.
        progress[WORK_LEFT] -= n + 5 * work
        for k in range(size):
            progress[WORK_LEFT] -= 2 * (columns.set_offsets[members[k] + 1] - columns.set_offsets[members[k]])
        least, top = raise_cluster(columns, placement, members, size, inside, top)
        if least == np.inf:
            return top, ASCENT_INFEASIBLE
        start = pool_offsets[cluster]
        members[:size].sort()
        for k in range(size):
            pool[start + k] = members[k]
        pool_offsets[cluster + 1] = start + size
        raised[cluster] = least
        progress[CLUSTERS] += 1
    return top, ASCENT_DONE
