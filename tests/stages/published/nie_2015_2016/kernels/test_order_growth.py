"""Growth of informative k-trees by best-first search, against all choices of cliques."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.ktrees import demanding_table, joined_sets, pairs_of
from helpers.seeds import seeds
from naive.optimize import informative_score as naive
from naive.optimize.networks_search import random_table

from stages.optimize import OptimizeOptions
from stages.published.nie_2015_2016.kernels.growth_states import begin_growth, new_growth_states, rebuild
from stages.published.nie_2015_2016.kernels.order_growth import estimate_rest, grow_order, search_order
from stages.published.nie_2015_2016.s2plus import ROOM, GuidedTrees
from stages.runtime.budgets import Budget


@pytest.mark.parametrize("demanding", [False, True])
@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_guided_growth_is_the_best_along_its_order(width, seed, demanding):
    n = 6
    table = demanding_table(seed, n, n_fixed=width - 1) if demanding else random_table(seed, n, n_sets=30)
    trees = GuidedTrees(table, OptimizeOptions(treewidth=width), Budget())
    problem, lists = trees.problem, trees.growth.lists
    information = pairs_of(trees.information, n)
    tree, most = problem.new_tree(), np.empty(n + 1)
    tree.order[:] = problem.respect(np.random.default_rng(seed).permutation(n).astype(np.int32))
    grow_order(trees.information, problem.precedences, tree.order, width + 1, most)
    order = tree.order.tolist()
    assert problem.respect(tree.order).tolist() == order
    joins = joined_sets(lists)
    for t in range(width + 1, n):
        shared = {
            v: sum(sorted(information.get(frozenset((v, u)), 0.0) for u in order[:t])[-width:])
            for v in order[t:]
            if joins[v][-1][1] <= set(order[:t])
        }
        assert shared[order[t]] == pytest.approx(max(shared.values()))
    tree.position[tree.order] = np.arange(n)
    for weight in (0.0, 0.7):
        assert trees._grow(tree, most, weight, ROOM)
        worth = sum(
            information.get(frozenset((v, u)), 0.0)
            for v in order[width + 1 :]
            for u in tree.bags[v].tolist()
            if u != v
        )
        for place, v in enumerate(order[width + 1 :], start=width + 1):
            earlier = set(tree.bags[v].tolist()) & set(order[:place])
            worth += weight * next(score for score, family in joins[v] if family <= earlier)
        expected = naive.best_growth(joins, information, order, width, weight)
        assert worth == pytest.approx(expected, abs=1e-9)
        edges = naive.edges_of(tree)
        assert all(naive.is_clique(tree.bags[v].tolist(), edges) for v in range(n))


@pytest.mark.parametrize("room", [0, 40])
@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_without_room_growth_is_greedy_and_ends(seed, room):
    """However many steps a call may take, the same k-tree of full cliques comes out."""
    n, width = 9, 2
    trees = GuidedTrees(random_table(seed, n, n_sets=30), OptimizeOptions(treewidth=width), Budget())
    problem, lists, filters, found = trees.problem, trees.growth.lists, trees.growth.filters, []
    for n_expansions in (1, 10**6):
        tree, most = problem.new_tree(), np.empty(n + 1)
        tree.order[:] = np.random.default_rng(seed).permutation(n)
        grow_order(trees.information, problem.precedences, tree.order, width + 1, most)
        tree.position[tree.order] = np.arange(n)
        rest = np.empty(n + 1)
        estimate_rest(lists, tree, rest)
        rest = most + 0.5 * rest
        states, state = new_growth_states(room + n), -1
        begin_growth(states, width + 1, 0.0, 0.0, rest[width + 1])
        while state < 0:
            state = search_order(lists, filters, trees.information, tree, states, rest, 0.5, room, n_expansions)
        rebuild(tree, states, state)
        edges = naive.edges_of(tree)
        assert len(edges) == width * (width + 1) // 2 + width * (n - width - 1)
        found.append((states.values[state], tree.bags.tolist(), edges))
    assert found[0] == found[1]
