"""The best network by dynamic programming over subsets of variables (Silander & Myllymäki 2006).

The best network on a set of variables has a sink, which takes its best listed set within the others. Subsets are
bit masks; those of the possible parents of a child leave the child's own bit out.
"""

from __future__ import annotations

import numpy as np

from ..jit import njit

NO_SET = np.int32(2**31 - 1)
"""Where no listed set lies within a subset."""


@njit
def squeeze(mask, bit):
    """`mask` without position `bit`."""
    return (mask & ((1 << bit) - 1)) | ((mask >> (bit + 1)) << bit)


@njit
def best_within_subsets(lists, child, best):
    """The best listed set of `child` within every subset of the other variables.

    Parameters
    ----------
    lists : SetLists
    child : int
    best : ndarray of int32, shape (2^(n_variables - 1),)
        Receives the sets' indices; `NO_SET` where there is none.
    """
    best[:] = NO_SET
    for s in range(lists.set_offsets[child + 1] - 1, lists.set_offsets[child] - 1, -1):
        mask = np.int64(0)
        for k in range(lists.parent_offsets[s], lists.parent_offsets[s + 1]):
            mask |= 1 << lists.parents[k]
        best[squeeze(mask, child)] = s
    step = 1
    while step < len(best):
        for start in range(0, len(best), 2 * step):
            for mask in range(start, start + step):
                # Indices ascend as scores fall.
                if best[mask] < best[mask + step]:
                    best[mask + step] = best[mask]
        step *= 2


@njit
def sink_total(scores, best, totals, mask, sink):
    """Score of the best network on `mask` in which `sink` has no children, in nats; -inf if there is none."""
    s = best[sink, squeeze(mask, sink)]
    if s == NO_SET:
        return -np.inf
    return totals[mask & ~(1 << sink)] + scores[s]


@njit
def extend_totals(scores, best, totals, start, stop):
    """Scores of the best networks on the subsets ``start:stop``, in nats, from those on smaller masks.

    Parameters
    ----------
    scores : ndarray of float64, shape (n_sets,)
    best : ndarray of int32, shape (n_variables, 2^(n_variables - 1))
        Rows from `best_within_subsets`.
    totals : ndarray of float64, shape (2^n_variables,)
        ``totals[0]`` is 0; -inf where there is no network.
    start, stop : int
    """
    n = len(best)
    for mask in range(start, stop):
        most = -np.inf
        for sink in range(n):
            if mask >> sink & 1:
                most = max(most, sink_total(scores, best, totals, mask, sink))
        totals[mask] = most


@njit
def trace_back(scores, best, totals, order, chosen):
    """A best network on all variables: an order of them and every variable's set."""
    n = len(best)
    mask = (1 << n) - 1
    for place in range(n - 1, -1, -1):
        for sink in range(n):
            if mask >> sink & 1 and sink_total(scores, best, totals, mask, sink) == totals[mask]:
                chosen[sink] = best[sink, squeeze(mask, sink)]
                order[place] = sink
                mask &= ~(1 << sink)
                break
