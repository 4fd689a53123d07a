"""Scores of all single parents before any search goes on: a first list for every variable, whatever time or user end.

Searches take these scores up. Where nothing forbids a pair they come from one sweep over all pairs of variables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stages.runtime.workers import ordered_map
from stages.scoring.pair_scores import PairScores

if TYPE_CHECKING:
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter
    from stages.scoring.family_scorer import FamilyScorer

    from .child_search import ChildLimits

MOST_BYTES = 1 << 30
"""Memory for the scores beyond which they are not computed in advance: every child's search begins with its own."""

MOST_SHARE = 0.25
"""The same as a share of what is allowed beyond the data."""


def first_list_bytes(n_children: int, n_variables: int, memory: int | None, resident: int) -> int:
    """Memory of the scores of so many children; 0 where they are not computed in advance.

    Parameters
    ----------
    n_children, n_variables : int
    memory : int or None
        What the run may take, of which `resident` bytes are taken by data and program.
    resident : int
    """
    needed = n_children * n_variables * 8
    most = MOST_BYTES if memory is None else min(MOST_BYTES, MOST_SHARE * (memory - resident))
    return needed if needed <= most else 0


def score_single_parents(
    scorer: FamilyScorer, limits: dict[int, ChildLimits], jobs: int, budget: Budget, reporter: Reporter
) -> set[int]:
    """Have the scorer know the smallest set of each child with one parent more; the children for which it does.

    Parameters
    ----------
    scorer : FamilyScorer
    limits : dict of ChildLimits by child
        Of the children that are searched.
    jobs : int
    budget : Budget
        The user's wish to stop; its time does not matter here.
    reporter : Reporter
    """
    n = scorer.n_variables
    if len(limits) == n and all(len(each.allowed) == n - 1 and each.max_parents for each in limits.values()):
        return _sweep_pairs(scorer, jobs, reporter)
    known = set()

    def score(child: int) -> None:
        each = limits[child]
        if not budget.interrupted and len(each.required) < each.max_parents:
            scorer.remember(child, each.required, each.allowed)
            known.add(child)

    for done, _ in enumerate(ordered_map(score, limits, jobs), 1):
        reporter.progress(done, len(limits), "first lists")
    return known


def _sweep_pairs(scorer: FamilyScorer, jobs: int, reporter: Reporter) -> set[int]:
    n = scorer.n_variables

    def tell(share: float) -> None:
        reporter.progress(int(share * n), n, "first lists")

    known = set()
    for child, scores in enumerate(PairScores(scorer).matrix(jobs, tell)):
        if not np.isnan(scores).any():
            others = np.delete(np.arange(n, dtype=np.int32), child)
            scorer.take_expansion(child, (), others, scores)
            known.add(child)
    return known
