"""Two parts of a branch: with an edge and without it, or with an arc and without it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .family_cliques import FamilyCliques
from .row_pool import Ranges
from .violated_rows import FamilyPoint

WHOLE = 1e-6
"""Shares this near to 0 or 1 count as whole."""

MOST_CANDIDATES = 10
"""Pairs that are tried."""


def candidates(point: FamilyPoint, limits: Ranges) -> Iterator[tuple[Ranges, Ranges]]:
    """The limits of pairs of parts, the most promising first.

    Fractional edges come first, near one half and with much of the arcs' and marriages' share on them; only if there
    are none, fractional arcs, then edges that are not decided.
    """
    cliques = point.cliques
    y = point.values[cliques.first_pair : cliques.first_triple]
    is_open = (
        limits.lower[cliques.first_pair : cliques.first_triple]
        < limits.upper[cliques.first_pair : cliques.first_triple]
    )
    fractional = np.flatnonzero(is_open & (np.minimum(y, 1.0 - y) > WHOLE))
    if len(fractional):
        used = cliques.needs.weights(point.shares)[fractional]
        worth = np.minimum(y, 1.0 - y)[fractional] * (0.1 + np.minimum(used, 1.0))
        for pair in fractional[np.argsort(-worth, kind="stable")].tolist():
            yield edge_parts(cliques, limits, pair)
        return
    if (arc := _fractional_arc(point)) is not None:
        yield arc_parts(cliques, limits, *arc)
        return
    for pair in np.flatnonzero(is_open).tolist():
        yield edge_parts(cliques, limits, pair)


def _fractional_arc(point: FamilyPoint) -> tuple[int, int] | None:
    """Parent and child of the arc whose share is nearest to one half; None if all are whole."""
    cliques = point.cliques
    shares = np.zeros((cliques.n_variables, cliques.n_variables))
    sets = point.support
    for s in sets.tolist():
        shares[cliques.members[s], cliques.child[s]] += point.shares[s]
    distance = np.abs(shares - 0.5)
    parent, child = divmod(int(np.argmin(distance)), cliques.n_variables)
    return (parent, child) if distance[parent, child] < 0.5 - WHOLE else None


def edge_parts(cliques: FamilyCliques, limits: Ranges, pair: int) -> tuple[Ranges, Ranges]:
    """The parts without an edge, so that no set needs it and no triangle has it, and with it."""
    without, within = limits.copied(), limits.copied()
    a, b = cliques.pairs[pair].tolist()
    columns = [cliques.first_pair + pair, *cliques.needs.of(pair).tolist()]
    columns += cliques.triple_column[a, b][cliques.triple_column[a, b] >= 0].tolist()
    if cliques.quad_column is not None:
        columns += cliques.quad_column[a, b][cliques.quad_column[a, b] >= 0].tolist()
    without.upper[columns] = 0
    within.lower[cliques.first_pair + pair] = 1
    return without, within


def arc_parts(cliques: FamilyCliques, limits: Ranges, parent: int, child: int) -> tuple[Ranges, Ranges]:
    """The parts without and with an arc."""
    without, within = limits.copied(), limits.copied()
    has = (cliques.child == child) & cliques.members[:, parent]
    without.upper[: cliques.n_sets][has] = 0
    within.upper[: cliques.n_sets][(cliques.child == child) & ~has] = 0
    return without, within
