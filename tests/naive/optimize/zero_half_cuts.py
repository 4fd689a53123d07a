"""Sums of cuts, halved and rounded, from the definition. A cut is ({set: times counted}, demand)."""

from __future__ import annotations

import itertools
import math


def halved(parts, child, lowered):
    """Half of a sum of cuts: counts rounded down for the sets of `lowered` variables and up for others."""
    total, demand = {}, sum(demand for _, demand in parts)
    for counted, _ in parts:
        for s, times in counted.items():
            total[s] = total.get(s, 0) + times
    demand = math.ceil((demand - len(lowered)) / 2)
    half = {s: times // 2 if child[s] in lowered else math.ceil(times / 2) for s, times in total.items()}
    # More than the demand is no better than the demand.
    return {s: min(times, demand) for s, times in half.items() if min(times, demand) > 0}, demand


def lack(cut, shares):
    """What a fractional choice lacks of the demand."""
    counted, demand = cut
    return demand - sum(times * shares[s] for s, times in counted.items())


def largest_lack(cuts, child, shares, most):
    """The most that any halved sum of two to `most` of these cuts lacks; tries all."""
    variables = sorted(set(child))
    return max(
        (
            lack(halved(parts, child, set(lowered)), shares)
            for size in range(2, most + 1)
            for parts in itertools.combinations(cuts, size)
            for count in range(len(variables) + 1)
            for lowered in itertools.combinations(variables, count)
        ),
        default=-math.inf,
    )


def acyclic_choices(parents, child):
    """All choices of one set per variable whose arcs close no cycle, as tuples of sets."""
    variables = sorted(set(child))
    lists = [[s for s in range(len(parents)) if child[s] == v] for v in variables]
    for choice in itertools.product(*lists):
        placed = set()
        while more := {v for v, s in zip(variables, choice) if v not in placed and set(parents[s]) <= placed}:
            placed |= more
        if len(placed) == len(variables):
            yield choice
