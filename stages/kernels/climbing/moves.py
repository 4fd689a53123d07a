"""The moves of hill climbing: additions, removals and reversals of arcs, their gains, the choice of the best one.

Every child has a list of possible new parents with the gains of adding them, and the gains of removing its parents.
The best move of every child is cached. It is searched again (`STALE`) when its gains have changed, when a removal may
have opened a move that closed a cycle, or when it is chosen but no longer possible. So choosing a move takes one pass
over the children, not over all pairs.

Moves are ordered by gain, then additions before removals before reversals, then by the child's place in a given
order, then by parent.
"""

from __future__ import annotations

import contextlib
import mmap
from typing import NamedTuple

import numpy as np

from ..arrays import first_not_below
from ..jit import borrowing, inlined, njit
from .ancestors import add_ancestors, all_ancestors, closes_cycle, has_other_path, in_row

ADD, REMOVE, REVERSE, NO_MOVE, STALE = (np.int64(kind) for kind in range(5))
"""Kinds of moves, int64 as in the arrays; `STALE` marks a best move that must be searched again."""

KIND, CHILD, PARENT = 0, 1, 2
"""Entries of a move, an array of int64."""


class ClimbState(NamedTuple):
    """A graph and the gains of its moves, as far as they are known; changed in place.

    Lists are rows that are filled from the left, so only the used part of a row takes memory. They have as many
    columns as the longest needs (`with_wider_rows`).
    """

    # int32, shape (n_variables, most_listed): ``candidates[x, :n_candidates[x]]`` are possible new parents of x,
    # ascending.
    candidates: np.ndarray
    gains: np.ndarray  # float64, shape (n_variables, most_listed): gain in nats of adding each of them
    n_candidates: np.ndarray  # int32, shape (n_variables,)
    arcs: (
        np.ndarray
    )  # int32, shape (n_variables, most_parents): ``arcs[x, :n_parents[x]]`` are parents of x, ascending
    removal_gains: np.ndarray  # float64, shape (n_variables, most_parents): gain in nats of removing each of them
    n_parents: np.ndarray  # int32, shape (n_variables,)
    ancestors: np.ndarray  # uint64, shape (n_variables, n_words)
    # Parents of x that the user permits, and parents that the user requires: uint64, shape (n_variables, n_words).
    permitted: np.ndarray
    fixed: np.ndarray
    order: np.ndarray  # int64, shape (n_variables,): the children; among equal moves the earlier child's is taken
    best_gain: np.ndarray  # float64, shape (n_variables,)
    # Best move of every child, int64, shape (n_variables,): its kind, and the parent that it adds, removes or makes a
    # child.
    best_kind: np.ndarray
    best_parent: np.ndarray


def paged_array(n_rows, n_columns, dtype):
    """An array of zeros whose memory is allocated in small pages as they are written to.

    numpy would allocate huge pages (2 MB), and every row would touch one.
    """
    memory = mmap.mmap(-1, max(1, n_rows * n_columns * np.dtype(dtype).itemsize))
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        with contextlib.suppress(OSError):  # an operating system without huge pages refuses the advice
            memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype=dtype, count=n_rows * n_columns).reshape(n_rows, n_columns)


def widened(array: np.ndarray, n_columns: int, n_used: np.ndarray) -> np.ndarray:
    """The first `n_used` entries of each row in an array of more columns."""
    wider = paged_array(len(array), n_columns, array.dtype)
    for row, n in enumerate(n_used.tolist()):
        wider[row, :n] = array[row, :n]
    return wider


def new_climb_state(
    permitted: np.ndarray,
    fixed: np.ndarray,
    order: np.ndarray,
    most_listed: int | None = None,
    most_parents: int | None = None,
) -> ClimbState:
    """A graph without arcs; no gains of moves are known yet.

    `permitted`, `fixed` and `order` are as in `ClimbState`. The lists of possible new parents have `most_listed`
    columns, the lists of parents `most_parents`; by default one column for each variable.
    """
    n = len(order)
    n_listed = n if most_listed is None else min(n, most_listed)
    n_arcs = n if most_parents is None else min(n, most_parents)
    return ClimbState(
        candidates=paged_array(n, n_listed, np.int32),
        gains=paged_array(n, n_listed, np.float64),
        n_candidates=np.zeros(n, dtype=np.int32),
        arcs=paged_array(n, n_arcs, np.int32),
        removal_gains=paged_array(n, n_arcs, np.float64),
        n_parents=np.zeros(n, dtype=np.int32),
        ancestors=np.zeros(permitted.shape, dtype=np.uint64),
        permitted=permitted,
        fixed=fixed,
        order=order,
        best_gain=np.empty(n),
        best_kind=np.empty(n, dtype=np.int64),
        best_parent=np.empty(n, dtype=np.int64),
    )


def with_wider_rows(state: ClimbState, n_listed: int, n_parents: int) -> ClimbState:
    """A copy of the state whose lists hold `n_listed` possible new parents and `n_parents` parents of every child."""
    n, listed, parents = len(state.order), state.candidates.shape[1], state.arcs.shape[1]
    if n_listed > listed:
        wide = min(n, max(n_listed, 2 * listed))
        state = state._replace(
            candidates=widened(state.candidates, wide, state.n_candidates),
            gains=widened(state.gains, wide, state.n_candidates),
        )
    if n_parents > parents:
        wide = min(n, max(n_parents, 2 * parents))
        state = state._replace(
            arcs=widened(state.arcs, wide, state.n_parents),
            removal_gains=widened(state.removal_gains, wide, state.n_parents),
        )
    return state


class Limits(NamedTuple):
    """Limits on the choice of a move."""

    max_parents: int
    floor: float  # moves must gain more than this, in nats: 0 when climbing, minus infinity with a tabu list
    # int64, shape (length of the tabu list, 2): pairs of variables, the smaller first, changed by the last moves.
    tabu: np.ndarray
    aspiration: float  # a move that gains more than this (nats) is not tabu: it leads to a new best graph


@inlined
def is_parent(state, child, parent):
    """True when the arc parent -> child is present."""
    found = False
    for k in range(state.n_parents[child]):
        found |= state.arcs[child, k] == parent
    return found


@borrowing
def addition_gain(state, child, parent):
    """Gain of the new arc parent -> child; minus infinity if it is not listed."""
    n = state.n_candidates[child]
    k = first_not_below(state.candidates[child], 0, n, parent)
    return state.gains[child, k] if k < n and state.candidates[child, k] == parent else -np.inf


@inlined
def can_add(state, child, parent, max_parents):
    """True when the arc parent -> child can be added, if it is permitted."""
    return state.n_parents[child] < max_parents and not closes_cycle(state.ancestors, child, parent)


@inlined
def can_reverse(state, child, parent, max_parents):
    """True when the arc parent -> child can be reversed, if the reversed arc is permitted."""
    return (
        state.n_parents[parent] < max_parents
        and not in_row(state.fixed, child, parent)
        and not has_other_path(state.ancestors, state.arcs, state.n_parents, child, parent)
    )


@borrowing
def is_open(state, kind, child, parent, max_parents):
    """True when a listed move of `child` is possible."""
    if kind == ADD:
        return can_add(state, child, parent, max_parents)
    if kind == REVERSE:
        return can_reverse(state, child, parent, max_parents)
    return True


@borrowing
def is_tabu(limits, child, parent, gain):
    """True when the tabu list excludes a move of this gain between the two variables."""
    if len(limits.tabu) == 0 or gain > limits.aspiration:
        return False
    one, other = min(child, parent), max(child, parent)
    is_listed = False
    for k in range(len(limits.tabu)):
        is_listed |= limits.tabu[k, 0] == one and limits.tabu[k, 1] == other
    return is_listed


@borrowing
def look_up_best(state, child, limits):
    """Search the best open move of `child` and cache it; True when the tabu list excluded a better one."""
    best, kind, best_parent = limits.floor, NO_MOVE, np.int64(-1)
    withheld = False
    if state.n_parents[child] < limits.max_parents:
        for k in range(state.n_candidates[child]):
            if state.gains[child, k] > best:
                parent = np.int64(state.candidates[child, k])
                if is_open(state, ADD, child, parent, limits.max_parents):
                    if is_tabu(limits, child, parent, state.gains[child, k]):
                        withheld = True
                    else:
                        best, kind, best_parent = state.gains[child, k], ADD, parent
    for k in range(state.n_parents[child]):
        parent = np.int64(state.arcs[child, k])
        if state.removal_gains[child, k] > best and not in_row(state.fixed, child, parent):
            if is_tabu(limits, child, parent, state.removal_gains[child, k]):
                withheld = True
            else:
                best, kind, best_parent = state.removal_gains[child, k], REMOVE, parent
    for k in range(state.n_parents[child]):
        parent = np.int64(state.arcs[child, k])
        gain = state.removal_gains[child, k] + addition_gain(state, parent, child)
        if gain > best and is_open(state, REVERSE, child, parent, limits.max_parents):
            if is_tabu(limits, child, parent, gain):
                withheld = True
            else:
                best, kind, best_parent = gain, REVERSE, parent
    state.best_gain[child] = best if kind != NO_MOVE else -np.inf
    state.best_kind[child] = kind
    state.best_parent[child] = best_parent
    return withheld


@njit
def choose_move(state, limits, move):
    """Find the best move of all; return its gain in nats, minus infinity if no move is possible.

    `move` (int64, shape (3,)) receives `KIND` (`NO_MOVE` if there is none), `CHILD` and `PARENT`.
    """
    n_variables = len(state.n_parents)
    withheld = np.zeros(n_variables, dtype=np.bool_)
    for child in range(n_variables):
        if state.best_kind[child] == STALE:
            withheld[child] = look_up_best(state, child, limits)
    while True:
        best = np.int64(-1)
        for child in state.order:
            kind = state.best_kind[child]
            if kind == NO_MOVE:
                continue
            ahead = np.inf if best < 0 else state.best_gain[child] - state.best_gain[best]
            if ahead > 0.0 or (ahead == 0.0 and kind < state.best_kind[best]):
                best = child
        if best < 0:
            break
        kind, parent = state.best_kind[best], state.best_parent[best]
        held_back = is_tabu(limits, best, parent, state.best_gain[best])
        if not held_back and is_open(state, kind, best, parent, limits.max_parents):
            break
        # The cached move is no longer possible, or tabu by now. Cached gains are upper bounds on the moves of a
        # child, so the first best move that is possible is the best of all.
        withheld[best] = look_up_best(state, best, limits) or held_back
    gain = state.best_gain[best] if best >= 0 else -np.inf
    move[KIND] = state.best_kind[best] if best >= 0 else NO_MOVE
    move[CHILD] = best
    move[PARENT] = state.best_parent[best] if best >= 0 else -1
    # The tabu list changes with the next step, so what it excluded is searched again.
    for child in range(n_variables):
        if withheld[child]:
            state.best_kind[child] = STALE
    return gain


@borrowing
def mark_stale(state, variable):
    """Mark the best moves of `variable` and its children stale: additions and reversals involve its gains."""
    state.best_kind[variable] = STALE
    for v in range(len(state.n_parents)):
        if is_parent(state, v, variable):
            state.best_kind[v] = STALE


@borrowing
def insert_arc(state, child, parent):
    """Add the arc parent -> child, which must close no cycle; `child` must have room for it."""
    n = state.n_parents[child]
    place = first_not_below(state.arcs[child], 0, n, parent)
    for k in range(n, place, -1):
        state.arcs[child, k] = state.arcs[child, k - 1]
    state.arcs[child, place] = parent
    state.n_parents[child] = n + 1
    add_ancestors(state.ancestors, child, parent)


@borrowing
def delete_arc(state, child, parent):
    """Remove the arc parent -> child.

    Where no other path joins them, moves that would have closed a cycle through the arc may be open now: additions to
    `parent` and its ancestors, and reversals at `child` and its descendants. Their best moves become stale.
    """
    n = state.n_parents[child]
    place = first_not_below(state.arcs[child], 0, n, parent)
    for k in range(place, n - 1):
        state.arcs[child, k] = state.arcs[child, k + 1]
    state.n_parents[child] = n - 1
    if has_other_path(state.ancestors, state.arcs, state.n_parents, child, parent):
        return
    for v in range(len(state.n_parents)):
        if v in (child, parent) or in_row(state.ancestors, parent, v) or in_row(state.ancestors, v, child):
            state.best_kind[v] = STALE
    all_ancestors(state.ancestors, state.arcs, state.n_parents)


@borrowing
def apply_move(state, move):
    """Change the graph by a move (kind, child, parent)."""
    kind, child, parent = move[KIND], move[CHILD], move[PARENT]
    if kind != ADD:
        delete_arc(state, child, parent)
    if kind == ADD:
        insert_arc(state, child, parent)
    elif kind == REVERSE:
        insert_arc(state, parent, child)
