"""What waits to be looked at in a best-first search: extensions of known sets by one variable, as a binary heap.

An entry stands for a whole line of extensions of one set, sorted best first, and holds the first that was not yet
taken. So the heap grows with the number of sets extended and not with the number of extensions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import njit
from .set_store import enlarged


class OpenList(NamedTuple):
    """The entries of a heap; every array but the last has room for as many.

    Attributes
    ----------
    values : ndarray of float64
        The largest comes first.
    bases : ndarray of int64
        Number of the set that is extended, in a `SetStore`.
    added : ndarray of int32
        The variable that extends it.
    lines, places : ndarray of int64
        In which line of the set's extensions, and where in it.
    n_open : ndarray of int64, shape (1,)
    """

    values: np.ndarray
    bases: np.ndarray
    added: np.ndarray
    lines: np.ndarray
    places: np.ndarray
    n_open: np.ndarray


def new_open_list() -> OpenList:
    """Nothing is open, and there is no room."""
    return OpenList(
        values=np.zeros(0),
        bases=np.zeros(0, dtype=np.int64),
        added=np.zeros(0, dtype=np.int32),
        lines=np.zeros(0, dtype=np.int64),
        places=np.zeros(0, dtype=np.int64),
        n_open=np.zeros(1, dtype=np.int64),
    )


def open_list_with_room(waiting: OpenList, n_entries: int) -> OpenList:
    """The same entries, and room for so many more."""
    length = int(waiting.n_open[0]) + n_entries
    return OpenList(
        values=enlarged(waiting.values, length),
        bases=enlarged(waiting.bases, length),
        added=enlarged(waiting.added, length),
        lines=enlarged(waiting.lines, length),
        places=enlarged(waiting.places, length),
        n_open=waiting.n_open,
    )


@njit
def is_before(store, base, added, other_base, other_added):
    """Order of entries of equal value: by the members of the set extended, then by what is added."""
    start, end = store.offsets[base], store.offsets[base + 1]
    other_start, other_end = store.offsets[other_base], store.offsets[other_base + 1]
    size, other_size = end - start + 1, other_end - other_start + 1
    for k in range(min(size, other_size)):
        one = added if k == size - 1 else store.members[start + k]
        other = other_added if k == other_size - 1 else store.members[other_start + k]
        if one != other:
            return one < other
    return size < other_size


@njit
def entry_is_before(waiting, store, one, other):
    """Whether the entry at place `one` is to be taken before that at `other`."""
    if waiting.values[one] != waiting.values[other]:
        return waiting.values[one] > waiting.values[other]
    return is_before(
        store, waiting.bases[one], waiting.added[one], waiting.bases[other], waiting.added[other]
    )


@njit
def swap_entries(waiting, one, other):
    """Exchange two entries."""
    waiting.values[one], waiting.values[other] = waiting.values[other], waiting.values[one]
    waiting.bases[one], waiting.bases[other] = waiting.bases[other], waiting.bases[one]
    waiting.added[one], waiting.added[other] = waiting.added[other], waiting.added[one]
    waiting.lines[one], waiting.lines[other] = waiting.lines[other], waiting.lines[one]
    waiting.places[one], waiting.places[other] = waiting.places[other], waiting.places[one]


@njit
def push_entry(waiting, store, value, base, added, line, place):
    """Put an entry on the heap, for which there must be room."""
    at = waiting.n_open[0]
    waiting.values[at] = value
    waiting.bases[at] = base
    waiting.added[at] = added
    waiting.lines[at] = line
    waiting.places[at] = place
    waiting.n_open[0] += 1
    while at > 0:
        above = (at - 1) >> 1
        if not entry_is_before(waiting, store, at, above):
            break
        swap_entries(waiting, at, above)
        at = above


@njit
def pop_entry(waiting, store):
    """Take the first entry from the heap: where it stands now, until the next one is put in."""
    waiting.n_open[0] -= 1
    size = waiting.n_open[0]
    swap_entries(waiting, np.int64(0), size)
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and entry_is_before(waiting, store, below + 1, below):
            below += 1
        if not entry_is_before(waiting, store, below, at):
            break
        swap_entries(waiting, at, below)
        at = below
    return size
