"""The classifier of largest conditional likelihood among naive Bayes, TAN and KDB.

Conditional likelihood, of the class given the features, is what a classifier is used for (Grossman and Domingos 2004,
who climb by it). Here it chooses among few structures, and it is left-one-out: the class of every row is predicted by
the counts of all other rows, so that a parent must pay for its parameters by what it predicts. The shares by which
counts are smoothed are of all rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stages.optimize import OptimizeOptions
from stages.optimize.result import Parents, SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .around_class import ClassCentred
from .around_class import warm_up as warm_up
from .kdb import dependences
from .tan import maximum_tree

SMOOTHING = 5.0
"""Rows added to each configuration of a variable's parents, distributed as the variable is on the whole (Friedman,
Geiger and Goldszmidt 1997, who take 5)."""

LEAST_GAIN = 1.0
"""Nats of conditional log-likelihood below which a further dependence ends the comparison: where the features
determine the class, tables grow for hundredths of a nat (mushroom: results.md of examples/classifiers)."""


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The network; errors as in `ClassCentred`. It has no bound: no other form of network is searched.

    Compared are naive Bayes, TAN, and KDB with 1, 2, ... dependences until one more of these gains less than
    `LEAST_GAIN`; ties go to the first. When the budget is spent, the best so far is taken.
    """
    task = ClassCentred(scorer, options, budget, reporter)
    relevance, gains = task.relevance(), task.gains()
    rows = ClassRows(scorer.dataset.plain_codes, scorer.dataset.n_states, task.target)
    best, last = Compared("naive Bayes", {}, -math.inf), -math.inf
    for k in range(-1, len(task.features)):
        if k > -1 and budget.is_spent(task.likelihood.evaluations):
            reporter.warn("the run ended early: not all classifiers were compared")
            break
        name = {-1: "naive Bayes", 0: "tan"}.get(k, f"kdb {k}")
        parents = {} if k < 0 else maximum_tree(gains, task.features)
        if k > 0:
            parents = dependences(relevance, gains, task.features, k)
        found = Compared(name, parents, rows.log_likelihood(task.families(parents)))
        reporter.detail(f"{name}: conditional log-likelihood {found.log_likelihood:,.2f}, each row left out")
        best = max(best, found, key=lambda compared: compared.log_likelihood)
        if k > 1 and found.log_likelihood < last + LEAST_GAIN:
            break
        last = found.log_likelihood
    return task.result(best.parents, {"classifier": best.name, "conditional_log_likelihood": best.log_likelihood})


class Compared(NamedTuple):
    """A classifier, the features among the parents of its features, and its conditional log-likelihood, nats."""

    name: str
    parents: dict[int, tuple[int, ...]]
    log_likelihood: float


class ClassRows:
    """Rows whose class is predicted from the counts of all other rows.

    `codes` is uint8, shape (n, rows); `n_states` has the shape (n,); `target` is the class.
    """

    def __init__(self, codes: np.ndarray, n_states: np.ndarray, target: int):
        self.codes, self.n_states, self.target = codes, n_states, target
        self.classes = codes[target].astype(np.int64)
        self._own = np.arange(len(self.classes)), self.classes

    def log_likelihood(self, parents: Parents) -> float:
        """Log-likelihood of the class given the features, nats, where it is a parent of each and has no parents."""
        logs = self._of_class()
        for child, family in enumerate(parents):
            if child != self.target:
                logs += self._of_feature(child, family)
        peaks = logs.max(axis=1)
        totals = np.log(np.exp(logs - peaks[:, None]).sum(axis=1)) + peaks
        return float((logs[self._own] - totals).sum())

    def _of_class(self) -> np.ndarray:
        """Logarithm of the probability of each class, less what is the same for all; float64, shape (rows, classes).

        Only the row's own class counts the row itself, which is left out there.
        """
        counts = self._marginal_counts(self.target)
        weights = counts + SMOOTHING * self._shares(counts)
        logs = np.tile(np.log(weights), (len(self.classes), 1))
        logs[self._own] = np.log(weights[self.classes] - 1.0)
        return logs

    def _of_feature(self, variable: int, parents: Sequence[int]) -> np.ndarray:
        """The same for the state of a feature given each class, and the row's states of its other parents."""
        n_rows, n_classes, size = len(self.classes), int(self.n_states[self.target]), int(self.n_states[variable])
        states = self.codes[variable].astype(np.int64)
        configurations, n_configurations = np.zeros(n_rows, np.int64), 1
        for parent in parents:
            if parent != self.target:
                configurations = configurations * int(self.n_states[parent]) + self.codes[parent]
                # Configurations that occur are numbered anew, so there are never more of them than rows.
                _, configurations = np.unique(configurations, return_inverse=True)
                n_configurations = int(configurations.max()) + 1
        cells = configurations * size + states
        counts = np.bincount(cells * n_classes + self.classes, minlength=n_configurations * size * n_classes)
        counts = counts.reshape(n_configurations, size, n_classes)
        totals = counts.sum(axis=1) + SMOOTHING
        weights = counts + SMOOTHING * self._shares(self._marginal_counts(variable))[:, None]
        logs: np.ndarray = np.log(weights / totals[:, None]).reshape(-1, n_classes)[cells]
        left = weights[configurations, states, self.classes] - 1.0
        logs[self._own] = np.log(left / (totals[configurations, self.classes] - 1.0))
        return logs

    def _marginal_counts(self, variable: int) -> np.ndarray:
        return np.bincount(self.codes[variable], minlength=int(self.n_states[variable]))

    def _shares(self, counts: np.ndarray) -> np.ndarray:
        """The shares by which counts are smoothed, of all rows."""
        return (counts + 1.0) / (len(self.classes) + len(counts))
