"""The open list of a best-first search over sets: extensions of known sets by one variable, as a binary heap.

An entry stands for a line of extensions of one set, sorted best first, and has the first one not taken yet. So the
heap grows with the number of sets extended and not with the number of extensions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.jit import borrowing, inlined
from stages.published.kernels.heap import pop, push

from .set_store import enlarged


class OpenList(NamedTuple):
    """Entries, and a heap of their numbers; all arrays but the last have the same length.

    Attributes
    ----------
    values : ndarray of float64
        The largest comes first.
    bases : ndarray of int64
        Number of the set that is extended, in a `SetStore`.
    added : ndarray of int32
        The variable that extends it.
    lines, places : ndarray of int64
        The line of the set's extensions, and the position in it.
    heap : ndarray of int64
        Numbers of the open entries, then those of the free ones.
    n_open : ndarray of int64, shape (1,)
    """

    values: np.ndarray
    bases: np.ndarray
    added: np.ndarray
    lines: np.ndarray
    places: np.ndarray
    heap: np.ndarray
    n_open: np.ndarray


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
    """The same entries, and free ones for so many more."""
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
def is_before(offsets, members, base, added, other_base, other_added):
    """Order of entries of equal value: by the members of the set extended, then by what is added."""
    start, end = offsets[base], offsets[base + 1]
    other_start, other_end = offsets[other_base], offsets[other_base + 1]
    size, other_size = end - start + 1, other_end - other_start + 1
    for k in range(min(size, other_size)):
        # The added variable counts as the last member, wherever it would stand in the union.
        one = added if k == size - 1 else members[start + k]
        other = other_added if k == other_size - 1 else members[other_start + k]
        if one != other:
            return one < other
    return size < other_size


@inlined
def entry_is_before(context, one, other):
    """Whether entry `one` is taken before `other` of the same value; `context` are the arrays that tell."""
    bases, added, offsets, members = context
    return is_before(offsets, members, bases[one], added[one], bases[other], added[other])


@borrowing
def open_entry(
    values, bases, added, lines, places, heap, n_open, offsets, members, value, base, variable, line, place
):
    """Open an entry; there must be a free one. The arrays are those of `OpenList` and `SetStore`."""
    # The first free number: `pop` leaves the numbers that it takes behind the open ones.
    entry = heap[n_open[0]]
    values[entry] = value
    bases[entry] = base
    added[entry] = variable
    lines[entry] = line
    places[entry] = place
    push(heap, n_open[0], entry, values, entry_is_before, (bases, added, offsets, members))
    n_open[0] += 1


@borrowing
def take_entry(values, bases, added, heap, n_open, offsets, members):
    """Take the first entry; it is free, and keeps its values until the next one is opened."""
    entry = pop(heap, n_open[0], values, entry_is_before, (bases, added, offsets, members))
    n_open[0] -= 1
    return entry


@inlined
def push_entry(waiting, store, value, base, added, line, place):
    """`open_entry` for an open list and a `SetStore`."""
    open_entry(
        waiting.values, waiting.bases, waiting.added, waiting.lines, waiting.places, waiting.heap, waiting.n_open,
        store.offsets, store.members, value, base, added, line, place,
    )  # fmt: skip


@inlined
def pop_entry(waiting, store):
    """`take_entry` for an open list and a `SetStore`."""
    return take_entry(
        waiting.values, waiting.bases, waiting.added, waiting.heap, waiting.n_open, store.offsets, store.members
    )
