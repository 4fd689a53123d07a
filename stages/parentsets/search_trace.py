"""The sets that a search scored, in order, for ``--trace``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from formats.records import ExploredSets
from formats.sets.listed_sets import ListedSets


class SearchTrace:
    """Scored sets of one child, in the order of the search.

    Attribute `nbytes`: approximate memory taken.
    """

    def __init__(self, child: int):
        self.child = child
        self.nbytes = 0
        self._parts: list[tuple[ListedSets, np.ndarray, np.ndarray]] = []

    def add(self, parents: Sequence[int], score: float) -> None:
        """Add one set."""
        self.add_lists(ListedSets.of([sorted(parents)]), np.array([score]))

    def add_extensions(self, parents: Sequence[int], candidates: np.ndarray, scores: np.ndarray) -> None:
        """Add ``parents + {Y}`` for candidates Y; one score for each."""
        base = np.tile(np.array(parents, dtype=np.int32), (len(candidates), 1))
        self.add_lists(ListedSets.of_rows(np.column_stack((base, candidates)).astype(np.int32)), scores)

    def add_lists(self, sets: ListedSets, scores: np.ndarray, estimates: np.ndarray | None = None) -> None:
        """Add sets of any sizes; scores and estimates have one entry for each."""
        estimates = np.full(len(scores), np.nan) if estimates is None else estimates
        self._parts.append((sets, scores, estimates))
        self.nbytes += sum(array.nbytes for array in (sets.offsets, sets.members, scores, estimates))

    def sets(self) -> ExploredSets:
        """All of them."""
        sets, scores, estimates = zip(*self._parts)
        joined = ListedSets.joined(sets)
        return ExploredSets(self.child, joined.offsets, joined.members, *map(np.concatenate, (scores, estimates)))
