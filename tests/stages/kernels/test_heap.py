"""The binary heap of best-first searches, against sorting."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.kernels.heap import pop, push


@numba.njit
def is_older(births, a, b):
    return births[a] < births[b]


@numba.njit
def push_and_pop(values, is_taken, heap):
    """Push the numbers of all values, popping after some; the numbers in the order in which they leave."""
    taken, size, births = [], 0, np.arange(len(values))
    for number in range(len(values)):
        push(heap, size, number, values, is_older, births)
        size += 1
        if is_taken[number]:
            taken.append(pop(heap, size, values, is_older, births))
            size -= 1
    while size > 0:
        taken.append(pop(heap, size, values, is_older, births))
        size -= 1
    return taken


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=40))
@pytest.mark.slow
def test_numbers_leave_in_order_and_then_stand_behind(entries):
    values, is_taken = np.array([v for v, _ in entries]), np.array([t for _, t in entries])
    heap = np.full(len(entries), -1)
    found = push_and_pop(values, is_taken, heap)
    waiting, expected = [], []
    for number, (value, is_popped) in enumerate(entries):
        waiting.append((-value, number))
        if is_popped:
            expected.append(min(waiting))
            waiting.remove(min(waiting))
    assert found == [number for _, number in (*expected, *sorted(waiting))]
    # The last one taken stands first, behind nothing; those taken at the end stand in reverse.
    assert heap[: len(waiting)].tolist() == [number for _, number in sorted(waiting, reverse=True)]
