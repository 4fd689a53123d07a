"""Lists of rows, sums row by row and unsplit configurations against sums over dictionaries of counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from stages.kernels.counting.bitmaps_and_lists import binary_narrow_score, narrow_score, unsplit_score


def listed_rows(seed: int, n_rows: int, r: int, s: int):
    """Rows of five configurations, some with fewer rows than cells, listed in this order."""
    rng = np.random.default_rng(seed)
    configurations = np.sort(rng.choice(5, n_rows, p=[0.01, 0.04, 0.1, 0.25, 0.6]))
    configurations = np.unique(configurations, return_inverse=True)[1]
    child, weights = rng.integers(0, r, n_rows), rng.integers(1, 4, n_rows)
    codes = rng.integers(0, s, (3, n_rows)).astype(np.uint8)
    rows = np.stack([np.zeros(n_rows), rng.permutation(n_rows)]).astype(np.int32)
    starts = np.zeros((2, 7), dtype=np.int32)
    n = configurations[-1] + 1
    starts[1, : n + 1] = np.searchsorted(configurations, np.arange(n + 1))
    listed = np.stack([configurations * r + child, weights]).astype(np.int32)
    return configurations, child, weights, codes, rows, starts, listed


@pytest.mark.parametrize(("r", "s"), [(2, 2), (3, 2), (2, 5), (4, 9)])
@pytest.mark.parametrize("n_rows", [1, 30, 400])
def test_lists_of_rows(r, s, n_rows):
    configurations, child, weights, codes, rows, starts, listed = listed_rows(r * s, n_rows, r, s)
    n_narrow = int(configurations[-1]) + 1
    tables = np.random.default_rng(0).random((2, 2, 4 * n_rows))
    tables[:, :, 0] = 0.0
    cell, row = tables
    joint, totals, unsplit, sums = Counter(), Counter(), Counter(), Counter()
    for p, x, weight, number in zip(configurations.tolist(), child.tolist(), weights.tolist(), rows[1].tolist()):
        y = int(codes[2, number])
        joint[p, x, y] += weight
        totals[p, y] += weight
        unsplit[p, x] += weight
        sums[p] += weight
    expected = sum(cell[1, m] for m in joint.values()) - sum(row[1, m] for m in totals.values())
    scratch = np.zeros(r * s + s + 2 * n_narrow, dtype=np.int32)
    score = narrow_score(codes, 2, s, r, rows, starts, 1, listed, n_narrow, cell, row, 1, scratch)
    assert score == pytest.approx(expected)
    assert not scratch.any()
    counts = np.array([7] * r + [unsplit[p, x] for p in range(n_narrow) for x in range(r)], dtype=np.int32)
    expected_unsplit = sum(cell[0, m] for m in unsplit.values()) - sum(row[0, m] for m in sums.values())
    assert unsplit_score(counts[r:], n_narrow, r, cell[0], row[0]) == pytest.approx(expected_unsplit)
    if r == s == 2:
        of_rows = (rows, 1, listed, n_rows, counts, 2, n_narrow)
        assert binary_narrow_score(codes, 2, *of_rows, cell, row, 1, scratch) == pytest.approx(expected)
        assert not scratch.any()
