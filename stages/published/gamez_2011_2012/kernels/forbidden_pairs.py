"""Forbidden-parent sets of CHC and FastCHC (Gámez, Mateo and Puerta 2011, 2012): pairs tested, forbidden, reopened.

`shut` (uint64, shape (n_variables, n_words)) holds in row x the variables that are not tried as parents of x. The
candidates of a `ClimbState` are the parents tested and not forbidden.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.arrays import copy_into, first_not_below
from stages.kernels.bits import set_bit
from stages.kernels.climbing.addable_parents import list_permitted
from stages.kernels.climbing.ancestors import in_row
from stages.kernels.climbing.moves import STALE, can_add, can_reverse, is_parent, mark_stale
from stages.kernels.jit import borrowing, inlined, njit


@borrowing
def can_gain_arc(state, child, parent, max_parents):
    """True when some move adds the arc parent -> child: an addition, or the reversal of child -> parent."""
    if not in_row(state.ancestors, parent, child):
        return can_add(state, child, parent, max_parents)
    return is_parent(state, parent, child) and can_reverse(state, parent, child, max_parents)


@borrowing
def list_untested(state, shut, child, max_parents, out):
    """Write the open, unlisted parents of `child` that some move could add to `out`; returns their number.

    `out` is int32, of shape (n_variables,).
    """
    # Permitted parents are filtered in place: `n` never passes `k`.
    n = 0
    n_listed = state.n_candidates[child]
    for k in range(list_permitted(state, child, out)):
        parent = np.int64(out[k])
        place = first_not_below(state.candidates[child], 0, n_listed, parent)
        is_listed = place < n_listed and state.candidates[child, place] == parent
        if not is_listed and not in_row(shut, child, parent) and can_gain_arc(state, child, parent, max_parents):
            out[n] = parent
            n += 1
    return n


@borrowing
def list_tested(state, child, parents, gains):
    """Add the tested parents of `child` (ascending, none of them listed) whose gains are not negative to its list."""
    n = state.n_candidates[child]
    candidates, listed_gains = state.candidates[child], state.gains[child]
    for i in range(len(parents)):
        if gains[i] >= 0.0:
            place = first_not_below(candidates, 0, n, parents[i])
            for k in range(n, place, -1):
                candidates[k] = candidates[k - 1]
                listed_gains[k] = listed_gains[k - 1]
            candidates[place] = parents[i]
            listed_gains[place] = gains[i]
            n += 1
    state.n_candidates[child] = n
    mark_stale(state, child)


@borrowing
def list_unsupported(state, child, out):
    """Write the parents of `child` that are not required and whose removal gains to `out` (int32); returns their
    number.
    """
    n = 0
    for k in range(state.n_parents[child]):
        parent = np.int64(state.arcs[child, k])
        if state.removal_gains[child, k] > 0.0 and not in_row(state.fixed, child, parent):
            out[n] = parent
            n += 1
    return n


@borrowing
def unlist(state, child, parent):
    """Remove `parent` from the list of `child` if it is there."""
    n = state.n_candidates[child]
    place = first_not_below(state.candidates[child], 0, n, parent)
    if place < n and state.candidates[child, place] == parent:
        for k in range(place, n - 1):
            state.candidates[child, k] = state.candidates[child, k + 1]
            state.gains[child, k] = state.gains[child, k + 1]
        state.n_candidates[child] = n - 1
        # The gain entered the moves of `child`, and the moves of `parent` if an arc child -> parent could be
        # reversed.
        state.best_kind[child] = STALE
        state.best_kind[parent] = STALE


@borrowing
def forbid_pairs(shut, child, others):
    """Forbid the arcs between `child` and each of the `others`, in both directions."""
    for k in range(len(others)):
        other = np.int64(others[k])
        set_bit(shut[child], other)
        set_bit(shut[other], child)


@borrowing
def unlist_pairs(state, child, others):
    """Remove `child` and each of the `others` from each other's lists."""
    for k in range(len(others)):
        other = np.int64(others[k])
        unlist(state, child, other)
        unlist(state, other, child)


@inlined
def open_arc(shut, child, parent):
    """Remove `parent` from the forbidden parents of `child`."""
    shut[child, parent >> 6] &= ~(np.uint64(1) << np.uint64(parent & 63))


@borrowing
def list_neighbours(state, variable, out):
    """Write parents and children of `variable` to `out` (int32); returns their number."""
    n = state.n_parents[variable]
    copy_into(out[:n], state.arcs[variable, :n])
    for v in range(len(state.n_parents)):
        # A child has the variable among its ancestors: testing one bit avoids most searches of parents.
        if in_row(state.ancestors, v, variable) and is_parent(state, v, variable):
            out[n] = v
            n += 1
    return n


@njit
def release_pairs(state, shut, one, other, touched):
    """After `one` and `other` were linked, reopen the pairs at distance two through that link (FastCHC).

    `touched` (bool, shape (n_variables,)) marks the variables of these pairs.
    """
    neighbours = np.empty(len(state.n_parents), dtype=np.int32)
    for near, far in ((one, other), (other, one)):
        for k in range(list_neighbours(state, near, neighbours)):
            v = np.int64(neighbours[k])
            if v != far:
                open_arc(shut, v, far)
                open_arc(shut, far, v)
                touched[v] = touched[far] = True
