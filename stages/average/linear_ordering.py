"""Orders that agree with weighted arcs: the linear ordering problem, by insertion.

Of arcs that all count something the best acyclic choice is all that agree with the best order (the maximum acyclic
subgraph). Moving one variable to its best place, again and again, is the local search of Laguna, Martí and Campos
(1999).
"""

from __future__ import annotations

import numpy as np

LEAST_GAIN = 1e-9
"""Gains below are rounding."""


def improved_order(order: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """An order that no move of one variable betters.

    Parameters
    ----------
    order : ndarray of int64, shape (n,)
        Where to start.
    weights : ndarray of float64, shape (n, n)
        What the arc from the row to the column counts; none is negative.
    """
    is_improving = True
    while is_improving:
        is_improving = False
        for variable in order.tolist():
            place = int(np.flatnonzero(order == variable)[0])
            others = np.delete(order, place)
            # With the first i of the others before it: arcs from these, and to the rest.
            entering = np.concatenate(([0.0], np.cumsum(weights[others, variable])))
            leaving = np.concatenate(([0.0], np.cumsum(weights[variable, others])))
            count = entering + leaving[-1] - leaving
            best = int(count.argmax())
            if count[best] > count[place] + LEAST_GAIN:
                order = np.insert(others, best, variable)
                is_improving = True
    return order


def most_of_pairs(weights: np.ndarray) -> float:
    """An upper bound on what any order counts: of each pair the arc that counts more."""
    return float(np.triu(np.maximum(weights, weights.T), 1).sum())
