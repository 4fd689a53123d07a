"""The open list of a best-first search over sets: extensions of known sets by one variable, as a binary heap.

An entry stands for a line of extensions of one set, sorted best first, and holds the first one not taken yet. So the
heap grows with the number of extended sets, not with the number of extensions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.heap import pop, push
from stages.kernels.jit import borrowing

from .set_store import enlarged


class OpenList(NamedTuple):
    """Entries, and a heap of their numbers; all arrays but the last have the same length."""

    values: np.ndarray  # float64: the largest comes first
    bases: np.ndarray  # int64: number of the set that is extended, in a `SetStore`
    added: np.ndarray  # int32: the variable that extends it
    # `lines`, `places` (int64): the line of the set's extensions, and the position in it.
    lines: np.ndarray
    places: np.ndarray
    heap: np.ndarray  # int64: numbers of the open entries, then numbers of the free ones
    n_open: np.ndarray  # int64, shape (1,)


def new_open_list() -> OpenList:
    """Nothing is open; the arrays are empty."""
    return OpenList(
        values=np.zeros(0),
        bases=np.zeros(0, dtype=np.int64),
        added=np.zeros(0, dtype=np.int32),
        lines=np.zeros(0, dtype=np.int64),
        places=np.zeros(0, dtype=np.int64),
        heap=np.zeros(0, dtype=np.int64),
        n_open=np.zeros(1, dtype=np.int64),
    )


def open_list_with_room(waiting: OpenList, n_entries: int) -> OpenList:
    """The same entries, and `n_entries` free ones."""
    length, former = int(waiting.n_open[0]) + n_entries, len(waiting.heap)
    heap = enlarged(waiting.heap, length)
    heap[former:] = np.arange(former, len(heap))
    return OpenList(
        values=enlarged(waiting.values, length),
        bases=enlarged(waiting.bases, length),
        added=enlarged(waiting.added, length),
        lines=enlarged(waiting.lines, length),
        places=enlarged(waiting.places, length),
        heap=heap,
        n_open=waiting.n_open,
    )


@borrowing
def is_before(context, one, other):
    """Whether entry `one` is taken before `other` if their values are equal: ordered by members of the set, then by
    the added variable.
    """
    waiting, store = context
    base, other_base = waiting.bases[one], waiting.bases[other]
    start, other_start = store.offsets[base], store.offsets[other_base]
    size, other_size = store.offsets[base + 1] - start + 1, store.offsets[other_base + 1] - other_start + 1
    for k in range(min(size, other_size)):
        # The added variable counts as the last member, wherever it stands in the union.
        member = waiting.added[one] if k == size - 1 else store.members[start + k]
        other_member = waiting.added[other] if k == other_size - 1 else store.members[other_start + k]
        if member != other_member:
            return member < other_member
    return size < other_size


@borrowing
def push_entry(waiting, store, value, base, added, line, place):
    """Open an entry; there must be a free one."""
    # The first free number: `pop` leaves the numbers that it removes behind the open ones.
    entry = waiting.heap[waiting.n_open[0]]
    waiting.values[entry] = value
    waiting.bases[entry] = base
    waiting.added[entry] = added
    waiting.lines[entry] = line
    waiting.places[entry] = place
    push(waiting.heap, waiting.n_open[0], entry, waiting.values, is_before, (waiting, store))
    waiting.n_open[0] += 1


@borrowing
def pop_entry(waiting, store):
    """Take the first entry; it is free, and keeps its values until the next one is opened."""
    entry = pop(waiting.heap, waiting.n_open[0], waiting.values, is_before, (waiting, store))
    waiting.n_open[0] -= 1
    return entry
