"""The index of sets by pairs of members, against a plain search; word boundaries of the signatures."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from helpers.seeds import seeds
from naive.optimize.networks_search import random_table

from stages.kernels.ktrees.member_pairs import BLOCK, any_within, find_member_pair, signature_bit
from stages.optimize.treewidth.problem import prepare_bounded


@pytest.mark.parametrize("n", [1, 2, 3, 9, 70])
@pytest.mark.parametrize("seed", seeds(4, quick=1))
def test_pairs_have_the_sets_that_contain_both(n, seed):
    problem = prepare_bounded(random_table(seed, n, max_parents=4, n_sets=12), 5)
    lists, pairs = problem.lists, problem.pairs
    sets = [set(lists.parents[a:b].tolist()) for a, b in itertools.pairwise(lists.parent_offsets.tolist())]
    for a, b in itertools.combinations(range(n), 2):
        expected = [s for s, members in enumerate(sets) if {a, b} <= members]
        pair = find_member_pair(pairs.starts, pairs.partners, b, a)
        assert (pair >= 0) == bool(expected)
        if expected:
            found = slice(pairs.offsets[pair], pairs.offsets[pair + 1])
            assert pairs.sets[found].tolist() == expected
            signed = [int(np.bitwise_or.reduce([np.uint64(1 << v % 64) for v in sets[s]])) for s in expected]
            assert pairs.signatures[found].tolist() == signed
    assert pairs.children.tolist() == np.repeat(np.arange(n), np.diff(lists.set_offsets)).tolist()
    assert len(pairs.signatures) == len(pairs.sets) + BLOCK


def test_signatures_exclude_sets_with_other_members():
    assert [int(signature_bit(v)) for v in (0, 1, 63, 64, 127)] == [1, 2, 1 << 63, 1, 1 << 63]
    outside = ~np.uint64(0b1011)
    for place in range(BLOCK):
        signatures = np.full(BLOCK + 1, 0b100, dtype=np.uint64)
        assert not any_within(signatures, 1, outside)
        signatures[1 + place] = 0b1010
        assert any_within(signatures, 1, outside)
        # What stands before the first one counts as little.
        signatures[:] = [1] + BLOCK * [0b100]
        assert not any_within(signatures, 1, outside)
