"""Scores with a prior of arcs, from the definition of the prior as a product over pairs of variables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Pair = tuple[int, int]


def log_prior(
    parents: Sequence[Sequence[int]], arcs: Mapping[Pair, float], adjacencies: Mapping[Pair, float]
) -> float:
    """Logarithm of the product over pairs, relative to the network without arcs."""
    present = {(parent, child) for child, family in enumerate(parents) for parent in family}
    total = 0.0
    for arc, p in arcs.items():
        total += math.log(p if arc in present else 1 - p) - math.log(1 - p)
    for (one, other), q in adjacencies.items():
        is_there = (one, other) in present or (other, one) in present
        total += math.log(q / 2 if is_there else 1 - q) - math.log(1 - q)
    return total


def scores_with_prior(
    scores: Mapping[tuple[int, ...], float],
    child: int,
    n_variables: int,
    arcs: Mapping[Pair, float],
    adjacencies: Mapping[Pair, float],
) -> dict[tuple[int, ...], float]:
    """Scores of a child's sets, each with the prior of the network that has this family alone."""

    def alone(family: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [family if v == child else () for v in range(n_variables)]

    return {family: score + log_prior(alone(family), arcs, adjacencies) for family, score in scores.items()}
