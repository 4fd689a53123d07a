"""Scores of all single parents before any search: they give every variable a first list, whenever time or the user
ends the run.

Searches reuse these scores. If no pair is forbidden, they come from one sweep over all pairs of variables.
"""

from __future__ import annotations

import numpy as np

from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.workers import ordered_map
from stages.scoring.family_scorer import FamilyScorer

from .found_sets import ChildLimits

MOST_BYTES = 1 << 30
"""Largest memory for scores computed in advance; beyond it, each child's search computes its own."""

MOST_SHARE = 0.25
"""The same limit as a share of the memory that data and program leave free."""


def first_list_bytes(n_children: int, n_variables: int, memory: int | None, resident: int) -> int:
    """Memory of the scores of `n_children` children; 0 if they are not computed in advance.

    The run may take `memory` bytes; data and program take `resident` of them.
    """
    needed = n_children * n_variables * 8
    most = MOST_BYTES if memory is None else min(MOST_BYTES, MOST_SHARE * (memory - resident))
    return needed if needed <= most else 0


def score_single_parents(
    scorer: FamilyScorer, limits: dict[int, ChildLimits], jobs: int, budget: Budget, reporter: Reporter
) -> set[int]:
    """Make the scorer store the scores of each child's smallest set plus one parent; returns the children done.

    `limits` are the limits of the children that are searched; from `budget` only the user's stop signal is read, not
    the time.
    """
    n = scorer.n_variables
    # The sweep counts all rows for all children.
    is_whole = not scorer.parts
    if (
        is_whole
        and len(limits) == n
        and all(len(each.allowed) == n - 1 and each.max_parents for each in limits.values())
    ):
        return _sweep_pairs(scorer, jobs, reporter)
    known = set()

    def score(child: int) -> None:
        each = limits[child]
        if not budget.interrupted and len(each.required) < each.max_parents:
            scores = scorer.expand(child, each.required, each.allowed)
            # An interrupted expansion may lack scores, so it is computed again.
            if scorer.stop is None or not scorer.stop.is_set():
                scorer.remember(child, each.required, each.allowed, scores)
            known.add(child)

    for done, _ in enumerate(ordered_map(score, limits, jobs), 1):
        reporter.progress(done, len(limits), "first lists")
    return known


def _sweep_pairs(scorer: FamilyScorer, jobs: int, reporter: Reporter) -> set[int]:
    n = scorer.n_variables

    def report(share: float) -> None:
        reporter.progress(int(share * n), n, "first lists")

    known = set()
    for child, scores in enumerate(scorer.pairs().matrix(jobs, report)):
        if not np.isnan(scores).any():
            others = np.delete(np.arange(n, dtype=np.int32), child)
            scorer.remember(child, (), others, scores)
            known.add(child)
    return known
