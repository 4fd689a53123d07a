"""Lists in one array, and parent sets in two that read like a sequence of tuples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def offsets_of(counts: ArrayLike) -> np.ndarray:
    """Where lists of these lengths begin in one array, and where the last one ends; int64, one entry more."""
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


class ListedSets(Sequence[tuple[int, ...]]):
    """Many parent sets: a sequence of ascending tuples of indices, stored as arrays.

    - `offsets` (int64, shape (n_sets + 1,)): from 0 to the number of members.
    - `members` (int32; int64 until readers have checked them): set s is ``members[offsets[s]:offsets[s + 1]]``.
    """

    __slots__ = ("members", "offsets")

    def __init__(self, offsets: np.ndarray, members: np.ndarray):
        self.offsets = offsets
        self.members = members

    @classmethod
    def of(cls, sets: Iterable[Sequence[int]]) -> ListedSets:
        """The sets of tuples."""
        known = list(sets)
        members = np.fromiter(chain.from_iterable(known), dtype=np.int32)
        return cls.of_sizes(np.fromiter(map(len, known), dtype=np.int64, count=len(known)), members)

    @classmethod
    def of_sizes(cls, sizes: np.ndarray, members: np.ndarray) -> ListedSets:
        """Consecutive sets of these sizes."""
        return cls(offsets_of(sizes), members)

    @classmethod
    def of_rows(cls, members: np.ndarray) -> ListedSets:
        """The sets in the rows of an array, shape (n_sets, size), in any order within a row."""
        n_sets, size = members.shape
        return cls(size * np.arange(n_sets + 1, dtype=np.int64), np.sort(members, axis=1).ravel())

    @classmethod
    def joined(cls, parts: Iterable[ListedSets]) -> ListedSets:
        """The sets of all parts, one part after the other; at least one part."""
        sizes, members = zip(*((part.sizes, part.members) for part in parts))
        return cls.of_sizes(np.concatenate(sizes), np.concatenate(members).astype(np.int32, copy=False))

    @property
    def sizes(self) -> np.ndarray:
        """Members of each set, int64."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.take(np.arange(len(self))[index])
        start, end = self.offsets[range(len(self))[index] :][:2]
        return tuple(self.members[start:end].tolist())

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        flat = self.members.tolist()
        for start, end in pairwise(self.offsets.tolist()):
            yield tuple(flat[start:end])

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ListedSets):
            return np.array_equal(self.offsets, other.offsets) and np.array_equal(self.members, other.members)
        return isinstance(other, (tuple, list)) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def take(self, which: np.ndarray) -> ListedSets:
        """The sets at some places (indices), in their order."""
        starts = self.offsets[which]
        sizes = self.offsets[which + 1] - starts
        taken = ListedSets.of_sizes(sizes, self.members[:0])
        # The distance of a member from the first one of its set is the same in the result and in this sequence.
        shifts = np.repeat(starts - taken.offsets[:-1], sizes)
        taken.members = self.members[shifts + np.arange(len(shifts))]
        return taken

    def united(self, others: ListedSets) -> ListedSets:
        """The unions of each set with the set at the same place of `others`, disjoint from it."""
        if not len(others.members):
            return self
        places = np.arange(len(self))
        owners = np.concatenate((np.repeat(places, self.sizes), np.repeat(places, others.sizes)))
        members = np.concatenate((self.members, others.members))
        return ListedSets.of_sizes(self.sizes + others.sizes, members[np.lexsort((members, owners))])

    def within(self, first: int, end: int) -> ListedSets:
        """The sets ``first:end``; their members are a view."""
        offsets = self.offsets[first : end + 1]
        return ListedSets(offsets - offsets[0], self.members[offsets[0] : offsets[-1]])


def best_first(sets: ListedSets, scores: np.ndarray, children: np.ndarray | None = None) -> np.ndarray:
    """The places of distinct sets: descending scores, ties by fewer parents, then by indices.

    A set listed twice with the same score appears once. With `children`, the child of each set (int64), one list
    after the other.
    """
    order = np.argsort(-scores) if children is None else np.lexsort((-scores, children))
    ranked = scores[order]
    is_tie = ranked[1:] == ranked[:-1]
    if children is not None:
        is_tie &= children[order][1:] == children[order][:-1]
    if not is_tie.any():
        return order
    tied = np.concatenate((is_tie, [False])) | np.concatenate(([False], is_tie))
    places = np.flatnonzero(tied)
    # Only sets of equal score are compared: by score, size and members; missing members come first.
    equal = sets.take(order[places])
    rows = np.full((len(places), max(1, int(equal.sizes.max()))), -1, dtype=np.int32)
    sizes = equal.sizes
    within = np.arange(len(equal.members)) - np.repeat(equal.offsets[:-1], sizes)
    rows[np.repeat(np.arange(len(places)), sizes), within] = equal.members
    # Runs of ties are already separated by child and score.
    run = np.cumsum(np.concatenate(([True], ~is_tie)))[places]
    turn = np.lexsort((*rows.T[::-1], equal.sizes, run))
    order[places] = order[places][turn]
    rows = rows[turn]
    again = (rows[1:] == rows[:-1]).all(axis=1) & (run[1:] == run[:-1])
    return np.delete(order, places[1:][again])


def least_set(sets: ListedSets) -> tuple[int, ...] | None:
    """The listed set that all others contain, which is usually the empty one; None if there is none."""
    smallest = sets[int(np.argmin(sets.sizes))]
    # Members are distinct, so a set contains the smallest one if as many of its members are in it as that one has.
    shared = offsets_of(np.isin(sets.members, smallest))
    return smallest if (np.diff(shared[sets.offsets]) == len(smallest)).all() else None
