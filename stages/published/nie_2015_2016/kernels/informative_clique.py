"""The (K + 1)-clique of largest informative score, from which S2+ grows its first k-tree, by branch and bound.

A clique is a k-tree on its own variables: S_mi is the information of its pairs, S_l the sum of the scores of its
members' best sets within the clique (Scanagatta et al. 2016, section 3.4).
"""

from __future__ import annotations

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.jit import borrowing, njit

from .informative_score import information_between


@borrowing
def clique_score(lists, tops, information, members):
    """IS of the clique of `members`; ``tops`` are the best listed scores of all variables, in nats."""
    shared, score = 0.0, 0.0
    for i in range(len(members)):
        for j in range(i):
            shared += information_between(information, members[i], members[j])
        # The first set within the clique is the best one; the last set of a list is always taken.
        s = lists.set_offsets[members[i]]
        while True:
            within = True
            for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
                found = False
                for v in members:
                    found |= v == lists.parents[k]
                within &= found
            if within or s + 1 == lists.set_offsets[members[i] + 1]:
                break
            s += 1
        score += tops[members[i]] + lists.scores[s]
    return shared / max(abs(score), 1e-300)


@njit
def greedy_clique(information, tops, first, members):
    """Fill `members`, beginning with `first`; each next member maximises the ratio of information to best listed
    scores.
    """
    n = len(tops)
    shared = np.zeros(n)
    taken = np.zeros(n, dtype=np.bool_)
    total, score = 0.0, 0.0
    variable = first
    for t in range(len(members)):
        members[t] = variable
        taken[variable] = True
        total += shared[variable]
        score += tops[variable]
        for i in range(information.offsets[variable], information.offsets[variable + 1]):
            shared[information.neighbours[i]] += information.values[i]
        variable, best = -1, -np.inf
        for v in range(n):
            if not taken[v]:
                quotient = (total + shared[v]) / max(abs(score + tops[v]), 1e-300)
                if quotient > best:
                    variable, best = v, quotient


@njit
def best_clique(lists, tops, information, most, starts, members, work):
    """Fill `members` with the clique of largest informative score.

    Returns whether the clique is proved to be the best one.

    Parameters
    ----------
    tops : ndarray of float64, shape (n_variables,)
        Best listed scores, in nats.
    most : ndarray of float64, shape (n_variables, K + 1)
        Sums of the largest entries of each variable, see `informative_growth.largest_sums`.
    starts : int
        Greedy cliques to begin with, from the variables with most information.
    members : ndarray of int64, shape (K + 1,)
    work : int
        Limit of variables visited; the search ends at it.
    """
    n, size = len(tops), len(members)
    ranked = np.argsort(-most[:, size - 1], kind="mergesort")
    best, tried = -1.0, np.empty(size, dtype=np.int64)
    for k in range(min(starts, n)):
        greedy_clique(information, tops, ranked[k], tried)
        score = clique_score(lists, tops, information, tried)
        if score > best:
            best = score
            copy_into(members, tried)
    # Depth-first over ascending ranks. `shared[d, v]` is the information that v shares with the first d members.
    shared = np.zeros((size + 1, n))
    chosen = np.full(size, -1, dtype=np.int64)
    totals, scores = np.zeros(size + 1), np.zeros(size + 1)
    gains = np.empty(size)
    depth = 0
    while depth >= 0:
        chosen[depth] += 1
        left = size - depth
        if chosen[depth] + left > n:
            depth -= 1
            continue
        work -= n - chosen[depth]
        if work < 0:
            return False
        # Upper bound on the contribution of variables from this rank on: their information with the members, plus
        # half of their largest entries, as each pair among them is counted twice.
        gains[:left] = -np.inf
        for r in range(chosen[depth], n):
            v = ranked[r]
            gain = shared[depth, v] + most[v, left - 1] / 2 + best * tops[v]
            # Insertion into a descending list of the largest values so far; its length is the number of members still
            # to come.
            for j in range(left):
                if gain > gains[j]:
                    gain, gains[j] = gains[j], gain
        # A clique is better if S_mi + best S_l > 0, as S_l is negative. The bound covers all later ranks too, so the
        # whole level ends; the tolerance allows for rounding.
        if totals[depth] + best * scores[depth] + gains[:left].sum() <= 1e-12 * totals[depth]:
            depth -= 1
            continue
        v = ranked[chosen[depth]]
        tried[depth] = v
        if left == 1:
            score = clique_score(lists, tops, information, tried)
            if score > best:
                best = score
                copy_into(members, tried)
            continue
        totals[depth + 1] = totals[depth] + shared[depth, v]
        scores[depth + 1] = scores[depth] + tops[v]
        shared[depth + 1] = shared[depth]
        for i in range(information.offsets[v], information.offsets[v + 1]):
            shared[depth + 1, information.neighbours[i]] += information.values[i]
        chosen[depth + 1] = chosen[depth]
        depth += 1
    return True
