"""Kernels whose variables are values give what Python gives; values are those assigned once, before all uses."""

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.compiler import run_frontend

from stages.kernels.jit import njit
from stages.kernels.values import _single_definitions

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


class Tables(NamedTuple):
    """Arrays that belong together."""

    values: np.ndarray
    rows: np.ndarray


def branches(tables, limit):
    """Variables of all sorts: once and early, once in a branch, in a loop, changed."""
    first = tables.values[0]
    total = 0
    if limit > 2:
        extra = first * 2
    else:
        total = 1
        extra = first - 5
    for i in range(limit):
        row = tables.rows[i % len(tables.rows)]
        if i % 2:
            step = row.sum() + extra
            for j in range(len(row)):
                total += step * row[j]
        elif i == 4:
            continue
        else:
            total -= first
        while total > 1000:
            half = total // 2
            total = half - extra
    return total + extra


def late(flag, limit):
    """A variable that one way leaves without a value, and does not use."""
    total = 0
    for i in range(limit):
        if flag:
            known = i * 3
        if flag:
            total += known
    return total


def made(values, limit):
    """Arrays that are made and freed on the way."""
    twice = values * 2
    total = 0
    for i in range(limit):
        part = twice[i:] + values[i:]
        if len(part) > 2:
            again = part[::-1].copy()
            total += again[0] * (i + 1)
        else:
            total += part.sum()
    return total, twice


def left_early(values, limit):
    """Ways out before the end, one of them an error."""
    bound = values[0] + limit
    for i in range(len(values)):
        if values[i] > bound:
            return i
        if values[i] < 0:
            raise ValueError("negative")
    return -bound


@pytest.mark.parametrize("limit", [0, 1, 3, 9])
def test_compiled_is_what_python_does(limit):
    tables = Tables(np.arange(3, 9), np.arange(12).reshape(4, 3))
    assert njit(branches)(tables, limit) == branches(tables, limit)
    assert njit(late)(True, limit) == late(True, limit)
    assert njit(late)(False, limit) == 0
    for _ in range(3):
        total, twice = njit(made)(np.arange(9), limit)
        assert total == made(np.arange(9), limit)[0] and list(twice) == list(range(0, 18, 2))
    early = njit(left_early)
    for values in (np.array([1, 2, 30]), np.array([1, 2, 3])):
        assert early(values, limit) == left_early(values, limit)
    with pytest.raises(ValueError, match="negative"):
        early(np.array([1, -1]), limit)


def test_what_is_assigned_once_and_before_all_uses():
    found = _single_definitions(run_frontend(branches).blocks)
    assert {"first", "tables", "limit"} <= found
    assert not {"total", "extra"} & found  # changed; assigned in either branch
    assert "known" not in _single_definitions(run_frontend(late).blocks)  # used where it may have no value
