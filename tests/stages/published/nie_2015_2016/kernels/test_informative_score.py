"""The informative score of a k-tree, its parts, and the draw by it, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.ktrees import draw_tree, pairs_of
from helpers.seeds import seeds
from naive.optimize import informative_score as naive
from naive.optimize.ktrees import small_lists
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of

from stages.optimize.treewidth.problem import prepare_within
from stages.published.nie_2015_2016.informative_score import index_pairs, pair_information
from stages.published.nie_2015_2016.kernels.informative_score import (
    best_within_ktree,
    holds_last_sets,
    information_between,
    informative_score,
    total_information,
)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(6, quick=2))
def test_informative_score_by_the_definition(width, seed):
    n = 8
    table = random_table(seed, n, n_sets=30)
    problem, information = prepare_within(table, width), pair_information(table)
    tree = draw_tree(problem, np.random.default_rng(seed))
    base = problem.score(problem.lists.set_offsets[:-1])
    found = informative_score(information, base, tree, best_within_ktree(problem.lists, problem.filters, tree))
    edges = naive.edges_of(tree)
    lists = small_lists(lists_of(table), width)
    assert found == pytest.approx(naive.informative_score(lists, pairs_of(information, n), edges))


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_information_is_looked_up_by_pairs(seed):
    n = 9
    table = random_table(seed, n, n_sets=20)
    problem, information = prepare_within(table, 2), pair_information(table)
    if seed % 2:
        shared = np.random.default_rng(seed).random((n, n))
        information = index_pairs(np.triu(shared, 1) + np.triu(shared, 1).T)
    pairs = pairs_of(information, n)
    for a in range(n):
        for b in range(n):
            assert information_between(information, a, b) == pairs.get(frozenset((a, b)), 0.0)
    tree = draw_tree(problem, np.random.default_rng(seed))
    expected = sum(pairs.get(edge, 0.0) for edge in naive.edges_of(tree))
    assert total_information(information, tree) == pytest.approx(expected)
    assert holds_last_sets(problem.lists, problem.filters, tree)
