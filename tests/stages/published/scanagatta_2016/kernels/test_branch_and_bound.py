"""k-A* along one order, against best-first search and all choices of cliques; its bound and its incumbents."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.cases.ktrees import demanding_table, joined_sets
from helpers.seeds import seeds
from naive.optimize.informative_score import best_growth
from naive.optimize.kastar import best_choices
from naive.optimize.ktrees import best_along_orders
from naive.optimize.networks_search import make_table, random_table
from naive.optimize.orders import lists_of

from stages.kernels.ktrees.orders import evaluate_order
from stages.optimize.treewidth.problem import prepare_bounded
from stages.published.scanagatta_2016.kernels.branch_and_bound import (
    CHOICES,
    N_MARKS,
    hash_rows,
    is_met,
    new_branches,
    open_bound,
    search_branches,
)
from stages.published.scanagatta_2016.kernels.filled_graphs import fill_graph, rank_sets
from stages.published.scanagatta_2016.kernels.lagrangian_bound import lowest_bound, minus_bound
from stages.published.scanagatta_2016.kernels.neighbourhoods import search_neighbourhoods
from stages.published.scanagatta_2016.kernels.prices import PRICES, change_price, new_picks, numbered, sum_rewards


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


def prepare(problem, order):
    """The tree with k-G's choices along an order, its ranked sets, and the relative score of the start clique."""
    tree = problem.new_tree()
    tree.order[:] = order
    evaluate_order(problem.lists, problem.filters, tree, problem.new_clique_tables(), -np.inf)
    start = float(problem.lists.scores[tree.chosen[tree.order[: problem.treewidth + 1]]].sum())
    return tree, rank_sets(problem.lists, tree.order, problem.treewidth), start


def naive_optimum(problem, order):
    """Relative score of the best choices by the plain twin."""
    return prepare(problem, order)[2] + best_choices(joined_sets(problem.lists), order.tolist(), problem.treewidth)


def branch(problem, order, floor=None, n_choices=10**6, picks=None):
    """Relative score of the best choices, and these."""
    tree, ranked, start = prepare(problem, order)
    if floor is None:
        # Below the last sets of all variables, which always fit together.
        floor = start + ranked.relative_scores[ranked.offsets[1:] - 1].sum() - 1.0
    branches, picks = new_branches(ranked, start), picks or new_picks(problem.n_variables, problem.treewidth)
    taken, found, is_over = np.full(len(ranked.offsets) - 1, -1), floor, False
    optimum = naive_optimum(problem, order) if n_choices < 10 else None
    while not is_over:
        before = branches.counts[CHOICES]
        is_over, found = search_branches(ranked, branches, problem.treewidth, picks, taken, found, 1e-9, n_choices)
        assert branches.counts[CHOICES] - before <= n_choices
        if not is_over and optimum is not None:
            # What is neither found nor open is no better than the optimum.
            assert max(open_bound(branches), found) >= optimum - 1e-9
    if found > floor:
        tree.chosen[tree.order[::-1][: len(taken)]] = ranked.sources[taken]
    return found, tree.chosen


def no_branches(n):
    """Those of an order of `n` variables that have the empty set alone, at treewidth 2."""
    order = np.arange(n, dtype=np.int32)
    problem = prepare_bounded(make_table({v: {(): -1.0} for v in range(n)}), 2)
    return new_branches(rank_sets(problem.lists, order, 2), 0.0)


@pytest.mark.parametrize("n", [6, 64, 65])
def test_choices_are_dominated_as_by_a_plain_table(n):
    """Met are equal rows from a depth on, at no smaller value; earlier rows do not matter."""
    rng = np.random.default_rng(n)
    branches, met, answers = no_branches(n), {}, []
    words = rng.integers(1 << 63, size=3)  # few, so that rows come again; large, so that none share a place
    for _ in range(2000):
        depth = int(rng.integers(3))
        branches.fill[:] = 0
        branches.fill[rng.integers(3), rng.integers(branches.fill.shape[1])] = rng.choice(words)
        branches.values[depth] = value = float(rng.integers(4))
        key = depth, branches.fill[depth:].tobytes()
        is_dominated = met.get(key, -np.inf) >= value
        assert is_met(branches, np.int64(depth)) == is_dominated
        answers.append(is_dominated)
        if not is_dominated:
            met[key] = value
    assert 0 < sum(answers) < len(answers)


def test_both_words_of_a_hash_must_agree():
    branches = no_branches(8)
    assert not is_met(branches, np.int64(0)) and is_met(branches, np.int64(0))
    _, second = hash_rows(branches.fill, np.int64(0))
    for word in range(2):
        place = np.flatnonzero(branches.marks[:, 1] == np.uint64(second))
        assert len(place) == 1 and branches.marks[place[0], 0] % np.uint64(N_MARKS) == place[0]
        branches.marks[place[0], word] ^= np.uint64(1 << 40)
        assert not is_met(branches, np.int64(0))


@pytest.mark.parametrize("demanding", [False, True])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(8, quick=3))
def test_best_cliques_along_an_order(width, seed, demanding):
    """Against all choices of cliques; the search goes on where it was left, and finds nothing above the optimum."""
    n = 6
    table = (
        demanding_table(seed, n, n_fixed=width - 1)
        if demanding
        else random_table(seed, n, n_sets=24, ties=seed % 2 == 0)
    )
    problem = prepare_bounded(table, width)
    order = problem.respect(np.random.default_rng(seed).permutation(n).astype(np.int32))
    found, chosen = branch(problem, order)
    joined, start = joined_sets(problem.lists), prepare(problem, order)[2]
    expected = start + best_growth(joined, {}, order.tolist(), width, 1.0)
    assert found == pytest.approx(expected, abs=1e-9)
    assert naive_optimum(problem, order) == pytest.approx(expected, abs=1e-9)
    assert problem.lists.scores[chosen].sum() == pytest.approx(expected, abs=1e-9)
    assert fits_order(problem, order.tolist(), chosen)
    assert branch(problem, order, n_choices=1)[0] == pytest.approx(found, abs=1e-9)
    assert branch(problem, order, expected)[0] == expected


def check_optimum(seed, n, width, n_sets):
    """Branch and bound against the plain twin."""
    problem = prepare_bounded(random_table(seed, n, n_sets=n_sets, n_fixed=0 if n > 64 else 2), width)
    order = problem.respect(np.random.default_rng(seed).permutation(n).astype(np.int32))
    found, chosen = branch(problem, order)
    assert found == pytest.approx(naive_optimum(problem, order), abs=1e-9)
    assert problem.lists.scores[chosen].sum() == pytest.approx(found, abs=1e-9)
    assert fits_order(problem, order.tolist(), chosen)


@pytest.mark.parametrize(("n", "width", "n_sets"), [(11, 2, 16), (11, 4, 16), (66, 2, 4)])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_the_same_optimum_as_best_first_search(seed, n, width, n_sets):
    """Also beyond 64 variables, where rows take two words, with seeds that take the plain twin a second at most."""
    check_optimum(seed + 2 if n > 64 else seed, n, width, n_sets)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [4, 5])
def test_the_same_optimum_on_longer_lists(seed):
    """With seeds that take the plain twin a second at most; others take it up to eight."""
    check_optimum(seed, 70, 2, 5)


@pytest.mark.parametrize("n", [9, 70])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_best_of_all_choices_of_sets(n, seed):
    """Changing the choices of a few variables at a time gives nothing better."""
    width = 2
    problem = prepare_bounded(random_table(seed, n, n_sets=3), width)
    order = np.random.default_rng(seed).permutation(n).astype(np.int32)
    lists, position = problem.lists, np.argsort(order)
    found, chosen = branch(problem, order)
    options = []
    for child in order[width + 1 :].tolist():
        sets = range(lists.set_offsets[child], lists.set_offsets[child + 1])
        members = {s: lists.parents[lists.parent_offsets[s] : lists.parent_offsets[s + 1]] for s in sets}
        options.append([s for s in sets if (position[members[s]] < position[child]).all()])
    assert fits_order(problem, order.tolist(), chosen)
    rng = np.random.default_rng(seed)
    for _ in range(4):
        picked = rng.choice(len(options), size=min(len(options), 4), replace=False)
        for sets in itertools.product(*(options[i] for i in picked)):
            trial = chosen.copy()
            trial[order[width + 1 :][picked]] = sets
            if problem.lists.scores[trial].sum() > found + 1e-9:
                assert not fits_order(problem, order.tolist(), trial)


@pytest.mark.parametrize("seed", range(3))
def test_best_of_all_orders(seed):
    n, width = 5, 2
    table = random_table(seed, n, n_sets=14)
    problem, best = prepare_bounded(table, width), -math.inf
    rng = np.random.default_rng(seed)
    for _ in range(120):
        best = max(best, problem.score(branch(problem, rng.permutation(n))[1]))
    assert best <= best_along_orders(lists_of(table), width) + 1e-9


@pytest.mark.parametrize("seed", seeds(10, quick=3))
def test_no_prices_bound_below_the_optimum(seed):
    """Whatever the prices are; and steps of these never make the bound worse than without any."""
    n, width = 9, 3
    problem = prepare_bounded(random_table(seed, n, n_sets=14), width)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n).astype(np.int32)
    optimum = naive_optimum(problem, order)
    _, ranked, start = prepare(problem, order)
    picks, fill = new_picks(n, width), np.zeros((n - width - 1, 1), dtype=np.uint64)
    fill_graph(ranked, np.arange(0), fill, picks.extra)
    bounds = np.empty(ranked.offsets[1])
    unpriced = -minus_bound((ranked, fill, 0, width, picks, start))
    assert unpriced == pytest.approx(start + ranked.relative_scores[ranked.offsets[:-1]].sum())
    triples = list(itertools.combinations(range(n), 3))
    triples = [triple for triple in triples if triple[1] < n - width - 1]
    for scale in (0.1, 1.0, 10.0):
        picks = new_picks(n, width)
        for rank, later, earlier in triples:
            if rng.random() < 0.5:
                k, price = numbered(picks, rank, later, earlier), rng.exponential(scale)
                assert k > 0 and picks.prices[k] == 0.0
                change_price(picks, k, price)
                assert numbered(picks, rank, later, earlier) == k and picks.prices[k] == price
        rewards = picks.rewards.copy()
        sum_rewards(picks, 0)
        assert np.allclose(picks.rewards, rewards)
        picks.is_stale[:] = True
        assert -minus_bound((ranked, fill, 0, width, picks, start)) >= optimum - 1e-9
        bound = lowest_bound(ranked, fill, 0, width, picks, start, optimum, 30, bounds)
        assert bound >= optimum - 1e-9
    picks = new_picks(n, width)
    assert lowest_bound(ranked, fill, 0, width, picks, start, optimum, 100, bounds) <= unpriced


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_few_prices_give_the_same_optimum(seed, monkeypatch):
    """Where there is no number left for a price, it stays zero and the bound holds."""
    monkeypatch.setattr("stages.published.scanagatta_2016.kernels.prices.MOST_PRICES", 5)
    problem = prepare_bounded(random_table(seed, 11, n_sets=16), 2)
    order = np.random.default_rng(seed).permutation(11).astype(np.int32)
    picks = new_picks(11, 2)
    assert len(picks.prices) == 6
    monkeypatch.undo()
    assert branch(problem, order, picks=picks)[0] == pytest.approx(branch(problem, order)[0], abs=1e-9)
    assert picks.counts[PRICES] <= 6


@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_no_prices_give_the_same_optimum(seed, monkeypatch):
    """As beyond `MOST_PRICED` variables: each rank picks its best set that fits, and nothing is read or written."""
    monkeypatch.setattr("stages.published.scanagatta_2016.kernels.prices.MOST_PRICED", 8)
    problem = prepare_bounded(random_table(seed, 9, n_sets=12), 2)
    order = np.random.default_rng(seed).permutation(9).astype(np.int32)
    picks = new_picks(9, 2)
    assert picks.rewards.size == 0
    assert branch(problem, order, picks=picks)[0] == pytest.approx(naive_optimum(problem, order), abs=1e-9)
    assert picks.counts[PRICES] == 1


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_neighbourhoods_give_choices_that_fit(seed, width):
    """Their score is the one returned, no more than the optimum, and most often the optimum on small problems."""
    problem = prepare_bounded(random_table(seed, 10, n_sets=16), width)
    order = problem.respect(np.random.default_rng(seed).permutation(10).astype(np.int32))
    optimum = naive_optimum(problem, order)
    tree, ranked, start = prepare(problem, order)
    taken = np.full(len(ranked.offsets) - 1, -1)
    rng, found = np.random.default_rng(seed), -np.inf
    for n_trials in (1, 2000):
        before = found
        found = search_neighbourhoods(ranked, start, width, rng, taken, found, n_trials)
        assert before <= found <= optimum + 1e-9
        tree.chosen[tree.order[::-1][: len(taken)]] = ranked.sources[taken]
        assert problem.lists.scores[tree.chosen].sum() == pytest.approx(found, abs=1e-9)
        assert fits_order(problem, order.tolist(), tree.chosen)
    assert found == pytest.approx(optimum, abs=1e-9)
    # Nothing above the optimum is found, and what was taken stays.
    kept = taken.copy()
    assert search_neighbourhoods(ranked, start, width, rng, taken, optimum, 200) <= found + 1e-9
    assert taken.tolist() == kept.tolist()
