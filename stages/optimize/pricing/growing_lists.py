"""Candidate lists that grow during a search, packed anew where they changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from formats.records import Header, ParentSetRecord, ParentSetTable
from stages.scoring.set_grower import SetGrower

from ..lists.set_lists import index_lists, offsets_of

if TYPE_CHECKING:
    from stages.kernels.orders.set_lists import SetLists

EXTENSIONS_KEPT = 8
"""One-variable extensions of every set met that join the lists besides the one taken; found by experiment."""


class _ChildLists(NamedTuple):
    """The sets of one child, kept until its grower knows more: scores, sizes and all members in a row."""

    version: tuple[int, int]
    scores: np.ndarray
    sizes: np.ndarray
    parents: np.ndarray


class GrowingLists:
    """The undominated sets that the growers of all variables know, best first.

    Parameters
    ----------
    growers : list of SetGrower
        One per variable, in variable order.

    Attributes
    ----------
    is_complete : bool
        The growers know all sets that no subset dominates.
    """

    def __init__(self, growers: list[SetGrower]):
        self.growers = growers
        self.is_complete = False
        self._known: list[_ChildLists | None] = [None] * len(growers)

    @property
    def required(self) -> tuple[tuple[int, ...], ...]:
        """The parents that every set of each variable must contain."""
        return tuple(grower.required for grower in self.growers)

    @property
    def n_sets(self) -> int:
        return sum(len(known.scores) for known in self._known if known)

    def pack(self) -> SetLists:
        """All lists in the form that searches take."""
        parts = [self._lists_of(grower) for grower in self.growers]
        return index_lists(
            set_offsets=offsets_of(np.array([len(part.scores) for part in parts])),
            scores=np.concatenate([part.scores for part in parts]),
            parent_offsets=offsets_of(np.concatenate([part.sizes for part in parts])),
            parents=np.concatenate([part.parents for part in parts]).astype(np.int32),
        )

    def table(self) -> ParentSetTable:
        """All lists as the searches among listed sets take them."""
        packed = self.pack()
        n = len(self.growers)
        return ParentSetTable(
            header=Header(self.growers[0].scorer.dataset.variables),
            set_offsets=packed.set_offsets,
            scores=packed.scores,
            parent_offsets=packed.parent_offsets,
            parents=packed.parents,
            fixed=np.zeros(n, dtype=np.bool_),
            complete=np.full(n, self.is_complete),
            unlisted=np.full(n, np.nan),
        )

    def _lists_of(self, grower: SetGrower) -> _ChildLists:
        from stages.kernels.dominance import mark_undominated

        version = (grower.evaluated, len(grower.scores))
        known = self._known[grower.child]
        if known is not None and known.version == version:
            return known
        sets = grower.improvements(EXTENSIONS_KEPT).items()
        # Those of a network to start from, or of given lists, may be larger than allowed.
        most = max(grower.max_parents, len(grower.required))
        # A climb asks for sets without required parents, too.
        needed = set(grower.required)
        possible = [item for item in sets if len(item[0]) <= most and needed.issubset(item[0])]
        ordered = sorted(possible, key=lambda item: (-item[1], len(item[0]), item[0]))
        sizes = np.array([len(parents) for parents, _ in ordered], dtype=np.int64)
        offsets = offsets_of(sizes)
        members = np.array([p for parents, _ in ordered for p in parents], dtype=np.int32)
        keep = mark_undominated(offsets, members, len(self.growers))
        scores = np.array([score for _, score in ordered])
        lists = _ChildLists(version, scores[keep], sizes[keep], members[np.repeat(keep, sizes)])
        self._known[grower.child] = lists
        return lists

    def forget_over(self, most_bytes: int) -> bool:
        """Forget everything but the undominated sets if more than `most_bytes` are known; whether it was done.

        Sets that are met again are then scored again.
        """
        if sum(grower.bytes for grower in self.growers) <= most_bytes:
            return False
        for grower, record in zip(self.growers, list(self.records())):
            grower.forget(dict(zip(record.parents, record.scores)))
        return True

    def sets(self, lists: SetLists, chosen: np.ndarray) -> tuple[tuple[int, ...], ...]:
        """Parents of the chosen sets."""
        return tuple(
            tuple(lists.parents[lists.parent_offsets[s] : lists.parent_offsets[s + 1]].tolist())
            for s in chosen.tolist()
        )

    def records(self) -> Iterator[ParentSetRecord]:
        """The lists as rows of a parent-set file."""
        for grower in self.growers:
            lists = self._lists_of(grower)
            members = lists.parents.tolist()
            bounds = offsets_of(lists.sizes).tolist()
            parents = tuple(tuple(members[a:b]) for a, b in pairwise(bounds))
            yield ParentSetRecord(
                grower.child,
                parents,
                tuple(lists.scores.tolist()),
                evaluated=grower.evaluated,
                complete=self.is_complete,
                required=grower.required,
            )
