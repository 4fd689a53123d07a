"""Entries copied from one array into another."""

import numpy as np
import pytest

from stages.kernels.arrays import copy_into


@pytest.mark.parametrize("length", [0, 1, 5])
def test_the_first_entries_are_written_and_the_others_kept(length):
    target = np.arange(6, dtype=np.int64)
    source = np.arange(10, 10 + length, dtype=np.int32)
    copy_into(target, source)
    assert target.tolist() == [*range(10, 10 + length), *range(length, 6)]
