"""Parent sets found for one child: collected during a search, pruned and ordered at its end."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from formats.records import ParentSetRecord
from stages.scoring.family_scorer import SLICE_WORK

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.scoring.candidate_prefilter import RowSample

    from .exploration import Exploration
    from .grow_orders import Orders
    from .lists import Lists

UNLIMITED = 2**62

FIRST_SCORES = 50
"""Exact scores that a child gets whatever the clock says: enough for a first list, some milliseconds."""

SLICE_SECONDS = 0.1
"""What work of one whole slice takes at most, about."""

BYTES_PER_SET = 500
"""Memory that one remembered set takes while its child is searched and its record made; measured, generous."""


@dataclass
class FoundSets:
    """Scored parent sets of one child.

    Attributes
    ----------
    child : int
    scores : dict
        Ascending index tuples to local scores in nats.
    evaluated : int
        Exact local scores computed.
    complete : bool
        Every set within the limits that no subset dominates is among `scores`.
    unlisted : float or None
        Upper bound on the score of all other sets, where known.
    ended : str or None
        What ended the search before its own end, besides evaluations and the user: ``time`` or ``memory``.
    most_held : int
        Largest number of sets remembered at once when the search looked at its limits.
    exploration : Exploration or None
        Where the search notes each set that it scores, if that is asked for.
    window : float or None
        Sets within so many nats of the best stay, whatever dominates them; None for none.
    """

    child: int
    scores: dict[tuple[int, ...], float] = field(default_factory=dict)
    evaluated: int = 0
    complete: bool = False
    unlisted: float | None = None
    ended: str | None = None
    most_held: int = 0
    exploration: Exploration | None = None
    window: float | None = None

    @property
    def floor(self) -> float:
        """Score from which on sets stay, dominated or not, as far as the best is known; infinite without a window."""
        if self.window is None:
            return math.inf
        return max(self.scores.values(), default=-math.inf) - self.window

    def begin(self, parents: tuple[int, ...], score: float) -> None:
        """Add the smallest set, which is scored first."""
        self.add(parents, score)
        self.evaluated = 1
        if self.exploration is not None:
            self.exploration.add(parents, score)

    def explore(
        self,
        parents: tuple[int, ...],
        candidates: np.ndarray,
        scores: np.ndarray,
    ) -> None:
        """Count the scores of ``parents + {Y}`` for candidates Y, and tell them where that is asked for.

        Those that a stop left out are -inf.
        """
        is_scored = scores > -np.inf
        self.evaluated += int(is_scored.sum())
        if self.exploration is not None:
            self.exploration.add_extensions(parents, candidates[is_scored], scores[is_scored])

    def add(self, parents: tuple[int, ...], score: float) -> None:
        """Add one set."""
        self.scores[parents] = score

    def add_expansion(
        self, parents: tuple[int, ...], floor: np.ndarray | float, expansion: np.ndarray
    ) -> np.ndarray:
        """Add ``parents + {Y}`` for all Y whose score exceeds `floor`; their indices, ascending.

        `floor` is the score of a subset of each set (of `parents`, or elementwise the better of it and of
        {Y}), so sets at or below it are dominated. Those within the window are added as well.
        """
        if self.window is not None:
            floor = np.minimum(floor, max(self.floor, expansion.max(initial=-math.inf) - self.window))
        promising = np.flatnonzero(expansion > floor)
        for y, score in zip(promising.tolist(), expansion[promising].tolist()):
            self.scores[tuple(sorted((*parents, y)))] = score
        return promising

    def add_lists(self, lists: Lists, scores: np.ndarray) -> None:
        """Add those of some sets that no other of them dominates, or that are within the window.

        Parameters
        ----------
        lists : Lists
        scores : ndarray of float64, shape (n_sets,)
        """
        from stages.kernels.dominance import mark_undominated

        sizes, members = lists
        order = np.lexsort((sizes, -scores))
        starts = (np.cumsum(sizes) - sizes)[order]
        sizes, scores = sizes[order], scores[order]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        members = members[np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])]
        keep = mark_undominated(offsets, members, int(members.max(initial=-1)) + 1)
        if self.window is not None:
            keep |= scores >= max(self.floor, scores.max(initial=-math.inf) - self.window)
        flat = members.tolist()
        for s in np.flatnonzero(keep).tolist():
            self.scores[tuple(flat[offsets[s] : offsets[s + 1]])] = float(scores[s])

    def to_record(
        self, n_variables: int, required: tuple[int, ...] = (), extra: dict | None = None
    ) -> ParentSetRecord:
        """The sets that are undominated or within the window, best first, ties by fewer parents, then indices."""
        from stages.kernels.dominance import mark_undominated

        ordered = sorted(self.scores.items(), key=lambda item: (-item[1], len(item[0]), item[0]))
        offsets = np.zeros(len(ordered) + 1, dtype=np.int64)
        np.cumsum([len(parents) for parents, _ in ordered], out=offsets[1:])
        members = np.array([p for parents, _ in ordered for p in parents], dtype=np.int32)
        keep = mark_undominated(offsets, members, n_variables)
        floor = self.floor
        kept = [item for item, is_kept in zip(ordered, keep.tolist()) if is_kept or item[1] >= floor]
        return ParentSetRecord(
            self.child,
            tuple(parents for parents, _ in kept),
            tuple(score for _, score in kept),
            evaluated=self.evaluated,
            complete=self.complete,
            unlisted=None if self.complete else self.unlisted,
            required=required,
            extra=extra or {},
        )


def window_of(keep_mass: float | None) -> float | None:
    """How far below its child's best a set may score and stay, nats; None where dominance alone decides."""
    if keep_mass is None:
        return None
    return -math.log(keep_mass) if keep_mass > 0 else math.inf


def slice_work(budget: Budget) -> float:
    """Work between two looks at the clock: less when little time is left, for others wait for their share."""
    share = min(1.0, budget.time_left() / SLICE_SECONDS)
    return SLICE_WORK * max(1 / 64, share)


def memory_of(arrays: Iterable) -> int:
    """Bytes of the arrays in a tuple of arrays, tuples in it included."""
    return sum(part.nbytes if isinstance(part, np.ndarray) else memory_of(part) for part in arrays)


@dataclass(frozen=True)
class ChildLimits:
    """What bounds the search of one child.

    Attributes
    ----------
    allowed : ndarray of int32
        Variables that may be parents besides the required ones, ascending; never the child.
    max_parents : int
        Largest set, required parents counted.
    evaluations : int
        Exact scores at most; searches check it between expansions.
    required : tuple of int
        Parents that every set must contain, ascending.
    most_sets : int
        Sets held in memory at most; searches check it between expansions.
    orders : Orders or None
        Orders to grow sets within (method ``grow``).
    n_orders : int
        How many of them.
    near_parents : tuple of int or None
        The child's parents in the network that the orders are near to.
    sample : RowSample or None
        Ranks candidates where there are thousands.
    traces : bool
        Whether what is explored is to be told.
    window : float or None
        As in `FoundSets`.
    """

    allowed: np.ndarray
    max_parents: int
    evaluations: int
    required: tuple[int, ...] = ()
    most_sets: int = UNLIMITED
    orders: Orders | None = None
    n_orders: int = 0
    near_parents: tuple[int, ...] | None = None
    sample: RowSample | None = None
    traces: bool = False
    window: float | None = None

    def nothing_found(self, child: int) -> FoundSets:
        """What a search begins with."""
        from .exploration import Exploration

        return FoundSets(child, exploration=Exploration(child) if self.traces else None, window=self.window)

    def is_spent(self, budget: Budget, found: FoundSets, held: int = 0) -> bool:
        """Whether a search must stop: no time, no evaluations, or no memory is left.

        `held` are the sets that it remembers besides those found. The clock ends no search before it has a first
        list: `FIRST_SCORES`, or one for each candidate where these are fewer.
        """
        if found.exploration is not None:
            held += found.exploration.nbytes // BYTES_PER_SET
        found.most_held = max(found.most_held, len(found.scores) + held)
        if found.most_held >= self.most_sets:
            found.ended = "memory"
        if found.ended == "memory" or found.evaluated >= self.evaluations or budget.interrupted:
            return True
        if found.evaluated <= min(FIRST_SCORES, len(self.allowed)) or not budget.is_spent():
            return False
        found.ended = "time"
        return True
