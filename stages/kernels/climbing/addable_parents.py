"""Lists of the possible new parents of every child of a climbing graph, with their gains."""

from __future__ import annotations

import numpy as np

from ..jit import borrowing
from .ancestors import in_row
from .moves import mark_stale


@borrowing
def list_permitted(state, child, out):
    """Write the variables that `child` could gain as parents, ignoring cycles, to `out` (int32); returns their
    number.
    """
    n_variables = len(state.n_parents)
    n = 0
    k = 0  # parents of `child` below the present candidate; both ascend
    for w in range(state.permitted.shape[1]):
        word = state.permitted[child, w]
        if word == np.uint64(0):
            continue
        for parent in range(64 * w, min(64 * w + 64, n_variables)):
            if (word >> np.uint64(parent & 63)) & np.uint64(1) == np.uint64(0):
                continue
            while k < state.n_parents[child] and state.arcs[child, k] < parent:
                k += 1
            if k < state.n_parents[child] and state.arcs[child, k] == parent:
                continue
            out[n] = parent
            n += 1
    return n


@borrowing
def list_partners(state, child, out):
    """Write the variables above `child` that may be linked with it in either direction to `out`; returns how many."""
    n = 0
    for other in range(child + 1, len(state.n_parents)):
        if in_row(state.permitted, child, other) or in_row(state.permitted, other, child):
            out[n] = other
            n += 1
    return n


@borrowing
def spread_gains(state, child, partners, gains, keeps_all):
    """List each gain for the permitted directions of the pair (child, partner).

    Without `keeps_all`, gains that lower the score are not listed.
    """
    # Children come in ascending order with partners above them, so appending keeps every list ascending.
    for k in range(len(partners)):
        partner = np.int64(partners[k])
        if keeps_all or gains[k] >= 0.0:
            for one, other in ((child, partner), (partner, child)):
                if in_row(state.permitted, one, other):
                    n = state.n_candidates[one]
                    state.candidates[one, n] = other
                    state.gains[one, n] = gains[k]
                    state.n_candidates[one] = n + 1


@borrowing
def replace_candidates(state, child, candidates, gains, keeps_all):
    """Make `candidates` (ascending) the list of `child`; without `keeps_all` only candidates of positive gain."""
    n = 0
    for k in range(len(candidates)):
        if keeps_all or gains[k] > 0.0:
            state.candidates[child, n] = candidates[k]
            state.gains[child, n] = gains[k]
            n += 1
    state.n_candidates[child] = n
    mark_stale(state, child)
