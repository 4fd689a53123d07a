"""A first network by hill climbing, whose scores the growers of candidate lists keep.

Hill climbing needs the gains of all single arcs once, and then one child's expansions per step; growing sets within
orders needs the same expansions. So the climber requests scores from the growers, which keep them: the start costs
little more than the search would pay in any case.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from stages.kernels.ktrees.arborescence import best_arborescence
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter, Offer, Reporter
from stages.scoring.candidate_prefilter import dependence
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.pair_scores import Tile

from ..climbing.cache import FamilyCache
from ..climbing.climb import tie_generator
from ..climbing.climber import Climber
from ..result import Parents
from .run import PricingRun

MOST_RANKED = 1 << 22
LEAST_RANKED = 256
"""Candidates ranked in total (12 bytes each); at least this many for each child."""

LEAST_DEPENDENCE = 2.0
"""Least dependence of a ranked candidate: standard deviations above its mean under independence."""


FEW = 128
MORE = 512
"""Candidates beyond single parents tried for each child, first and at most; by experiment on 100 to 10,000 variables.
"""

SCORES_BETWEEN = 200_000
"""Local scores after which the climb continues while more candidates come within reach; some tenths of a second."""


class GrownFamilies(FamilyCache):
    """Scores of families that a run's growers remember."""

    def __init__(self, run: PricingRun):
        super().__init__(run.scorer)
        self.growers = run.growers

    def score(self, child: int, parents: tuple[int, ...]) -> float:
        score = self.growers[child].score(parents)
        self.computed = self.scorer.evaluations
        return score

    def reduce(self, child: int, parents: tuple[int, ...]) -> np.ndarray:
        scores = self.growers[child].scores_without(parents)
        self.computed = self.scorer.evaluations
        return np.array(scores)


class GrowingClimber(Climber):
    """A climber that tries new parents within the reach of a run's growers."""

    def __init__(self, run: PricingRun):
        order = np.arange(run.scorer.n_variables)
        families, ties = GrownFamilies(run), tie_generator(run.options)
        super().__init__(run.scorer, families, run.constraints, order, most_listed=FEW, ties=ties)
        self.growers = run.growers

    def widen(self, reaches: Sequence[int | None], budget: Budget, reporter: Reporter) -> None:
        """Let one child after the other try candidates within a wider reach; climb again after every `SCORES_BETWEEN`
        scores.
        """
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
        # The growers know all these scores, in both directions.
        self._score_all(budget)

    def _additions(self, child: int) -> tuple[np.ndarray, np.ndarray]:
        variables, scores = self.growers[child].improving(self.parents[child])
        order = np.argsort(variables)
        return variables[order], self._on_grid(scores[order] - self.scores[child])


class FirstForest:
    """A forest that is the first network where scoring all pairs takes seconds, kept apart from the lists.

    While pairs are scored, it has the best single parent of every variable among the variables before it in the
    data: arcs that follow the order of the data close no cycle. Afterwards it is the best forest of the ranked
    candidates (`use_all`). On tens of thousands of columns it is the only network for the minutes that their pairs
    take (30,000, 500 rows, 10 s: 71,000 nats within 5). Within 5 it also gains where it does not come too late (ad,
    398 nats; 10,000 columns, 14,700); without a bound on the width it costs a tenth of the time of the pairs
    (examples/measured/ablation.md).
    """

    def __init__(self, run: PricingRun):
        self.run = run
        self._scores = np.array([grower.score(()) for grower in run.growers])
        self._best = np.full(len(self._scores), -1)

    @property
    def score(self) -> float:
        """Of the network, in nats."""
        return math.fsum(self._scores.tolist())

    def watch(self, tile: Tile, forward: np.ndarray, backward: np.ndarray) -> None:
        """Take in the scores of a tile, as from `stages.scoring.pair_scores.PairScores.score`."""
        children, parents = np.arange(tile.other_first, tile.other_last), np.arange(tile.first, tile.last)
        rises = backward.max(axis=1) > self._scores[children]  # few do, but in the first tiles
        children, backward = children[rises], backward[rises]
        # The tile's columns of the bit matrix: whole octets first, then the bits of its parents.
        octets = self.run.constraints.permitted[children].view(np.uint8)[:, tile.first // 8 : tile.last // 8 + 1]
        permitted = np.unpackbits(octets, axis=1, bitorder="little")[:, tile.first % 8 :][:, : len(parents)]
        is_possible = (permitted != 0) & (parents < children[:, None])
        scores = np.where(is_possible, backward, -np.inf)
        best = scores.argmax(axis=1)
        reached = scores[np.arange(len(children)), best]
        better = reached > self._scores[children]
        self._scores[children[better]] = reached[better]
        self._best[children[better]] = parents[best[better]]
        self.run.report(float(self._scores.sum()))

    def use_all(self) -> None:
        """Take the best forest of the candidates that improve a score as the only parent (Chow and Liu 1968)."""
        growers, n = self.run.growers, len(self._best)
        alone = np.array([grower.score(()) for grower in growers])
        improving = [grower.improving(()) for grower in growers]
        heads = np.repeat(np.arange(n), [len(parents) for parents, _ in improving])
        tails = np.concatenate([parents for parents, _ in improving])
        scores = np.concatenate([scores for _, scores in improving])
        # Arcs from the artificial root n leave a variable without a parent.
        gains = np.append(scores - alone[heads], np.zeros(n))
        entering = np.empty(n + 1, dtype=np.int64)
        best_arborescence(n + 1, np.append(tails, np.full(n, n)), np.append(heads, np.arange(n)), gains, entering)
        chosen = entering[:-1]
        has_parent = chosen < len(heads)
        self._best[:], self._scores[:] = -1, alone
        self._best[has_parent], self._scores[has_parent] = tails[chosen[has_parent]], scores[chosen[has_parent]]
        self.run.report(self.score)

    @property
    def parents(self) -> Parents:
        """One parent or none for every variable."""
        return tuple((p,) if p >= 0 else () for p in self._best.tolist())

    def join_lists(self) -> None:
        """Let the growers learn the scores of these sets."""
        for grower, members, score in zip(self.run.growers, self.parents, self._scores.tolist()):
            grower.scores[members] = score


def rank_candidates(run: PricingRun, watch: Callable[[Tile, np.ndarray, np.ndarray], None] | None = None) -> bool:
    """Rank the candidates of all children by dependence, from one sweep over all pairs of variables.

    Candidates that improve the score as the only parent come first; others are ranked if they depend on the child
    beyond chance. With many variables only the strongest candidates of each child are kept; the first of them are
    within reach. Nothing is ranked if fewer scores are left than the sweep takes. `watch` receives the scores of the
    sweep. Returns whether candidates are ranked.
    """
    scorer, growers = run.scorer, run.growers
    n = scorer.n_variables
    if n * n > run.budget.evaluations_left(scorer.evaluations):
        return False
    most = min(n - 1, max(LEAST_RANKED, MOST_RANKED // n))
    alone = np.array([grower.score(()) for grower in growers])
    best = scorer.pairs().best_parents(most, alone - _largest_loss(scorer), run.jobs, run.is_spent, watch)
    if run.is_spent():
        return False
    for child, (grower, (variables, scores)) in enumerate(zip(growers, best)):
        grower.evaluated += n - 1
        # A full list may have pushed out candidates that improve the score.
        is_complete = len(variables) < most or most == n - 1
        allowed = run.constraints.may_be_parents(child)[variables]
        variables, scores = variables[allowed], scores[allowed]
        gains = scores - alone[child]
        strength = dependence(scorer, child, variables, gains)
        depends = np.flatnonzero((gains > 0.0) | (strength > LEAST_DEPENDENCE))
        ranked = depends[np.lexsort((variables[depends], -strength[depends], gains[depends] <= 0.0))]
        grower.rank(variables[ranked], scores[ranked], is_complete)
        if n - 1 > FEW:
            grower.reach = min(FEW, grower.n_improving)
    return True


def _largest_loss(scorer: FamilyScorer) -> np.ndarray:
    """Largest loss in nats against the empty set at which a dependent candidate is kept, by child.

    It is the likelihood gain of a pair at `LEAST_DEPENDENCE` (see `dependence`, solved for the gain) less its
    penalty.
    """
    n = scorer.n_variables
    more_states = np.unique(scorer.n_states - 1.0)[:, None]
    free = more_states * (scorer.n_states - 1.0)
    least_gain = free / 2.0 + LEAST_DEPENDENCE * np.sqrt(free / 2.0)
    penalties = np.array([scorer.penalty(child) for child in range(n)])
    return np.maximum(0.0, (penalties * more_states - least_gain).max(axis=0))


WatchNetwork = Callable[[Parents, bool], None]
"""Receives the network of a climb after every move, and at the end with True; an exception that it raises ends the
climb.
"""


def find_start(
    run: PricingRun,
    start: Parents,
    watch: WatchNetwork | None = None,
    watch_forest: Callable[[FirstForest], None] | None = None,
) -> Parents:
    """Rank the candidates of all growers, and climb from `start` among the first candidates of the rankings.

    If the start has no arcs and the climb ends below `FirstForest`, the result is this forest. `watch_forest`
    receives it before the climb, once all candidates are ranked.
    """
    forest = FirstForest(run) if not any(start) and run.constraints.max_parents > 0 else None
    is_ranked = rank_candidates(run, None if forest is None else forest.watch)
    if is_ranked and forest is not None:
        forest.use_all()
        if watch_forest is not None:
            watch_forest(forest)
    reached = -math.inf if forest is None else forest.score
    wider = [None if grower.reach is None else min(MORE, len(grower.ranked)) for grower in run.growers]
    parents = climb(run, start, wider, reached, watch)
    if forest is not None and reached > math.fsum(g.score(p) for g, p in zip(run.growers, parents)):
        forest.join_lists()
        parents = forest.parents
    if watch is not None:
        watch(parents, True)
    return parents


class _ClimbReporter(NullReporter):
    """Reports a score that a climb has reached as the score of the run if it is the best so far; calls `watch`."""

    def __init__(self, run: PricingRun, reached: float, watch: Callable[[], None]):
        self.run, self.reached, self.watch = run, reached, watch

    def progress(
        self, done: int, total: int | None, counted: str, network: Offer | None = None, **facts: object
    ) -> None:
        score = facts.pop("score")
        assert isinstance(score, float)
        self.run.report(max(score, self.reached), network, **facts)
        self.watch()


def climb(
    run: PricingRun,
    start: Parents,
    wider: Sequence[int | None],
    reached: float = -math.inf,
    watch: WatchNetwork | None = None,
) -> Parents:
    """Hill climbing from `start`, first within the reach of the growers, then within a wider reach.

    `start` is a graph within the constraints; `wider` has the final reach of each grower; `reached` is the best score
    in nats of the run so far. Returns the graph when no move gains or the budget ends.
    """
    climber = GrowingClimber(run)
    reporter = _ClimbReporter(run, reached, lambda: None if watch is None else watch(tuple(climber.parents), False))
    climber.begin(start, run.budget)
    climber.climb(run.budget, reporter)
    climber.widen(wider, run.budget, reporter)
    return tuple(climber.parents)
