"""Candidate lists that grow during a search, and the growers that know their sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import compress
from typing import NamedTuple

import numpy as np

from formats.records import Header, ParentSetRecord, ParentSetTable
from formats.sets.listed_sets import ListedSets, offsets_of
from stages.kernels.dominance import mark_undominated
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import index_lists
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.scores import recorded_ess
from stages.scoring.set_grower import Moment, SetGrower

from ..climbing.constraints import Constraints

EXTENSIONS_KEPT = 8
"""One-variable extensions of every set met that join the lists besides the chosen one; found by experiment."""

_Entry = tuple[float, int, tuple[int, ...]]
"""Negative score, size and members of a set: sorted, a set comes after all that dominate it."""


class _ChildLists(NamedTuple):
    """The undominated sets of one child at some moment."""

    known_at: Moment
    entries: list[_Entry]
    scores: np.ndarray
    sets: ListedSets


class GrowingLists:
    """The undominated sets that the growers of all variables know, best first.

    Only lists whose grower has learned more since they were last used are computed again.
    """

    def __init__(self, growers: list[SetGrower]):
        self.growers = growers
        # The lists of all undominated sets, once they are known: then growers add nothing.
        self.complete: list[ParentSetRecord] | None = None
        self._known: list[_ChildLists | None] = [None] * len(growers)

    @property
    def required(self) -> tuple[tuple[int, ...], ...]:
        """The parents that every set of each variable must contain."""
        return tuple(grower.required for grower in self.growers)

    @property
    def is_complete(self) -> bool:
        return self.complete is not None

    @property
    def n_sets(self) -> int:
        if self.complete is not None:
            return sum(len(record.parents) for record in self.complete)
        return sum(len(known.scores) for known in self._known if known)

    def limit_parents(self, most: int) -> None:
        """List no sets of more than `most` parents from now on."""
        for grower in self.growers:
            grower.max_parents = min(grower.max_parents, most)
        self._known = [None] * len(self.growers)

    def pack(self) -> SetLists:
        """All lists with an index by member."""
        parts = [self._lists_of(grower) for grower in self.growers]
        return index_lists(
            set_offsets=offsets_of(np.array([len(part.scores) for part in parts])),
            scores=np.concatenate([part.scores for part in parts]),
            parent_offsets=offsets_of(np.concatenate([part.sets.sizes for part in parts])),
            parents=np.concatenate([part.sets.members for part in parts]),
        )

    def table(self) -> ParentSetTable:
        """All lists as input of a search among listed sets."""
        packed, n = self.pack(), len(self.growers)
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
        if self.complete is not None:
            record = self.complete[grower.child]
            return _ChildLists(grower.now, [], record.scores, record.parents)
        now, known = grower.now, self._known[grower.child]
        if known is not None and known.known_at == now:
            return known
        before, since = (known.entries, known.known_at) if known else ([], None)
        # A dominated set remains dominated, so only listed sets and new ones are compared.
        new = grower.improvements(EXTENSIONS_KEPT, since)
        for _, _, parents in before:
            new.pop(parents, None)
        # Growers also know sets that may not be listed: too large ones of a start network or of given lists, and,
        # from climbing, sets without required parents.
        most, needed = max(grower.max_parents, len(grower.required)), grower.required
        entries = before + [
            (-score, len(parents), parents)
            for parents, score in new.items()
            if len(parents) <= most and (not needed or set(needed).issubset(parents))
        ]
        entries.sort()
        sets = ListedSets.of(parents for _, _, parents in entries)
        keep = mark_undominated(sets.offsets, sets.members, len(self.growers), np.arange(len(entries)))
        entries = list(compress(entries, keep.tolist()))
        scores = np.array([-entry[0] for entry in entries])
        lists = _ChildLists(now, entries, scores, sets.take(np.flatnonzero(keep)))
        self._known[grower.child] = lists
        return lists

    def forget_over(self, most_bytes: int) -> bool:
        """Forget everything but the listed sets if all that is known takes more than `most_bytes`; whether it was
        done. Other sets are scored again when they are met again.
        """
        if sum(grower.bytes for grower in self.growers) <= most_bytes:
            return False
        for grower in self.growers:
            grower.forget({parents: -score for score, _, parents in self._lists_of(grower).entries})
        return True

    def score(self, child: int, parents: tuple[int, ...]) -> float:
        """Exact score of a set, from a complete list if it is there."""
        grower = self.growers[child]
        if self.complete is not None and parents not in grower.scores:
            listed, size = self.complete[child].parents, len(parents)
            places = np.flatnonzero(listed.sizes == size)
            members = listed.take(places).members.reshape(len(places), size)
            for place in places[(members == np.array(parents)).all(axis=1)].tolist():
                return float(self.complete[child].scores[place])
        return grower.score(parents)

    def records(self) -> Iterator[ParentSetRecord]:
        """The lists as rows of a parent-set file."""
        for grower in self.growers:
            lists = self._lists_of(grower)
            yield ParentSetRecord(
                grower.child,
                lists.sets,
                lists.scores,
                evaluated=grower.evaluated,
                complete=self.is_complete,
                required=grower.required,
            )


def make_growers(
    scorer: FamilyScorer,
    constraints: Constraints,
    table: ParentSetTable | None = None,
    scores_left: Callable[[], float] = lambda: math.inf,
) -> list[SetGrower]:
    """One grower per variable within the constraints, knowing the sets of `table`.

    `scores_left` is as in `SetGrower`, for all growers.
    """
    n = scorer.n_variables
    largest = min(constraints.max_parents, n - 1)
    growers = []
    for child in range(n):
        candidates = partial(constraints.candidates, child)
        required = constraints.knowledge.required_of(child)
        growers.append(SetGrower(scorer, child, largest, candidates, required, scores_left=scores_left))
        if table is not None:
            _add_listed(growers[child], table, constraints.may_be_parents(child))
    return growers


def _add_listed(grower: SetGrower, table: ParentSetTable, allowed: np.ndarray) -> None:
    """Let a grower know the sets of a table that the constraints allow.

    Scores of other data or of another kind are not used: those sets are scored again.
    """
    scorer, header = grower.scorer, table.header
    same = (scorer.dataset.fingerprint, scorer.score, recorded_ess(scorer.score, scorer.ess))
    is_same = (header.data, header.score, header.ess) == same
    for s in range(int(table.set_offsets[grower.child]), int(table.set_offsets[grower.child + 1])):
        parents = table.parent_set(s)
        is_possible = set(grower.required) <= set(parents) and allowed[list(parents)].all()
        if is_possible and len(parents) <= grower.max_parents:
            if is_same:
                grower.scores[parents] = float(table.scores[s])
            else:
                grower.score(parents)
