"""k-A* as the paper states it, along one order: best-first over the K-cliques that each variable can join.

Scanagatta, Corani, de Campos, Zaffalon (NIPS 2016), section 3.1. A state is the k-tree on the variables placed so
far; its estimate is the score so far plus the best sets of the remaining variables among their predecessors. Nothing
else bounds it. The kernels are S2+'s for growth along an order, on scores alone: no pair has information.
"""

from __future__ import annotations

import numpy as np

from stages.kernels.ktrees.ktree import KTree
from stages.optimize.treewidth.problem import BoundedProblem
from stages.published.nie_2015_2016.kernels.growth_states import STATES, begin_growth, new_growth_states, rebuild
from stages.published.nie_2015_2016.kernels.informative_score import Information
from stages.published.nie_2015_2016.kernels.order_growth import estimate_rest, search_order
from stages.runtime.budgets import Budget

ROOM = 4_000_000
"""Limit of states for one order: some 200 MB. The most promising one is then completed greedily."""

SLICE_WORK = 2_000_000
"""Cliques tried, and sets compared with them, per kernel call: some hundredths of a second."""


def search_plainly(
    problem: BoundedProblem, tree: KTree, start: float, budget: Budget, room: int = ROOM
) -> tuple[float, float, int]:
    """Choose the sets behind the start clique of `tree`, whose relative score is `start`.

    `tree` must have its order and positions; it receives the sets, unless the budget ends before any are found.
    Returns their relative score with the start clique's, minus infinity if none were found; an upper bound on all
    choices; and the number of states. Scores in nats.
    """
    lists, n, size = problem.lists, problem.n_variables, problem.treewidth + 1
    rest = np.empty(n + 1)
    estimate_rest(lists, tree, rest)
    per_call = max(1, SLICE_WORK // (n * size * (size + len(lists.scores) // n)))
    # A state has at most (K + 1) (n - K) successors.
    states = new_growth_states(room + per_call * size * (n - size + 1) + n)
    begin_growth(states, size, start, 0.0, start + rest[size])
    nothing, bound, state = _no_information(n), start + rest[size], -1
    is_cut = False
    while state < 0:
        if budget.is_spent():
            return -np.inf, bound, int(states.counts[STATES])
        if not is_cut:
            # Best first: no open state, and none closed, promises more than the next one.
            bound = float(states.estimates[states.heap[0]])
            is_cut = states.counts[STATES] > room
        state = search_order(
            lists, problem.filters, nothing, tree, states, rest, 1.0, 0 if is_cut else len(states.parents), per_call
        )
    rebuild(tree, states, state)
    found = start
    for t in range(size, n):
        variable = tree.order[t]
        tree.chosen[variable] = _first_inside(problem, variable, tree.bags[variable])
        found += float(lists.scores[tree.chosen[variable]])
    return found, bound if is_cut else found, int(states.counts[STATES])


def _no_information(n_variables: int) -> Information:
    """Mutual information of no pairs."""
    offsets = np.zeros(n_variables + 1, dtype=np.int64)
    return Information(offsets=offsets, neighbours=np.empty(0, dtype=np.int32), values=np.empty(0))


def _first_inside(problem: BoundedProblem, variable: int, bag: np.ndarray) -> int:
    """The best set of a variable whose members are in its bag."""
    lists = problem.lists
    first, end = lists.set_offsets[variable : variable + 2]
    offsets = lists.parent_offsets[first : end + 1]
    members = lists.parents[offsets[0] : offsets[-1]]
    outside = np.append(0, np.cumsum(~np.isin(members, bag)))
    starts = offsets - offsets[0]
    return int(first + np.flatnonzero(outside[starts[1:]] == outside[starts[:-1]])[0])
