"""The best network by dynamic programming over subsets of variables (Silander & Myllymäki 2006).

The best network on a set of variables has a sink, which takes its best listed set within the others. Subsets are bit
masks; masks of the possible parents of a child omit the child's own bit. `posterior.subset_sums` uses the same masks
but sums weights, so it shares `set_place` and `squeeze` but not the tables of best sets.
"""

from __future__ import annotations

import numpy as np

from ..jit import borrowing

NO_SET = np.int32(2**31 - 1)
"""Sentinel of subsets without a listed set."""


@borrowing
def squeeze(mask, bit):
    """`mask` with position `bit` removed."""
    return (mask & ((1 << bit) - 1)) | ((mask >> (bit + 1)) << bit)


@borrowing
def set_place(parent_offsets, parents, s, child):
    """Set `s` of `child` as a mask without the child's own position."""
    mask = np.int64(0)
    for k in range(parent_offsets[s], parent_offsets[s + 1]):
        mask |= 1 << parents[k]
    return squeeze(mask, child)


@borrowing
def best_within_subsets(lists, child, best):
    """The best listed set of `child` within every subset of the other variables.

    `best` (int32, shape (2^(n_variables - 1),)) receives the indices of the sets, `NO_SET` where there is none.
    """
    best[:] = NO_SET
    # Worst first: of two entries for the same set the better one remains.
    for s in range(lists.set_offsets[child + 1] - 1, lists.set_offsets[child] - 1, -1):
        best[set_place(lists.parent_offsets, lists.parents, s, child)] = s
    # Yates' transform, one element at a time: each subset inherits the best set of itself less the element.
    step = 1
    while step < len(best):
        for start in range(0, len(best), 2 * step):
            for mask in range(start, start + step):
                # Lists are sorted best first: the smaller index is the better set.
                if best[mask] < best[mask + step]:
                    best[mask + step] = best[mask]
        step *= 2


@borrowing
def sink_total(scores, best, totals, mask, sink):
    """Score of the best network on `mask` in which `sink` has no children, in nats; -inf if none exists."""
    s = best[sink, squeeze(mask, sink)]
    if s == NO_SET:
        return -np.inf
    return totals[mask & ~(1 << sink)] + scores[s]


@borrowing
def extend_totals(scores, best, totals, start, stop):
    """Scores of the best networks on the subsets ``start:stop``, in nats, from scores of smaller masks.

    `scores` is float64, shape (n_sets,). `best` (int32, shape (n_variables, 2^(n_variables - 1))) has rows from
    `best_within_subsets`; `totals` is float64, shape (2^n_variables,): ``totals[0]`` is 0, -inf marks subsets without
    a network.
    """
    n = len(best)
    for mask in range(start, stop):
        most = -np.inf
        for sink in range(n):
            if mask >> sink & 1:
                most = max(most, sink_total(scores, best, totals, mask, sink))
        totals[mask] = most


@borrowing
def trace_back(scores, best, totals, order, chosen):
    """Fill `order` and `chosen` with a topological order and the sets of a best network on all variables."""
    n = len(best)
    mask = (1 << n) - 1
    for place in range(n - 1, -1, -1):
        for sink in range(n):
            # The same operations on the same numbers as in `extend_totals`: the best sink is equal to the last bit.
            if mask >> sink & 1 and sink_total(scores, best, totals, mask, sink) == totals[mask]:
                chosen[sink] = best[sink, squeeze(mask, sink)]
                order[place] = sink
                mask &= ~(1 << sink)
                break
