"""k-trees rebuilt so that they hold what fixed records demand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.cases.ktrees import demanding_table, draw_tree
from helpers.seeds import seeds
from naive.optimize import informative_score as naive
from naive.optimize.ktrees import all_ktrees, best_inside
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of

from stages.optimize.treewidth.problem import prepare_bounded, prepare_within
from stages.published.nie_2015_2016.kernels.informative_score import holds_last_sets
from stages.published.nie_2015_2016.kernels.repair import TreeDemands, mend_ktree
from stages.published.nie_2015_2016.ktree_dp import InsideSolver
from stages.runtime.budgets import Budget
from stages.runtime.errors import InfeasibleError


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(10, quick=2))
def test_mended_trees_are_ktrees_that_hold_fixed_families(width, seed):
    n = 7
    table = demanding_table(seed, n)
    try:
        growth = prepare_bounded(table, width)
    except InfeasibleError:
        assert best_inside_of_any(table, width) == -np.inf
        return
    problem, rng = prepare_within(table, width), np.random.default_rng(seed)
    families = [sets[-1][1] for sets in lists_of(table)]
    for _ in range(5):
        tree = draw_tree(problem, rng)
        drawn = naive.edges_of(tree)
        held = all(naive.is_clique([v, *p], drawn) for v, p in enumerate(families))
        assert holds_last_sets(problem.lists, problem.filters, tree) == held
        mend_ktree(TreeDemands(lists=growth.lists, precedences=growth.precedences), tree, rng)
        edges, order = naive.edges_of(tree), tree.order.tolist()
        assert sorted(order) == list(range(n))
        assert tree.position[tree.order].tolist() == list(range(n))
        assert len(edges) == width * (width + 1) // 2 + width * (n - width - 1)
        for t in range(width + 1, n):
            assert tree.bags[order[t]].tolist()[-1] == order[t]
            assert set(tree.bags[order[t]].tolist()) <= set(order[: t + 1])
            assert naive.is_clique(tree.bags[order[t]].tolist(), edges)
        assert all(naive.is_clique([v, *p], edges) for v, p in enumerate(families))
        answer = InsideSolver(problem).solve(tree, -np.inf, Budget())
        assert answer.gap == 0.0
        assert problem.score(answer.chosen) == pytest.approx(best_inside(lists_of(table), edges), abs=1e-9)


def best_inside_of_any(table, width):
    """Best network within any k-tree that holds the prescribed families; minus infinity if there is none."""
    families = [sets[-1][1] for sets in lists_of(table)]
    edges = {frozenset(e) for v, p in enumerate(families) for e in itertools.combinations([v, *p], 2)}
    fitting = [tree for tree in all_ktrees(table.n_variables, width) if edges <= tree]
    return max((best_inside(lists_of(table), tree) for tree in fitting), default=-np.inf)


def test_mending_leaves_what_can_stay():
    """Only what hangs on the changed cliques moves: with the demand met along the order nothing does."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        free = prepare_within(random_table(0, 9), 2)
        tree = draw_tree(free, rng)
        before, (v, *_) = naive.edges_of(tree), tree.order[[5]].tolist()
        parent = int(tree.bags[v, 0])
        table = random_table(0, 9)
        sets = {c: {tuple(sorted(p)): s for s, p in entry} for c, entry in enumerate(lists_of(table))}
        sets[v] = {(parent,): -1.0}
        growth = prepare_bounded(make_table(sets, fixed=(v,)), 2)
        mend_ktree(TreeDemands(lists=growth.lists, precedences=growth.precedences), tree, rng)
        assert naive.edges_of(tree) == before
