"""k-A* by branch and bound along one order, against best-first search and all choices of cliques; its bound."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.order_searches import check_best_choices, fits_order, search_best_first
from helpers.seeds import seeds
from naive.networks_search import random_table

from stages.kernels.ktrees.fill_bound import lowest_bound, sum_of_picks
from stages.kernels.ktrees.fill_branches import CHOICES, begin_order, most_open, new_branches, search_branches
from stages.kernels.ktrees.fill_neighbours import search_neighbourhoods
from stages.kernels.ktrees.fill_prices import change_price, clear_prices, new_picks, sum_rewards
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


def new_room(problem):
    """Room for searches along orders of a problem."""
    n, width = problem.n_variables, problem.treewidth
    longest = int(np.diff(problem.lists.set_offsets).max())
    return new_branches(n, width, longest), new_picks(n, width)


def branch(problem, order, floor, n_choices=10**6, room=None):
    """Relative score of the best choices, and these."""
    tree, ranked, start = prepare(problem, order)
    branches, picks = room or new_room(problem)
    begin_order(ranked, branches, picks, start)
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
    branches, picks = new_room(problem)
    begin_order(ranked, branches, picks, start)
    fill = branches.fills[0]
    worths = np.empty(ranked.offsets[1])
    unpriced = sum_of_picks(ranked, fill, 0, width, picks, start)
    assert unpriced == pytest.approx(start + ranked.relative_scores[ranked.offsets[:-1]].sum())
    triples = list(itertools.combinations(range(n), 3))
    triples = [triple for triple in triples if triple[1] < n - width - 1]
    for scale in (0.1, 1.0, 10.0):
        clear_prices(picks)
        sum_rewards(picks, 0)
        assert not picks.rewards.any()
        for rank, later, earlier in triples:
            if rng.random() < 0.5:
                change_price(picks, rank, later, earlier, rng.exponential(scale))
        rewards = picks.rewards.copy()
        sum_rewards(picks, 0)
        assert np.allclose(picks.rewards, rewards)
        picks.is_stale[:] = True
        assert sum_of_picks(ranked, fill, 0, width, picks, start) >= optimum - 1e-9
        bound = lowest_bound(ranked, fill, 0, width, picks, start, optimum, 30, worths)
        assert bound >= optimum - 1e-9
    clear_prices(picks)
    assert lowest_bound(ranked, fill, 0, width, picks, start, optimum, 100, worths) <= unpriced


@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_the_same_optimum_with_sets_of_two_words(seed):
    """Beyond 64 variables; what is asked for and held reaches across words."""
    n, width = 70, 2
    problem = prepare_bounded(random_table(seed, n, n_sets=5, n_fixed=0), width)
    order = np.random.default_rng(seed).permutation(n).astype(np.int32)
    found, chosen = branch(problem, order, -np.inf)
    assert found == pytest.approx(search_best_first(problem, order, -np.inf)[0], abs=1e-9)
    assert fits_order(problem, order.tolist(), chosen)


def test_one_room_serves_one_order_after_the_other():
    """Neither prices nor graphs met before count for another order."""
    problem = prepare_bounded(random_table(3, 11, n_sets=16), 2)
    room = new_room(problem)
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(11).astype(np.int32)
        assert branch(problem, order, -np.inf, room=room)[0] == branch(problem, order, -np.inf)[0]


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_neighbourhoods_give_choices_that_fit(seed, width):
    """They are worth what is said, no more than the best, and most often as much on small problems."""
    problem = prepare_bounded(random_table(seed, 10, n_sets=16), width)
    order = problem.respect(np.random.default_rng(seed).permutation(10).astype(np.int32))
    optimum = search_best_first(problem, order, -np.inf)[0]
    tree, ranked, start = prepare(problem, order)
    branches, picks = new_room(problem)
    begin_order(ranked, branches, picks, start)
    taken = np.full(len(ranked.offsets) - 1, -1)
    rng, found = np.random.default_rng(seed), -np.inf
    for n_trials in (1, 2000):
        before = found
        found = search_neighbourhoods(ranked, branches.fills[0], start, width, rng, taken, found, n_trials)
        assert before <= found <= optimum + 1e-9
        tree.chosen[tree.order[::-1][: len(taken)]] = ranked.sources[taken]
        assert problem.lists.relative_scores[tree.chosen].sum() == pytest.approx(found, abs=1e-9)
        assert fits_order(problem, order.tolist(), tree.chosen)
    assert found == pytest.approx(optimum, abs=1e-9)
    # Nothing above the optimum is found, and what was taken stays.
    kept = taken.copy()
    assert (
        search_neighbourhoods(ranked, branches.fills[0], start, width, rng, taken, optimum, 200)
        <= found + 1e-9
    )
    assert taken.tolist() == kept.tolist()
