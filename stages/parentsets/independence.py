"""Independence selection: best-first by BIC*, the score that two parent sets would have together if they acted
independently (Scanagatta et al. 2015, section 4).

Closed are the sets with exact scores, open the rest in order of BIC*. The paper fills open with all pairs; here
every closed set P stands for its extensions P + {Y} and yields them best first on demand: for a given number of
states of Y, BIC*(P, {Y}) falls with BIC({Y}), so one sorted list of singletons per number of states serves all.
Open then holds one entry per closed set and number of states, whatever the number of variables.

BIC* belongs to BIC; under another score the same ranking is used with that score's exact values and penalty.
"""

from __future__ import annotations

import heapq

import numpy as np

from stages.runtime.budgets import Budget
from stages.scoring.family_scorer import FamilyScorer

from .child_search import UNLIMITED, ChildLimits, FoundSets
from .pruning_rules import (
    bic_star,
    bic_star_error,
    is_excluded_by_bic_star,
    is_excluded_by_entropy,
    is_excluded_by_penalty,
    unlisted_bound,
)

AHEAD = 8
"""Extensions of one set that are scored together where time is the limit: one count serves them all.

Under a limit of evaluations none is scored before its turn comes, so that all of them go where the method wants them.
"""


def search_child(scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget) -> FoundSets:
    """Score the sets of highest BIC* until open is empty or the budget ends."""
    return _Search(scorer, child, limits, budget).run()


class _Search:
    """Sets are held as what is added to the required parents; `penalty` counts the configurations of these."""

    def __init__(self, scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget):
        self.scorer = scorer
        self.child = child
        self.limits = limits
        self.budget = budget
        # Beyond required parents all goes as without them, in each of their configurations.
        self.required = limits.required
        self.penalty = scorer.penalty(child) * scorer.n_configurations(self.required)
        self.found = limits.nothing_found(child)
        self.n_states = scorer.n_states.astype(np.float64)
        self.ahead = AHEAD if limits.evaluations == UNLIMITED else 1
        self.open: list[tuple] = []
        self.seen: set[tuple[int, ...]] = set()

    def run(self) -> FoundSets:
        found = self.found
        self.empty_score = self.scorer.local_score(self.child, self.required)
        found.begin(self.required, self.empty_score)
        most_added = self.limits.max_parents - len(self.required)
        if most_added >= 1:
            self.singletons = self.scorer.expand(self.child, self.required, self.limits.allowed)
            found.explore(self.required, self.limits.allowed, self.singletons[self.limits.allowed])
            found.add_expansion(self.required, self.empty_score, self.singletons)
            self._prepare_ranking()
        if most_added >= 2:
            for y in self.limits.allowed.tolist():
                score = float(self.singletons[y])
                self._open_extensions((y,), score, max(score, self.empty_score), self.n_states[y])
        while self.open:
            if self.limits.is_spent(self.budget, found, len(self.seen) + len(self.open)):
                self._note_bound()
                return found
            self._close_best()
        found.complete = True
        return found

    def _prepare_ranking(self) -> None:
        """Sort singletons by exact score for each number of states; keep N H(Y) of every variable."""
        self.ranking: list[tuple[float, np.ndarray]] = []
        for states in sorted({int(s) for s in self.scorer.n_states[self.limits.allowed]}):
            group = self.limits.allowed[self.scorer.n_states[self.limits.allowed] == states]
            order = group[np.argsort(-self.singletons[group], kind="stable")]
            self.ranking.append((float(states), order))
        self.entropy = self.scorer.row_entropies()
        self.child_entropy = float(self.entropy[self.child])

    def _star(self, score: float, q: float, y: int, states: float) -> float:
        return bic_star(score, self.singletons[y], q, states, self.empty_score, self.penalty)

    def _open_extensions(self, parents: tuple[int, ...], score: float, best: float, q: float) -> None:
        # `best` is the best score among the parents and their known subsets, which dominates what it can.
        for group, (states, _) in enumerate(self.ranking):
            if self.penalty > 0 and is_excluded_by_penalty(best, self.penalty, q * states):
                continue
            self._push(parents, score, q, group, 0, {})

    def _push(
        self,
        parents: tuple[int, ...],
        score: float,
        q: float,
        group: int,
        position: int,
        exact: dict[int, float],
    ) -> None:
        states, order = self.ranking[group]
        while position < len(order):
            y = int(order[position])
            if y not in parents:
                star = self._star(score, q, y, states)
                heapq.heappush(self.open, (-star, (*parents, y), score, q, group, position, exact))
                return
            position += 1

    def _close_best(self) -> None:
        negative_star, candidate, score, q, group, position, known = heapq.heappop(self.open)
        *rest, y = candidate
        self._push(tuple(rest), score, q, group, position + 1, known)
        union = tuple(sorted(candidate))
        if union in self.seen:
            return
        self.seen.add(union)
        states = self.n_states[y]
        if self.penalty > 0 and self._is_excluded(score, q, y, states):
            return
        if y not in known:
            self._score_ahead(rest, score, q, group, position, known)
        exact = known.pop(y)
        best_subset = max(score, float(self.singletons[y]), self.empty_score)
        if exact > best_subset:
            self.found.add(tuple(sorted((*self.required, *union))), exact)
        if len(union) < self.limits.max_parents - len(self.required):
            error = bic_star_error(self.child_entropy, np.inf, self.entropy[y])
            smallest_superset = q * states * self.ranking[0][0]
            if self.penalty > 0 and is_excluded_by_bic_star(
                -negative_star, self.penalty, smallest_superset, error
            ):
                return
            self._open_extensions(union, exact, max(exact, best_subset), q * states)

    def _score_ahead(
        self, parents: list[int], score: float, q: float, group: int, position: int, known: dict[int, float]
    ) -> None:
        """Exact scores of the next extensions of `parents` in their ranking: one count serves them all."""
        following = self.ranking[group][1][position : position + self.ahead]
        following = following[~np.isin(following, parents)]
        family = tuple(sorted((*self.required, *parents)))
        scores = self.scorer.expand(self.child, family, following)[following]
        stars = np.array([self._star(score, q, y, self.ranking[group][0]) for y in following.tolist()])
        self.found.explore(family, following, scores, stars)
        known.update(zip(following.tolist(), scores.tolist()))

    def _is_excluded(self, score: float, q: float, y: int, states: float) -> bool:
        likelihood_gap = self.penalty * -q - score  # N H(X | P) = -(score + c |P|)
        return bool(
            is_excluded_by_entropy(max(likelihood_gap, 0.0), self.entropy[y], self.penalty, q, states)
        )

    def _note_bound(self) -> None:
        if self.penalty > 0:
            smallest = np.sort(self.n_states[self.limits.allowed])[:2]
            self.found.unlisted = float(unlisted_bound(self.penalty, np.prod(smallest)))
