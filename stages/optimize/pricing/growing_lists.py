"""Candidate lists that grow during a search, and the growers that know their sets."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from formats.arc_priors import KEY
from formats.records import Header, ParentSetRecord, ParentSetTable
from formats.sets.listed_sets import ListedSets, best_first, offsets_of
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import all_sets, child_of_sets, keep_sets, new_lists
from stages.lists.undominated import undominated_sets
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.scores import recorded_ess
from stages.scoring.set_grower import Moment, SetGrower

from ..climbing.constraints import Constraints

EXTENSIONS_KEPT = 8
"""One-variable extensions of every visited set that join the lists besides the chosen one; found by experiment."""


class GrowingLists:
    """The undominated sets that the growers of all variables know, best first.

    Each update compares only the sets that growers learned since the last one with the lists.
    """

    def __init__(self, growers: list[SetGrower]):
        self.growers = growers
        # Whether the lists hold all undominated sets: then growers add nothing.
        self.is_complete = False
        self._forget_lists()

    def _forget_lists(self) -> None:
        n = len(self.growers)
        self._known_at: list[Moment | None] = [None] * n
        self._lists = new_lists(np.zeros(n + 1, dtype=np.int64), ListedSets.of([]), np.zeros(0))

    @property
    def required(self) -> tuple[tuple[int, ...], ...]:
        """The parents that every set of each variable must contain."""
        return tuple(grower.required for grower in self.growers)

    @property
    def n_sets(self) -> int:
        return len(self._lists.scores)

    def limit_parents(self, most: int) -> None:
        """List no sets of more than `most` parents from now on, unless lists are complete."""
        for grower in self.growers:
            grower.max_parents = min(grower.max_parents, most)
        if not self.is_complete:
            self._forget_lists()

    def complete(self, records: Sequence[ParentSetRecord]) -> None:
        """Take over the lists of all undominated sets, one for each variable."""
        self.is_complete = True
        self._lists = new_lists(
            offsets_of([len(record.scores) for record in records]),
            ListedSets.joined(record.parents for record in records),
            np.concatenate([record.scores for record in records]),
        )

    def latest(self) -> SetLists:
        """All lists as of now; a new record whenever they change."""
        self._extend()
        return self._lists

    def table(self) -> ParentSetTable:
        """All lists as input of a search among listed sets."""
        n = len(self.growers)
        return ParentSetTable(
            header=Header(self.growers[0].scorer.dataset.variables),
            **self.latest()._asdict(),
            fixed=np.zeros(n, dtype=np.bool_),
            complete=np.full(n, self.is_complete),
            unlisted=np.full(n, np.nan),
            left_out=np.full(n, np.nan),
        )

    def _extend(self) -> None:
        """List the sets that growers have learned since the last time."""
        if self.is_complete:
            return
        n, new_children, new_sets, new_scores = len(self.growers), [], [], []
        for grower in self.growers:
            child, now, since = grower.child, grower.now, self._known_at[grower.child]
            if now == since:
                continue
            self._known_at[child] = now
            # Growers also know sets that may not be listed: too large ones from a start network or given lists, and
            # sets without required parents from climbing.
            most, needed = max(grower.max_parents, len(grower.required)), grower.required
            for parents, score in grower.improvements(EXTENSIONS_KEPT, since).items():
                if len(parents) <= most and (not needed or set(needed).issubset(parents)):
                    new_children.append(child)
                    new_sets.append(parents)
                    new_scores.append(score)
        if not new_sets:
            return
        # A dominated set stays dominated, so only listed and new sets are compared.
        children = np.concatenate((child_of_sets(self._lists), new_children))
        scores = np.concatenate((self._lists.scores, new_scores))
        sets = ListedSets.joined((all_sets(self._lists), ListedSets.of(new_sets)))
        order = best_first(sets, scores, children)
        starts = np.searchsorted(children[order], np.arange(n + 1))
        lists = new_lists(starts, sets.take(order), scores[order])
        self._lists = keep_sets(lists, np.flatnonzero(undominated_sets(lists)))

    def _list_of(self, child: int) -> tuple[ListedSets, np.ndarray]:
        """The list of a child and its scores."""
        first, end = self._lists.set_offsets[child : child + 2].tolist()
        return all_sets(self._lists).within(first, end), self._lists.scores[first:end]

    def forget_over(self, most_bytes: int) -> bool:
        """Forget all sets but the listed ones if the growers' memory exceeds `most_bytes`; returns whether this was
        done. Forgotten sets are scored again when they are met again.
        """
        if sum(grower.bytes for grower in self.growers) <= most_bytes:
            return False
        self._extend()
        for grower in self.growers:
            sets, scores = self._list_of(grower.child)
            grower.forget(dict(zip(sets, scores.tolist())))
        return True

    def score(self, child: int, parents: tuple[int, ...]) -> float:
        """Exact score of a set, from a complete list if it is there."""
        grower = self.growers[child]
        if self.is_complete and parents not in grower.scores:
            (listed, scores), size = self._list_of(child), len(parents)
            places = np.flatnonzero(listed.sizes == size)
            members = listed.take(places).members.reshape(len(places), size)
            for place in places[(members == np.array(parents)).all(axis=1)].tolist():
                return float(scores[place])
        return grower.score(parents)

    def records(self) -> Iterator[ParentSetRecord]:
        """The lists as rows of a parent-set file."""
        self._extend()
        for grower in self.growers:
            yield ParentSetRecord(
                grower.child,
                *self._list_of(grower.child),
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

    Scores of other data, of another kind or with another prior of arcs are not used: their sets are scored again.
    """
    scorer, header = grower.scorer, table.header
    same = (scorer.dataset.fingerprint, scorer.score, recorded_ess(scorer.score, scorer.ess))
    is_same = (header.data, header.score, header.ess) == same
    is_same &= header.extra.get(KEY) == scorer.dataset.score_entries.get(KEY)
    for s in range(int(table.set_offsets[grower.child]), int(table.set_offsets[grower.child + 1])):
        parents = table.parent_set(s)
        is_possible = set(grower.required) <= set(parents) and allowed[list(parents)].all()
        if is_possible and len(parents) <= grower.max_parents:
            if is_same:
                grower.scores[parents] = float(table.scores[s])
            else:
                grower.score(parents)
