"""The posterior of P(y | do(x)) given the parents of x: counts, closed moments, draws.

With parents z, P(y | do(x)) = sum over z of P(z) P(y | x, z). The joint distribution of z, x and y has a uniform
Dirichlet prior. Then P(z) and all P(y | x, z) are independent and have Dirichlet distributions. Their parameters are
a(z) = N(z) + ess / K and b(y) = N(z, x, y) + ess / (K r_x r_y), with N rows of counts, K configurations of z, and r
states.

Of rows under intervention, those in which nothing but x was set count as they are: setting x changes neither P(z) nor
P(y | x, z) (Pearl 2009, rule 2). Those in which y was set, alone or with x, count for N(z) if x is an ancestor of y,
which then is no ancestor of z. What was set of the others may change both, so such rows do not count.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset

BATCH_CELLS = 1 << 21
"""Random numbers drawn at once; some hundredths of a second."""


class Counts(NamedTuple):
    """Rows of each configuration of the parents that occurs in the data."""

    rows: np.ndarray  # int64, shape (n_found, states of the cause, states of the effect)
    further: np.ndarray  # int64, shape (n_found,): rows that count for the configuration alone
    n_configurations: float  # also configurations that do not occur


class Moments(NamedTuple):
    """Mean and variance of P(y | do(x)), or of its contrasts; float64, shape (states of x, states of y)."""

    mean: np.ndarray
    variance: np.ndarray


def contrasts_of(n_states: int) -> np.ndarray:
    """The matrix that maps values at the states of a cause to each value less the mean of the others.

    One state has no others: its contrast is 0.
    """
    if n_states == 1:
        return np.zeros((1, 1))
    return (n_states * np.eye(n_states) - 1.0) / (n_states - 1)


def unaffected_moments(rows: np.ndarray, n_x: int, ess: float, contrast: bool) -> Moments:
    """As `effect_moments`, where x is no ancestor: of the distribution of y, from its rows in each state."""
    if contrast:
        nothing = np.zeros((n_x, len(rows)))
        return Moments(nothing, nothing)
    weights = rows + ess / len(rows)
    mean = np.tile(weights / weights.sum(), (n_x, 1))
    return Moments(mean, mean * (1.0 - mean) / (weights.sum() + 1.0))


def effect_moments(counts: Counts, ess: float, contrast: bool) -> Moments:
    """Moments of P(y | do(x)), or of its contrasts between the states of x.

    For S = sum of p_i q_i, with p from a Dirichlet distribution of parameters a_i, A in sum, and independent q_i of
    means m_i and variances v_i, the moments E p_i p_j give
    (A + 1) Var S = sum a_i / A ((m_i - E S)^2 + (a_i + 1) v_i).
    The configurations without rows have equal a, m and v.
    """
    _, n_x, n_y = counts.rows.shape
    cell = ess / counts.n_configurations / (n_x * n_y)
    weights = counts.rows + cell
    totals = weights.sum(axis=2, keepdims=True)
    means = weights / totals
    variances = means * (1.0 - means) / (totals + 1.0)
    shares = weights.sum(axis=(1, 2)) + counts.further
    n_rest = counts.n_configurations - len(shares)
    rest = cell * n_x * n_y
    rest_mean = np.full((n_x, n_y), 1.0 / n_y)
    rest_variance = rest_mean * (1.0 - rest_mean) / (cell * n_y + 1.0)
    if contrast:
        change = contrasts_of(n_x)
        means, rest_mean = change @ means, change @ rest_mean
        variances, rest_variance = change**2 @ variances, change**2 @ rest_variance
    total = float(shares.sum()) + n_rest * rest
    p = shares[:, None, None] / total
    p_rest = n_rest * rest / total
    mean = (p * means).sum(axis=0) + p_rest * rest_mean
    spread = (p * ((means - mean) ** 2 + (shares[:, None, None] + 1.0) * variances)).sum(axis=0)
    spread += p_rest * ((rest_mean - mean) ** 2 + (rest + 1.0) * rest_variance)
    return Moments(mean, spread / (total + 1.0))


def draw_unaffected(rows: np.ndarray, n_x: int, ess: float, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """As `draw_effects`, where x is no ancestor."""
    drawn = _dirichlet(np.broadcast_to(rows + ess / len(rows), (n_draws, 1, len(rows))), rng)
    return np.repeat(drawn, n_x, axis=1)


def draw_effects(counts: Counts, ess: float, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draws of P(y | do(x)); shape (n_draws, states of x, states of y).

    The configurations without rows, which have ess / (rows + ess) of the weight at most, are drawn as one: from a
    Dirichlet distribution of the mean and the variance that their weighted sum has.
    """
    n_found, n_x, n_y = counts.rows.shape
    cell = ess / counts.n_configurations / (n_x * n_y)
    n_rest = counts.n_configurations - n_found
    weights = counts.rows + cell
    shares = weights.sum(axis=(1, 2)) + counts.further
    if n_rest > 0:
        rest = cell * n_x * n_y
        # With this sum of parameters, c: (c + 1) (rest + 1) = (n_rest rest + 1) (cell n_y + 1), as for the variance.
        total = ((n_rest - 1.0) * rest + cell * n_y * (n_rest * rest + 1.0)) / (rest + 1.0)
        weights = np.concatenate([weights, np.full((1, n_x, n_y), total / n_y)])
        shares = np.append(shares, n_rest * rest)
    found = np.empty((n_draws, n_x, n_y))
    size = max(1, BATCH_CELLS // weights.size)
    for start in range(0, n_draws, size):
        n = min(size, n_draws - start)
        p = _dirichlet(np.broadcast_to(shares, (n, len(shares))), rng)
        q = _dirichlet(np.broadcast_to(weights, (n, *weights.shape)), rng)
        found[start : start + n] = np.einsum("nz,nzxy->nxy", p, q)
    return found


def _dirichlet(parameters: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A draw for each vector of parameters along the last axis.

    If all gamma variables of a draw underflow, which takes parameters far below 1, all weight is on one cell, chosen
    in proportion to the parameters: the limit of such distributions.
    """
    drawn = rng.standard_gamma(parameters)
    totals = drawn.sum(axis=-1, keepdims=True)
    empty = totals[..., 0] == 0.0
    if empty.any():
        shares = parameters[empty].cumsum(axis=-1)
        chosen = (shares < rng.random((len(shares), 1)) * shares[:, -1:]).sum(axis=-1)
        drawn[empty] = np.eye(parameters.shape[-1])[chosen]
        totals[empty] = 1.0
    return drawn / totals


def divergences(distributions: np.ndarray) -> np.ndarray:
    """Jensen-Shannon divergences, nats, of the distributions along the last axis; equal weights along the one before.

    The entropy of their mean less the mean of their entropies (Lin 1991).
    """
    return np.maximum(_entropies(distributions.mean(axis=-2)) - _entropies(distributions).mean(axis=-1), 0.0)


def _entropies(distributions: np.ndarray) -> np.ndarray:
    logs = np.log(distributions, out=np.zeros_like(distributions), where=distributions > 0)
    return -(distributions * logs).sum(axis=-1)


def count_effects(dataset: Dataset, parents: Sequence[int], cause: int, effects: Sequence[int]) -> Iterator[Counts]:
    """Rows of each configuration of the parents, the cause and each of the effects, which lie below the cause."""
    found = dataset.configurations(parents)
    n_found, n_all = int(found.max(initial=0)) + 1, math.prod(map(float, dataset.n_states[list(parents)]))
    n_x = int(dataset.n_states[cause])
    cells = found * n_x + dataset.codes[cause]
    counted = counted_rows(dataset, cause)
    cells = cells[counted]
    further = np.zeros(n_found, dtype=np.int64)
    for effect in effects:
        n_y = int(dataset.n_states[effect])
        shape = n_found, n_x, n_y
        rows = np.bincount(cells * n_y + dataset.codes[effect][counted], minlength=math.prod(shape)).reshape(shape)
        if dataset.interventions is not None:
            was_set = dataset.interventions.only((cause, effect)) & ~dataset.interventions.is_free(effect)
            further = np.bincount(found[was_set], minlength=n_found)
        yield Counts(rows, further, n_all)


def counted_rows(dataset: Dataset, cause: int) -> np.ndarray | slice:
    """The rows in which nothing but the cause was set, bool; all rows as a slice."""
    return slice(None) if dataset.interventions is None else dataset.interventions.only((cause,))
