"""The residual problem: the few sets that a bound has not excluded, solved exactly. The last step of a proof.

Multipliers approach the optimum only to the tolerance of their method, since Markov-equivalent networks tie. But the
sets that the bound cannot exclude form small cycles only. A choice among them can be cyclic only within a strongly
connected component of all their arcs, so dynamic programming over subsets solves each component by itself. It pays
under a treewidth bound with few variables (sachs, copies), and ends proofs of exact search.
"""

from __future__ import annotations

import math

import numpy as np

from formats.sets.listed_sets import ListedSets, offsets_of
from stages.graphs import strongly_connected_components
from stages.kernels.orders.set_lists import SetLists
from stages.lists.set_lists import new_lists
from stages.runtime.budgets import Budget
from stages.runtime.reporting import NullReporter

from .subset_dp import solve_by_subsets

MOST_SETS = 20
"""Average number of sets per variable beyond which the residual problem is not solved."""

MOST_TOGETHER = 14
"""Largest component in variables: some milliseconds."""


def solve_residual(lists: SetLists, costs: np.ndarray, kept: np.ndarray) -> tuple[float, np.ndarray] | None:
    """The best network of the sets where `kept` is true.

    `costs` (float64, shape (n_sets,)) are in nats. `kept` (bool, shape (n_sets,)) is true for at least one set of
    every variable. Returns the network's cost in nats and its sets (int64); None if the problem is too large or has
    no acyclic choice.
    """
    sets = np.flatnonzero(kept)
    n = len(lists.set_offsets) - 1
    if len(sets) > MOST_SETS * n:
        return None
    members = [lists.parents[lists.parent_offsets[s] : lists.parent_offsets[s + 1]].tolist() for s in sets]
    starts = np.searchsorted(sets, lists.set_offsets).tolist()
    parents = [sorted({p for k in range(starts[v], starts[v + 1]) for p in members[k]}) for v in range(n)]
    components = strongly_connected_components(parents)
    if max(map(len, components)) > MOST_TOGETHER:
        return None
    chosen = np.empty(n, dtype=np.int64)
    for component in components:
        place = {v: k for k, v in enumerate(component)}
        own = [
            sorted(range(starts[v], starts[v + 1]), key=lambda k: (costs[sets[k]], len(members[k])))
            for v in component
        ]
        ranked = [k for some in own for k in some]
        if len(component) == 1:
            chosen[component[0]] = sets[ranked[0]]
            continue
        # Parents in other components lie on no common cycle with this one: they are always available.
        within = [[place[p] for p in members[k] if p in place] for k in ranked]
        scores = -costs[sets[ranked]]
        together = new_lists(offsets_of([len(some) for some in own]), ListedSets.of(within), scores)
        solved = solve_by_subsets(together, Budget(), NullReporter())
        if solved is None or solved[1].max() >= len(ranked):  # no order allows every variable a set
            return None
        for v, s in zip(component, solved[1].tolist()):
            chosen[v] = sets[ranked[s]]
    return math.fsum(costs[chosen].tolist()), chosen
