"""Max-min hill climbing (MMHC; Tsamardinos, Brown and Aliferis 2006): neighbours by tests, then hill climbing
among them.

The neighbours of a variable are found by max-min parents and children (MMPC), in the same paper.
Independence of T and Y given S is tested by G² = 2 (LL(T|S,Y) - LL(T|S)) with (|T|-1)(|Y|-1)|S| degrees of freedom,
so one expansion of S tests all Y at once. A test is made only if there are at least five rows per cell on average; if
even the test without S cannot be made, Y is no candidate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stages.optimize import OptimizeOptions
from stages.optimize.climbing.climb import run_method
from stages.optimize.climbing.hc import one_way
from stages.optimize.result import SearchResult
from stages.published.tsamardinos_2006.kernels.chi_square import log_tails
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.workers import ordered_map
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.interventional_scorer import scorer_of

ROWS_PER_CELL = 5
"""Average number of rows per cell of the table of T, Y and S that a test needs."""


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """MMPC with tests at level ``options.alpha`` for every variable, then HC that adds arcs only between
    neighbours; see `run_method`.
    """
    likelihood = scorer if scorer.score == "ll" else scorer_of(scorer.dataset, "ll", stop=scorer.stop)
    found = find_neighbours(likelihood, options.alpha, budget, reporter, options.jobs)
    pairs = sum(map(len, found.members)) // 2
    reporter.detail(f"{found.tests} tests leave {pairs} pairs of neighbours")
    result = run_method(one_way, scorer, options, budget, reporter, found.members)
    result.facts["tests"] = found.tests
    result.stats.update(tests=found.tests, pairs=pairs)
    for counted in ("statistics", "literal_statistics", "literal_requested"):
        if counted in result.stats:
            result.stats[counted] += found.tests
    return result


@dataclass(frozen=True)
class Neighbourhoods:
    """Parents and children found for every variable (ascending), and the number of tests made."""

    members: tuple[tuple[int, ...], ...]
    tests: int


def find_neighbours(
    scorer: FamilyScorer, alpha: float, budget: Budget, reporter: Reporter, jobs: int = 1
) -> Neighbourhoods:
    """MMPC for every variable, then the symmetric correction: Y stays with T only if T stays with Y.

    The scorer has the score ``ll``; `alpha` is the level of the tests. Variables not yet searched when the budget
    ends have no neighbours.
    """

    def search(target: int) -> TargetSearch:
        found = TargetSearch(scorer, target, alpha, budget)
        found.run()
        return found

    found = []
    for done, result in enumerate(ordered_map(search, range(scorer.n_variables), jobs), 1):
        found.append(result)
        reporter.progress(done, scorer.n_variables, "neighbourhoods", tests=sum(r.tests for r in found))
    members = [set(result.members) for result in found]
    symmetric = tuple(
        tuple(sorted(y for y in members[target] if target in members[y])) for target in range(len(members))
    )
    return Neighbourhoods(symmetric, sum(result.tests for result in found))


class TargetSearch:
    """MMPC for one target."""

    def __init__(self, scorer: FamilyScorer, target: int, alpha: float, budget: Budget):
        self.scorer, self.target, self.budget = scorer.of_child(target), target, budget
        self.log_alpha = math.log(alpha)
        self.members: list[int] = []  # parents and children found so far, in the order of their addition
        self.tests = 0  # tests made so far
        n = scorer.n_variables
        self._expansions: dict[tuple[int, ...], np.ndarray] = {}
        # Weakest evidence so far that each variable depends on the target: the largest p-value, and the smallest G²
        # at it.
        self._log_p = np.full(n, -np.inf)
        self._statistic = np.full(n, np.inf)

    def run(self) -> None:
        """Forward and backward phase."""
        n_states = self.scorer.n_states
        if n_states[self.target] < 2 or self.budget.is_spent():
            return
        others = np.flatnonzero((n_states > 1) & (np.arange(len(n_states)) != self.target)).astype(np.int32)
        candidates = self._keep_dependent(others[self._is_reliable((), others)], ())
        while len(candidates) and not self.budget.is_spent():
            # Max-min heuristic: the variable whose weakest association, over all conditions tried, is strongest.
            best = min(candidates.tolist(), key=lambda y: (self._log_p[y], -self._statistic[y], y))
            candidates = candidates[candidates != best]
            # Conditions without `best` were tested when their latest member was added.
            for rest in self._conditions(self.members, (best,), candidates):
                candidates = self._keep_dependent(candidates, rest)
                if not len(candidates):
                    break
            self.members.append(best)
        self._drop_separated()

    def _conditions(
        self, members: list[int], with_these: tuple[int, ...], tested: np.ndarray
    ) -> Iterator[tuple[int, ...]]:
        """Conditioning sets for tests of the variables `tested`: `with_these` plus subsets of `members`, small ones
        first, as far as the rows allow a test.
        """
        if not len(tested):
            return
        n_states = self.scorer.n_states
        given = math.prod(int(n_states[v]) for v in (self.target, *with_these))
        # Largest product of the subset's numbers of states at which a test of at least one variable is reliable.
        most = self.scorer.n_rows // (ROWS_PER_CELL * given * int(n_states[tested].min()))
        for size in range(len(members) + 1):
            is_possible = False
            for subset in subsets_within(members, n_states[members].tolist(), size, most):
                if self.budget.is_spent():
                    return
                is_possible = True
                yield tuple(sorted((*with_these, *subset)))
            # All subsets of a possible set are possible: if no set of this size is, no larger one is.
            if not is_possible:
                return

    def _is_reliable(self, condition: tuple[int, ...], others: np.ndarray) -> np.ndarray:
        n_states = self.scorer.n_states
        rest = math.prod(int(n_states[v]) for v in (self.target, *condition))
        return float(rest) * n_states[others] * ROWS_PER_CELL <= self.scorer.n_rows

    def _keep_dependent(self, candidates: np.ndarray, condition: tuple[int, ...]) -> np.ndarray:
        """Test all candidates given `condition`; returns the candidates not found independent."""
        tested = candidates[self._is_reliable(condition, candidates)]
        if not len(tested):
            # A variable stays a candidate if there are too few rows to test it.
            return candidates
        statistics, log_p = self._test(tested, condition)
        weaker = (log_p > self._log_p[tested]) | (
            (log_p == self._log_p[tested]) & (statistics < self._statistic[tested])
        )
        self._log_p[tested[weaker]] = log_p[weaker]
        self._statistic[tested[weaker]] = statistics[weaker]
        separated = tested[log_p > self.log_alpha]
        return candidates[~np.isin(candidates, separated)] if len(separated) else candidates

    def _test(self, others: np.ndarray, condition: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """G² and the logarithm of its p-value for each of `others` given `condition`."""
        self.tests += len(others)
        gained = self._likelihoods_with(condition, others) - self._likelihood(condition)
        statistics = np.maximum(2.0 * gained, 0.0)
        n_states = self.scorer.n_states
        configurations = float(math.prod(int(n_states[v]) for v in condition))
        degrees = (n_states[self.target] - 1.0) * (n_states[others] - 1.0) * configurations
        log_p = np.empty(len(others))
        log_tails(statistics, degrees, log_p)
        return statistics, log_p

    def _likelihoods_with(self, condition: tuple[int, ...], others: np.ndarray) -> np.ndarray:
        """LL(T | condition, Y) for each Y of `others`."""
        known = self._expansions.get(condition)
        if known is None:
            known = self._expansions[condition] = self.scorer.expand(self.target, condition, others)
        missing = others[np.isneginf(known[others])]
        if len(missing):
            known[missing] = self.scorer.expand(self.target, condition, missing)[missing]
        return known[others]

    def _likelihood(self, condition: tuple[int, ...]) -> float:
        """LL(T | condition), mostly known already from the test of its last member."""
        for i, y in enumerate(condition):
            # LL(T | condition) equals LL(T | rest, Y) from the test of Y given the rest.
            known = self._expansions.get((*condition[:i], *condition[i + 1 :]))
            if known is not None and not np.isneginf(known[y]):
                return float(known[y])
        return self.scorer.local_score(self.target, condition)

    def _drop_separated(self) -> None:
        """Backward phase: drop members that other members separate from the target.

        Sets of members added before it were tried when it was a candidate.
        """
        when = {member: position for position, member in enumerate(self.members)}
        for member in list(self.members):
            others = [m for m in self.members if m != member]
            this_one = np.array([member], dtype=np.int32)
            for condition in self._conditions(others, (), this_one):
                if all(when[m] < when[member] for m in condition):
                    continue
                if not self._is_reliable(condition, this_one)[0]:
                    continue
                if self._test(this_one, condition)[1][0] > self.log_alpha:
                    self.members.remove(member)
                    break


def subsets_within(members: list[int], n_states: list[int], size: int, most: int) -> Iterator[tuple[int, ...]]:
    """Subsets of `size` members whose numbers of states have a product of at most `most`, in the order of
    `itertools.combinations`.
    """
    fewest = [min(n_states[i:], default=1) for i in range(len(members) + 1)]

    def extend(chosen: tuple[int, ...], start: int, room: int) -> Iterator[tuple[int, ...]]:
        missing = size - len(chosen)
        if missing == 0:
            yield chosen
            return
        for i in range(start, len(members) - missing + 1):
            left = room // n_states[i]
            # Cut off if even the fewest states of the later members exceed the product allowed for the open places.
            if fewest[i + 1] ** (missing - 1) <= left:
                yield from extend((*chosen, members[i]), i + 1, left)

    if most >= 1:
        yield from extend((), 0, most)
