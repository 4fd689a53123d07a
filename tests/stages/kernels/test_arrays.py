"""Entries copied from one array into another, and found in ascending ones."""

from itertools import combinations

import numpy as np
import pytest

from stages.kernels.arrays import copy_into, first_not_below


@pytest.mark.parametrize("length", [0, 1, 5])
def test_the_first_entries_are_written_and_the_others_kept(length):
    target = np.arange(6, dtype=np.int64)
    source = np.arange(10, 10 + length, dtype=np.int32)
    copy_into(target, source)
    assert target.tolist() == [*range(10, 10 + length), *range(length, 6)]


@pytest.mark.parametrize("values", [[], [3], [1, 1, 4, 4, 4, 6], [0, 2, 2, 5, 9]])
def test_the_first_entry_that_is_not_below_is_found(values):
    ascending = np.array(values, dtype=np.int32)
    for low, high in combinations(range(len(values) + 1), 2):
        for value in range(-1, 11):
            expected = low + sum(other < value for other in values[low:high])
            assert first_not_below(ascending, low, high, value) == expected
            assert first_not_below(ascending.astype(np.float64), low, high, value - 0.5) == expected
    for place in range(len(values) + 1):
        assert first_not_below(ascending, place, place, 3) == place
