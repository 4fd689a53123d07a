"""Counts of rows that bitmaps share, against sets of rows."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.tables import make_dataset

from stages.kernels.counting.overlaps import count_overlaps, count_rows
from stages.scoring.dataset_layout import pack_dataset


@pytest.mark.parametrize("n_rows", [70, 15_000, 70_000])
@pytest.mark.parametrize(("n_first", "n_which"), [(1, 1), (2, 9), (7, 30)])
def test_common_rows_are_counted(n_rows, n_first, n_which):
    # More rows than one chunk of words holds, and equal rows, which are merged and weighted.
    rng = np.random.default_rng(n_rows)
    n_variables = 3 if n_rows == 15_000 else 20
    codes = rng.integers(0, 3, (n_variables, n_rows)).astype(np.uint8)
    data = pack_dataset(codes, make_dataset(codes, [3] * n_variables).n_states)
    assert (data.word_shifts.max() > 0) == (n_rows == 15_000)
    first = rng.integers(0, 3 * n_variables, n_first)
    which = rng.integers(0, 3 * n_variables, n_which).astype(np.int32)
    counts = np.empty((n_which, n_first), dtype=np.int32)
    count_overlaps(data.bits[first], n_first, data.bits, which, n_which, data.word_shifts, counts.reshape(-1))
    states = np.stack([codes == state for state in range(3)], axis=1).reshape(-1, n_rows).astype(np.int64)
    assert np.array_equal(counts, states[which] @ states[first].T)
    assert count_rows(data.bits[first[0]], data.word_shifts) == states[first[0]].sum()
