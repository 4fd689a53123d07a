"""Estimated number of sets that a complete enumeration scores under a Dirichlet prior, from random sequences.

No bound is known beforehand: whether a set is closed (no superset of it is scored) depends on its own score
(`dirichlet_bounds`). A sequence adds parents one by one, each drawn among the candidates with which the set stays
open. The numbers of choices at each step give an unbiased estimate of the number of sets of each size (Knuth 1975). A
set counts as scored if the subsets that its sequence met are open; the enumeration requires this of all its subsets.
So the mean of the estimate is at least the number of sets.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from stages.runtime.budgets import Budget
from stages.scoring.family_scorer import FamilyScorer

from .dirichlet_bounds import SupersetBound
from .found_sets import ChildLimits

MOST_SEQUENCES = 200
"""With this number, the error is small compared with the error of the measured rate."""


class SampledCounts(NamedTuple):
    """Estimates for one child.

    Attributes
    ----------
    by_size : ndarray of float64, shape (most_added + 1,)
        Sets scored, by the number of parents besides the required ones.
    seconds_per_set : float
        Seconds for scoring a set and checking whether it is closed: the least measured, since the machine may be
        busy.
    """

    by_size: np.ndarray
    seconds_per_set: float


def sample_counts(
    scorer: FamilyScorer,
    child: int,
    limits: ChildLimits,
    bound: SupersetBound,
    rng: np.random.Generator,
    clock: Budget,
) -> SampledCounts:
    """Mean over as many sequences as the clock allows, at least one and at most `MOST_SEQUENCES`."""
    most_added = limits.max_parents - len(limits.required)
    total, n_sequences, seconds_per_set = np.zeros(most_added + 1), 0, math.inf
    known: dict[tuple[int, ...], tuple[np.ndarray, np.ndarray]] = {}
    while not n_sequences or (n_sequences < MOST_SEQUENCES and not clock.is_spent()):
        parents, candidates = limits.required, limits.allowed
        best, ways = scorer.local_score(child, parents), 1.0
        total[0] += 1.0
        for size in range(1, most_added + 1):
            # A set of this size is the end of as many sequences as there are orders of its members.
            total[size] += ways * len(candidates) / math.factorial(size)
            if size == most_added or not len(candidates):
                break
            if parents not in known:
                begun = clock.elapsed()
                extended = _extended(scorer, child, parents, candidates, best, bound)
                seconds_per_set = min(seconds_per_set, (clock.elapsed() - begun) / len(candidates))
                if size <= 2:  # the same few sets begin all sequences
                    known[parents] = extended
            else:
                extended = known[parents]
            candidates, scores = extended
            if not len(candidates):
                break
            ways *= len(candidates)
            chosen = int(rng.integers(len(candidates)))
            parents = tuple(sorted((*parents, int(candidates[chosen]))))
            best = max(best, float(scores[chosen]))
            candidates = np.delete(candidates, chosen)
        n_sequences += 1
    return SampledCounts(total / n_sequences, seconds_per_set if math.isfinite(seconds_per_set) else 0.0)


def _extended(
    scorer: FamilyScorer,
    child: int,
    parents: tuple[int, ...],
    candidates: np.ndarray,
    best: float,
    bound: SupersetBound,
) -> tuple[np.ndarray, np.ndarray]:
    """The candidates with which a set stays open, and its score with each."""
    scores = scorer.expand(child, parents, candidates)[candidates]
    is_open = [
        not bound.excludes(tuple(sorted((*parents, candidate))), max(best, score))
        for candidate, score in zip(candidates.tolist(), scores.tolist())
    ]
    return candidates[is_open], scores[is_open]
