"""The classifier of largest conditional likelihood among naive Bayes, TAN and KDB.

Conditional likelihood, of the class given the features, is what a classifier is used for (Grossman and Domingos 2004,
who climb by it). Here it chooses among few structures, and it is left-one-out: the class of every row is predicted by
the counts of all other rows, so that a parent must pay for its parameters by what it predicts. The shares by which
counts are smoothed are of all rows.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stages.optimize import OptimizeOptions
from stages.optimize.result import SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .kdb import dependences
from .search import ClassCentred
from .search import warm_up as warm_up
from .tan import maximum_tree

SMOOTHING = 5.0
"""Rows added to each configuration of a feature's parents, distributed as the feature is on the whole (Friedman,
Geiger and Goldszmidt 1997, who take 5)."""


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The network; errors as in `ClassCentred`. It has no bound: no other form of network is searched.

    Compared are naive Bayes, TAN, and KDB with 1, 2, ... dependences until one more of these lowers the conditional
    likelihood; ties go to the first. When the budget is spent, the best so far is taken.
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
        found = Compared(name, parents, rows.log_likelihood({v: parents.get(v, ()) for v in task.features}))
        reporter.detail(f"{name}: conditional log-likelihood {found.log_likelihood:,.2f}, each row left out")
        best = max(best, found, key=lambda compared: compared.log_likelihood)
        if k > 1 and found.log_likelihood < last:
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

    def log_likelihood(self, parents: dict[int, tuple[int, ...]]) -> float:
        """Log-likelihood of the class given the features, nats; `parents` are a feature's beside the class."""
        logs = self._cells(self.target, None)
        for feature, given in parents.items():
            logs += self._cells(feature, given)
        peaks = logs.max(axis=1)
        totals = np.log(np.exp(logs - peaks[:, None]).sum(axis=1)) + peaks
        return float((logs[np.arange(len(logs)), self.classes] - totals).sum())

    def _cells(self, variable: int, given: tuple[int, ...] | None) -> np.ndarray:
        """Log-probability of each row's state of a feature for each class, or of each class for `given` None.

        float64, shape (rows, classes); nats. Only the row's own class counts the row itself, which is left out there.
        """
        n_rows, n_classes, size = len(self.classes), int(self.n_states[self.target]), int(self.n_states[variable])
        states = self.codes[variable].astype(np.int64)
        configurations, n_configurations = np.zeros(n_rows, np.int64), 1
        for parent in given or ():
            configurations = configurations * int(self.n_states[parent]) + self.codes[parent]
            # Configurations that occur are numbered anew, so there are never more of them than rows.
            _, configurations = np.unique(configurations, return_inverse=True)
            n_configurations = int(configurations.max()) + 1
        marginal = (np.bincount(states, minlength=size) + 1.0) / (n_rows + size)
        if given is None:
            weights = np.bincount(states, minlength=size) + SMOOTHING * marginal
            logs = np.tile(np.log(weights), (n_rows, 1))
            logs[np.arange(n_rows), states] = np.log(weights[states] - 1.0)
            return logs
        cells = configurations * size + states
        counts = np.bincount(cells * n_classes + self.classes, minlength=n_configurations * size * n_classes)
        counts = counts.reshape(n_configurations, size, n_classes)
        totals = counts.sum(axis=1) + SMOOTHING
        weights = counts + SMOOTHING * marginal[:, None]
        logs = np.log(weights / totals[:, None]).reshape(-1, n_classes)[cells]
        own = weights[configurations, states, self.classes] - 1.0
        logs[np.arange(n_rows), self.classes] = np.log(own / (totals[configurations, self.classes] - 1.0))
        return logs
