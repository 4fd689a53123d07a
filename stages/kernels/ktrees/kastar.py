"""k-A*: best-first search for the best choice of cliques along one order.

Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.1. Their search places the first variable first and
branches over the K-cliques that the next one can join, many of which differ in nothing that matters later. Here the
last variable takes its set first and cliques are left open: a choice of sets fits a k-tree along the order exactly
when no fill exceeds K members (see `fills`). So the optimum is the paper's, and a state is the filled graph on the
variables still to come. Two paths to one graph are one state. The estimate takes for each variable still to come
the best set that keeps all fills within K members; no completion betters it, and it never rises along a path.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import copy_into
from ..jit import inlined, njit
from .best_first import OPEN, STATES, pop_state, push_state
from .fills import hash_fill, join, joins, lowest_rank

DECIDED, NO_ROOM, UNFINISHED = 0, 1, 2
"""How a call of `search_fills` ended."""

DIVE_EVERY = 16
"""Expansions to one completion of the state at hand."""


class FillStates(NamedTuple):
    """All states met for one order, as a tree of decisions, and the open ones as a heap.

    Attributes
    ----------
    parents : ndarray of int32, shape (capacity,)
        State that this one continues; state 0 has nothing decided.
    depths : ndarray of int32
        Number of ranks decided.
    taken : ndarray of int32
        The set taken by the rank decided last.
    values, estimates : ndarray of float64
        Sum of relative scores so far with that of the start clique, in nats; that of the best completion at most.
    marks : ndarray of uint64, shape (capacity, 2)
        Hash of the filled graph still to come. Its 128 bits stand for the graph: among a million states two graphs
        share them with a chance of 1e-27.
    table : ndarray of int32, shape (power of two,)
        States by hash, -1 for none.
    heap : ndarray of int32
    counts : ndarray of int64, shape (2,)
        See `best_first.STATES` and `best_first.OPEN`.
    """

    parents: np.ndarray
    depths: np.ndarray
    taken: np.ndarray
    values: np.ndarray
    estimates: np.ndarray
    marks: np.ndarray
    table: np.ndarray
    heap: np.ndarray
    counts: np.ndarray


def new_fill_states(capacity: int, value: float, estimate: float) -> FillStates:
    """Room for `capacity` states, the first one with the start clique alone, whose relative score is `value`."""
    states = _room(capacity)
    states.parents[0], states.depths[0], states.taken[0] = -1, 0, -1
    states.values[0], states.estimates[0] = value, estimate
    states.marks[0] = 0
    states.counts[STATES] = 1
    fill_table(states)
    push_state(states, np.int32(0))
    return states


def enlarge(states: FillStates, capacity: int) -> FillStates:
    """The same states in more room."""
    larger = _room(capacity)
    for old, new in zip(states, larger):
        if new is not larger.table:
            new[: len(old)] = old
    fill_table(larger)
    return larger


def _room(capacity: int) -> FillStates:
    return FillStates(
        parents=np.empty(capacity, dtype=np.int32),
        depths=np.empty(capacity, dtype=np.int32),
        taken=np.empty(capacity, dtype=np.int32),
        values=np.empty(capacity),
        estimates=np.empty(capacity),
        marks=np.empty((capacity, 2), dtype=np.uint64),
        table=np.full(1 << (2 * capacity - 1).bit_length(), -1, dtype=np.int32),
        heap=np.empty(capacity, dtype=np.int32),
        counts=np.zeros(2, dtype=np.int64),
    )


@njit
def fill_table(states):
    """Enter all states in the table; of two to the same graph the younger one is better and stays."""
    for state in range(states.counts[STATES]):
        states.table[find_slot(states, states.marks[state, 0], states.marks[state, 1])] = state


@inlined
def find_slot(states, first, second):
    """Where in the table the state with a hash is, or where it belongs."""
    last = np.uint64(len(states.table) - 1)
    slot = first & last
    while True:
        state = states.table[slot]
        if state < 0 or (states.marks[state, 0] == first and states.marks[state, 1] == second):
            break
        slot = (slot + np.uint64(1)) & last
    return slot


@njit
def rebuild_fill(ranked, states, state, scratch):
    """Bring ``scratch.fill`` to the filled graph of a state."""
    fill, extra, offsets = scratch.fill, scratch.extra, ranked.offsets
    # The last set of each is part of its others: empty, or what fixed records prescribe.
    for rank in range(len(fill)):
        fill[rank] = ranked.masks[offsets[rank + 1] - 1]
    while state > 0:
        rank = states.depths[state] - 1
        fill[rank] |= ranked.masks[states.taken[state]]
        state = states.parents[state]
    for rank in range(len(fill)):
        for w in range(len(extra)):
            extra[w] = fill[rank, w]
        latest = lowest_rank(extra)
        if 0 <= latest < len(fill):
            extra[latest >> 6] ^= np.uint64(1) << np.uint64(latest & 63)
            for w in range(len(extra)):
                fill[latest, w] |= extra[w]


@njit
def bound_of_ranks(ranked, fill, rank, firsts, starts, value, floor, width, extra):
    """`value` with the relative scores of the best sets that each rank from `rank` on can still take.

    Fills `firsts` with them, looking from `starts` on; stops early at `floor`.
    """
    for r in range(rank, fill.shape[0]):
        s = starts[r]
        while not joins(fill, r, ranked.masks[s], extra, width):
            s += 1
        firsts[r] = s
        value += ranked.relative_scores[s]
        if value <= floor:
            break
    return value


@njit
def expand(ranked, states, state, scratch, floor, width):
    """Add the successors of a state that may end above `floor`."""
    fill, changed, extra, firsts, kept = scratch
    offsets, masks, relative_scores = ranked.offsets, ranked.masks, ranked.relative_scores
    rank = states.depths[state]
    n_words = fill.shape[1]
    rebuild_fill(ranked, states, state, scratch)
    estimate = bound_of_ranks(
        ranked, fill, rank, firsts, offsets, states.values[state], -np.inf, width, extra
    )
    others = estimate - relative_scores[firsts[rank]]
    scratch_firsts = np.empty(len(firsts), dtype=np.int64)
    n_kept = 0
    for s in range(firsts[rank], offsets[rank + 1]):
        if others + relative_scores[s] <= floor:
            break
        # A better set with no more fill is the better choice.
        is_useful = True
        for k in range(n_kept):
            is_part = True
            for w in range(n_words):
                if kept[k, w] & ~(fill[rank, w] | masks[s, w]) != 0:
                    is_part = False
                    break
            if is_part:
                is_useful = False
                break
        if not is_useful or not joins(fill, rank, masks[s], extra, width):
            continue
        is_last = True
        for w in range(n_words):
            kept[n_kept, w] = fill[rank, w] | masks[s, w]
            is_last &= kept[n_kept, w] == fill[rank, w]
        n_kept += 1
        copy_into(changed[rank:], fill[rank:])
        join(changed, rank, masks[s], extra)
        value = states.values[state] + relative_scores[s]
        bound = bound_of_ranks(ranked, changed, rank + 1, scratch_firsts, firsts, value, floor, width, extra)
        if bound > floor:
            add_fill(states, state, rank + 1, s, value, min(bound, estimate), changed)
        if is_last:
            break


@njit
def add_fill(states, parent, depth, taken, value, estimate, fill):
    """Append and open a state, unless another path to the same filled graph is as good."""
    first, second = hash_fill(fill, depth)
    slot = find_slot(states, first, second)
    twin = states.table[slot]
    if twin >= 0 and states.values[twin] >= value:
        return
    state = states.counts[STATES]
    states.counts[STATES] += 1
    states.parents[state] = parent
    states.depths[state] = depth
    states.taken[state] = taken
    states.values[state] = value
    states.estimates[state] = estimate
    states.marks[state, 0] = first
    states.marks[state, 1] = second
    states.table[slot] = state
    push_state(states, np.int32(state))


@njit
def dive(ranked, states, state, scratch, width, taken):
    """Complete a state, each rank taking the best set that fits; fills `taken` and returns the relative score."""
    fill, extra = scratch.fill, scratch.extra
    rebuild_fill(ranked, states, state, scratch)
    value = states.values[state]
    for rank in range(states.depths[state], len(fill)):
        s = ranked.offsets[rank]
        while not joins(fill, rank, ranked.masks[s], extra, width):
            s += 1
        join(fill, rank, ranked.masks[s], extra)
        value += ranked.relative_scores[s]
        taken[rank] = s
    while state > 0:
        taken[states.depths[state] - 1] = states.taken[state]
        state = states.parents[state]
    return value


@njit
def search_fills(ranked, states, scratch, width, best, floor, rounding, n_expansions):
    """Expand up to `n_expansions` states in best-first order.

    Parameters
    ----------
    ranked : RankedSets
    states : FillStates
    scratch : FillScratch
    width : int
        The treewidth bound.
    best : ndarray of int64, shape (n_ranks,)
        Set of each rank in the best completion above `floor` met so far; overwritten when a better one is met.
    floor : float
        Its relative score, or another that is to be beaten.
    rounding : float
        Completions that are better by no more than this are not looked for.
    n_expansions : int

    Returns
    -------
    tuple of (int, float)
        `DECIDED`, `NO_ROOM` or `UNFINISHED`; and the new floor.
    """
    trial = np.empty(len(best), dtype=np.int64)
    for k in range(n_expansions):
        if states.counts[OPEN] == 0:
            return DECIDED, floor
        state = np.int64(states.heap[0])
        # Estimates never rise along a path, so the one on top is that of the best completion.
        if states.estimates[state] <= floor + rounding:
            return DECIDED, floor
        rank = states.depths[state]
        n_sets = ranked.offsets[rank + 1] - ranked.offsets[rank] if rank < len(best) else 0
        if states.counts[STATES] + n_sets > len(states.parents):
            return NO_ROOM, floor
        pop_state(states)
        if states.table[find_slot(states, states.marks[state, 0], states.marks[state, 1])] != state:
            # A better path to the same graph was found since.
            continue
        if k % DIVE_EVERY == 0 or rank == len(best):
            value = dive(ranked, states, state, scratch, width, trial)
            if value > floor:
                floor = value
                copy_into(best, trial)
        if rank < len(best):
            expand(ranked, states, state, scratch, floor + rounding, width)
    return UNFINISHED, floor
