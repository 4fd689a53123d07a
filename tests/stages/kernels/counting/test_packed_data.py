"""Scratch arrays: large enough for the data, and without pairs where these would take too much memory."""

from __future__ import annotations

import numpy as np
import pytest

from stages.kernels.counting import packed_data
from stages.kernels.counting.packed_data import new_workspace


@pytest.mark.parametrize(("most_pairs", "n_free"), [(1 << 23, 4), (16, 4), (15, 0)])
def test_pairs_are_kept_up_to_a_limit(most_pairs, n_free, monkeypatch):
    monkeypatch.setattr(packed_data, "MOST_PAIRS", most_pairs)
    state_rows = np.arange(7, dtype=np.int32)
    work = new_workspace(2, 5, 15, 3, state_rows, 3)
    assert work.pairs.shape == (n_free, n_free) and len(work.requests) == (3 if n_free else 0)
    assert work.wide.shape == (2, 5, 2) and work.cells.shape == (15, 2) and len(work.cell_of_row) == 128
    assert not work.histogram.any() and not work.requests.any()
