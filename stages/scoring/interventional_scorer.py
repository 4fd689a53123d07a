"""Local scores of rows in which variables were set from outside.

A row in which a variable was set says nothing about how the variable depends on others, so its family is counted in
the other rows, whose number is N in the penalty (Cooper and Yoo 1999). Each variable that was set somewhere has a
scorer of its own rows, `FamilyScorer.of_child`; the scorer of all rows passes on what is asked about its families.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from formats.data_records import Dataset, Interventions
from stages.runtime.budgets import StopSignal

from .clique_scorer import CliqueScorer
from .family_scorer import FamilyScorer
from .pair_scores import PairScores, Tile
from .set_functions import SetFunctions


def scorer_of(dataset: Dataset, score: str = "bic", ess: float = 1.0, stop: StopSignal | None = None) -> FamilyScorer:
    """The scorer of a table, with or without interventions; parameters as in `FamilyScorer`.

    Raises `UnsuitableData` if a variable was set in every row.
    """
    given = dataset.interventions
    if given is None or not given.variables:
        return FamilyScorer(dataset, score, ess, stop)
    return InterventionalScorer(dataset, given, score, ess, stop)


class InterventionalScorer(FamilyScorer):
    """A `FamilyScorer` whose families are counted in the rows in which the child was not set.

    What serves many children from one count (cliques, functions of sets) is not offered; `of_child` offers it.
    """

    def __init__(self, dataset: Dataset, given: Interventions, score: str, ess: float, stop: StopSignal | None):
        dataset.require_free_rows()
        super().__init__(dataset, score, ess, stop)
        for child in given.variables:
            free = np.flatnonzero(given.is_free(child))
            plain = replace(dataset.rows(free, dataset.fingerprint), interventions=None)
            self.parts[child] = FamilyScorer(plain, score, ess, stop, part_of=self)

    @property
    def is_equivalent(self) -> bool:
        return False

    def of_child(self, child: int) -> FamilyScorer:
        part = self.parts.get(child)
        if part is None:
            return self
        part.stop = self.stop
        return part

    def expand(self, child: int, parents: tuple[int, ...], candidates: np.ndarray | None = None) -> np.ndarray:
        if child in self.parts:
            return self.of_child(child).expand(child, parents, candidates)
        return super().expand(child, parents, candidates)

    def remember(self, child: int, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray) -> None:
        super().remember(child, parents, candidates, scores)
        if child in self.parts:
            self.parts[child].remember(child, parents, candidates, scores)

    def local_score(self, child: int, parents: tuple[int, ...]) -> float:
        if child in self.parts:
            return self.of_child(child).local_score(child, parents)
        return super().local_score(child, parents)

    def empty_set_score(self, child: int) -> float:
        if child in self.parts:
            return self.parts[child].empty_set_score(child)
        return super().empty_set_score(child)

    def penalty(self, child: int) -> float:
        return self.parts[child].penalty(child) if child in self.parts else super().penalty(child)

    def pairs(self) -> PairScores:
        return InterventionalPairs(self, self.gains)

    def cliques(self, most_parents: int) -> CliqueScorer | None:
        return None

    def set_functions(self, max_parents: int, most_bytes: float = 0.0) -> SetFunctions | None:
        return None


class InterventionalPairs(PairScores):
    """Pairs counted in all rows; then those of a child that was set are counted in its own rows."""

    scorer: InterventionalScorer

    def score(self, tile: Tile) -> tuple[np.ndarray, np.ndarray]:
        forward, backward = super().score(tile)
        sides = (tile.first, tile.last), (tile.other_first, tile.other_last)
        for child in self.scorer.parts:
            for (first, last), (other_first, other_last), scores in zip(sides, sides[::-1], (forward, backward)):
                if first <= child < last:
                    others = np.arange(other_first, other_last, dtype=np.int32)
                    found = self.scorer.expand(child, (), others[others != child])
                    scores[child - first] = found[other_first:other_last]
        return forward, backward
