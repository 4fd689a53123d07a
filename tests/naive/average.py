"""Consensus networks by looking at every network, the significance threshold by measuring areas."""

from __future__ import annotations

import itertools
import math

from .networks import all_networks
from .optimize.treewidth import moral_edges, treewidth


def most_agreement(n_variables, probability, threshold, bound=None):
    """The most that the arcs of a network of significant pairs count: their probabilities less half the threshold."""
    best = -math.inf
    for parents in all_networks(n_variables):
        arcs = [(p, c) for c, family in enumerate(parents) for p in family]
        if all(probability.get((a, b), 0) + probability.get((b, a), 0) > threshold for a, b in arcs) and (
            bound is None or treewidth(moral_edges(parents)) <= bound
        ):
            best = max(best, math.fsum(probability.get(arc, 0) - threshold / 2 for arc in arcs))
    return best


def distance_from_step(strengths, level):
    """Area between the distribution function of strengths on [0, 1] and the function that is `level` there."""
    places = sorted({0.0, 1.0, *strengths})
    return math.fsum(
        (right - left) * abs(sum(s <= left for s in strengths) / len(strengths) - level)
        for left, right in itertools.pairwise(places)
    )


def threshold_by_areas(strengths):
    """The quantile of strengths at the level of least distance; of levels as near, the highest.

    The distance is convex in the level and breaks at values of the distribution function only: one of them is best.
    """
    n = len(strengths)
    levels = [sum(s <= place for s in strengths) / n for place in (0.0, *strengths)]
    areas = {level: distance_from_step(strengths, level) for level in levels}
    least = min(areas.values())
    best = max(level for level, area in areas.items() if area <= least + 1e-12)
    if best == 0:
        return 0.0
    return min(place for place in (0.0, *strengths) if sum(s <= place for s in strengths) / n >= best - 1e-12)
