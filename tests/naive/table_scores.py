"""Local scores from their definitions by numpy, for tables that dictionaries of counts are too slow for."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

LARGEST_KEY = 1 << 40
"""Configurations up to which they are numbered without looking which of them occur."""

MOST_BINS = 1 << 12


class TableScores:
    """Counts and scores of families of a table, whose equal rows are counted once.

    Parameters
    ----------
    codes : ndarray of int64, shape (n_variables, n_rows)
    n_states : sequence of int
    """

    def __init__(self, codes: np.ndarray, n_states: Sequence[int]):
        self.n_states, self.n_rows = [int(n) for n in n_states], codes.shape[1]
        self.columns, self.weights = np.unique(codes, axis=1, return_counts=True)

    def counts(self, variables: Sequence[int]) -> np.ndarray:
        """Rows with each combination of states that occurs; without variables all rows."""
        keys, n_keys = np.zeros(len(self.weights), dtype=np.int64), 1
        for variable in variables:
            keys, n_keys = (keys * self.n_states[variable] + self.columns[variable], n_keys * self.n_states[variable])
            if n_keys > LARGEST_KEY:
                keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
                n_keys = len(keys)
        if n_keys > MOST_BINS:
            keys = np.unique(keys, return_inverse=True)[1].reshape(-1)
        counted = np.bincount(keys, self.weights)
        return counted[counted > 0]

    def log_likelihood(self, child: int, parents: Sequence[int]) -> float:
        """Sum over the cells that occur of N_xπ ln(N_xπ / N_π), nats."""
        return _sum_n_log_n(self.counts([*parents, child])) - _sum_n_log_n(self.counts(parents))

    def dirichlet(self, child: int, parents: Sequence[int], alpha: float) -> float:
        """Log marginal likelihood with the Dirichlet parameter `alpha` in every cell, nats."""
        cells = _sum_log_rising(self.counts([*parents, child]), alpha)
        return cells - _sum_log_rising(self.counts(parents), alpha * self.n_states[child])

    def score(self, child: int, parents: Sequence[int], name: str, ess: float) -> float:
        """Local score ``ll``, ``bic``, ``aic``, ``bdeu`` or ``k2`` in nats."""
        n_configurations = math.prod(self.n_states[p] for p in parents)
        n_parameters = (self.n_states[child] - 1) * n_configurations
        if name == "bdeu":
            return self.dirichlet(child, parents, ess / (self.n_states[child] * n_configurations))
        if name == "k2":
            return self.dirichlet(child, parents, 1.0)
        penalty = {"ll": 0.0, "aic": 1.0, "bic": 0.5 * math.log(self.n_rows)}[name]
        return self.log_likelihood(child, parents) - penalty * n_parameters


def _sum_n_log_n(counts: np.ndarray) -> float:
    return float((counts * np.log(counts)).sum())


def _sum_log_rising(counts: np.ndarray, alpha: float) -> float:
    """Sum of ln(Γ(alpha + n) / Γ(alpha)) over counts."""
    values, times = np.unique(counts, return_counts=True)
    start = math.lgamma(alpha)
    return math.fsum(t * (math.lgamma(alpha + n) - start) for n, t in zip(values.tolist(), times.tolist()))


def smoothed_table(codes: np.ndarray, shape: Sequence[int], smoothing: float) -> np.ndarray:
    """Distribution of the last of some columns given the others, `smoothing` rows spread evenly over the cells.

    Configurations that no row has get equal probabilities. One axis for each column.
    """
    counts = np.zeros(tuple(shape))
    np.add.at(counts, tuple(codes), 1.0)
    counts += smoothing / counts.size
    sums = counts.sum(axis=-1, keepdims=True)
    return np.where(sums > 0, counts / np.where(sums > 0, sums, 1.0), 1.0 / counts.shape[-1])
