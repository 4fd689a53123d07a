"""Networks from orders: the best consistent network, and acyclic selection."""

from __future__ import annotations

from typing import overload

import numpy as np

from formats.records import ParentSetTable
from stages.graphs import positions_of
from stages.kernels.bits import empty_bit_matrix
from stages.kernels.orders.acyclic_selection import select_slice, take_set
from stages.kernels.orders.set_lists import SetLists, choose_slice
from stages.runtime.budgets import Budget

from .set_lists import all_sets

SLICE_WORK = 2_000_000
"""Sets tested (or units of work of equal cost) per kernel call; some hundredths of a second."""

WORK_PER_VARIABLE = 30
"""Fixed cost of placing a variable, in sets tested."""


def sets_tested(lists: SetLists, chosen: np.ndarray) -> float:
    """Approximate number of sets tested to find the chosen sets."""
    return float((chosen - lists.set_offsets[:-1]).sum()) + WORK_PER_VARIABLE * len(chosen)


def chosen_arcs(lists: SetLists | ParentSetTable, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Arcs of the chosen sets: offsets by child (int64, n_variables + 1) and parents (int32)."""
    sets = all_sets(lists).take(chosen)
    return sets.offsets, sets.members


@overload
def choose_consistent(lists: SetLists, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


@overload
def choose_consistent(
    lists: SetLists, order: np.ndarray, budget: Budget | None
) -> tuple[np.ndarray, np.ndarray] | None: ...


def choose_consistent(
    lists: SetLists, order: np.ndarray, budget: Budget | None = None
) -> tuple[np.ndarray, np.ndarray] | None:
    """The best network consistent with `order`, a permutation that agrees with the fixed records.

    Returns the position (int32) and the chosen set (int64) of every variable; None if `budget` ended first.
    """
    position = positions_of(order)
    chosen = np.empty(len(order), dtype=np.int64)
    done = 0
    while done < len(order):
        if budget is not None and budget.is_spent():
            return None
        done, _ = choose_slice(lists, order, position, chosen, done, SLICE_WORK)
    return position, chosen


@overload
def select_acyclic(lists: SetLists, order: np.ndarray, prescribed: dict[int, tuple[int, ...]]) -> np.ndarray: ...


@overload
def select_acyclic(
    lists: SetLists, order: np.ndarray, prescribed: dict[int, tuple[int, ...]], budget: Budget | None
) -> np.ndarray | None: ...


def select_acyclic(
    lists: SetLists, order: np.ndarray, prescribed: dict[int, tuple[int, ...]], budget: Budget | None = None
) -> np.ndarray | None:
    """Acyclic selection over `order` (Scanagatta et al. 2015, ASOBS).

    From the last variable to the first, each takes its best set without a present descendant. Prescribed arcs
    (`lists.set_lists.fixed_parents`) are added first, so that no other choice can contradict them. The score is at
    least that of `choose_consistent` on the same order (Theorem 3). None if `budget` ended first.
    """
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
        if budget is not None and budget.is_spent():
            return None
        start, _ = select_slice(lists, order, chosen, family, descendants, stack, start, SLICE_WORK)
    return chosen
