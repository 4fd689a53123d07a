"""The classifier of largest conditional likelihood among naive Bayes, TAN and KDB.

Conditional likelihood, of the class given the features, is what a classifier is used for (Grossman and Domingos 2004,
who climb by it). Here it chooses among few structures, and it is left-one-out: the class of every row is predicted by
the counts of all other rows, so that a parent must pay for its parameters by what it predicts. The shares by which
counts are smoothed are of all rows (`class_rows`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from stages.optimize import OptimizeOptions
from stages.optimize.result import SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .class_rows import ClassRows
from .kdb import dependences
from .search import ClassCentred
from .search import warm_up as warm_up
from .tan import maximum_tree

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
