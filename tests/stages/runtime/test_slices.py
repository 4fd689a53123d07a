"""Slices of long calls: together they are everything, and none begins once the budget is spent."""

from __future__ import annotations

import pytest

from stages.runtime.budgets import Budget, slices


@pytest.mark.parametrize("total", [0, 1, 7, 9, 10])
@pytest.mark.parametrize("size", [1, 3, 20])
def test_slices_follow_one_another_and_are_everything(total, size):
    found = list(slices(total, size, Budget()))
    assert [k for start, end in found for k in range(start, end)] == list(range(total))
    assert all(end - start == size for start, end in found[:-1])


def test_no_slice_begins_once_the_budget_is_spent():
    budget, met = Budget(), []
    for start, end in slices(10, 3, budget):
        met.append((start, end))
        if len(met) == 2:
            budget.stop.set()
    assert met == [(0, 3), (3, 6)]
    assert list(slices(10, 3, budget)) == []
