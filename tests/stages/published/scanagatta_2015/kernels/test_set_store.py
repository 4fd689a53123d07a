"""Sets in arrays, against a dictionary."""

from __future__ import annotations

import numpy as np

from stages.published.scanagatta_2015.kernels.set_store import (
    add_set,
    find_set,
    hash_of,
    members_of,
    new_store,
    store_has_room,
    with_room,
    write_union,
)


def test_sets_are_numbered_and_found_again():
    rng = np.random.default_rng(0)
    store, known = new_store(), {}
    assert not store_has_room(store, 1, 0)
    for _ in range(400):
        members = np.unique(rng.integers(0, 6, rng.integers(0, 5))).astype(np.int32)
        expected = known.get(tuple(members.tolist()), -1)
        assert find_set(store, members) == expected
        if expected < 0:
            if not store_has_room(store, 1, len(members)):
                store = with_room(store, 1, len(members))
            assert store_has_room(store, 1, len(members))
            known[tuple(members.tolist())] = add_set(store, members)
    assert sorted(known.values()) == list(range(len(known))) and len(known) > 40
    assert {tuple(members_of(store, number).tolist()) for number in known.values()} == set(known)


def test_a_hash_does_not_depend_on_the_order():
    assert hash_of(np.array([3, 1, 7])) == hash_of(np.array([7, 3, 1])) != hash_of(np.array([7, 3]))


def test_unions_are_ascending():
    buffer = np.zeros(4, dtype=np.int32)
    for added in (0, 4, 9):
        n = write_union(np.array([2, 5, 6], dtype=np.int32), added, buffer)
        assert buffer[:n].tolist() == sorted([2, 5, 6, added])
