"""Iterated local search over orders by insertion.

Single variables move to their best slots until none gains (repair). Then a few related variables move to random slots
(shake), the order is repaired around them, and the result is kept unless it is worse. After a move mainly the related
variables that the moved one passed can gain; so these are queued. The cost of a repair depends on the neighbourhood
of the shake, not on the number of variables. All state is in arrays, so the search can stop after any amount of work
and resume in the next call.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, njit
from .insertion import copy_order, move_to_slot, slot_profile
from .set_lists import GAIN_TOLERANCE

PROFILE_WORK = 50
"""Cost of a profile besides the sets that it tests, expressed in sets tested."""

HEAD, TAIL = 0, 1
"""Entries of `InsertionWalk.cursor`."""

PROFILES, SHAKES, IMPROVEMENTS = 0, 1, 2
"""Entries of `InsertionWalk.counts`: profiles computed, shakes, shakes that led to an improvement."""


class InsertionWalk(NamedTuple):
    """State of a search."""

    neighbour_offsets: np.ndarray  # int64, shape (n_variables + 1,)
    neighbours: np.ndarray  # int32: for each variable the variables in its lists and those in whose lists it is
    queue: np.ndarray  # int32, shape (n_variables + 1,): ring buffer of variables that may gain by moving
    cursor: np.ndarray  # int64, shape (2,): start and end of the ring: `HEAD`, `TAIL`
    queued: np.ndarray  # bool, shape (n_variables,): which variables are in the queue
    gain: np.ndarray  # float64, shape (1,): score of the present order minus that of the best one, in nats
    counts: np.ndarray  # int64, shape (3,): see `PROFILES`, `SHAKES` and `IMPROVEMENTS`


def new_insertion_walk(neighbour_offsets: np.ndarray, neighbours: np.ndarray, waiting: np.ndarray) -> InsertionWalk:
    """The initial state of a search; all variables are queued, in the order `waiting`."""
    n = len(waiting)
    walk = InsertionWalk(
        neighbour_offsets=neighbour_offsets,
        neighbours=neighbours,
        queue=np.zeros(n + 1, dtype=np.int32),
        cursor=np.zeros(2, dtype=np.int64),
        queued=np.ones(n, dtype=np.bool_),
        gain=np.zeros(1),
        counts=np.zeros(3, dtype=np.int64),
    )
    walk.queue[:n] = waiting
    walk.cursor[TAIL] = n
    return walk


@borrowing
def enqueue_variable(walk, variable):
    """Append a variable to the queue unless it is queued."""
    if not walk.queued[variable]:
        walk.queued[variable] = True
        walk.queue[walk.cursor[TAIL]] = variable
        walk.cursor[TAIL] = (walk.cursor[TAIL] + 1) % len(walk.queue)


@borrowing
def enqueue_passed(walk, state, x, first, last):
    """Enqueue `x` and the related variables at positions ``first`` to ``last``."""
    enqueue_variable(walk, x)
    for k in range(walk.neighbour_offsets[x], walk.neighbour_offsets[x + 1]):
        y = walk.neighbours[k]
        if first <= state.position[y] <= last:
            enqueue_variable(walk, y)


@borrowing
def best_slot(state, profile, x, n_own, n_steps, last_slot, score):
    """The best slot of `x` by its profile and the gain in nats; slot -1 if none gains.

    Between steps the score is constant: take the slot nearest to the present position of `x`, in the leftmost of
    equally good ranges.
    """
    here = state.position[x]
    best, best_gain = -1, GAIN_TOLERANCE
    # The score is constant between steps: from `slot` to before `following`.
    slot = profile.own_slots[n_own - 1]
    k = 0
    while slot <= last_slot:
        following = min(profile.slots[k], last_slot + 1) if k < n_steps else last_slot + 1
        if following > slot and score > best_gain:
            best_gain = score
            # The nearest of the slots with this score: the first one if all lie to the right, else the present slot
            # or the last one before it.
            best = slot if slot > here else min(following - 1, max(slot, here))
        if k >= n_steps:
            break
        slot = max(slot, following)
        while k < n_steps and profile.slots[k] <= slot:
            score += profile.changes[k]
            k += 1
    return best, best_gain


@borrowing
def repair(lists, index, walk, state, profile, work_limit, profile_limit):
    """Move queued variables to their best slots until the queue is empty or a limit is reached; returns the work."""
    work = 0
    while walk.cursor[HEAD] != walk.cursor[TAIL] and work < work_limit and walk.counts[PROFILES] < profile_limit:
        x = walk.queue[walk.cursor[HEAD]]
        walk.cursor[HEAD] = (walk.cursor[HEAD] + 1) % len(walk.queue)
        walk.queued[x] = False
        n_children, n_own, n_steps, last_slot, score, tested = slot_profile(lists, index, x, state, profile, 0.0)
        work += PROFILE_WORK + tested
        walk.counts[PROFILES] += 1
        slot, gain = best_slot(state, profile, x, n_own, n_steps, last_slot, score)
        here = state.position[x]
        if slot >= 0 and slot != here:
            move_to_slot(x, slot, state, profile, n_children, n_own)
            walk.gain[0] += gain
            enqueue_passed(walk, state, x, min(here, slot), max(here, slot))
    return work


@njit
def shake(lists, index, walk, state, profile, rng, strength, profile_limit):
    """Move up to `strength` related variables to random slots; returns the work."""
    work = 0
    x = np.int32(rng.integers(0, len(state.order)))
    for _ in range(rng.integers(2, strength + 1)):
        if walk.counts[PROFILES] >= profile_limit:
            break
        n_children, n_own, n_steps, last_slot, score, tested = slot_profile(lists, index, x, state, profile, np.inf)
        work += PROFILE_WORK + tested
        walk.counts[PROFILES] += 1
        first_slot = np.int64(profile.own_slots[n_own - 1])
        slot = rng.integers(first_slot, last_slot + 1)
        here = state.position[x]
        if slot != here:
            # `score` is that of the first slot: all steps up to the drawn one are added.
            for k in range(n_steps):
                if profile.slots[k] > slot:
                    break
                score += profile.changes[k]
            move_to_slot(x, slot, state, profile, n_children, n_own)
            walk.gain[0] += score
            enqueue_passed(walk, state, x, min(here, slot), max(here, slot))
        start, stop = walk.neighbour_offsets[x], walk.neighbour_offsets[x + 1]
        x = walk.neighbours[rng.integers(start, stop)] if stop > start else x
    return work


@borrowing
def walk_orders(lists, index, walk, state, best, profile, rng, strength, work_limit, profile_limit):
    """Continue the search until about `work_limit` sets were tested or `walk.counts[PROFILES]` is `profile_limit`.

    Returns the work. `best` is updated whenever the queue is empty; see `settle_order` for the end of a search.
    Dividing the work into several calls does not change the course of the search.
    """
    work = 0
    while True:
        work += repair(lists, index, walk, state, profile, work_limit - work, profile_limit)
        if work >= work_limit or walk.counts[PROFILES] >= profile_limit:
            return work
        settle_order(walk, state, best)
        walk.counts[SHAKES] += 1
        work += shake(lists, index, walk, state, profile, rng, strength, profile_limit)


@borrowing
def settle_order(walk, state, best):
    """Keep the present order if it is at least as good as the best one, else return to the best."""
    if walk.gain[0] >= -GAIN_TOLERANCE:
        walk.counts[IMPROVEMENTS] += walk.gain[0] > GAIN_TOLERANCE
        copy_order(state, best)
    else:
        copy_order(best, state)
        # The queue is non-empty only if a search ends within a repair; the best order was kept with an empty queue.
        while walk.cursor[HEAD] != walk.cursor[TAIL]:
            walk.queued[walk.queue[walk.cursor[HEAD]]] = False
            walk.cursor[HEAD] = (walk.cursor[HEAD] + 1) % len(walk.queue)
    walk.gain[0] = 0.0
