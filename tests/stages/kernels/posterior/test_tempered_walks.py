"""Walks through networks: blocks drawn, rungs of a ladder, networks kept in slices of any length."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.cases.posterior import as_table, random_lists
from naive.posterior import n_orders

from stages.kernels.posterior.block_moves import LARGEST_BLOCK
from stages.kernels.posterior.tempered_walks import draw_block, draw_partner, walk_on
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
@pytest.mark.parametrize("n_rungs", [1, 3])
def test_a_walk_keeps_networks_with_their_scores(n_rungs, most_work):
    table = as_table(random_lists(8, 5, 1.0))
    lists, weighting = lists_in(table), weighting_of(table, n_rungs)
    walk = walk_from(lists, weighting, choose_consistent(lists, np.arange(5, dtype=np.int32))[1])
    samples, totals = np.empty((20, 5), dtype=np.int32), np.empty(20)
    rng = np.random.default_rng(8)
    done, calls = 0, 0
    while done < 60 * n_rungs:
        done = walk_on(lists, weighting, walk, 3, 1, rng, samples, totals, done, most_work)
        calls += 1
    assert done == 60 * n_rungs
    assert (calls == 1) == (most_work == 10**9)
    assert calls == done or most_work > 1
    np.testing.assert_array_equal(samples[-1], walk.chosen[0])
    for sets, total in zip(samples.tolist(), totals.tolist()):
        assert n_orders(tuple(map(table.parent_set, sets)))
        assert total == pytest.approx(table.scores[sets].sum())


def test_slices_do_not_matter():
    table = as_table(random_lists(8, 5, 1.0))
    kept = []
    for most_work in (1, 70, 10**9):
        lists, weighting = lists_in(table), weighting_of(table, 2)
        walk = walk_from(lists, weighting, choose_consistent(lists, np.arange(5, dtype=np.int32))[1])
        samples, totals = np.empty((20, 5), dtype=np.int32), np.empty(20)
        rng, done = np.random.default_rng(8), 0
        while done < 20 * 2 * 2 * 5:
            done = walk_on(lists, weighting, walk, 5, 2, rng, samples, totals, done, most_work)
        kept.append(samples)
    np.testing.assert_array_equal(kept[0], kept[1])
    np.testing.assert_array_equal(kept[0], kept[2])


@pytest.mark.parametrize("rung", [0, 1])
def test_weights_of_rungs_are_powers(rung):
    table = as_table(random_lists(2, 5, 3.0))
    weighting = weighting_of(table, 2)
    best = np.repeat(table.scores[table.set_offsets[:-1]], np.diff(table.set_offsets))
    expected = np.exp(weighting.rungs[rung] * (table.scores - best))
    np.testing.assert_allclose(weighting.weights[rung] * 2.0 ** weighting.powers[rung], expected, rtol=1e-12)
