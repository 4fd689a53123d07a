"""The draw of k-trees by their informative score, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table

from stages.optimize.treewidth.problem import prepare_within
from stages.published.nie_2015_2016.informative_score import pair_information
from stages.published.nie_2015_2016.kernels.informative_score import best_within_ktree, informative_score
from stages.published.nie_2015_2016.kernels.repair import TreeDemands
from stages.published.nie_2015_2016.kernels.s2 import ACCEPTED, STANDING, sample_ktrees


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_drawn_ktrees_may_beat_the_floor(seed):
    table = random_table(seed, 8, n_sets=20)
    problem, information = prepare_within(table, 2), pair_information(table)
    lists, filters = problem.lists, problem.filters
    base = problem.score(lists.set_offsets[:-1])
    demands = TreeDemands(lists=lists, precedences=problem.precedences)
    tree, progress, rng = problem.new_tree(), np.zeros(2), np.random.default_rng(seed)

    def sample(floor, n_trees):
        return sample_ktrees(lists, filters, demands, information, base, tree, rng, progress, floor, n_trees)

    # Nothing was drawn before, so the first k-tree is accepted.
    assert sample(-np.inf, 50) == (1, True)
    within = best_within_ktree(lists, filters, tree)
    assert progress.tolist() == [informative_score(information, base, tree, within), 1]
    assert sample(0.0, 50) == (50, False)
    assert 1 <= progress[ACCEPTED] <= 51
    standing = progress[STANDING]
    for _ in range(20):
        drawn, is_promising = sample(-np.inf, 1)
        score = informative_score(information, base, tree, best_within_ktree(lists, filters, tree))
        standing = max(standing, score)
        assert drawn == 1 and progress[STANDING] == standing
        # The most informative k-tree so far is always accepted.
        assert score < standing or is_promising
    # What the best sets within a k-tree score decides about it.
    for _ in range(20):
        _, is_promising = sample(within, 1)
        assert not is_promising or best_within_ktree(lists, filters, tree) > within
