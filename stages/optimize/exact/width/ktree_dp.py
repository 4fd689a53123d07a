"""The best network within a treewidth on few variables, by dynamic programming (`stages.kernels.ktrees.width_dp`)."""

from __future__ import annotations

import itertools
import math

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.ktrees.width_dp import extend_bags, start_bags
from stages.kernels.orders.subset_dp import best_within_subsets
from stages.lists.set_lists import index_table, relative_scores
from stages.runtime.budgets import Budget, slices
from stages.runtime.reporting import Reporter

SLICE = 30_000_000
"""Sums per compiled call: some hundredths of a second."""


def bag_bytes(n_variables: int, treewidth: int) -> int:
    """Size of the tables in bytes."""
    n_bags, n_separators = (math.perm(n_variables, size) for size in (treewidth + 1, treewidth))
    return (n_bags + n_separators) * (8 << n_variables) + (n_variables * 2 << n_variables)


def solve_by_bags(
    table: ParentSetTable, treewidth: int, budget: Budget, reporter: Reporter
) -> tuple[np.ndarray, list[int]] | None:
    """The best network: the index of each variable's set (int64), and an elimination order that proves the treewidth.

    `treewidth` is at least 1 and at most n_variables - 2, and some network meets it. None if the budget ended.
    """
    n, lists = table.n_variables, index_table(table)
    best = np.empty((n, 1 << (n - 1)), dtype=np.int32)
    for child in range(n):
        best_within_subsets(lists, child, best[child])
    bags = np.array(list(itertools.permutations(range(n), treewidth + 1)), dtype=np.int64)
    numbers = {some: k for k, some in enumerate(itertools.permutations(range(n), treewidth))}
    less = [np.delete(bags, j, axis=1).tolist() for j in range(treewidth + 1)]
    separators = np.array([[numbers[tuple(some)] for some in each] for each in less], dtype=np.int64).T.copy()
    totals = np.full((len(bags), 1 << n), -np.inf)
    hanging = np.full((len(numbers), 1 << n), -np.inf)
    scores = relative_scores(lists)
    start_bags(scores, best, bags, separators, totals, hanging)
    parts, most = np.empty(1 << n), n - treewidth - 1
    for size in range(1, most + 1):
        # Each of the other variables outside is in one of two parts, and members are in neither, too.
        work = (1 << n) * (treewidth + 2) + math.comb(most, size) * 2**size * 3 ** (treewidth + 1)
        end = 0
        for start, end in slices(len(bags), max(1, SLICE // work), budget):
            extend_bags(bags, separators, totals, hanging, parts, start, end, size)
            reporter.progress((size - 1) * len(bags) + end, most * len(bags), "steps")
        if end < len(bags):
            return None
    return _trace_back(best, bags, separators, totals, hanging)


def _trace_back(
    best: np.ndarray, bags: np.ndarray, separators: np.ndarray, totals: np.ndarray, hanging: np.ndarray
) -> tuple[np.ndarray, list[int]]:
    """The sets of a best network, and an elimination order: by the same sums of the same numbers, so equal ones."""
    n = len(best)
    chosen = np.empty(n, dtype=np.int64)
    root = int(np.argmax(totals[:, -1]))
    joined = bags[root].tolist()
    open_parts = [(root, (1 << n) - 1)]
    while open_parts:
        b, mask = open_parts.pop()
        bag = bags[b].tolist()
        inside = sum(1 << v for v in bag)
        outside = mask & ~inside
        if not outside:
            for j, v in enumerate(bag):
                if mask >> v & 1:
                    before = sum(1 << u for u in bag[:j])
                    chosen[v] = best[v, before & (1 << v) - 1 | before >> v + 1 << v]
            continue
        least = outside & -outside
        some = _subsets(mask ^ least)
        lacks = (some[:, None] >> bags[b] & 1) == 0
        parts = np.where(lacks, hanging[separators[b], (some | least)[:, None]], -np.inf)
        sums = parts + totals[b, mask ^ least ^ some][:, None]
        place, j = divmod(int(np.argmax(sums)), len(bag))
        part = int(some[place]) | least
        new, v = _hung(bags, separators, totals, int(separators[b, j]), part)
        joined.append(v)
        open_parts += [(b, mask ^ part), (new, part)]
    return chosen, joined[::-1]


def _subsets(mask: int) -> np.ndarray:
    """All subsets of `mask` as masks; int64."""
    subsets = np.zeros(1, dtype=np.int64)
    for v in range(mask.bit_length()):
        if mask >> v & 1:
            subsets = np.concatenate((subsets, subsets | (1 << v)))
    return subsets


def _hung(bags: np.ndarray, separators: np.ndarray, totals: np.ndarray, separator: int, mask: int) -> tuple[int, int]:
    """Among the bags that hold the separator and one variable of `mask`, the best one, and this variable."""
    holders, places = np.nonzero((separators == separator) & (mask >> bags & 1 == 1))
    k = int(np.argmax(totals[holders, mask]))
    return int(holders[k]), int(bags[holders[k], places[k]])
