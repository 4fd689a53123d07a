"""What is left when a bound has ruled out most sets, solved exactly: the last step of a proof.

Multipliers come as near to the optimum as their method's tolerance, ties (networks that are equivalent score alike)
keep them from ever meeting it. But the few sets that the bound cannot rule out form small circles only. A network
of them can be cyclic only within a strongly connected component of all their arcs, so each component is solved for
itself by dynamic programming over subsets.
"""

from __future__ import annotations

import math

import numpy as np

from stages.graphs import strongly_connected_components
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

from ..exact.subset_dp import solve_by_subsets
from ..lists.set_lists import index_lists, offsets_of

MOST_SETS = 20
"""Sets per variable beyond which nothing is tried."""

MOST_TOGETHER = 14
"""Variables of a component at most: some milliseconds."""


def solve_residual(columns, kept: np.ndarray) -> tuple[float, np.ndarray] | None:
    """The best network of the sets where `kept` is true.

    Parameters
    ----------
    columns : Columns
    kept : ndarray of bool, shape (n_sets,)
        At least one of every variable.

    Returns
    -------
    (float, ndarray of int64) or None
        Its cost in nats and its sets; None where that would take long, or where there is no network.
    """
    sets = np.flatnonzero(kept)
    n = len(columns.set_offsets) - 1
    if len(sets) > MOST_SETS * n:
        return None
    members = [
        columns.parents[columns.parent_offsets[s] : columns.parent_offsets[s + 1]].tolist() for s in sets
    ]
    starts = np.searchsorted(sets, columns.set_offsets).tolist()
    parents = [sorted({p for k in range(starts[v], starts[v + 1]) for p in members[k]}) for v in range(n)]
    components = strongly_connected_components(parents)
    if max(map(len, components)) > MOST_TOGETHER:
        return None
    chosen = np.empty(n, dtype=np.int64)
    for component in components:
        place = {v: k for k, v in enumerate(component)}
        own = [
            sorted(range(starts[v], starts[v + 1]), key=lambda k: (columns.costs[sets[k]], len(members[k])))
            for v in component
        ]
        ranked = [k for some in own for k in some]
        if len(component) == 1:
            chosen[component[0]] = sets[ranked[0]]
            continue
        within = [[place[p] for p in members[k] if p in place] for k in ranked]
        lists = index_lists(
            set_offsets=offsets_of(np.array([len(some) for some in own])),
            scores=-columns.costs[sets[ranked]],
            parent_offsets=offsets_of(np.array([len(some) for some in within])),
            parents=np.array([p for some in within for p in some], dtype=np.int32),
        )
        solved = solve_by_subsets(lists, Budget(), NullReporter())
        if solved is None or solved[1].max() >= len(
            ranked
        ):  # without an order that allows every variable a set
            return None
        for v, s in zip(component, solved[1].tolist()):
            chosen[v] = sets[ranked[s]]
    return math.fsum(columns.costs[chosen].tolist()), chosen
