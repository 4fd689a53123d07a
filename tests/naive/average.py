"""Consensus networks and what decides their arcs by looking at every network, the threshold by measuring areas."""

from __future__ import annotations

import functools
import itertools
import math

from .networks import all_networks, arcs, equivalence_classes
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


@functools.cache
def class_of(parents):
    """All networks equivalent to a network."""
    return next(members for members in equivalence_classes(len(parents)) if parents in members)


def direction_in(parents, arc, required, forbidden):
    """What decides the direction of an arc in one network, from all networks of its class."""
    if arc in required or arc[::-1] in forbidden:
        return "knowledge"
    members = class_of(parents)
    if all(arc in arcs(member) for member in members):
        return "data"
    known = [arcs(member) for member in members if required <= arcs(member) and not forbidden & arcs(member)]
    return "knowledge" if all(arc in drawn for drawn in known) else "neither"


def consensus_directions(networks, consensus, required, forbidden, of_classes):
    """What decides the direction of each arc of a consensus.

    It is what decides in most of the networks that join the pair, where the other direction counts for neither; the
    weakest claim of equally frequent ones; neither if the reverse is as strong and nothing known tells them apart.
    """
    found = {}
    for arc in arcs(consensus):
        said, halves = [], 0
        for parents in networks:
            if arc in arcs(parents):
                said.append(direction_in(parents, arc, required, forbidden))
                halves += 1 if of_classes and said[-1] == "neither" else 2
            elif arc[::-1] in arcs(parents):
                said.append("neither")
                is_open = of_classes and direction_in(parents, arc[::-1], required, forbidden) == "neither"
                halves += 1 if is_open else 0
        found[arc] = max(("neither", "knowledge", "data"), key=said.count)
        # Each of these networks counts two halves, for the one direction or the other.
        if halves == len(said) and arc not in required and arc[::-1] not in forbidden:
            found[arc] = "neither"
    return found
