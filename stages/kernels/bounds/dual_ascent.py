"""Dual ascent over cluster cuts: an upper bound on the score of every network, polynomial and valid at any moment.

In a network every cluster of variables has a member whose parents all lie outside: its first member in a
topological order. So a network costs at least the least reduced cost of the members' sets that avoid the cluster.
Troesser, de Givry and Katsirelos (2021) raise such bounds one after the other. They greedily place every variable
that has a set of reduced cost zero among the placed variables; the variables that remain form a violated cluster.
It is made minimal, its multiplier is raised by the least reduced cost of the sets that its cut counts, and this is
subtracted from all of them, so that at least one becomes free. Placed variables stay placed, so that rounds share
all work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import first_not_below
from ..jit import borrowing, njit
from ..orders.set_lists import SetLists

FREE = 1e-9
"""Reduced costs in nats up to this count as zero: more than rounding errors, far less than any relevant difference of
scores.
"""

ASCENT_MORE, ASCENT_DONE, ASCENT_FULL, ASCENT_INFEASIBLE = 0, 1, 2, 3
"""Return codes of `ascend`: work used up, all variables placed, no room for clusters, no acyclic choice."""


CLUSTERS, WORK_LEFT = 0, 1
"""Entries of the progress of `ascend`: clusters so far, and remaining work in sets looked at."""


class Placement(NamedTuple):
    """The placed variables; every free set (reduced cost zero) of another variable waits at an unplaced parent.

    Attributes
    ----------
    reduced : ndarray of float64, shape (n_sets,)
        Reduced costs in nats.
    waiting : ndarray of int64, shape (n_variables,)
        First of the sets that wait at a variable, -1 for none.
    following : ndarray of int32, shape (n_sets,)
        The next set that waits at the same variable.
    child : ndarray of int32, shape (n_sets,)
        The child of each set.
    placed : ndarray of bool, shape (n_variables,)
        Which variables are placed.
    trail : ndarray of int32, shape (n_variables,)
        Placed variables in the order of placement.
    """

    reduced: np.ndarray
    waiting: np.ndarray
    following: np.ndarray
    child: np.ndarray
    placed: np.ndarray
    trail: np.ndarray


def new_placement(lists: SetLists, costs: np.ndarray) -> Placement:
    """Nothing placed; reduced costs are `costs` (float64, shape (n_sets,)): nats, non-negative."""
    n, n_sets = len(lists.set_offsets) - 1, len(costs)
    return Placement(
        reduced=costs.copy(),
        waiting=np.full(n, -1, dtype=np.int64),
        following=np.full(n_sets, -1, dtype=np.int32),
        child=np.repeat(np.arange(n, dtype=np.int32), np.diff(lists.set_offsets)),
        placed=np.zeros(n, dtype=np.bool_),
        trail=np.empty(n, dtype=np.int32),
    )


@borrowing
def avoids(lists, s, inside):
    """True when no member of set `s` is `inside`."""
    for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):  # noqa: SIM110
        if inside[lists.parents[k]]:
            return False
    return True


@borrowing
def wait_for_parent(lists, placement, s, first):
    """Let the free set `s` wait at its first unplaced parent; False if there is none.

    Its parents before `first`, an index in ``lists.parents``, are placed.
    """
    for k in range(first, lists.parent_offsets[s + 1]):
        parent = lists.parents[k]
        if not placement.placed[parent]:
            placement.following[s] = placement.waiting[parent]
            placement.waiting[parent] = s
            return True
    return False


@borrowing
def place(lists, placement, variable, top, is_undone):
    """Place a variable and all variables that then have a free set among the placed ones; returns the new trail top.

    Until placements are undone (`is_undone`), the parents that precede the one at which a set waited stay placed. So
    the search for the next unplaced parent starts there, and a large set is not read again from its beginning. A set
    whose parents are all placed stays in its waiting list, so that `unplace` has nothing else to undo.
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
            first = lists.parent_offsets[s]
            if not is_undone:
                found = first_not_below(lists.parents, first, lists.parent_offsets[s + 1], variable)
                if lists.parents[found] == variable:
                    first = found
            if placement.placed[child] or not wait_for_parent(lists, placement, s, first):
                placement.following[s] = placement.waiting[variable]
                placement.waiting[variable] = s
                if not placement.placed[child]:
                    placement.placed[child] = True
                    placement.trail[top] = child
                    top += 1
            s = following
    return top


@borrowing
def unplace(placement, top, until):
    """Undo the placements ``trail[until:top]``."""
    for k in range(until, top):
        placement.placed[placement.trail[k]] = False


@borrowing
def place_free(lists, placement):
    """Place every variable that free sets allow; returns the trail top."""
    top = np.int64(0)
    for s in range(len(placement.reduced)):
        first = lists.parent_offsets[s]
        if placement.reduced[s] <= FREE and not wait_for_parent(lists, placement, s, first):
            child = placement.child[s]
            if not placement.placed[child]:
                top = place(lists, placement, child, top, False)
    return top


@njit
def shrink_cluster(lists, placement, members, size, top, rng):
    """Make the violated cluster ``members[:size]`` of all unplaced variables minimal, trying members in random order.

    A member is placed tentatively; the members that remain unplaced form a smaller violated cluster.

    Returns
    -------
    tuple of (int, int)
        Size of the cluster and work in placements.
    """
    # Fisher-Yates shuffle, so that rounds find different clusters.
    for k in range(size - 1, 0, -1):
        j = rng.integers(0, k + 1)
        members[k], members[j] = members[j], members[k]
    left, first, work = size, top, 0
    for k in range(size):
        if placement.placed[members[k]]:
            continue
        new_top = place(lists, placement, members[k], top, True)
        work += 1 + new_top - top
        # If some member stays unplaced, these members are still violated; otherwise this member is needed.
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
    # Waiting lists need no repair: a moved set waits at a parent that was unplaced when it moved and is unplaced now.
    unplace(placement, top, first)
    return kept, work


@borrowing
def raise_cluster(lists, placement, members, size, inside, top):
    """Raise the multiplier of a minimal violated cluster by the least reduced cost of the sets that its cut counts.

    Every network takes a counted set: a set of a member without parents in the cluster. So subtracting d from the
    reduced costs of all counted sets while adding d to the bound on the cost keeps the bound valid. The largest d
    that leaves reduced costs non-negative is the least of them. It is positive, since a minimal cluster counts no
    free set, and some counted set becomes free by it (Troesser, de Givry and Katsirelos 2021). Returns d (infinite if
    no set avoids the cluster) and the new trail top. `inside` is scratch, all False.
    """
    for k in range(size):
        inside[members[k]] = True
    least = np.inf
    for k in range(size):
        for s in range(lists.set_offsets[members[k]], lists.set_offsets[members[k] + 1]):
            # Never a free set: its parents outside the minimal cluster were all placed tentatively, so its child
            # would have been placed as well.
            if placement.reduced[s] < least and avoids(lists, s, inside):
                least = placement.reduced[s]
    if least < np.inf:
        for k in range(size):
            child = members[k]
            for s in range(lists.set_offsets[child], lists.set_offsets[child + 1]):
                if not avoids(lists, s, inside):
                    continue
                placement.reduced[s] -= least
                # The set became free: its child is placed, or the set waits at a parent.
                if placement.reduced[s] <= FREE:
                    placement.reduced[s] = 0.0
                    first = lists.parent_offsets[s]
                    if not wait_for_parent(lists, placement, s, first) and not placement.placed[child]:
                        top = place(lists, placement, child, top, True)
    for k in range(size):
        inside[members[k]] = False
    return least, top


@borrowing
def ascend(lists, placement, top, members, inside, rng, pool, pool_offsets, raised, progress):
    """Raise the multipliers of violated clusters until the work is used up.

    Parameters
    ----------
    top : int
        Variables placed so far.
    members : ndarray of int32, shape (n_variables,)
        Scratch.
    inside : ndarray of bool, shape (n_variables,)
        Scratch, all False.
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
        # The unplaced variables are violated: every free set of a member has a parent among the members.
        for v in range(n):
            if not placement.placed[v]:
                members[size] = v
                size += 1
        size, work = shrink_cluster(lists, placement, members, size, top, rng)
        # A placement counts as five sets looked at (set by hand).
        progress[WORK_LEFT] -= n + 5 * work
        for k in range(size):
            progress[WORK_LEFT] -= 2 * (lists.set_offsets[members[k] + 1] - lists.set_offsets[members[k]])
        least, top = raise_cluster(lists, placement, members, size, inside, top)
        if least == np.inf:
            return top, ASCENT_INFEASIBLE
        for k in range(size):
            inside[members[k]] = True
        end = pool_offsets[cluster]
        for v in range(n):
            if inside[v]:
                inside[v] = False
                pool[end] = v
                end += 1
        pool_offsets[cluster + 1] = end
        raised[cluster] = least
        progress[CLUSTERS] += 1
    return top, ASCENT_DONE
