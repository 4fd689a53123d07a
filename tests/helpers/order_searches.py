"""Best-first search along one order as k-A* runs it, and whether choices fit a k-tree along an order."""

from __future__ import annotations

import numpy as np
import pytest
from naive.informative_score import best_growth
from naive.networks_search import random_table

from stages.kernels.ktrees.best_first import STATES
from stages.kernels.ktrees.fills import new_scratch, rank_sets
from stages.kernels.ktrees.kastar import DECIDED, NO_ROOM, enlarge, new_fill_states, search_fills
from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize.treewidth.problem import prepare_bounded

from .ktree_cases import demanding_table, joined_sets


def search_best_first(problem, order, floor, n_expansions=10**6, capacity=60):
    """Relative score of the best choices, the choices, that of the start clique, k-G's, and the states met."""
    tree = problem.new_tree()
    tree.order[:] = order
    greedy = evaluate_order(problem.lists, tree, problem.new_clique_tables(), -np.inf)
    ranked = rank_sets(problem.lists, tree.order, problem.treewidth)
    start = float(problem.lists.relative_scores[tree.chosen[tree.order[: problem.treewidth + 1]]].sum())
    most = start + float(ranked.relative_scores[ranked.offsets[:-1]].sum())
    states, scratch = new_fill_states(capacity, start, most), new_scratch(ranked)
    taken, status, found = np.full(len(ranked.offsets) - 1, -1), -1, floor
    while status != DECIDED:
        status, found = search_fills(
            ranked, states, scratch, problem.treewidth, taken, found, 1e-9, n_expansions
        )
        if status == NO_ROOM:
            assert states.estimates[states.heap[0]] >= found
            states = enlarge(states, 2 * len(states.parents))
    if found > floor:
        tree.chosen[tree.order[::-1][: len(taken)]] = ranked.sources[taken]
    return found, tree.chosen, start, greedy, int(states.counts[STATES])


def check_best_choices(search, seed, width, demanding):
    """Check a search along an order against all choices of cliques, and that it goes on where it was left.

    ``search(problem, order, floor, steps)`` returns the relative score found, the choices and the start clique's
    score. Returns the problem and the order of the case.
    """
    n = 6
    table = (
        demanding_table(seed, n, n_fixed=width - 1)
        if demanding
        else random_table(seed, n, n_sets=24, ties=seed % 2 == 0)
    )
    problem = prepare_bounded(table, width)
    order = problem.respect(np.random.default_rng(seed).permutation(n).astype(np.int32))
    found, chosen, start = search(problem, order, -np.inf, 10**6)
    expected = start + best_growth(joined_sets(problem.lists), {}, order.tolist(), width, 1.0)
    assert found == pytest.approx(expected, abs=1e-9)
    assert problem.lists.relative_scores[chosen].sum() == pytest.approx(expected, abs=1e-9)
    assert fits_order(problem, order.tolist(), chosen)
    assert search(problem, order, -np.inf, 1)[0] == pytest.approx(found, abs=1e-9)
    # Nothing is found above the optimum.
    assert search(problem, order, expected, 10**6)[0] == expected
    return problem, order


def fits_order(problem, order, chosen):
    """Whether eliminating the variables in reverse meets at most `treewidth` neighbours outside the start clique."""
    offsets, members = problem.lists.parent_offsets, problem.lists.parents
    neighbours = [set(members[offsets[s] : offsets[s + 1]].tolist()) for s in chosen]
    for place in range(len(order) - 1, problem.treewidth, -1):
        fill = neighbours[order[place]]
        if len(fill) > problem.treewidth or not fill <= set(order[:place]):
            return False
        for a in fill:
            neighbours[a] |= {b for b in fill if order.index(b) < order.index(a)}
    return True
