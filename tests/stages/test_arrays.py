"""Helpers for arrays."""

from __future__ import annotations

import numpy as np
import pytest

from stages.arrays import offsets_of


@pytest.mark.parametrize("counts", [[], [3], [2, 0, 5], np.array([1, 1], dtype=np.int32)])
def test_offsets_are_running_sums(counts):
    offsets = offsets_of(counts)
    assert offsets.dtype == np.int64
    assert offsets.tolist() == [sum(counts[:k]) for k in range(len(counts) + 1)]
