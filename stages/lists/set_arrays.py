"""Many parent sets as two arrays."""

from __future__ import annotations

import numpy as np

Lists = tuple[np.ndarray, np.ndarray]
"""Sizes of sets, and their members, ascending, one set after the other."""


def united(first: Lists, second: Lists) -> Lists:
    """The unions of each set of some lists with the set at the same place of others, disjoint from it."""
    numbers = np.arange(len(first[0]))
    owners = np.concatenate((np.repeat(numbers, first[0]), np.repeat(numbers, second[0])))
    members = np.concatenate((first[1], second[1]))
    return first[0] + second[0], members[np.lexsort((members, owners))]


def with_required(lists: Lists, required: tuple[int, ...]) -> Lists:
    """Lists of sets with the required parents put into each."""
    if not required:
        return lists
    n_sets = len(lists[0])
    everywhere = np.tile(np.array(required, dtype=lists[1].dtype), n_sets)
    return united(lists, (np.full(n_sets, len(required)), everywhere))
