"""Sets of variables, numbered in the order in which they were added, with a hash table to find them.

The arrays are longer than their used part. A kernel that may overflow them returns, and the caller enlarges them by
`with_room`. Members of a set are ascending.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.arrays import copy_into
from stages.kernels.dominance import mixed_bits
from stages.kernels.jit import borrowing, inlined


class SetStore(NamedTuple):
    """Some sets."""

    offsets: np.ndarray  # int64, shape (most_sets + 1,)
    members: np.ndarray  # int32: set s is ``members[offsets[s]:offsets[s + 1]]``
    # int64: numbers of sets, -1 where free, by hash (open addressing); a power of two, at least twice `most_sets`.
    slots: np.ndarray
    n_sets: np.ndarray  # int64, shape (1,)


@borrowing
def hash_of(members):
    """Hash of a set; does not depend on the order."""
    # Each member has a word of its own; the set's hash is the exclusive or of these words (Zobrist 1970).
    total = np.uint64(0)
    for member in members:
        total ^= mixed_bits(member)
    return total


@borrowing
def slot_of(store, members):
    """The slot of a set, or the free slot where it belongs."""
    slots, offsets = store.slots, store.offsets
    mask = np.uint64(len(slots) - 1)
    slot = hash_of(members) & mask
    # Linear probing. At least half of the slots are free, so a free one comes soon.
    while slots[slot] >= 0:
        start = offsets[slots[slot]]
        if offsets[slots[slot] + 1] - start == len(members):
            is_same = True
            for k in range(len(members)):
                if store.members[start + k] != members[k]:
                    is_same = False
                    break
            if is_same:
                break
        slot = (slot + np.uint64(1)) & mask
    return slot


@borrowing
def find_set(store, members):
    """Number of a set; -1 if it is not there."""
    return store.slots[slot_of(store, members)]


@borrowing
def add_set(store, members):
    """Add a set that is not there; returns its number."""
    number = store.n_sets[0]
    store.slots[slot_of(store, members)] = number
    start = store.offsets[number]
    copy_into(store.members[start : start + len(members)], members)
    store.offsets[number + 1] = start + len(members)
    store.n_sets[0] += 1
    return number


@inlined
def members_of(store, number):
    """Members of a set."""
    return store.members[store.offsets[number] : store.offsets[number + 1]]


@borrowing
def is_member(store, number, variable):
    """Whether a variable is a member of a set."""
    found = False
    for k in range(store.offsets[number], store.offsets[number + 1]):
        found |= store.members[k] == variable
    return found


@borrowing
def write_union(members, added, buffer):
    """Write members and one more variable to `buffer`, ascending; returns their number."""
    place = len(members)
    while place > 0 and members[place - 1] > added:
        buffer[place] = members[place - 1]
        place -= 1
    copy_into(buffer[:place], members[:place])
    buffer[place] = added
    return len(members) + 1


@borrowing
def store_has_room(store, n_sets, size):
    """Whether `n_sets` more sets of at most `size` members fit."""
    used = store.n_sets[0]
    return (
        used + n_sets < len(store.offsets)
        and store.offsets[used] + n_sets * size <= len(store.members)
        and 2 * (used + n_sets) <= len(store.slots)
    )


@borrowing
def fill_slots(store):
    """Enter all sets into an empty hash table."""
    for number in range(store.n_sets[0]):
        store.slots[slot_of(store, members_of(store, number))] = number


def enlarged(array: np.ndarray, length: int) -> np.ndarray:
    """The array itself if it is long enough, else a copy at least twice as long."""
    if len(array) >= length:
        return array
    longer = np.empty(max(length, 2 * len(array)), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def new_store() -> SetStore:
    """No sets; the arrays are empty."""
    return SetStore(
        offsets=np.zeros(1, dtype=np.int64),
        members=np.zeros(0, dtype=np.int32),
        slots=np.full(2, -1, dtype=np.int64),
        n_sets=np.zeros(1, dtype=np.int64),
    )


def with_room(store: SetStore, n_sets: int, size: int) -> SetStore:
    """A store with the same sets and capacity for `n_sets` more sets of at most `size` members."""
    used = int(store.n_sets[0])
    longer = store._replace(
        offsets=enlarged(store.offsets, used + n_sets + 1),
        members=enlarged(store.members, int(store.offsets[used]) + n_sets * size),
    )
    n_slots = len(store.slots)
    # Still a power of two: a slot is the lowest bits of a hash.
    while n_slots < 2 * (used + n_sets):
        n_slots *= 2
    if n_slots > len(store.slots):
        longer = longer._replace(slots=np.full(n_slots, -1, dtype=np.int64))
        fill_slots(longer)
    return longer
