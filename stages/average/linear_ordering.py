"""The linear ordering problem: an order that agrees with arcs of large total weight.

For positive weights the maximum acyclic subgraph consists of all arcs that agree with the best order. Dynamic
programming finds the best order of few variables; local search repeatedly moves one variable to its best position
(Laguna, Martí and Campos 1999).
"""

from __future__ import annotations

import numpy as np

LEAST_GAIN = 1e-9
"""Smaller gains count as rounding."""


def best_order(weights: np.ndarray) -> np.ndarray:
    """The best order of at most some ten variables; int64, shape (n,); `weights` as in `improved_order`."""
    n, columns = len(weights), weights.T.tolist()
    totals, last = [0.0] * (1 << n), [0] * (1 << n)
    for subset in range(1, 1 << n):
        members = [v for v in range(n) if subset >> v & 1]
        # The last variable of a subset takes the arcs from all others; the first such variable on ties.
        ends = [totals[subset ^ (1 << v)] + sum(columns[v][u] for u in members if u != v) for v in members]
        totals[subset] = max(ends)
        last[subset] = members[ends.index(totals[subset])]
    order, rest = [], (1 << n) - 1
    while rest:
        order.append(last[rest])
        rest ^= 1 << last[rest]
    return np.array(order[::-1], dtype=np.int64)


def improved_order(order: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """An order that no move of one variable improves.

    `order` (int64, shape (n,)) is the initial order; `weights` (float64, shape (n, n)) has the non-negative weight of
    the arc from row to column.
    """
    is_improving = True
    while is_improving:
        is_improving = False
        for variable in order.tolist():
            place = int(np.flatnonzero(order == variable)[0])
            others = np.delete(order, place)
            # Entry i: total weight of the arcs from the first i others to the variable, and of the arcs from the
            # variable to these.
            entering = np.concatenate(([0.0], np.cumsum(weights[others, variable])))
            leaving = np.concatenate(([0.0], np.cumsum(weights[variable, others])))
            count = entering + leaving[-1] - leaving
            best = int(count.argmax())
            # The total grows with each move, by more than rounding: the loop ends.
            if count[best] > count[place] + LEAST_GAIN:
                order = np.insert(others, best, variable)
                is_improving = True
    return order


def pairwise_bound(weights: np.ndarray) -> float:
    """An upper bound on the weight of any order: the sum over pairs of the larger weight."""
    return float(np.triu(np.maximum(weights, weights.T), 1).sum())
