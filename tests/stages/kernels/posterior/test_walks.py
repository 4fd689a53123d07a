"""Walks through networks: blocks drawn, networks kept in slices of any length."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import n_orders

from stages.kernels.posterior.block_moves import LARGEST_BLOCK
from stages.kernels.posterior.walks import draw_block, draw_partner, walk_on
from stages.lists.order_decoding import choose_consistent
from stages.lists.set_lists import lists_in
from stages.posterior.sampling import walk_from, weighting_of


def test_blocks_have_different_members():
    weighting, rng = weighting_of(as_table(random_lists(7, 5, 1.0))), np.random.default_rng(7)
    block = np.zeros(LARGEST_BLOCK, dtype=np.int32)
    met = set()
    for size in (1, 2, 3):
        for _ in range(100):
            draw_block(weighting, block, size, rng)
            assert len(set(block[:size].tolist())) == size
            met |= set(block[:size].tolist())
    assert met == set(range(5))
    partners = {int(draw_partner(weighting, 2, rng)) for _ in range(300)}
    assert partners == set(range(5))


@pytest.mark.parametrize("most_work", [1, 50, 10**9])
def test_a_walk_keeps_networks_with_their_scores(most_work):
    table = as_table(random_lists(8, 5, 1.0))
    lists, weighting = lists_in(table), weighting_of(table)
    walk = walk_from(lists, weighting, choose_consistent(lists, np.arange(5, dtype=np.int32))[1])
    samples, totals = np.empty((20, 5), dtype=np.int32), np.empty(20)
    rng = np.random.default_rng(8)
    done, calls = 0, 0
    while done < 60:
        done = walk_on(lists, weighting, walk, 3, rng, samples, totals, done, most_work)
        calls += 1
    assert done == 60
    assert (calls == 1) == (most_work == 10**9)
    assert calls == done or most_work > 1
    np.testing.assert_array_equal(samples[-1], walk.chosen)
    for sets, total in zip(samples.tolist(), totals.tolist()):
        assert n_orders(tuple(map(table.parent_set, sets)))
        assert total == pytest.approx(table.scores[sets].sum())


def test_slices_do_not_matter():
    table = as_table(random_lists(8, 5, 1.0))
    kept = []
    for most_work in (1, 70, 10**9):
        lists, weighting = lists_in(table), weighting_of(table)
        walk = walk_from(lists, weighting, choose_consistent(lists, np.arange(5, dtype=np.int32))[1])
        samples, totals = np.empty((20, 5), dtype=np.int32), np.empty(20)
        rng, done = np.random.default_rng(8), 0
        while done < 20 * 10:
            done = walk_on(lists, weighting, walk, 10, rng, samples, totals, done, most_work)
        kept.append(samples)
    np.testing.assert_array_equal(kept[0], kept[1])
    np.testing.assert_array_equal(kept[0], kept[2])


def test_weights_are_those_of_scores():
    table = as_table(random_lists(2, 5, 3.0))
    weighting = weighting_of(table)
    best = np.repeat(table.scores[table.set_offsets[:-1]], np.diff(table.set_offsets))
    np.testing.assert_allclose(weighting.weights * 2.0**weighting.powers, np.exp(table.scores - best), rtol=1e-12)
