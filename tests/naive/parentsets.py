"""Candidate parent sets from the definition: score every subset, keep those that no proper subset matches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from .scores import Rows, local_score


def score_all_sets(
    rows: Rows, n_states: Sequence[int], child: int, max_parents: int, score: str = "bic", ess: float = 1.0
) -> dict[tuple[int, ...], float]:
    """Local score of every parent set of `child` with at most `max_parents` members, in nats."""
    others = [i for i in range(len(n_states)) if i != child]
    return {
        parents: local_score(rows, n_states, child, parents, score, ess)
        for size in range(max_parents + 1)
        for parents in combinations(others, size)
    }


def prune_dominated(scores: dict[tuple[int, ...], float], margin: float = 0.0) -> dict[tuple[int, ...], float]:
    """The sets that no proper subset among `scores` beats by `margin`; by 0: that equals none."""
    return {
        parents: score
        for parents, score in scores.items()
        if not any(set(other) < set(parents) and scores[other] >= score + margin for other in scores)
    }
