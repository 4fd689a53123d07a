"""k-A* by branch and bound along one order, against best-first search and all choices of cliques; its bound."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.order_searches import check_best_choices, fits_order, search_best_first
from helpers.seeds import seeds
from naive.networks_search import random_table

from stages.kernels.ktrees.fill_branches import CHOICES, most_open, new_branches, search_branches
from stages.kernels.ktrees.fill_prices import lowest_bound, new_picks, sum_of_picks, sum_rewards
from stages.kernels.ktrees.fills import rank_sets
from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize.treewidth.problem import prepare_bounded


def prepare(problem, order):
    """The tree with k-G's choices along an order, its ranked sets, and the relative score of the start clique."""
    tree = problem.new_tree()
    tree.order[:] = order
    evaluate_order(problem.lists, tree, problem.new_clique_tables(), -np.inf)
    start = float(problem.lists.relative_scores[tree.chosen[tree.order[: problem.treewidth + 1]]].sum())
    return tree, rank_sets(problem.lists, tree.order, problem.treewidth), start


def branch(problem, order, floor, n_choices=10**6):
    """Relative score of the best choices, and these."""
    tree, ranked, start = prepare(problem, order)
    branches, picks = new_branches(ranked, start), new_picks(ranked, problem.n_variables)
    taken, found, is_over = np.full(len(ranked.offsets) - 1, -1), floor, False
    while not is_over:
        before = branches.counts[CHOICES]
        is_over, found = search_branches(
            ranked, branches, problem.treewidth, picks, taken, found, 1e-9, n_choices
        )
        assert branches.counts[CHOICES] - before <= n_choices
        if not is_over:
            open_bound = most_open(branches)
            # What is neither found nor open is the optimum.
            assert max(open_bound, found) >= search_best_first(problem, order, -np.inf)[0] - 1e-9
    if found > floor:
        tree.chosen[tree.order[::-1][: len(taken)]] = ranked.sources[taken]
    return found, tree.chosen


@pytest.mark.parametrize("demanding", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(8, quick=3))
def test_best_cliques_along_an_order(width, seed, demanding):
    def search(problem, order, floor, steps):
        return *branch(problem, order, floor, steps), prepare(problem, order)[2]

    check_best_choices(search, seed, width, demanding)


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_the_same_optimum_as_best_first_search(seed, width):
    table = random_table(seed, 11, n_sets=16)
    problem = prepare_bounded(table, width)
    order = np.random.default_rng(seed).permutation(11).astype(np.int32)
    found, chosen = branch(problem, order, -np.inf)
    assert found == pytest.approx(search_best_first(problem, order, -np.inf)[0], abs=1e-9)
    assert problem.lists.relative_scores[chosen].sum() == pytest.approx(found, abs=1e-9)
    assert fits_order(problem, order.tolist(), chosen)


@pytest.mark.parametrize("seed", seeds(10, quick=3))
def test_no_prices_bound_below_the_optimum(seed):
    """Whatever the prices are; and steps of these never make the bound worse than without any."""
    n, width = 9, 3
    problem = prepare_bounded(random_table(seed, n, n_sets=14), width)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n).astype(np.int32)
    optimum = search_best_first(problem, order, -np.inf)[0]
    _, ranked, start = prepare(problem, order)
    fill, picks = new_branches(ranked, start).fills[0], new_picks(ranked, n)
    worths = np.empty(ranked.offsets[1])
    unpriced = sum_of_picks(ranked, fill, 0, width, picks, start)
    assert unpriced == pytest.approx(start + ranked.relative_scores[ranked.offsets[:-1]].sum())
    for scale in (0.1, 1.0, 10.0):
        picks.prices[:] = rng.exponential(scale, len(picks.prices)) * rng.integers(0, 2, len(picks.prices))
        sum_rewards(picks, 0)
        picks.is_stale[:] = True
        assert sum_of_picks(ranked, fill, 0, width, picks, start) >= optimum - 1e-9
        bound = lowest_bound(ranked, fill, 0, width, picks, start, optimum, 30, worths)
        assert bound >= optimum - 1e-9
    picks.prices[:] = 0.0
    assert lowest_bound(ranked, fill, 0, width, picks, start, optimum, 100, worths) <= unpriced
