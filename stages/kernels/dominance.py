"""Dominance pruning: a parent set is useless when a proper subset scores at least as well."""

from __future__ import annotations

import numpy as np

from .jit import njit


@njit
def mark_undominated(offsets, members, n_variables):
    """Which sets have no listed proper subset before them.

    Parameters
    ----------
    offsets : ndarray of int64, shape (n_sets + 1,)
    members : ndarray of int32
        Ascending members of set s are ``members[offsets[s]:offsets[s + 1]]``. Sets are sorted best score first,
        ties by size, so that whatever dominates a set stands before it.
    n_variables : int

    Returns
    -------
    ndarray of bool, shape (n_sets,)
    """
    n_sets = len(offsets) - 1
    keep = np.ones(n_sets, dtype=np.bool_)
    # Kept sets hang in one chain per largest member; only chains of a set's own members can hold a subset.
    head = np.full(n_variables, -1, dtype=np.int64)
    next_in_chain = np.full(n_sets, -1, dtype=np.int64)
    stamp = np.full(n_variables, -1, dtype=np.int64)
    empty_is_kept = False
    for s in range(n_sets):
        start, end = offsets[s], offsets[s + 1]
        if empty_is_kept:
            keep[s] = False
            continue
        for i in range(start, end):
            stamp[members[i]] = s
        for i in range(start, end):
            other = head[members[i]]
            while other >= 0 and keep[s]:
                is_subset = True
                for j in range(offsets[other], offsets[other + 1]):
                    if stamp[members[j]] != s:
                        is_subset = False
                        break
                keep[s] = not is_subset
                other = next_in_chain[other]
        if keep[s]:
            if end == start:
                empty_is_kept = True
            else:
                last = members[end - 1]
                next_in_chain[s] = head[last]
                head[last] = s
    return keep
