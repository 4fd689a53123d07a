"""Families that close no cycle, against plain graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.family_forest import closes_no_cycle, greedy_families
from naive.optimize.networks_search import random_table
from naive.optimize.treewidth import moral_edges, treewidth

from stages.graphs import topological_order
from stages.lists.set_lists import all_sets, lists_in
from stages.optimize.treewidth.family_forest import POWER, join_families


def plain_lists(lists):
    """Pairs of score and parents for each variable."""
    sets = [(score, tuple(family)) for score, family in zip(lists.scores.tolist(), all_sets(lists), strict=True)]
    return [sets[first:end] for first, end in itertools.pairwise(lists.set_offsets.tolist())]


@pytest.mark.parametrize("seed", seeds(20, quick=3))
@pytest.mark.parametrize("n", [1, 2, 9])
def test_families_join_greedily_and_close_no_cycle(seed, n):
    lists = lists_in(random_table(seed, n, n_sets=6))
    parents = [tuple(family) for family in all_sets(lists).take(join_families(lists))]
    assert parents == greedy_families(plain_lists(lists), POWER)
    assert closes_no_cycle(parents)
    assert sorted(topological_order(parents)) == list(range(n))
    assert treewidth(moral_edges(parents)) <= max(map(len, parents))


def test_required_parents_are_kept():
    """The families 1 <- 0 and 2 <- 0, 1 are required, and share two variables; 3 joins them."""
    table = random_table(0, 4, n_sets=1)
    lists = lists_in(table)._replace(
        set_offsets=np.array([0, 1, 2, 3, 5]),
        parent_offsets=np.array([0, 0, 1, 3, 4, 4]),
        parents=np.array([0, 0, 1, 2], dtype=np.int32),
        scores=np.array([-1.0, -1.0, -1.0, -1.0, -2.0]),
    )
    assert [tuple(family) for family in all_sets(lists).take(join_families(lists))] == [(), (0,), (0, 1), (2,)]
