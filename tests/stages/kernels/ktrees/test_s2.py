"""The draw of k-trees by their informative score, against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.seeds import seeds
from naive import informative_score as naive
from naive.ktrees import best_inside, small_lists
from naive.networks_search import random_table
from naive.orders import lists_of

from stages.kernels.ktrees.informative_score import best_within_ktree, informative_score
from stages.kernels.ktrees.ktree_families import new_ascent_scratch, new_families
from stages.kernels.ktrees.repair import TreeDemands
from stages.kernels.ktrees.s2 import ACCEPTED, BOUNDED, STANDING, sample_ktrees
from stages.optimize.treewidth.informative_score import pair_information
from stages.optimize.treewidth.problem import prepare_within


@pytest.mark.parametrize("seed", seeds(4, quick=2))
def test_drawn_ktrees_may_beat_the_floor(seed):
    table = random_table(seed, 8, n_sets=20)
    problem, information = prepare_within(table, 2), pair_information(table)
    n, lists = problem.n_variables, problem.lists
    base = problem.score(lists.set_offsets[:-1])
    demands = TreeDemands(lists=lists, precedences=problem.precedences)
    tree, progress, rng = problem.new_tree(), np.zeros(3), np.random.default_rng(seed)
    families = new_families(n, len(problem.scores), len(lists.parents))
    scratch = new_ascent_scratch(n, len(problem.scores))

    def sample(floor, n_trees):
        return sample_ktrees(
            lists, demands, information, base, tree, rng, progress, floor, n_trees, families, scratch
        )

    # Nothing was drawn before, so the first k-tree is accepted.
    drawn, within, least = sample(-np.inf, 50)
    assert drawn == 1
    assert within == best_within_ktree(lists, tree)
    assert progress.tolist() == [informative_score(information, base, tree, within), 1, 1]
    best = best_inside(small_lists(lists_of(table), 2), naive.edges_of(tree))
    assert problem.score(lists.set_offsets[:-1]) + within - least >= best - 1e-9
    drawn, found, _ = sample(0.0, 50)
    assert drawn == 50 and np.isnan(found)
    assert 1 <= progress[ACCEPTED] <= 51 and progress[BOUNDED] == 1
    standing = progress[STANDING]
    for _ in range(20):
        drawn, found, least = sample(-np.inf, 1)
        score = informative_score(information, base, tree, best_within_ktree(lists, tree))
        standing = max(standing, score)
        assert progress[STANDING] == standing
        # The most informative k-tree so far is always accepted.
        assert score < standing or found == best_within_ktree(lists, tree)
