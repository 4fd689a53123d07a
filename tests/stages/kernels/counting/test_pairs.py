"""The best parents are kept in heaps; scores of tiles are tested with `pair_scores`."""

from __future__ import annotations

import numpy as np
import pytest

from stages.kernels.counting.pairs import keep_best_parents


@pytest.mark.parametrize("most", [1, 2, 7, 40])
def test_the_best_are_kept_whatever_order_they_come_in(most):
    rng = np.random.default_rng(most)
    scores = rng.integers(0, 9, (5, 30)).astype(float)  # with many ties
    least = np.array([-1.0, 3.0, 8.0, 9.0, 0.0])
    parents, losses = np.empty((5, most), dtype=np.int32), np.empty((5, most))
    heaps, n_kept = np.empty_like(parents), np.zeros(5, dtype=np.int64)
    for first in (20, 0, 10):
        part = slice(first, first + 10)
        keep_best_parents(scores[:2, part].copy(), 0, first, least, parents, losses, heaps, n_kept)
        keep_best_parents(scores[2:, part].copy(), 2, first, least, parents, losses, heaps, n_kept)
    for child in range(5):
        order = sorted(range(30), key=lambda y: (-scores[child, y], y))
        expected = [y for y in order if scores[child, y] > least[child]][:most]
        n = n_kept[child]
        assert sorted(parents[child, :n].tolist()) == sorted(expected)
        assert (-losses[child, :n]).tolist() == scores[child, parents[child, :n]].tolist()
