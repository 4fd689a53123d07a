"""Places: order and distances kept, isotonic regression against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.drawing.coordinates import isotonic, place_vertices

pairs = st.tuples(st.integers(-9, 9).map(float), st.integers(1, 5).map(float))


@given(given_pairs=st.lists(pairs, min_size=1, max_size=7))
def test_isotonic_regression_is_the_largest_of_the_smallest_means(given_pairs):
    values, weights = map(np.array, zip(*given_pairs))
    n = len(values)

    def mean(i: int, j: int) -> float:
        return float(np.average(values[i : j + 1], weights=weights[i : j + 1]))

    expected = [max(min(mean(i, k) for k in range(v, n)) for i in range(v + 1)) for v in range(n)]
    assert isotonic(values, weights) == pytest.approx(expected)


def test_boxes_keep_their_distance_and_a_chain_is_upright():
    rows = [np.array([0, 1]), np.array([2, 3, 4]), np.array([5])]
    links = np.array([(0, 3), (1, 3), (3, 5), (0, 2)])
    width = np.array([30.0, 10, 20, 40, 20, 50])
    x = place_vertices(rows, links, np.ones(4), width, 8.0)
    for row in rows:
        steps = np.diff(x[row]) - (width[row][1:] + width[row][:-1]) / 2
        assert (steps >= 8 - 1e-9).all()
    assert x[3] == pytest.approx(x[5])
