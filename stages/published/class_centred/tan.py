"""Tree-augmented naive Bayes (TAN; Friedman, Geiger and Goldszmidt 1997, section 4.1).

The class is a parent of every feature. The features are joined by a maximum spanning tree of conditional mutual
information given the class, with arcs away from the first feature: among networks of this form the likelihood is the
largest (their theorem 4.4). All roots give equivalent networks.
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
    """The network; errors as in `ClassCentred`. It has no bound: no other form of network is searched."""
    task = ClassCentred(scorer, options, budget, reporter)
    return task.result(maximum_tree(task.gains(), task.features))


def maximum_tree(gains: np.ndarray, features: list[int]) -> dict[int, tuple[int, ...]]:
    """The parent of every feature in the maximum spanning tree (Prim 1957), ties to the first column.

    `gains` is float64, shape (n, n), symmetric. The first feature, and features whose gains are all -inf, have no
    parent.
    """
    parents: dict[int, tuple[int, ...]] = {}
    if not features:
        return parents
    outside = np.array(features[1:], dtype=np.int64)
    # `gain` is the best link of each outside feature into the tree, `nearest` its end there.
    nearest, gain = np.full(len(gains), features[0]), gains[features[0]].copy()
    while len(outside):
        child = int(outside[gain[outside].argmax()])
        if gain[child] > -math.inf:
            parents[child] = (int(nearest[child]),)
        outside = outside[outside != child]
        is_closer = gains[child] > gain
        nearest[is_closer], gain[is_closer] = child, gains[child, is_closer]
    return parents
