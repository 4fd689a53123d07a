"""The best network from given lists by dynamic programming over subsets of few variables (Silander and Myllymäki
2006)."""

from __future__ import annotations

import numpy as np

from stages.kernels.orders.set_lists import SetLists
from stages.kernels.orders.subset_dp import best_within_subsets, extend_totals, trace_back
from stages.lists.set_lists import relative_scores
from stages.runtime.budgets import Budget, slices
from stages.runtime.memory import free_bytes
from stages.runtime.reporting import Reporter

MOST_VARIABLES = 22
"""Largest number of variables; beyond it branch and cut is faster on most lists and needs little memory."""

SLICE = 1 << 18
"""Subsets per compiled call; some hundredths of a second."""


def subset_bytes(n_variables: int) -> int:
    """Size of the tables for `n_variables` in bytes."""
    return (n_variables * 4 << max(0, n_variables - 1)) + (8 << n_variables)


def subsets_fit(n_variables: int) -> bool:
    """Whether there are few enough variables and half of the free memory holds the tables."""
    return n_variables <= MOST_VARIABLES and subset_bytes(n_variables) <= free_bytes() // 2


def solve_by_subsets(lists: SetLists, budget: Budget, reporter: Reporter) -> tuple[np.ndarray, np.ndarray] | None:
    """The best network.

    `lists` allow at least one network. Returns a topological order (int32) and the set of every variable (int64);
    None if the budget ended, which ends the search.
    """
    n = len(lists.set_offsets) - 1
    relative = relative_scores(lists)
    best = np.empty((n, 1 << max(0, n - 1)), dtype=np.int32)
    totals = np.zeros(1 << n)
    steps = n + -(-(1 << n) // SLICE)
    for child in range(n):
        if budget.is_spent():
            return None
        best_within_subsets(lists, child, best[child])
        reporter.progress(child + 1, steps, "steps")
    end = 0
    for start, end in slices(1 << n, SLICE, budget):
        extend_totals(relative, best, totals, max(1, start), end)
        reporter.progress(n + start // SLICE + 1, steps, "steps")
    if end < 1 << n:
        return None
    order, chosen = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    trace_back(relative, best, totals, order, chosen)
    return order, chosen
