"""The index of sets by pairs of members, against a plain search; word boundaries of the signatures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table

from stages.kernels.ktrees.member_pairs import find_member_pair, signature_bit
from stages.optimize.treewidth.problem import prepare_bounded


@pytest.mark.parametrize("n", [1, 2, 3, 9, 70])
@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_pairs_have_the_sets_that_contain_both(n, seed):
    problem = prepare_bounded(random_table(seed, n, max_parents=4, n_sets=12), 5)
    lists, pairs = problem.lists, problem.pairs
    sets = [set(lists.parents[a:b].tolist()) for a, b in itertools.pairwise(lists.parent_offsets.tolist())]
    child_of_set = np.repeat(np.arange(n), np.diff(lists.set_offsets)).tolist()
    for a, b in itertools.combinations(range(n), 2):
        expected = [s for s, members in enumerate(sets) if {a, b} <= members]
        pair = find_member_pair(pairs.starts, pairs.partners, b, a)
        assert (pair >= 0) == bool(expected)
        found = []
        if expected:
            children = range(pairs.offsets[pair], pairs.offsets[pair + 1])
            assert pairs.children[children].tolist() == sorted({child_of_set[s] for s in expected})
            found = [
                (pairs.children[k], s) for k in children for s in pairs.sets[slice(*pairs.child_offsets[k : k + 2])]
            ]
        assert found == [(child_of_set[s], s) for s in expected]
    signed = [
        int(np.bitwise_or.reduce([np.uint64(0), *(np.uint64(1 << v % 64) for v in members)])) for members in sets
    ]
    assert pairs.signatures.tolist() == signed


def test_signatures_repeat_after_a_word():
    assert [int(signature_bit(v)) for v in (0, 1, 63, 64, 127)] == [1, 2, 1 << 63, 1, 1 << 63]
