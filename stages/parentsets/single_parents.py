"""Scores of all single parents before any search: a first list for every variable, whenever time or user end the run.

Searches reuse these scores. Where no pair is forbidden they come from one sweep over all pairs of variables.
"""

from __future__ import annotations

import numpy as np

from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter
from stages.runtime.workers import ordered_map
from stages.scoring.family_scorer import FamilyScorer

from .child_search import ChildLimits

MOST_BYTES = 1 << 30
"""Largest memory for scores computed in advance; beyond, every child's search begins with its own."""

MOST_SHARE = 0.25
"""The same as a share of the memory allowed beyond the data."""


def first_list_bytes(n_children: int, n_variables: int, memory: int | None, resident: int) -> int:
    """Memory of the scores of so many children; 0 where they are not computed in advance.

    The run may take `memory`, of which `resident` bytes are taken by data and program.
    """
    needed = n_children * n_variables * 8
    most = MOST_BYTES if memory is None else min(MOST_BYTES, MOST_SHARE * (memory - resident))
    return needed if needed <= most else 0


def score_single_parents(
    scorer: FamilyScorer, limits: dict[int, ChildLimits], jobs: int, budget: Budget, reporter: Reporter
) -> set[int]:
    """Make the scorer remember the scores of each child's smallest set plus one parent; the children done.

    `limits` are those of the children that are searched; `budget` is the user's wish to stop: its time is not checked
    here.
    """
    n = scorer.n_variables
    if len(limits) == n and all(len(each.allowed) == n - 1 and each.max_parents for each in limits.values()):
        return _sweep_pairs(scorer, jobs, reporter)
    known = set()

    def score(child: int) -> None:
        each = limits[child]
        if not budget.interrupted and len(each.required) < each.max_parents:
            scores = scorer.expand(child, each.required, each.allowed)
            # Cut short, an expansion may lack scores: it is computed again.
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
