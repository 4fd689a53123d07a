"""Masks of candidates, and the first set that fits, against plain loops; more candidates than a word has bits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table

from stages.kernels.ktrees.ktree import first_fitting
from stages.kernels.ktrees.set_filters import mask_earlier
from stages.optimize.treewidth.annealing import OrderSearch
from stages.optimize.treewidth.problem import prepare_bounded


@pytest.mark.parametrize("n", [1, 2, 9, 65, 130])
@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_masks_and_first_sets_are_those_of_plain_loops(n, seed):
    problem = prepare_bounded(random_table(seed, n, max_parents=3, n_sets=150), 3)
    lists, filters, rng = problem.lists, problem.filters, np.random.default_rng(seed)
    search = OrderSearch(problem, rng)
    search.start(rng.permutation(n))
    position, bags = search.tree.position.tolist(), search.tree.bags[:n].tolist()
    adjacent = {frozenset(pair) for bag in bags for pair in itertools.product(bag, bag)}
    sets = [lists.parents[a:b].tolist() for a, b in itertools.pairwise(lists.parent_offsets.tolist())]
    for child in range(n):
        first, end = lists.set_offsets[child : child + 2].tolist()
        candidates = filters.candidates[slice(*filters.candidate_offsets[child : child + 2])].tolist()
        assert candidates == sorted({member for members in sets[first:end] for member in members})
        for s in range(first, end):
            assert int(filters.masks[s]) == sum({1 << candidates.index(member) % 64 for member in sets[s]})
        for place in {0, position[child], n}:
            earlier = {1 << i % 64 for i, candidate in enumerate(candidates) if position[candidate] < place}
            assert int(mask_earlier(filters, search.tree.position, child, place)) == sum(earlier)
            fitting = [
                s
                for s in range(first, end)
                if all(position[member] < place for member in sets[s])
                and all(frozenset(pair) in adjacent for pair in itertools.combinations(sets[s], 2))
            ]
            for s in {first, (first + end) // 2, end - 1}:
                assert first_fitting(lists, filters, search.tree, child, s, place) == min(
                    t for t in fitting if t >= s
                )
