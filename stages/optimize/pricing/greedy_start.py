"""A first network by hill climbing, whose scores the growers of candidate lists keep.

Hill climbing needs the gains of all single arcs once, and then one child's expansions per step; growing sets within
orders needs the same expansions. So the climber asks the growers, and what it asked for is known when lists are
grown: the start costs little that the search would not have paid for anyway.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.reporting import NullReporter
from stages.scoring.candidate_prefilter import dependence
from stages.scoring.pair_scores import PairScores

from ..climbing.cache import FamilyCache
from ..climbing.climber import Climber

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter
    from stages.scoring.family_scorer import FamilyScorer
    from stages.scoring.pair_scores import Tile
    from stages.scoring.set_grower import SetGrower

    from ..climbing.constraints import Constraints
    from ..result import Parents


MOST_RANKED = 1 << 22
LEAST_RANKED = 256
"""Candidates ranked in all, 12 bytes each, but so many for each child at least."""

LEAST_DEPENDENCE = 2.0
"""Standard deviations beyond what independence lets expect from which a candidate is ranked."""


FEW = 128
MORE = 512
"""Candidates tried for each child beyond single parents at first, and then, at most; by experiment on 100 to 10,000
variables.
"""

SCORES_BETWEEN = 200_000
"""Local scores of children whose candidates have become more, after which the climb goes on; some tenths of a second.
"""


class GrownFamilies(FamilyCache):
    """Scores of families that the growers remember.

    Parameters
    ----------
    scorer : FamilyScorer
    growers : list of SetGrower
        One per variable, in variable order.
    """

    def __init__(self, scorer: FamilyScorer, growers: list[SetGrower]):
        super().__init__(scorer)
        self.growers = growers

    def score(self, child: int, parents: tuple[int, ...]) -> float:
        """Score of one family in nats."""
        score = self.growers[child].score(parents)
        self.computed = self.scorer.evaluations
        return score

    def reduce(self, child: int, parents: tuple[int, ...]) -> np.ndarray:
        """Scores of ``parents - {Y}`` for every member Y; float64, in the order of `parents`."""
        scores = self.growers[child].scores_without(parents)
        self.computed = self.scorer.evaluations
        return np.array(scores)


class GrowingClimber(Climber):
    """A climber that tries the new parents within reach of the growers."""

    def __init__(self, scorer: FamilyScorer, growers: list[SetGrower], constraints: Constraints):
        cache = GrownFamilies(scorer, growers)
        super().__init__(scorer, cache, constraints, np.arange(scorer.n_variables))
        self.growers = growers

    def widen(self, reaches: Sequence[int | None], budget: Budget, reporter: Reporter) -> None:
        """Let one child after the other try candidates in a wider reach; climb on whenever many have been scored."""
        begun = self.scorer.evaluations
        for child, (grower, reach) in enumerate(zip(self.growers, reaches)):
            if budget.is_spent(self.scorer.evaluations):
                return
            if grower.reach != reach:
                grower.reach = reach
                self._rescore(child)
            if self.scorer.evaluations - begun > SCORES_BETWEEN:
                self.climb(budget, reporter)
                begun = self.scorer.evaluations
        self.climb(budget, reporter)

    def _score_pairs(self, budget: Budget) -> None:
        # The growers know them all, in both directions.
        self._score_all(budget)

    def _additions(self, child: int) -> tuple[np.ndarray, np.ndarray]:
        variables, scores = self.growers[child].improving(self.parents[child])
        order = np.argsort(variables)
        return variables[order], self._on_grid(scores[order] - self.scores[child])


class EarlierParents:
    """The best single parent of every variable among those before it in the data, while all pairs are scored.

    A first network, of use where all pairs take seconds: no order of the arcs is needed to keep it free of cycles.

    Parameters
    ----------
    growers : list of SetGrower
        They learn the scores of the network's sets.
    constraints : Constraints
    tell : callable
        Receives ``score`` after every tile.
    """

    def __init__(self, growers: list[SetGrower], constraints: Constraints, tell: Callable[..., None]):
        self.growers, self.constraints, self._tell = growers, constraints, tell
        self._scores = np.array([grower.score(()) for grower in growers])
        self._best = np.full(len(growers), -1)

    @property
    def score(self) -> float:
        """Of the network, in nats."""
        return math.fsum(self._scores.tolist())

    def watch(self, tile: Tile, forward: np.ndarray, backward: np.ndarray) -> None:
        """Take in the scores of a tile, as from `PairScores.score`."""
        children, parents = np.arange(tile.other_first, tile.other_last), np.arange(tile.first, tile.last)
        octets = self.constraints.permitted[children].view(np.uint8)[:, tile.first // 8 : tile.last // 8 + 1]
        permitted = np.unpackbits(octets, axis=1, bitorder="little")[:, tile.first % 8 :][:, : len(parents)]
        is_possible = (permitted != 0) & (parents < children[:, None])
        scores = np.where(is_possible, backward, -np.inf)
        best = scores.argmax(axis=1)
        reached = scores[np.arange(len(children)), best]
        better = reached > self._scores[children]
        self._scores[children[better]] = reached[better]
        self._best[children[better]] = parents[best[better]]
        self._tell(score=float(self._scores.sum()))

    def network(self) -> Parents:
        """One parent or none of every variable."""
        parents = tuple((p,) if p >= 0 else () for p in self._best.tolist())
        for grower, members, score in zip(self.growers, parents, self._scores.tolist()):
            grower.scores[members] = score
        return parents


def rank_candidates(
    scorer: FamilyScorer,
    growers: list[SetGrower],
    budget: Budget,
    jobs: int,
    watch: Callable[[Tile, np.ndarray, np.ndarray], None] | None = None,
) -> None:
    """Rank the candidates of all children by dependence, from one sweep over all pairs of variables.

    Those come first that improve the score as the only parent; others are ranked if they depend on the child beyond
    chance. Where variables are many, only the strongest are kept for each child, and the first of them are within
    reach. Nothing is ranked when fewer scores are left than that takes. `watch` receives the scores of the sweep.
    """
    n = scorer.n_variables
    if n * n > budget.evaluations_left(scorer.evaluations):
        return

    def is_spent() -> bool:
        return budget.is_spent(scorer.evaluations)

    most = min(n - 1, max(LEAST_RANKED, MOST_RANKED // n))
    pairs = PairScores(scorer)
    alone = np.array([grower.score(()) for grower in growers])
    best = pairs.best_parents(most, alone - _most_lost(scorer), jobs, is_spent, watch)
    if is_spent():
        return
    for child, (grower, (variables, scores)) in enumerate(zip(growers, best)):
        grower.evaluated += n - 1
        is_complete = len(variables) < most or most == n - 1
        allowed = grower.may_be_parents(variables)
        variables, scores = variables[allowed], scores[allowed]
        gains = scores - alone[child]
        strength = dependence(scorer, child, variables, gains)
        depends = np.flatnonzero((gains > 0.0) | (strength > LEAST_DEPENDENCE))
        ranked = depends[np.lexsort((variables[depends], -strength[depends], gains[depends] <= 0.0))]
        grower.rank(variables[ranked], scores[ranked], is_complete)
        if n - 1 > FEW:
            grower.reach = min(FEW, grower.n_improving)


def _most_lost(scorer: FamilyScorer) -> np.ndarray:
    """By how many nats candidates that depend on a child beyond chance may at most fall short of no parent."""
    n = scorer.n_variables
    more_states = np.unique(scorer.n_states - 1.0)[:, None]
    free = more_states * (scorer.n_states - 1.0)
    least_gain = free / 2.0 + LEAST_DEPENDENCE * np.sqrt(free / 2.0)
    penalties = np.array([scorer.penalty(child) for child in range(n)])
    return np.maximum(0.0, (penalties * more_states - least_gain).max(axis=0))


def find_start(
    scorer: FamilyScorer,
    growers: list[SetGrower],
    constraints: Constraints,
    start: Parents,
    budget: Budget,
    jobs: int,
    tell: Callable[..., None],
) -> Parents:
    """Rank the candidates of all growers, and climb from `start` among the first ones of the rankings.

    Parameters are those of `climb`. From no arcs, one parent each is told and taken while that is more.
    """
    earlier = None
    if not any(start) and constraints.max_parents > 0:
        earlier = EarlierParents(growers, constraints, tell)
    rank_candidates(scorer, growers, budget, jobs, None if earlier is None else earlier.watch)
    reached = -math.inf if earlier is None else earlier.score

    def tell_best(score: float, **facts: object) -> None:
        tell(score=max(score, reached), **facts)

    wider = [None if grower.reach is None else min(MORE, len(grower.ranked)) for grower in growers]
    parents = climb(scorer, growers, constraints, start, budget, tell_best, wider)
    if earlier is not None and reached > math.fsum(g.score(p) for g, p in zip(growers, parents)):
        return earlier.network()  # there was no time to climb that far
    return parents


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
    tell: Callable[..., None],
    wider: Sequence[int | None],
) -> Parents:
    """Hill climbing from `start`, within the reach of the growers first and then within a wider one.

    Parameters
    ----------
    scorer : FamilyScorer
    growers : list of SetGrower
    constraints : Constraints
    start : tuple of tuple of int
        A graph within the constraints.
    budget : Budget
        Its evaluations are local scores.
    tell : callable
        Receives ``score`` and ``arcs`` after every move.
    wider : sequence of int or None
        The reach that each grower has in the end.

    Returns
    -------
    tuple of tuple of int
        The graph when no move gains or the budget ends.
    """
    climber = GrowingClimber(scorer, growers, constraints)
    climber.begin(start, budget)
    climber.climb(budget, _MovesTold(tell))
    climber.widen(wider, budget, _MovesTold(tell))
    return tuple(climber.parents)
