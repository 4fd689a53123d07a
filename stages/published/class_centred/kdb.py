"""K-dependence Bayesian classifiers (KDB; Sahami 1996).

Features enter by their mutual information with the class, largest first. Each has the class as a parent, and the K
features before it whose mutual information with it, given the class, is largest (all of them if there are fewer).
"""

from __future__ import annotations

import math

import numpy as np

from stages.optimize import OptimizeOptions
from stages.optimize.result import SearchResult
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.scoring.family_scorer import FamilyScorer

from .around_class import ClassCentred
from .around_class import warm_up as warm_up


def search_data(scorer: FamilyScorer, options: OptimizeOptions, budget: Budget, reporter: Reporter) -> SearchResult:
    """The network; errors as in `ClassCentred`. It has no bound: no other form of network is searched.

    ``options.dependence`` is K. Ties go to the first column.
    """
    task = ClassCentred(scorer, options, budget, reporter)
    return task.result(dependences(task.relevance(), task.gains(), task.features, options.dependence))


def dependences(relevance: np.ndarray, gains: np.ndarray, features: list[int], k: int) -> dict[int, tuple[int, ...]]:
    """The `k` features that every feature depends on, by `ClassCentred.relevance` and `ClassCentred.gains`."""
    order = sorted(features, key=lambda feature: -relevance[feature])
    parents = {}
    for place, child in enumerate(order):
        earlier = np.array(sorted(order[:place]), dtype=np.int64)
        nearest = earlier[np.argsort(-gains[child, earlier], kind="stable")][:k]
        parents[child] = tuple(other for other in nearest.tolist() if gains[child, other] > -math.inf)
    return parents
