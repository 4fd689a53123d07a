"""The blanket of the class that predicts it best, among networks of equal standing.

Pricing finds a network by score. A hill climb then changes single arcs of the class's blanket (its parents, its
children, their other parents), as long as the score stays within `STANDING` nats of the first one: by score alone the
networks can hardly be told from each other. Among them the climb maximises the conditional likelihood of the class
(Grossman and Domingos 2004), each row left out (`class_rows`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from stages.graphs import topological_order
from stages.optimize import OptimizeOptions
from stages.optimize.climbing.cache import FamilyCache
from stages.optimize.climbing.constraints import make_constraints
from stages.optimize.pricing import orders
from stages.optimize.result import Parents, SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .class_rows import ClassRows
from .search import find_class, with_first_class

STANDING = 5.0
"""Nats of score that the network may lose: a Bayes factor of 150, where the score is a logarithm of a probability."""

SHARE = 0.8
"""Share of the time and of the local scores for the first network; the climb needs less than that search."""

LEAST_GAIN = 1e-6
"""Nats of conditional likelihood that a step gains at least; rounding is smaller."""

Families = dict[int, tuple[int, ...]]
"""New parents of some variables."""


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The network; errors as in `find_class`, and of pricing.

    It has no bound, for its score is not the largest. When the budget is spent, the best so far is taken.
    """
    target = find_class(scorer, options)
    part = budget.part(SHARE)
    if part.evaluations is not None:
        part.evaluations = math.ceil(SHARE * part.evaluations)
    reporter.detail("searching the network of the best score")
    first = orders.search_data(scorer, replace(options, lists_for_proof=False), part, _OfScores(reporter))
    climb = BlanketClimb(scorer, options, target, first.parents)
    before, steps = climb.log_likelihood, 0
    while climb.step(budget):
        steps += 1
        reporter.progress(steps, None, "steps", likelihood=climb.log_likelihood)
    if budget.is_spent(scorer.evaluations):
        reporter.warn("the run ended early: not all networks of equal standing were compared")
    reporter.detail(
        f"conditional log-likelihood {before:,.2f} of the network of score {climb.first:,.2f}, "
        f"{climb.log_likelihood:,.2f} after {steps} changes, each row left out"
    )
    facts = {
        "first_score": climb.first,
        "conditional_log_likelihood": climb.log_likelihood,
        "steps": steps,
        "evaluations": scorer.evaluations,
    }
    return SearchResult(tuple(climb.parents), np.array(climb.scores), climb.score, facts)


class _OfScores:
    """The reports of the first search without its networks: the result may have a smaller score than they."""

    def __init__(self, reporter: Reporter):
        self._reporter = reporter
        self.detail, self.warn, self.summary = reporter.detail, reporter.warn, reporter.summary

    def progress(self, done: int, total: int | None, counted: str, **facts: object) -> None:
        shown = {name: value for name, value in facts.items() if name != "network"}
        self._reporter.progress(done, total, counted, **shown)


class BlanketClimb:
    """A network whose arcs about the class are changed one at a time.

    `score` and `log_likelihood` are of the present network, `first` is the score of the first one, in nats.
    """

    def __init__(self, scorer: FamilyScorer, options: OptimizeOptions, target: int, parents: Parents):
        self.scorer, self.target, self.parents = scorer, target, list(parents)
        self.rows = ClassRows(scorer.dataset.plain_codes, scorer.dataset.n_states, target)
        self._cache = FamilyCache(scorer)
        self._constraints = make_constraints(scorer, options)
        self._possible = [set(self._constraints.candidates(v).tolist()) for v in range(scorer.n_variables)]
        self._measure()
        self.first = self.score

    def _measure(self) -> None:
        self.scores = [self._cache.score(v, family) for v, family in enumerate(self.parents)]
        self.score = math.fsum(self.scores)
        self._joint = self.rows.joint(tuple(self.parents))
        self.log_likelihood = self.rows.total(self._joint)

    def step(self, budget: Budget) -> bool:
        """Make the change of largest gain, the first among equals; False if none gains, or the budget is spent."""
        best, largest = None, self.log_likelihood + LEAST_GAIN
        for change in self.changes():
            if budget.is_spent(self.scorer.evaluations):
                return False
            if not self.keeps_standing(change):
                continue
            logs = self._joint.copy()
            for v, family in change.items():
                for sign, parents in ((-1.0, self.parents[v]), (1.0, family)):
                    if v == self.target or self.target in parents:
                        logs += sign * self.rows.family(v, parents)
            found = self.rows.total(logs)
            if found > largest:
                best, largest = change, found
        if best is None:
            return False
        for v, family in best.items():
            self.parents[v] = family
        self._measure()
        return True

    def changes(self) -> Iterator[Families]:
        """Arcs added, removed or turned that change the class's family or a child's, without a cycle, as far as
        required and possible arcs permit.
        """
        parents, target = self.parents, self.target
        above = _ancestor_masks(parents)
        near = {target, *(v for v, family in enumerate(parents) if target in family)}
        for child, family in enumerate(parents):
            others = self._possible[child] if child in near else {target, *near.intersection(family)}
            for parent in sorted(others & self._possible[child]):
                if parent not in family:
                    if not above[parent] >> child & 1:
                        yield {child: _sorted_with(family, parent)}
                    continue
                if (parent, child) in self._constraints.required:
                    continue
                less = tuple(p for p in family if p != parent)
                if child in near:
                    yield {child: less}
                if child in self._possible[parent] and not any(above[p] >> parent & 1 for p in less):
                    yield {child: less, parent: _sorted_with(parents[parent], child)}

    def keeps_standing(self, change: Families) -> bool:
        """Whether the score stays within `STANDING` of the first one, and the other constraints hold."""
        if any(len(family) > self._constraints.max_parents for family in change.values()):
            return False
        gains = [self._cache.score(v, family) - self.scores[v] for v, family in change.items()]
        return self.score + sum(gains) >= self.first - STANDING


def _ancestor_masks(parents: Sequence[Sequence[int]]) -> list[int]:
    """For each variable of an acyclic graph the bits of its ancestors and its own."""
    above = [0] * len(parents)
    for v in topological_order(parents):
        above[v] = 1 << v
        for parent in parents[v]:
            above[v] |= above[parent]
    return above


def _sorted_with(family: tuple[int, ...], parent: int) -> tuple[int, ...]:
    return tuple(sorted((*family, parent)))


def warm_up(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> None:
    """Compile what pricing and the climb run, on a tiny table that lacks the class."""
    orders.warm_up(scorer, options, budget, reporter)
    search_data(scorer, with_first_class(scorer, options), budget, reporter)
