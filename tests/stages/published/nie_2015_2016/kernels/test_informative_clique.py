"""The clique of largest informative score, against all cliques."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.ktrees import pairs_of
from helpers.seeds import seeds
from naive.optimize import informative_score as naive
from naive.optimize.ktrees import small_lists
from naive.optimize.networks_search import random_table
from naive.optimize.orders import lists_of

from stages.optimize.treewidth.problem import prepare_within
from stages.published.nie_2015_2016.informative_score import index_pairs, pair_information
from stages.published.nie_2015_2016.kernels.informative_clique import best_clique, clique_score, greedy_clique
from stages.published.nie_2015_2016.kernels.informative_growth import largest_sums


def case(seed, n, width):
    """Lists, problem, and information of listed sets or of all pairs."""
    table = random_table(seed, n, n_sets=30)
    problem, information = prepare_within(table, width), pair_information(table)
    if seed % 2:
        shared = np.triu(np.random.default_rng(seed).random((n, n)) * 20, 1)
        information = index_pairs(shared + shared.T)
    most = np.empty((n, width + 1))
    largest_sums(information, most)
    tops = problem.scores[problem.lists.set_offsets[:-1]]
    return small_lists(lists_of(table), width), problem, tops, information, most


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("seed", seeds(8, quick=2))
def test_best_clique_is_the_best_of_all(width, seed):
    n = 9
    lists, problem, tops, information, most = case(seed, n, width)
    pairs = pairs_of(information, n)
    for v in range(n):
        largest = sorted((value for pair, value in pairs.items() if v in pair), reverse=True)
        assert most[v] == pytest.approx([sum(largest[:r]) for r in range(width + 1)])
    expected = naive.best_clique(lists, pairs, width + 1)
    for starts in (1, n):
        members = np.empty(width + 1, dtype=np.int64)
        assert best_clique(problem.lists, tops, information, most, starts, members, 10**7)
        assert len(set(members.tolist())) == width + 1
        assert clique_score(problem.lists, tops, information, members) == pytest.approx(expected)
    # Without work for a proof it is a greedy one, and no more is said.
    assert not best_clique(problem.lists, tops, information, most, 1, members, 0)
    assert clique_score(problem.lists, tops, information, members) <= expected + 1e-12


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_greedy_clique_takes_the_best_next_variable(seed):
    n, width = 8, 3
    _, _, tops, information, _ = case(seed, n, width)
    pairs, members = pairs_of(information, n), np.empty(width + 1, dtype=np.int64)
    greedy_clique(information, tops, 5, members)
    assert members[0] == 5
    for t in range(1, width + 1):
        before = members[:t].tolist()

        def quotient(v, before=before):
            clique = [*before, v]
            shared = sum(pairs.get(frozenset((a, b)), 0.0) for a in clique for b in clique if a < b)
            return shared / -tops[clique].sum()

        assert quotient(int(members[t])) == pytest.approx(max(quotient(v) for v in set(range(n)) - set(before)))
