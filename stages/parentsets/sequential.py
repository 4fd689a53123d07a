"""Sequential selection: all sets by size 1, 2, ..., with exact pruning (Scanagatta et al. 2015, section 3).

Where it finishes, the list is complete. Stopped early, it knows a bound on what it has not seen.
"""

from __future__ import annotations

import numpy as np

from stages.budgets import Budget
from stages.families import FamilyScorer

from .bounds import is_excluded_by_penalty, unlisted_bound
from .found import ChildLimits, FoundSets


def search_child(scorer: FamilyScorer, child: int, limits: ChildLimits, budget: Budget) -> FoundSets:
    """Enumerate the child's parent sets by size; see the module text."""
    found = FoundSets(child)
    required = limits.required
    found.add(required, scorer.local_score(child, required))
    found.evaluated = 1
    penalty = scorer.penalty(child)
    n_states = scorer.n_states.astype(np.float64)
    allowed = limits.allowed
    # By what is added to the required parents: the best score among a set and its subsets. Only sets whose
    # supersets may still pay are kept in a level.
    level: dict[tuple[int, ...], float] = {(): found.scores[required]}
    for size in range(1, limits.max_parents - len(required) + 1):
        next_level: dict[tuple[int, ...], float] = {}
        for added, best in level.items():
            if limits.is_spent(budget, found, len(level) + len(next_level)):
                found.unlisted = _bound_from_size(scorer, child, limits, size)
                return found
            parents = tuple(sorted((*required, *added)))
            candidates = allowed[allowed > added[-1]] if added else allowed
            q = scorer.n_configurations(parents) * n_states[candidates]
            if penalty > 0:
                open_ones = ~is_excluded_by_penalty(best, penalty, q)
                candidates, q = candidates[open_ones], q[open_ones]
            if not len(candidates):
                continue
            expansion = scorer.expand(child, parents, candidates)
            found.evaluated += len(candidates)
            for y, score in zip(candidates.tolist(), expansion[candidates].tolist()):
                subset_best = _best_of_subsets(level, added, y)
                if subset_best is None:
                    continue
                if score > subset_best:
                    found.add(tuple(sorted((*parents, y))), score)
                next_level[(*added, y)] = max(score, subset_best)
        level = next_level
        if not level:
            break
    found.complete = True
    return found


def _best_of_subsets(level: dict, added: tuple[int, ...], y: int) -> float | None:
    """Best score among the proper subsets of ``added + (y,)``; None if a subset's supersets are excluded."""
    best = level[added]
    for dropped in range(len(added)):
        other = level.get((*added[:dropped], *added[dropped + 1 :], y))
        if other is None:
            return None
        best = max(best, other)
    return best


def _bound_from_size(scorer: FamilyScorer, child: int, limits: ChildLimits, size: int) -> float | None:
    penalty = scorer.penalty(child)
    if penalty <= 0:
        return None
    smallest = np.sort(scorer.n_states[limits.allowed].astype(np.float64))[:size]
    return float(unlisted_bound(penalty, scorer.n_configurations(limits.required) * np.prod(smallest)))
