"""k-MAX: the variable of least regret comes next, against its definition."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.ktrees import demanding_table, joined_sets
from helpers.seeds import seeds
from naive.optimize.ktrees import NaiveKTree
from naive.optimize.networks_search import random_table

from stages.kernels.ktrees.kmax import place_by_regret, regret
from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize.treewidth.problem import prepare_bounded
from stages.runtime.errors import InfeasibleError


def next_by_regret(lists, order, width, before):
    """The variable of least regret, smallest of equals, among those of which all that must come before are placed."""
    tree, ranked = NaiveKTree(lists, order, width), []
    for v in set(range(len(lists))) - set(order):
        if before[v] <= set(order):
            present = next(s for s, p in lists[v] if tree.holds(p))
            last = lists[v][-1][0]
            ranked.append((present / last if last < 0.0 else 0.0, v))
    return min(ranked)[1]


@pytest.mark.parametrize("demanding", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_the_least_regret_comes_next(seed, width, demanding):
    n = 9
    table = demanding_table(seed, n, n_fixed=2) if demanding else random_table(seed, n, n_sets=25)
    try:
        problem = prepare_bounded(table, width)
    except InfeasibleError:
        return
    tree, clique, rng = problem.new_tree(), problem.new_clique_tables(), np.random.default_rng(seed)
    lists, first = joined_sets(problem.lists), problem.precedences
    before = [set(first.before[slice(*first.before_offsets[v : v + 2])].tolist()) for v in range(n)]
    for _ in range(4):
        relative_score = place_by_regret(
            problem.lists, problem.index, problem.filters, tree, clique, problem.precedences, rng
        )
        order, chosen = tree.order.tolist(), tree.chosen.tolist()
        assert sorted(order) == list(range(n))
        assert problem.respect(tree.order).tolist() == order
        for t in range(width + 1, n):
            assert order[t] == next_by_regret(lists, order[:t], width, before)
        assert relative_score == pytest.approx(problem.lists.scores[tree.chosen].sum(), abs=1e-9)
        # Along the order that came out k-G builds the same k-tree.
        bags = tree.bags[:n].tolist()
        assert evaluate_order(problem.lists, problem.filters, tree, clique, -np.inf) == pytest.approx(relative_score)
        assert (tree.chosen.tolist(), tree.bags[:n].tolist()) == (chosen, bags)


def test_regret_is_a_share_of_what_the_best_set_gains():
    problem = prepare_bounded(random_table(1, 6, n_sets=20), 2)
    lists = problem.lists
    for v in range(6):
        first, stop = lists.set_offsets[v], lists.set_offsets[v + 1]
        shares = [regret(lists, v, s) for s in range(first, stop)]
        assert shares == sorted(shares) and shares[0] == 0.0
        assert shares[-1] == (1.0 if stop - first > 1 else 0.0)
