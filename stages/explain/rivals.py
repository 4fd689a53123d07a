"""Rivals of a family: parent sets that a variable could take while all other families of the network stay."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from formats.graphs.algorithms import Parents
from formats.records import ParentSetTable
from stages.graphs.d_separation import descendants
from stages.knowledge import Knowledge
from stages.scoring.family_scorer import FamilyScorer


class Rival(NamedTuple):
    """A parent set, ascending, and its local score in nats."""

    parents: tuple[int, ...]
    score: float


class RivalSearch:
    """Rivals of the families of one network: no descendant as a parent, no arc that the knowledge excludes, all that
    it requires.

    Rivals are the sets of `table`, the scores being of the same data; without it all sets of at most `most_parents`
    parents, and the present set with one parent dropped, added or exchanged. Constant variables are no parents.
    """

    def __init__(
        self,
        scorer: FamilyScorer,
        parents: Parents,
        knowledge: Knowledge,
        most_parents: int,
        table: ParentSetTable | None = None,
    ):
        self.scorer, self.parents, self.knowledge = scorer, parents, knowledge
        self.most_parents, self.table = most_parents, table

    def of(self, child: int) -> list[Rival]:
        """The rivals of the family of a child, the best first; the present set is none."""
        possible, required = self._possible(child), set(self.knowledge.required_of(child))
        present = tuple(sorted(self.parents[child]))
        found = self._small(child, present, possible) if self.table is None else _listed(self.table, child, possible)
        found.pop(present, None)
        rivals = [Rival(*item) for item in found.items() if required.issubset(item[0])]
        return sorted(rivals, key=lambda rival: (-rival.score, len(rival.parents), rival.parents))

    def _possible(self, child: int) -> np.ndarray:
        """The variables that may be parents of a child, int32, ascending."""
        n_states = self.scorer.n_states
        possible = self.knowledge.may_be_parent(child) & (n_states > 1) & (n_states[child] > 1)
        possible[list(descendants(self.parents, [child]))] = False
        return np.flatnonzero(possible).astype(np.int32)

    def _small(self, child: int, present: tuple[int, ...], possible: np.ndarray) -> dict[tuple[int, ...], float]:
        """Scores of small sets, and of neighbours of the present one."""
        found: dict[tuple[int, ...], float] = {(): self.scorer.local_score(child, ())}

        def extend(base: tuple[int, ...], candidates: np.ndarray) -> None:
            if len(candidates):
                scores = self.scorer.expand(child, base, candidates)
                for variable in candidates.tolist():
                    found[tuple(sorted((*base, variable)))] = float(scores[variable])

        for size in range(self.most_parents):
            for base in itertools.combinations(possible.tolist(), size):
                extend(base, possible[possible > base[-1]] if base else possible)
        extend(present, self.scorer.without(possible, present))
        for less in itertools.combinations(present, len(present) - 1) if present else ():
            found[less] = self.scorer.local_score(child, less)
            extend(less, self.scorer.without(possible, present))
        return found


def _listed(table: ParentSetTable, child: int, possible: np.ndarray) -> dict[tuple[int, ...], float]:
    """The listed sets of possible parents."""
    start, end = int(table.set_offsets[child]), int(table.set_offsets[child + 1])
    sets = ((table.parent_set(s), float(table.scores[s])) for s in range(start, end))
    allowed = set(possible.tolist())
    return {parents: score for parents, score in sets if allowed.issuperset(parents)}


def best_without(rivals: Sequence[Rival], parent: int) -> Rival | None:
    """The best rival without a parent; None if all have it."""
    return next((rival for rival in rivals if parent not in rival.parents), None)
