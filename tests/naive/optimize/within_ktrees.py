"""The best network within all k-trees, many k-trees at a time."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np

from .ktrees import all_ktrees


@functools.cache
def adjacencies(n_variables, width):
    """Whether two variables are adjacent in each k-tree; bool, shape (n_variables, n_variables, n_ktrees)."""
    trees = [[tuple(sorted(edge)) for edge in edges] for edges in all_ktrees(n_variables, width)]
    adjacent = np.zeros((n_variables, n_variables, len(trees)), dtype=np.bool_)
    for number, edges in enumerate(trees):
        for a, b in edges:
            adjacent[a, b, number] = adjacent[b, a, number] = True
    return adjacent


def best_within_all_ktrees(lists, width):
    """Best score of a network whose moral graph lies in a k-tree: by sinks of subsets, in all k-trees at once."""
    n = len(lists)
    adjacent = adjacencies(n, width)
    is_inside = {
        (child, family): np.logical_and.reduce(
            [adjacent[pair] for pair in itertools.combinations(sorted({child, *family}), 2)]
            or [np.ones(adjacent.shape[2], dtype=np.bool_)]
        )
        for child, sets in enumerate(lists)
        for _, family in sets
    }
    best = {frozenset(): np.zeros(adjacent.shape[2])}
    for size in range(1, n + 1):
        for whole in map(frozenset, itertools.combinations(range(n), size)):
            best[whole] = np.full(adjacent.shape[2], -math.inf)
            for sink in whole:
                # Sets are best first.
                score = np.full(adjacent.shape[2], -math.inf)
                for value, family in reversed(lists[sink]):
                    if family <= whole - {sink}:
                        score[is_inside[sink, family]] = value
                best[whole] = np.maximum(best[whole], best[whole - {sink}] + score)
    return float(best[frozenset(range(n))].max())
