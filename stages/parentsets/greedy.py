"""Greedy selection: best-first by exact score, expanding the best set found so far (Scanagatta et al. 2015)."""

from __future__ import annotations

import heapq

import numpy as np

from stages.runtime.budgets import Budget
from stages.scoring.family_scorer import FamilyScorer

from .child_search import BYTES_PER_SET, ChildLimits, FoundSets
from .dirichlet_bounds import SupersetBound, superset_bound
from .pruning_rules import is_excluded_by_penalty, unlisted_bound

BYTES_PER_ENTRY = 12
"""An index and a score, for every candidate of every expansion that waits."""


def search_child(scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget) -> FoundSets:
    """Expand the best-scoring unexpanded set by every single variable until the budget ends.

    The open list holds one entry per expansion, its best set not yet taken: a heap of generators, so memory
    grows with the number of expansions and not with the number of sets.
    """
    found = limits.nothing_found(child)
    required = limits.required
    start_score = scorer.local_score(child, required)
    found.begin(required, start_score)
    penalty = scorer.penalty(child)
    bound = superset_bound(scorer, child, limits)
    n_states = scorer.n_states.astype(np.float64)
    expanded: set[tuple[int, ...]] = set()
    # For each set less one of its members the members that it was expanded with: those unions are scored already.
    scored: dict[tuple[int, ...], list[int]] = {}
    waiting: list[tuple] = []

    def expand(parents: tuple[int, ...], score: float) -> None:
        if bound is not None and bound.excludes(parents, score):
            return
        known = list(parents)
        for place, member in enumerate(parents):
            rest = parents[:place] + parents[place + 1 :]
            known += scored.get(rest, [])
            scored.setdefault(rest, []).append(member)
        candidates = limits.allowed[~np.isin(limits.allowed, known)]
        if penalty > 0:
            q = scorer.n_configurations(parents) * n_states[candidates]
            candidates = candidates[~is_excluded_by_penalty(score, penalty, q)]
        if not len(candidates):
            return
        expansion = scorer.expand(child, parents, candidates)
        found.explore(parents, candidates, expansion[candidates])
        found.add_expansion(parents, score, expansion)
        order = candidates[np.argsort(-expansion[candidates], kind="stable")]
        _push(waiting, parents, order, expansion[order], 0)

    if len(required) < limits.max_parents:
        expand(required, start_score)
    while waiting:
        if limits.is_spent(
            budget, found, len(waiting) * len(limits.allowed) * BYTES_PER_ENTRY // BYTES_PER_SET
        ):
            found.unlisted = _bound_of_pairs(scorer, child, limits, bound)
            return found
        negative_score, grown, parents, order, scores, position = heapq.heappop(waiting)
        _push(waiting, parents, order, scores, position + 1)
        if grown not in expanded and len(grown) < limits.max_parents:
            expanded.add(grown)
            expand(grown, -negative_score)
    found.complete = True
    return found


def _push(waiting: list, parents: tuple, order: np.ndarray, scores: np.ndarray, position: int) -> None:
    if position < len(order):
        grown = tuple(sorted((*parents, int(order[position]))))
        heapq.heappush(waiting, (-float(scores[position]), grown, parents, order, scores, position))


def _bound_of_pairs(
    scorer: FamilyScorer, child: int, limits: ChildLimits, bound: SupersetBound | None
) -> float | None:
    penalty = scorer.penalty(child)
    if bound is not None:
        return bound.of_larger_sets(limits.required, limits.allowed)
    if penalty <= 0:
        return None
    smallest = np.sort(scorer.n_states[limits.allowed].astype(np.float64))[:2]
    return float(unlisted_bound(penalty, scorer.n_configurations(limits.required) * np.prod(smallest)))
