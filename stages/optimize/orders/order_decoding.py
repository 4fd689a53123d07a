"""Evaluate whole orders in slices of compiled work."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

from stages.graphs import positions_of

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.kernels.orders.set_lists import SetLists
    from stages.runtime.budgets import Budget


SLICE_WORK = 2_000_000
"""Sets tested (or as cheap units of work) per kernel call; some hundredths of a second."""

WORK_PER_VARIABLE = 30
"""What placing a variable costs besides, in sets tested."""


def sets_tested(lists: SetLists, chosen: np.ndarray) -> float:
    """Sets that were tested, about, to find the first possible one of every variable."""
    return float((chosen - lists.set_offsets[:-1]).sum()) + WORK_PER_VARIABLE * len(chosen)


def chosen_arcs(lists: SetLists | ParentSetTable, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Arcs of one set for each variable: offsets by child (int64, n_variables + 1) and parents (int32)."""
    starts, ends = lists.parent_offsets[chosen], lists.parent_offsets[chosen + 1]
    offsets = np.concatenate(([0], np.cumsum(ends - starts))).astype(np.int64)
    indices = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], ends - starts)
    return offsets, lists.parents[indices]


@overload
def choose_consistent(lists: SetLists, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


@overload
def choose_consistent(
    lists: SetLists, order: np.ndarray, budget: Budget | None
) -> tuple[np.ndarray, np.ndarray] | None: ...


def choose_consistent(
    lists: SetLists, order: np.ndarray, budget: Budget | None = None
) -> tuple[np.ndarray, np.ndarray] | None:
    """Best DAG consistent with `order`.

    Parameters
    ----------
    lists : SetLists
    order : ndarray of int32
        A permutation that agrees with the fixed records.
    budget : Budget, optional
        When it runs out the evaluation is given up.

    Returns
    -------
    tuple of (ndarray of int32, ndarray of int64) or None
        Position of every variable and its chosen set, or None when given up.
    """
    from stages.kernels.orders.set_lists import choose_slice

    position = positions_of(order)
    chosen = np.empty(len(order), dtype=np.int64)
    done = 0
    while done < len(order):
        if done and budget is not None and budget.is_spent():
            return None
        done, _ = choose_slice(lists, order, position, chosen, done, SLICE_WORK)
    return position, chosen


@overload
def select_acyclic(
    lists: SetLists, order: np.ndarray, prescribed: dict[int, tuple[int, ...]]
) -> np.ndarray: ...


@overload
def select_acyclic(
    lists: SetLists, order: np.ndarray, prescribed: dict[int, tuple[int, ...]], budget: Budget | None
) -> np.ndarray | None: ...


def select_acyclic(
    lists: SetLists, order: np.ndarray, prescribed: dict[int, tuple[int, ...]], budget: Budget | None = None
) -> np.ndarray | None:
    """Acyclic selection over `order` (Scanagatta et al. 2015, ASOBS).

    From the last variable to the first, each takes its best set without one of its present descendants.
    Arcs that are not open to choice (`prescribed`, see `lists.set_lists.fixed_parents`) are laid first, so that no
    other choice can contradict them. The score is at least that of `choose_consistent` on the same order
    (Theorem 3).

    Returns
    -------
    ndarray of int64 or None
        Chosen set of every variable, or None when the budget ran out.
    """
    from stages.kernels.bits import empty_bit_matrix
    from stages.kernels.orders.acyclic_selection import select_slice, take_set

    n = len(order)
    chosen = np.full(n, -1, dtype=np.int64)
    family = (np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64), lists.parents)
    descendants = empty_bit_matrix(n, n)
    stack = np.empty(n, dtype=np.int32)
    for child in prescribed:
        start, end = lists.set_offsets[child : child + 2]
        smallest = start + int(np.argmin(np.diff(lists.parent_offsets[start : end + 1])))
        take_set(lists, child, smallest, family, descendants, stack)
        if end == start + 1:
            chosen[child] = start
    start = n - 1
    while start >= 0:
        if start < n - 1 and budget is not None and budget.is_spent():
            return None
        start, _ = select_slice(lists, order, chosen, family, descendants, stack, start, SLICE_WORK)
    return chosen
