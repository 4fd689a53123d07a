"""Approximate queries by likelihood weighting, with standard errors, where a junction tree would be too large."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stages.kernels.inference.likelihood_weighting import add_weights, draw_weighted
from stages.runtime.budgets import slices
from stages.runtime.errors import StageError
from stages.runtime.seeding import task_generator

from .junction_trees import Engine
from .queries import BATCH_STATES, Evidence


class Estimate(NamedTuple):
    """Estimated distributions."""

    # `probabilities`, `standard_errors`: list of float64: one array per group, with an axis per variable; the error
    # is 0 where no sample or every sample has a state.
    probabilities: list[np.ndarray]
    standard_errors: list[np.ndarray]
    # `log_probability`, `log_error`: log-probability of the evidence, nats, and its standard error.
    log_probability: float
    log_error: float
    effective: float  # effective sample size (Kong, Liu and Wong 1994)


class _Sums:
    """Sums of weights and squared weights per cell, relative to the largest weight so far (`peak`, a logarithm)."""

    def __init__(self, n_cells: Sequence[int]):
        self.peak = -math.inf
        self.sums = [np.zeros(count) for count in n_cells]
        self.squares = [np.zeros(count) for count in n_cells]

    def weights(self, logs: np.ndarray) -> np.ndarray:
        """Weights of further samples from their logarithms; earlier sums are rescaled to the new peak."""
        peak = max(self.peak, float(logs.max()))
        if peak == -math.inf:
            return np.zeros(len(logs))
        # Zero before the first sample of positive weight, when all sums are zero.
        scale = math.exp(self.peak - peak)
        for sums, squares in zip(self.sums, self.squares):
            sums *= scale
            squares *= scale * scale
        self.peak = peak
        return np.exp(logs - peak)


def weigh_samples(
    engine: Engine, evidence: Evidence, groups: Sequence[Sequence[int]], n_samples: int, seed: int
) -> Estimate:
    """Joint distributions of groups of variables under evidence, from weighted samples.

    No variable of `groups` is observed. Raises `StageError` if no sample agrees with the evidence.

    The estimate of a state's probability is a ratio p of two sums of weights w. By the delta method its variance is
    about ``sum(w^2 (x - p)^2) / sum(w)^2``, with x = 1 in samples of that state and 0 in others.
    """
    n = engine.n_variables
    is_hidden = np.ones(n, dtype=np.bool_)
    is_hidden[list(evidence)] = False
    is_needed = _ancestors(engine, {*evidence, *(v for group in groups for v in group)})
    sizes = [engine.arrays.n_states[list(group)] for group in groups]
    # The last sums belong to an empty group: they sum all weights.
    sums = _Sums([*(int(np.prod(size)) for size in sizes), 1])
    targets = [np.array(group, dtype=np.int64) for group in (*groups, ())]
    # Strides of a group's table, its last variable least significant.
    steps = [np.append(np.cumprod(size[:0:-1])[::-1], 1).astype(np.int64) for size in (*sizes, np.ones(0))]
    batch_size = max(1, min(n_samples, BATCH_STATES // n))
    for batch, (start, end) in enumerate(slices(n_samples, batch_size)):
        size = end - start
        drawn, logs = np.zeros((size, n), dtype=np.uint8), np.empty(size)
        for variable, state in evidence.items():
            drawn[:, variable] = state
        uniforms = task_generator(seed, 5, batch).random((size, n))
        draw_weighted(engine.arrays, is_needed, is_hidden, uniforms, drawn, logs)
        weights = sums.weights(logs)
        for place, target in enumerate(targets):
            add_weights(drawn, weights, steps[place], target, sums.sums[place], sums.squares[place])
    if sums.peak == -math.inf:
        raise StageError(
            f"none of {n_samples:,} samples agrees with the evidence: it is impossible, or too improbable to be met"
        )
    *found, (total,) = sums.sums
    *squares, (total_squares,) = sums.squares
    shares = [part / total for part in found]
    errors = [
        # Squared weights of samples with the state have x - p = 1 - p, all others have -p.
        np.sqrt(own * (1 - p) ** 2 + np.maximum(total_squares - own, 0.0) * p**2) / total
        for own, p in zip(squares, shares)
    ]
    return Estimate(
        [p.reshape(size) for p, size in zip(shares, sizes)],
        [error.reshape(size) for error, size in zip(errors, sizes)],
        sums.peak + math.log(total / n_samples),
        # Relative standard error of the mean weight; by the delta method also the standard error of its logarithm.
        math.sqrt(max(total_squares / total**2 - 1 / n_samples, 0.0)),
        total**2 / total_squares,
    )


def _ancestors(engine: Engine, variables: set[int]) -> np.ndarray:
    """The variables and all their ancestors, which alone are relevant to them."""
    is_needed = np.zeros(engine.n_variables, dtype=np.bool_)
    is_needed[list(variables)] = True
    for variable in engine.arrays.order[::-1].tolist():
        if is_needed[variable]:
            is_needed[list(engine.network.parents[variable])] = True
    return is_needed
