"""A first network by hill climbing, whose scores the growers of candidate lists keep.

Hill climbing needs the gains of all single arcs once, and then one child's expansions per step; growing sets within
orders needs the same expansions. So the climber asks the growers, and what it asked for is known when lists are
grown: the start costs little that the search would not have paid for anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.reporting import NullReporter

from ..climbing.climber import Climber

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.scoring.family_scorer import FamilyScorer
    from stages.scoring.set_grower import SetGrower

    from ..climbing.constraints import Constraints
    from ..result import Parents


class GrownFamilies:
    """Families as a climber asks for them (`stages.optimize.climbing.cache.Families`), answered by the growers.

    Parameters
    ----------
    scorer : FamilyScorer
    growers : list of SetGrower
        One per variable, in variable order.
    """

    def __init__(self, scorer: FamilyScorer, growers: list[SetGrower]):
        self.scorer = scorer
        self.growers = growers
        self._pairs: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self._swept = 0

    @property
    def computed(self) -> int:
        """Local scores computed so far, by whomever."""
        return self.scorer.evaluations

    def score(self, child: int, parents: tuple[int, ...]) -> float:
        """Score of one family in nats."""
        return self.growers[child].score(parents)

    def reduce(self, child: int, parents: tuple[int, ...]) -> np.ndarray:
        """Scores of ``parents - {Y}`` for every member Y; float64, in the order of `parents`."""
        return np.array(self.growers[child].scores_without(parents))

    def expand(self, child: int, parents: tuple[int, ...], candidates: np.ndarray) -> np.ndarray:
        """Scores of ``parents + {Y}`` for the candidates Y that improve on `parents`; -inf for others."""
        scores = np.full(len(self.growers), -np.inf)
        improving, known = self.growers[child].improving(parents)
        scores[improving] = known
        return scores[candidates]

    def remember(
        self, child: int, parents: tuple[int, ...], candidates: np.ndarray, scores: np.ndarray
    ) -> None:
        """Take in the scores of single parents, asked for in one direction of each pair: the other gains the same."""
        assert not parents
        grower = self.growers[child]
        grower.evaluated += len(candidates)
        gains = scores - grower.scores[()]
        better = np.flatnonzero(gains > 0.0)
        variables = np.full(len(better), child, dtype=np.int32)
        self._pairs.append((variables, candidates[better].astype(np.int32), gains[better]))
        self._swept += 1
        if self._swept == len(self.growers):
            self._share_pairs()

    def _share_pairs(self) -> None:
        """Let every grower know the single parents that improve on none."""
        one, other, gains = (np.concatenate(part) for part in zip(*self._pairs))
        self._pairs.clear()
        children, parents = np.concatenate((one, other)), np.concatenate((other, one))
        gains = np.concatenate((gains, gains))
        by_child = np.lexsort((parents, -gains, children))
        ends = np.cumsum(np.bincount(children, minlength=len(self.growers)))
        for grower, places in zip(self.growers, np.split(by_child, ends[:-1])):
            allowed = np.isin(parents[places], grower.candidates)
            places = places[allowed]
            grower.take_singles(parents[places], gains[places] + grower.scores[()])


class _MovesTold(NullReporter):
    """Passes on the score that a climb has reached."""

    def __init__(self, tell: Callable[..., None]):
        self._tell = tell

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        self._tell(**facts)


def climb(
    scorer: FamilyScorer,
    growers: list[SetGrower],
    constraints: Constraints,
    start: Parents,
    budget: Budget,
    jobs: int,
    tell: Callable[..., None],
) -> Parents:
    """Hill climbing from `start`; the graph when no move gains or the budget ends.

    Parameters
    ----------
    scorer : FamilyScorer
    growers : list of SetGrower
    constraints : Constraints
    start : tuple of tuple of int
        A graph within the constraints.
    budget : Budget
        Its evaluations are local scores.
    jobs : int
    tell : callable
        Receives ``score`` and ``arcs`` after every move.
    """
    families = GrownFamilies(scorer, growers)
    climber = Climber(scorer, families, constraints, np.arange(scorer.n_variables), jobs=jobs)
    climber.begin(start, budget)
    climber.climb(budget, _MovesTold(tell))
    return tuple(climber.parents)
