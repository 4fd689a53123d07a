"""The window operator on orders: a block of consecutive variables moves to another place (Scanagatta, Corani,
Zaffalon 2017).

All places of a block are evaluated as a chain: it changes places with one neighbour after the other. At each such
jump, only the block's members and the variable jumped over can change their sets. A block of one variable gives
insertion, jumping once gives the swap of neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.jit import borrowing, njit
from stages.kernels.orders.insertion import copy_order
from stages.kernels.orders.set_lists import GAIN_TOLERANCE, best_with, contains, first_consistent

NEXT, WIDTH, FAILURES, WINDOWS = 0, 1, 2, 3
"""Entries of `WindowWalk.counts`: index into `starts` of the next block, its width, blocks tried since the last move,
blocks tried in all.
"""


class WindowWalk(NamedTuple):
    """State of a search over windows."""

    starts: np.ndarray  # int32, shape (n_variables,): the positions at which blocks start, in random order
    counts: np.ndarray  # int64, shape (4,): see `NEXT`, `WIDTH`, `FAILURES` and `WINDOWS`


@borrowing
def jump_right(lists, index, start, width, state):
    """Exchange the block at positions ``start .. start + width - 1`` and the variable behind it.

    Returns the gain in nats and the sets tested. The gain is minus infinity if a variable has no consistent set; the
    state is invalid then.
    """
    order, position, chosen = state
    passed = order[start + width]
    for place in range(start + width, start, -1):
        order[place] = order[place - 1]
        position[order[place]] = place
    order[start] = passed
    position[passed] = start
    gain = 0.0
    work = 1 + width
    present = chosen[passed]
    for k in range(lists.parent_offsets[present], lists.parent_offsets[present + 1]):
        # A parent is in the block, which now comes later. Sets before the present one were inconsistent even with
        # more predecessors; so the search continues behind it.
        if position[lists.parents[k]] > start:
            stop = lists.set_offsets[passed + 1]
            other = first_consistent(lists, present + 1, stop, position, start)
            work += (stop if other < 0 else other) - present
            if other < 0:
                return -np.inf, work
            gain += lists.scores[other] - lists.scores[present]
            chosen[passed] = other
            break
    for place in range(start + 1, start + width + 1):
        member = order[place]
        # A member keeps its predecessors and gains the passed variable: only sets with this variable are new.
        better = best_with(lists, index, member, passed, position, place, chosen[member])
        if better >= 0:
            gain += lists.scores[better] - lists.scores[chosen[member]]
            chosen[member] = better
    return gain, work


@borrowing
def jump_left(lists, index, start, width, state):
    """Exchange the block at positions ``start .. start + width - 1`` and the variable before it; as `jump_right`."""
    order, position, chosen = state
    passed = order[start - 1]
    last = start + width - 1
    for place in range(start - 1, last):
        order[place] = order[place + 1]
        position[order[place]] = place
    order[last] = passed
    position[passed] = last
    gain = 0.0
    work = 1 + width
    better = chosen[passed]
    for place in range(start - 1, last):
        member = order[place]
        present = chosen[member]
        # A member loses the passed variable as a parent; better sets were inconsistent even with this variable as a
        # predecessor.
        if contains(lists, present, passed):
            stop = lists.set_offsets[member + 1]
            other = first_consistent(lists, present + 1, stop, position, place)
            work += (stop if other < 0 else other) - present
            if other < 0:
                return -np.inf, work
            gain += lists.scores[other] - lists.scores[present]
            chosen[member] = other
        # The whole block precedes it now: only sets with a member of the block are new.
        found = best_with(lists, index, passed, member, position, last, better)
        if found >= 0:
            better = found
    gain += lists.scores[better] - lists.scores[chosen[passed]]
    chosen[passed] = better
    return gain, work


@borrowing
def largest_gain(lists, chosen, variable):
    """Upper bound in nats on the gain of a variable: its best listed set."""
    return lists.scores[lists.set_offsets[variable]] - lists.scores[chosen[variable]]


@borrowing
def best_place(lists, index, start, width, state, trial):
    """Find the best place for a block.

    To the right only the block can gain, to the left only the variables that it passes. A direction is pruned when
    the upper bound on these gains does not reach the best place so far. `state` is not changed; `trial` is scratch of
    the same size. Returns the position where the block starts at its best place (-1 if none gains; among equal places
    the nearer one, right before left), the gain in nats, and the sets tested.
    """
    n_variables = len(state.order)
    best, best_gain = np.int64(-1), GAIN_TOLERANCE
    work = n_variables // 4  # the copies
    copy_order(state, trial)
    total = 0.0
    for place in range(start, n_variables - width):
        # From here on passed variables can only lose, and each member of the block gains at most its best listed set.
        most = 0.0
        for k in range(place, place + width):
            most += largest_gain(lists, trial.chosen, trial.order[k])
        if total + most <= best_gain:
            break
        gain, tested = jump_right(lists, index, place, width, trial)
        work += tested
        total += gain
        if total > best_gain:
            best, best_gain = place + 1, total
        if gain == -np.inf:
            break
    copy_order(state, trial)
    # To the left the block can only lose: `most` bounds the gain of the variables that it has not passed yet.
    total = 0.0
    most = 0.0
    for k in range(start):
        most += largest_gain(lists, trial.chosen, trial.order[k])
    for place in range(start, 0, -1):
        if total + most <= best_gain:
            break
        most -= largest_gain(lists, trial.chosen, trial.order[place - 1])
        gain, tested = jump_left(lists, index, place, width, trial)
        work += tested
        total += gain
        if total > best_gain:
            best, best_gain = place - 1, total
        if gain == -np.inf:
            break
    return best, best_gain, work


@borrowing
def move_window(lists, index, start, width, place, state):
    """Move a block to start at `place`, as returned by `best_place`, and update the choices."""
    while start < place:
        jump_right(lists, index, start, width, state)
        start += 1
    while start > place:
        jump_left(lists, index, start, width, state)
        start -= 1


@njit
def climb_windows(lists, index, state, trial, walk, rng, widest, work_limit, window_limit):
    """Move blocks to their best places; single variables first, wider blocks once no narrower one gains.

    Returns whether no block up to `widest` gains.

    Parameters
    ----------
    state, trial : OrderState
        The order to search, and scratch.
    widest : int
        Largest block.
    work_limit, window_limit : int
        The call ends after about `work_limit` sets tested or `window_limit` blocks tried in all; another call
        continues.
    """
    n_variables = len(state.order)
    starts, counts = walk
    work = 0
    while counts[WIDTH] <= min(widest, n_variables - 1):
        if work >= work_limit or counts[WINDOWS] >= window_limit:
            return False
        if counts[NEXT] == 0:
            for k in range(n_variables - 1, 0, -1):
                other = rng.integers(0, k + 1)
                # Each position once in random order (Fisher and Yates).
                starts[k], starts[other] = starts[other], starts[k]
        start, width = np.int64(starts[counts[NEXT]]), counts[WIDTH]
        counts[NEXT] = (counts[NEXT] + 1) % n_variables
        counts[FAILURES] += 1
        if start + width <= n_variables:
            counts[WINDOWS] += 1
            place, _, tested = best_place(lists, index, start, width, state, trial)
            work += tested
            if place >= 0:
                move_window(lists, index, start, width, place, state)
                counts[WIDTH], counts[FAILURES] = 1, 0
        # A whole round of this width without a gain.
        if counts[FAILURES] == n_variables:
            counts[WIDTH] += 1
            counts[FAILURES] = counts[NEXT] = 0
    return True


def new_window_walk(n_variables: int) -> WindowWalk:
    """A search that has not tried any block."""
    walk = WindowWalk(starts=np.arange(n_variables, dtype=np.int32), counts=np.zeros(4, dtype=np.int64))
    walk.counts[WIDTH] = 1
    return walk
