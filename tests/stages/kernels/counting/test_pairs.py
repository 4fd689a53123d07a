"""Counts of rows that bitmaps share, against sets of rows; scores of tiles are tested with `pair_scores`."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.tables import make_dataset

from stages.kernels.counting.pairs import count_common
from stages.scoring.dataset_layout import pack_dataset


@pytest.mark.parametrize("n_rows", [70, 1500, 70_000])
def test_common_rows_are_counted(n_rows):
    # More rows than one chunk of words holds, and equal rows, which are merged into segments of different weight.
    rng = np.random.default_rng(n_rows)
    n_variables = 3 if n_rows == 1500 else 20
    codes = rng.integers(0, 3, (n_variables, n_rows)).astype(np.uint8)
    data = pack_dataset(codes, make_dataset(codes, [3] * n_variables).n_states)
    which = rng.integers(0, 3 * n_variables, 7).astype(np.int32)
    others = np.arange(3 * n_variables, dtype=np.int32)
    counts = np.empty((7, len(others)), dtype=np.int32)
    count_common(data.bits, data.segment_words, data.segment_shifts, which, others, counts)
    states = np.concatenate([codes == state for state in range(3)])
    states = states.reshape(3, n_variables, n_rows).swapaxes(0, 1).reshape(3 * n_variables, n_rows)
    expected = states[which].astype(np.int64) @ states.T.astype(np.int64)
    assert np.array_equal(counts, expected)
