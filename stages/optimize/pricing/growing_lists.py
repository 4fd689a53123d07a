"""Candidate lists that grow during a search, packed anew where they changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from formats.records import ParentSetRecord
from stages.scoring.set_grower import SetGrower

from ..lists.set_lists import pack_arrays

if TYPE_CHECKING:
    from stages.kernels.orders.set_lists import SetLists

EXTENSIONS_KEPT = 8
"""One-variable extensions of every set met that join the lists besides the one taken; found by experiment."""


class _Packed(NamedTuple):
    version: tuple[int, int]
    scores: np.ndarray
    lengths: np.ndarray
    members: np.ndarray


class CandidateLists:
    """The undominated sets that the growers of all variables know, best first.

    Parameters
    ----------
    growers : list of SetGrower
        One per variable, in variable order.
    """

    def __init__(self, growers: list[SetGrower]):
        self.growers = growers
        self._packed: list[_Packed | None] = [None] * len(growers)

    @property
    def required(self) -> tuple[tuple[int, ...], ...]:
        """The parents that every set of each variable must contain."""
        return tuple(grower.required for grower in self.growers)

    @property
    def n_sets(self) -> int:
        return sum(len(packed.scores) for packed in self._packed if packed)

    def pack(self) -> SetLists:
        """All lists as arrays of the order kernels."""
        parts = [self._pack_child(grower) for grower in self.growers]
        lengths = np.concatenate([part.lengths for part in parts])
        return pack_arrays(
            np.cumsum([0] + [len(part.scores) for part in parts]).astype(np.int64),
            np.concatenate([part.scores for part in parts]),
            np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
            np.concatenate([part.members for part in parts]).astype(np.int32),
        )

    def _pack_child(self, grower: SetGrower) -> _Packed:
        from stages.kernels.dominance import mark_undominated

        version = (grower.evaluated, len(grower.scores))
        known = self._packed[grower.child]
        if known is not None and known.version == version:
            return known
        sets = grower.improvements(EXTENSIONS_KEPT).items()
        ordered = sorted(sets, key=lambda item: (-item[1], len(item[0]), item[0]))
        lengths = np.array([len(parents) for parents, _ in ordered], dtype=np.int64)
        offsets = np.concatenate(([0], np.cumsum(lengths)))
        members = np.array([p for parents, _ in ordered for p in parents], dtype=np.int32)
        keep = mark_undominated(offsets, members, len(self.growers))
        scores = np.array([score for _, score in ordered])
        packed = _Packed(version, scores[keep], lengths[keep], members[np.repeat(keep, lengths)])
        self._packed[grower.child] = packed
        return packed

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
            packed = self._pack_child(grower)
            members = packed.members.tolist()
            ends = np.cumsum(packed.lengths).tolist()
            starts = [0, *ends[:-1]]
            parents = tuple(tuple(members[a:b]) for a, b in zip(starts, ends))
            yield ParentSetRecord(
                grower.child,
                parents,
                tuple(packed.scores.tolist()),
                evaluated=grower.evaluated,
                required=grower.required,
            )
