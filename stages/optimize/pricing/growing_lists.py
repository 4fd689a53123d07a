"""Candidate lists that grow during a search, packed anew where they changed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from formats.records import Header, ParentSetRecord, ParentSetTable
from stages.scoring.set_grower import Moment, SetGrower

from ..lists.set_lists import index_lists, offsets_of

if TYPE_CHECKING:
    from stages.kernels.orders.set_lists import SetLists

EXTENSIONS_KEPT = 8
"""One-variable extensions of every set met that join the lists besides the one taken; found by experiment."""


_Entry = tuple[float, int, tuple[int, ...]]
"""A set as negative score, size and members: what dominates another stands before it."""


class _ChildLists(NamedTuple):
    """The sets of one child, kept until its grower knows more: with their scores, sizes and all members in a row."""

    known_at: Moment
    entries: list[_Entry]
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
            left_out=np.full(n, np.nan),
        )

    def _lists_of(self, grower: SetGrower) -> _ChildLists:
        from stages.kernels.dominance import mark_undominated

        now, known = grower.now, self._known[grower.child]
        if known is not None and known.known_at == now:
            return known
        before, since = (known.entries, known.known_at) if known else ([], None)
        # A set once dominated remains so, and what is listed already needs no second look.
        new = grower.improvements(EXTENSIONS_KEPT, since)
        for _, _, parents in before:
            new.pop(parents, None)
        # Those of a network to start from, or of given lists, may be larger than allowed.
        most = max(grower.max_parents, len(grower.required))
        # A climb asks for sets without required parents, too.
        needed = grower.required
        entries = before + [
            (-score, len(parents), parents)
            for parents, score in new.items()
            if len(parents) <= most and (not needed or set(needed).issubset(parents))
        ]
        entries.sort()
        sizes = np.array([size for _, size, _ in entries], dtype=np.int64)
        members = np.array([p for _, _, parents in entries for p in parents], dtype=np.int32)
        keep = mark_undominated(offsets_of(sizes), members, len(self.growers), np.arange(len(entries)))
        entries = list(compress(entries, keep.tolist()))
        lists = _ChildLists(
            now,
            entries,
            np.array([-entry[0] for entry in entries]),
            sizes[keep],
            members[np.repeat(keep, sizes)],
        )
        self._known[grower.child] = lists
        return lists

    def forget_over(self, most_bytes: int) -> bool:
        """Forget everything but the undominated sets if more than `most_bytes` are known; whether it was done.

        Sets that are met again are then scored again.
        """
        if sum(grower.bytes for grower in self.growers) <= most_bytes:
            return False
        for grower in self.growers:
            grower.forget({parents: -score for score, _, parents in self._lists_of(grower).entries})
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
            yield ParentSetRecord(
                grower.child,
                tuple(parents for _, _, parents in lists.entries),
                tuple(lists.scores.tolist()),
                evaluated=grower.evaluated,
                complete=self.is_complete,
                required=grower.required,
            )
