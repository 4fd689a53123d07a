"""The most informative k-tree with a clique, against all k-trees."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from helpers.cases.ktrees import pairs_of
from helpers.seeds import seeds
from naive.optimize import informative_score as naive
from naive.optimize.ktrees import all_ktrees, grow_ktrees, small_lists
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of

from stages.optimize import OptimizeOptions
from stages.published.nie_2015_2016.kernels.growth_states import new_growth_states
from stages.published.nie_2015_2016.kernels.informative_growth import (
    GROWTH_ENDED,
    GROWTH_FULL,
    GROWTH_UNFINISHED,
    begin_with_clique,
    expand_growth,
    largest_sums,
    rebuild_whole,
    score_at_most,
    search_growth,
    value_of,
)
from stages.published.nie_2015_2016.s2plus import GuidedTrees
from stages.runtime.budgets import Budget


def guided(seed, n, width, **options):
    table = random_table(seed, n, n_sets=25)
    if seed % 2:
        shared = np.triu(np.random.default_rng(seed).random((n, n)) * 20, 1)
        options["information"] = shared + shared.T
    trees = GuidedTrees(table, OptimizeOptions(treewidth=width, seed=seed, **options), Budget())
    return small_lists(lists_of(table), width), trees


@functools.cache
def ktrees_with_first(n, width):
    """All k-trees in which the first variables are a (K + 1)-clique."""
    return grow_ktrees([range(width + 1)], n, width)


def renamed(sets, number):
    """Sets of variables by other numbers."""
    return [frozenset(number[v] for v in members) for members in sets]


@pytest.mark.parametrize(("n", "width"), [(6, 2), (7, 1), (7, 2), (7, 3)])
@pytest.mark.parametrize("seed", seeds(16, quick=2))
def test_growth_ends_with_the_most_informative_ktree(n, width, seed):
    """From the best clique and from a random one; the k-tree keeps the clique."""
    lists, trees = guided(seed, n, width)
    pairs, rng = pairs_of(trees.information, n), np.random.default_rng(seed)
    for random_clique in (True, False):
        tree = trees.problem.new_tree()
        tree.order[:] = rng.permutation(n)
        if not random_clique:
            assert trees._take_best_clique(tree)
        # The clique's variables first, so that all cliques have the same k-trees.
        names = tree.order.tolist()
        number = {v: place for place, v in enumerate(names)}
        best, decided = trees._most_informative(tree)
        assert decided
        edges = frozenset(renamed(naive.edges_of(best), number))
        grown = ktrees_with_first(n, width)
        assert edges in grown
        parts = (
            [list(zip((s for s, _ in lists[v]), renamed((p for _, p in lists[v]), number))) for v in names],
            dict(zip(renamed(pairs, number), pairs.values())),
        )
        found = naive.informative_score(*parts, edges)
        assert found == pytest.approx(naive.largest_informative_score(*parts, grown))


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_estimates_hold_for_all_that_grows_from_a_state(seed):
    n, width, weight = 6, 2, 0.3
    lists, trees = guided(seed, n, width)
    problem, pairs = trees.problem, pairs_of(trees.information, n)
    tree, most, states = problem.new_tree(), np.empty((n, width + 1)), new_growth_states(5000)
    tree.order[:] = np.random.default_rng(seed).permutation(n)
    largest_sums(trees.information, most)
    begin_with_clique(trees.information, trees.base, tree, most, states, weight)
    # Two levels of states, each with its own bound.
    for state in range(4):
        rebuild_whole(tree, states, state)
        states.scores[state] = trees.base + score_at_most(problem.lists, tree)
        placed = tree.order[: states.depths[state]].tolist()
        bags = tree.bags[placed].tolist()
        inside = {frozenset(pair) for bag in bags for pair in itertools.combinations(bag, 2)}
        apart = {frozenset((a, b)) for a in placed for b in placed if a < b} - inside
        grown = [edges for edges in all_ktrees(n, width) if inside <= edges and not apart & edges]
        assert grown
        for edges in grown:
            shared = sum(pairs.get(edge, 0.0) for edge in edges)
            informative = naive.informative_score(lists, pairs, edges)
            score = shared / informative if informative else 0.0
            assert shared <= states.values[state] + 1e-9
            assert shared - weight * score <= value_of(states.values[state], states.scores[state], weight) + 1e-9
        expand_growth(trees.information, tree, most, states, state, weight, -np.inf)
        assert (states.scores[states.parents[1 : states.counts[0]]] <= trees.base + 1e-9).all()


def test_growth_stops_where_there_is_no_room_or_nothing_better():
    n, width = 7, 2
    _, trees = guided(1, n, width)
    problem, most = trees.problem, np.empty((n, width + 1))
    largest_sums(trees.information, most)
    tree = problem.new_tree()

    def search(capacity, weight, floor, n_steps):
        states = new_growth_states(capacity)
        arguments = (trees.information, trees.base, tree, most, states, weight)
        begin_with_clique(*arguments)
        return search_growth(problem.lists, *arguments, floor, n_steps)

    assert search(20_000, 0.0, -np.inf, 1) == GROWTH_UNFINISHED
    assert search(20, 0.0, -np.inf, 10**6) == GROWTH_FULL
    assert search(20_000, 0.0, np.inf, 10**6) == GROWTH_ENDED
    assert search(20_000, 0.0, -np.inf, 10**6) > 0


def test_without_room_orders_finish_and_the_ktree_counts_as_undecided(monkeypatch):
    monkeypatch.setattr("stages.published.nie_2015_2016.s2plus.GROWTH_ROOM", 30)
    _, trees = guided(1, 8, 2)
    batch = trees.evaluate((0, 1))
    assert batch.figures["undecided"] == 1 and batch.figures["grown"] == 1
    assert trees.facts({"undecided": [1.0, 0.0], "unproved": [0.0, 0.0]})["undecided_ktrees"] == 1
