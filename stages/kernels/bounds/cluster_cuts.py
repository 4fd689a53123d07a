"""Separation of cluster cuts by tabu search over the members of a cluster.

For a cluster C and demand k the sets of members with fewer than k parents in C must together have a share of at
least k (see `lagrangian`). Finding the most violated cluster is NP-hard. A local search that adds or removes one
variable at a time finds nearly all violated ones, and looks only at the few sets that have a share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import borrowing, njit
from ..orders.set_lists import SetLists

CLUSTER_TENURE = 3
"""Tabu tenure in steps of a variable that entered or left (set by hand); up to three more at random."""

SHARE_TOLERANCE = 1e-9
"""Shares that differ by less count as equal; the value exceeds the rounding error of their sums."""


class ClusterRules(NamedTuple):
    """Parameters of the search for clusters.

    Attributes
    ----------
    demand : int
        k of the cuts.
    n_steps : int
        Changes per search.
    most_members : int
        Largest number of variables in a cluster.
    least_violation : float
        Least violation (missing share) of a cut that is kept.
    noise : float
        Amplitude of the random disturbance of a change, in shares.
    """

    demand: int
    n_steps: int
    most_members: int
    least_violation: float
    noise: float


class Support(NamedTuple):
    """The sets that have a share in a fractional choice.

    Attributes
    ----------
    lists : SetLists
        These sets.
    shares : ndarray of float64, shape (n_support,)
        Share of each set.
    child : ndarray of int32, shape (n_support,)
        The child of each set.
    member_offsets : ndarray of int64, shape (n_variables + 1,)
        Variable v is in ``member_sets[member_offsets[v]:member_offsets[v + 1]]``.
    member_sets : ndarray of int32
        Sets that contain a variable as a parent.
    """

    lists: SetLists
    shares: np.ndarray
    child: np.ndarray
    member_offsets: np.ndarray
    member_sets: np.ndarray


class Cluster(NamedTuple):
    """A cluster, and by how much adding or removing a variable changes the share that its cut counts.

    Attributes
    ----------
    inside : ndarray of bool, shape (n_variables,)
        Members of the cluster.
    hits : ndarray of int32, shape (n_support,)
        Parents of a set that are inside.
    counted : ndarray of float64, shape (n_variables,)
        Share of a variable's sets with fewer than k hits.
    lost : ndarray of float64, shape (n_variables,)
        For a variable outside: the share of the members' sets in which it would be the k-th parent inside.
    regained : ndarray of float64, shape (n_variables,)
        For a variable inside: the share of members' sets that would be counted without it.
    near : ndarray of int32, shape (n_variables,)
        Candidates to enter or leave: variables that were inside, and the parents in their sets.
    is_near : ndarray of bool, shape (n_variables,)
        Which variables are in `near`.
    """

    inside: np.ndarray
    hits: np.ndarray
    counted: np.ndarray
    lost: np.ndarray
    regained: np.ndarray
    near: np.ndarray
    is_near: np.ndarray


def new_cluster(support: Support) -> Cluster:
    """The empty cluster, whose cut counts the whole share of every variable."""
    n = len(support.lists.set_offsets) - 1
    return Cluster(
        inside=np.zeros(n, dtype=np.bool_),
        hits=np.zeros(len(support.shares), dtype=np.int32),
        counted=np.bincount(support.child, weights=support.shares, minlength=n),
        lost=np.zeros(n),
        regained=np.zeros(n),
        near=np.empty(n, dtype=np.int32),
        is_near=np.zeros(n, dtype=np.bool_),
    )


@borrowing
def tally(support, cluster, s, demand, sign):
    """Add the contribution of set `s` to the sums of `cluster`; subtract it with `sign` -1."""
    share = sign * support.shares[s]
    child, hits = support.child[s], cluster.hits[s]
    # The cut counts the sets of members with fewer than `demand` parents inside.
    if hits < demand:
        cluster.counted[child] += share
    # One parent more or less matters only if the number of hits is k - 1 or k.
    if cluster.inside[child] and demand - 1 <= hits <= demand:
        for k in range(support.lists.parent_offsets[s], support.lists.parent_offsets[s + 1]):
            parent = support.lists.parents[k]
            if cluster.inside[parent]:
                if hits == demand:
                    cluster.regained[parent] += share
            elif hits == demand - 1:
                cluster.lost[parent] += share


@borrowing
def notice(cluster, variable, n_near):
    """Add a variable to the variables near the cluster; returns their number."""
    if not cluster.is_near[variable]:
        cluster.is_near[variable] = True
        cluster.near[n_near] = variable
        n_near += 1
    return n_near


@borrowing
def flip(support, cluster, variable, demand, n_near):
    """Move a variable into or out of the cluster; returns the number of variables near it."""
    own = range(support.lists.set_offsets[variable], support.lists.set_offsets[variable + 1])
    as_parent = range(support.member_offsets[variable], support.member_offsets[variable + 1])
    # Subtract the contributions of all sets concerned, change their hits, add the new contributions.
    for s in own:
        tally(support, cluster, s, demand, -1.0)
    for k in as_parent:
        tally(support, cluster, np.int64(support.member_sets[k]), demand, -1.0)
    change = -1 if cluster.inside[variable] else 1
    cluster.inside[variable] = change > 0
    for k in as_parent:
        cluster.hits[support.member_sets[k]] += change
    for s in own:
        tally(support, cluster, s, demand, 1.0)
    for k in as_parent:
        tally(support, cluster, np.int64(support.member_sets[k]), demand, 1.0)
    if change > 0:
        n_near = notice(cluster, variable, n_near)
        for s in own:
            for k in range(support.lists.parent_offsets[s], support.lists.parent_offsets[s + 1]):
                n_near = notice(cluster, np.int64(support.lists.parents[k]), n_near)
    return n_near


@borrowing
def best_flip(cluster, n_near, until, step, size, demand, most, noise, rng):
    """The variable whose flip minimises the counted share, and the change without noise; -1 for none."""
    best, least, change = np.int64(-1), np.inf, 0.0
    for k in range(n_near):
        v = np.int64(cluster.near[k])
        if until[v] > step:
            continue
        if cluster.inside[v]:
            # A cluster of k members cuts off nothing: none of them has k parents inside.
            if size <= demand + 1:
                continue
            delta = cluster.regained[v] - cluster.counted[v]
        else:
            # Below the demand every set is counted whichever variable enters.
            if size >= most or (size >= demand and cluster.lost[v] <= SHARE_TOLERANCE):
                continue
            delta = cluster.counted[v] - cluster.lost[v]
        # Noise lets repeated searches from one seed find different clusters; the sums themselves stay exact.
        disturbed = delta + noise * rng.random() if noise > 0.0 else delta
        if disturbed < least:
            best, least, change = v, disturbed, delta
    return best, change


@njit
def search_clusters(support, cluster, seeds, rules, rng, kept, until, pool, pool_offsets):
    """One search from every seed; appends the most violated cluster of each (members ascending) to the pool.

    Parameters
    ----------
    cluster : Cluster
        The empty cluster; restored afterwards, up to rounding.
    seeds : ndarray of int32
        Variables to begin with.
    kept, until : ndarray of bool, int64; shape (n_variables,)
        Scratch.
    pool, pool_offsets : ndarray of int32, int64
        Receive the clusters.

    Returns
    -------
    tuple of (int, int)
        Clusters found and the work in variables looked at.
    """
    demand, n_steps, most, noise = rules.demand, rules.n_steps, rules.most_members, rules.noise
    n_found = work = 0
    for index in range(len(seeds)):
        seed = np.int64(seeds[index])
        if n_found + 1 >= len(pool_offsets) or pool_offsets[n_found] + most > len(pool):
            break
        share = cluster.counted[seed]
        n_near = flip(support, cluster, seed, demand, np.int64(0))
        size, found_size, least = np.int64(1), 0, demand - rules.least_violation
        # The seed stays to the end.
        until[seed] = n_steps
        for step in range(1, n_steps):
            v, change = best_flip(cluster, n_near, until, step, size, demand, most, noise, rng)
            work += n_near
            if v < 0:
                break
            share += change
            size += -1 if cluster.inside[v] else 1
            n_near = flip(support, cluster, v, demand, n_near)
            # Tabu: a variable that just entered or left stays for a while, so that the search leaves local optima.
            until[v] = step + 1 + CLUSTER_TENURE + rng.integers(0, 4)
            if size > demand and share < least - SHARE_TOLERANCE:
                least, found_size = share, size
                copy_into(kept, cluster.inside)
        # Flipping the members back is cheaper than clearing all variables and sets.
        for k in range(n_near):
            v = np.int64(cluster.near[k])
            if cluster.inside[v]:
                flip(support, cluster, v, demand, n_near)
        if found_size > 0:
            place = pool_offsets[n_found]
            for v in range(len(kept)):
                if kept[v]:
                    pool[place] = v
                    place += 1
            n_found += 1
            pool_offsets[n_found] = place
        for k in range(n_near):
            v = cluster.near[k]
            cluster.is_near[v] = False
            cluster.lost[v] = cluster.regained[v] = 0.0
            until[v] = 0
    return n_found, work
