"""Forbidden-parent sets of CHC and FastCHC (Gámez, Mateo and Puerta 2011, 2012): pairs tested, forbidden, reopened.

An arc that some move can bring and that would lower the score, or an arc whose removal would raise it, is read as an
independence: its two variables are no longer tried as parents of each other.
"""

from __future__ import annotations

import numpy as np

from ..arrays import copy_into
from ..jit import inlined, njit
from .addable_parents import insert_candidate, list_permitted, shut_pair
from .ancestors import in_row
from .moves import can_gain_arc, is_parent, mark_stale


@njit
def list_untested(state, child, max_parents, out):
    """Write the candidates of `child` of unknown gain that some move could add to `out` (int32); their number."""
    n = 0
    for k in range(state.n_candidates[child]):
        parent = np.int64(state.candidates[child, k])
        if (
            np.isnan(state.gains[child, k])
            and not in_row(state.shut, child, parent)
            and can_gain_arc(state, child, parent, max_parents)
        ):
            out[n] = parent
            n += 1
    return n


@njit
def relist(state, child, max_parents, out):
    """List the permitted new parents of `child` with unknown gains; `out` and the number as in `list_untested`."""
    n = list_permitted(state, child, state.candidates[child])
    state.n_candidates[child] = n
    state.gains[child, :n] = np.nan
    return list_untested(state, child, max_parents, out)


@njit
def next_untested(state, touched, start, max_parents, out):
    """The first child from `start` on that is `touched` and has untested candidates, and their number; else (-1, 0).

    `out` as in `list_untested`. Pairs of touched children without untested candidates are judged by the known gains.
    """
    for child in range(start, len(state.n_parents)):
        if touched[child]:
            n = list_untested(state, child, max_parents, out)
            if n > 0:
                return child, n
            mark_stale(state, child)
            judge_child(state, child, max_parents)
    return -1, 0


@njit
def take_gains(state, child, candidates, gains, max_parents):
    """Write the gains of some listed candidates of `child` (ascending), and judge the pairs of `child`."""
    k = 0
    for i in range(len(candidates)):
        while state.candidates[child, k] != candidates[i]:
            k += 1
        state.gains[child, k] = gains[i]
    mark_stale(state, child)
    judge_child(state, child, max_parents)


@njit
def judge_child(state, child, max_parents):
    """Forbid the pairs of new arcs with negative gain, and of present arcs whose removal gains."""
    for k in range(state.n_candidates[child]):
        parent = np.int64(state.candidates[child, k])
        if (
            state.gains[child, k] < 0.0
            and not in_row(state.shut, child, parent)
            and can_gain_arc(state, child, parent, max_parents)
        ):
            shut_pair(state, child, parent)
    for k in range(state.n_parents[child]):
        parent = np.int64(state.arcs[child, k])
        if state.removal_gains[child, k] > 0.0 and not in_row(state.fixed, child, parent):
            shut_pair(state, child, parent)


@inlined
def open_arc(state, child, parent):
    """Let the arc parent -> child be tested again, unless it is present or not permitted."""
    state.shut[child, parent >> 6] &= ~(np.uint64(1) << np.uint64(parent & 63))
    if in_row(state.permitted, child, parent) and not is_parent(state, child, parent):
        n = state.n_candidates[child]
        state.n_candidates[child] = insert_candidate(state.candidates[child], state.gains[child], n, parent)


@njit
def list_neighbours(state, variable, out):
    """Write parents and children of `variable` to `out` (int32); their number."""
    n = state.n_parents[variable]
    copy_into(out[:n], state.arcs[variable, :n])
    for v in range(len(state.n_parents)):
        if in_row(state.ancestors, v, variable) and is_parent(state, v, variable):
            out[n] = v
            n += 1
    return n


@njit
def release_pairs(state, one, other, touched):
    """After `one` and `other` were linked, reopen the pairs at distance two through that link (FastCHC).

    `touched` (bool, shape (n_variables,)) marks the children whose lists have changed.
    """
    neighbours = np.empty(len(state.n_parents), dtype=np.int32)
    for near, far in ((one, other), (other, one)):
        for k in range(list_neighbours(state, near, neighbours)):
            v = np.int64(neighbours[k])
            if v != far:
                open_arc(state, v, far)
                open_arc(state, far, v)
                touched[v] = touched[far] = True
