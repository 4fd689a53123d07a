"""Dynamic programming over subsets, and partial orders, from the definitions."""

from __future__ import annotations

import itertools

from .orders import best_within


def best_sets(lists, child):
    """The best listed set of `child` within every set of other variables: {frozenset: frozenset or None}."""
    others = [v for v in range(len(lists)) if v != child]
    return {
        frozenset(members): best_within(lists, child, frozenset(members))[1]
        for size in range(len(others) + 1)
        for members in itertools.combinations(others, size)
    }


def closure(pairs):
    """All (earlier, later) that follow from some by transitivity."""
    closed = set(pairs)
    while True:
        more = {(a, d) for a, b in closed for c, d in closed if b == c} - closed
        if not more:
            return closed
        closed |= more


def arcs_on_cycles(arcs):
    """Arcs (parent, child) from whose child a path leads to the parent."""
    reached = closure(arcs)
    return {(parent, child) for parent, child in arcs if (child, parent) in reached}
