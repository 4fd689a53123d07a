"""Lists of the possible new parents of every child of a climbing graph, with their gains."""

from __future__ import annotations

import numpy as np

from ..bits import set_bit
from ..jit import njit
from .ancestors import in_row
from .moves import find_ascending, mark_stale


@njit
def list_permitted(state, child, out):
    """Write the variables that `child` could gain as parents, cycles ignored, to `out` (int32); their number."""
    n_variables = len(state.n_parents)
    n = 0
    k = 0  # parents of `child` below the present candidate; both ascend
    for w in range(state.permitted.shape[1]):
        word = state.permitted[child, w] & ~state.shut[child, w]
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


@njit
def list_partners(state, child, out):
    """Write the variables above `child` that may be linked with it in either direction to `out`; their number."""
    n = 0
    for other in range(child + 1, len(state.n_parents)):
        if in_row(state.permitted, child, other) or in_row(state.permitted, other, child):
            out[n] = other
            n += 1
    return n


@njit
def shut_pair(state, one, other):
    """Forbid both arcs between two variables."""
    set_bit(state.shut[one], other)
    set_bit(state.shut[other], one)


@njit
def spread_gains(state, child, partners, gains, shuts, keeps_all):
    """List each gain for the permitted directions of the pair (child, partner).

    With `shuts` pairs of negative gain are forbidden instead of listed; without `keeps_all` only those that do not
    lower the score are listed.
    """
    # Children come in ascending order with partners above them, so appending keeps every list ascending.
    for k in range(len(partners)):
        partner = np.int64(partners[k])
        if shuts and gains[k] < 0.0:
            shut_pair(state, child, partner)
        elif keeps_all or gains[k] >= 0.0:
            for one, other in ((child, partner), (partner, child)):
                if in_row(state.permitted, one, other):
                    n = state.n_candidates[one]
                    state.candidates[one, n] = other
                    state.gains[one, n] = gains[k]
                    state.n_candidates[one] = n + 1


@njit
def replace_candidates(state, child, candidates, gains, keeps_all):
    """Make `candidates` (ascending) the list of `child`; without `keeps_all` only those of positive gain."""
    n = 0
    for k in range(len(candidates)):
        if keeps_all or gains[k] > 0.0:
            state.candidates[child, n] = candidates[k]
            state.gains[child, n] = gains[k]
            n += 1
    state.n_candidates[child] = n
    mark_stale(state, child)


@njit
def insert_candidate(candidates, gains, n, parent):
    """Insert `parent`, of unknown gain (NaN), into an ascending list of `n` candidates; the new length."""
    place = find_ascending(candidates, n, parent)
    if place < n and candidates[place] == parent:
        return n
    for k in range(n, place, -1):
        candidates[k] = candidates[k - 1]
        gains[k] = gains[k - 1]
    candidates[place] = parent
    gains[place] = np.nan
    return n + 1
