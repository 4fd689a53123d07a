"""The sets that a search scored, in order, for ``--trace``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formats.records import ExploredSets
from formats.sets.listed_sets import offsets_of

from ..lists.set_arrays import Lists


def lists_of_one_size(members: np.ndarray) -> Lists:
    """Sets as lists of sizes and of ascending members.

    `members` is int32, shape (n_sets, size), in any order within a set.
    """
    sizes = np.full(len(members), members.shape[1], dtype=np.int64)
    return sizes, np.sort(members, axis=1).ravel()


class SearchTrace:
    """Scored sets of one child, in the order of the search.

    Attribute `nbytes`: approximate memory taken.
    """

    def __init__(self, child: int):
        self.child = child
        self.nbytes = 0
        self._parts: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []

    def add(self, parents: Sequence[int], score: float) -> None:
        """Add one set."""
        self.add_sets(np.array([parents], dtype=np.int32).reshape(1, len(parents)), np.array([score]))

    def add_sets(self, members: np.ndarray, scores: np.ndarray) -> None:
        """Add sets of one size, `members` as in `lists_of_one_size`; one score for each."""
        self.add_lists(lists_of_one_size(members), scores)

    def add_extensions(self, parents: Sequence[int], candidates: np.ndarray, scores: np.ndarray) -> None:
        """Add ``parents + {Y}`` for candidates Y; one score for each."""
        base = np.tile(np.array(parents, dtype=np.int32), (len(candidates), 1))
        self.add_sets(np.column_stack((base, candidates)).astype(np.int32), scores)

    def add_lists(self, lists: Lists, scores: np.ndarray, estimates: np.ndarray | None = None) -> None:
        """Add sets of any sizes; scores and estimates have one entry for each."""
        sizes, members = lists
        estimates = np.full(len(scores), np.nan) if estimates is None else estimates
        self._parts.append((sizes, members, scores, estimates))
        self.nbytes += sum(array.nbytes for array in self._parts[-1])

    def sets(self) -> ExploredSets:
        """All of them."""
        sizes, members, scores, estimates = map(np.concatenate, zip(*self._parts))
        return ExploredSets(self.child, offsets_of(sizes), members.astype(np.int32), scores, estimates)
