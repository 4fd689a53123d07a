"""The open list, against sorting."""

from __future__ import annotations

import itertools

import numpy as np

from stages.published.scanagatta_2015.kernels.open_list import (
    is_before,
    new_open_list,
    open_list_with_room,
    pop_entry,
    push_entry,
)
from stages.published.scanagatta_2015.kernels.set_store import add_set, new_store, with_room

SETS = [(), (0,), (0, 4), (1,), (1, 2), (3,)]


def sets_in_store():
    store = with_room(new_store(), len(SETS), 2)
    for members in SETS:
        add_set(store, np.array(members, dtype=np.int32))
    return store


def test_entries_come_by_value_then_by_members():
    rng = np.random.default_rng(1)
    store, waiting = sets_in_store(), open_list_with_room(new_open_list(), 1)
    left, n_pushed = [], 0
    while n_pushed < 300 or left:
        if n_pushed < 300 and (not left or rng.random() < 0.6):
            value, base, added = (float(rng.integers(0, 4)), int(rng.integers(0, len(SETS))), int(rng.integers(5, 9)))
            waiting = open_list_with_room(waiting, 1)
            push_entry(waiting, store, value, base, added, n_pushed, 2 * n_pushed)
            left.append((-value, (*SETS[base], added), n_pushed))
            n_pushed += 1
        else:
            at = pop_entry(waiting, store)
            first = min(left, key=lambda entry: entry[:2])
            taken = next(entry for entry in left if entry[2] == waiting.lines[at])
            assert taken[:2] == first[:2]
            assert (waiting.values[at], waiting.places[at]) == (-taken[0], 2 * taken[2])
            left.remove(taken)
    assert waiting.n_open[0] == 0


def test_ties_go_by_members_then_by_what_is_added():
    store = sets_in_store()
    pairs = [(base, added) for base in range(len(SETS)) for added in (5, 8)]
    waiting = open_list_with_room(new_open_list(), len(pairs))
    for number, (base, added) in enumerate(pairs):
        waiting.bases[number], waiting.added[number] = base, added
    for one, other in itertools.product(range(len(pairs)), repeat=2):
        first, second = ((*SETS[base], added) for base, added in (pairs[one], pairs[other]))
        assert is_before((waiting, store), one, other) == (first < second)
