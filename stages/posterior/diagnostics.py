"""Convergence diagnostics of Markov chains.

Rank-normalised split R-hat and effective sample size after Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021).
Both are invariant under changes of scale. Rank normalisation of a 0-1 indicator is such a change, so it is omitted
for arcs.
"""

# Imported where needed, since loading takes time: statistics
from __future__ import annotations

import numpy as np


def split_chains(draws: np.ndarray) -> np.ndarray:
    """Each chain as two halves, without the middle draw of an odd number; shape (..., 2 * n_chains, n_draws // 2)."""
    half = draws.shape[-1] // 2
    return np.concatenate((draws[..., :half], draws[..., draws.shape[-1] - half :]), axis=-2)


def rank_normalised(draws: np.ndarray) -> np.ndarray:
    """Normal scores of the ranks of all draws (equation 14); ties get their mean rank."""
    _, inverse, counts = np.unique(draws, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    shares = (ranks - 3 / 8) / (draws.size + 1 / 4)
    return normal_quantiles(shares)[inverse].reshape(draws.shape)


def normal_quantiles(shares: np.ndarray) -> np.ndarray:
    """Quantiles of the standard normal distribution."""
    from statistics import NormalDist

    quantile = NormalDist().inv_cdf
    return np.array([quantile(share) for share in shares.tolist()])


def split_rhat(draws: np.ndarray) -> np.ndarray:
    """Potential scale reduction of split chains (equations 1 to 4); NaN for too few draws, 1 for constant draws.

    `draws` has the shape (..., n_chains, n_draws).
    """
    halves = split_chains(np.asarray(draws, dtype=np.float64))
    n = halves.shape[-1]
    if n < 2:
        return np.full(halves.shape[:-2], np.nan)
    within = halves.var(axis=-1, ddof=1).mean(axis=-1)
    between = n * halves.mean(axis=-1).var(axis=-1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((n - 1) / n + between / (n * within))
    # Constant halves: 0 / 0 if all are alike, infinite if they differ.
    return np.where((within > 0) | (between > 0), ratio, 1.0)


def rank_rhat(draws: np.ndarray) -> float:
    """The larger R-hat of the normal scores of the draws and of their distances from the median (section 4.2).

    `draws` is float64, shape (n_chains, n_draws).
    """
    folded = np.abs(draws - np.median(draws))
    return float(np.max([split_rhat(rank_normalised(each)) for each in (draws, folded)]))


def effective_size(draws: np.ndarray) -> np.ndarray:
    """Effective sample size for a mean (equations 9 to 13); NaN for constant or too few draws.

    It is at most ``N log10(N)`` for N draws. `draws` has the shape (..., n_chains, n_draws), the result (...,).
    """
    total, length = _correlation_length(draws)
    n_draws = 2 * draws.shape[-2] * (draws.shape[-1] // 2)
    return np.where(total > 0, n_draws / length, np.nan)


def mean_variance(draws: np.ndarray) -> np.ndarray:
    """Variance of the mean of all draws, corrected for autocorrelation; NaN for too few, shape (...,)."""
    total, length = _correlation_length(draws)
    return total * length / (draws.shape[-2] * draws.shape[-1])


def _correlation_length(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variance of the draws, between chains included, and integrated autocorrelation time, by Geyer's initial
    monotone sequence.
    """
    halves = split_chains(np.asarray(draws, dtype=np.float64))
    n_chains, n = halves.shape[-2:]
    if n < 4:
        return np.full(halves.shape[:-2], np.nan), np.full(halves.shape[:-2], np.nan)
    centred = halves - halves.mean(axis=-1, keepdims=True)
    # Padded to twice the length, so that circular autocovariances are plain ones.
    size = 1 << (2 * n - 1).bit_length()
    spectrum = np.fft.rfft(centred, size, axis=-1)
    covariance = np.fft.irfft(np.abs(spectrum) ** 2, size, axis=-1)[..., :n] / n
    within = covariance[..., 0].mean(axis=-1) * n / (n - 1)
    total = within * (n - 1) / n + halves.mean(axis=-1).var(axis=-1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = 1.0 - (within[..., None] - covariance.mean(axis=-2) * n / (n - 1)) / total[..., None]
    correlation[..., 0] = 1.0
    # Sums over neighbouring lags of a reversible chain are positive and decrease (Geyer 1992): the sequence is cut at
    # the first that is not positive, and made to decrease.
    pairs = correlation[..., 0 : 2 * (n // 2) : 2] + correlation[..., 1 : 2 * (n // 2) : 2]
    is_positive = np.logical_and.accumulate(pairs > 0, axis=-1)
    monotone = np.minimum.accumulate(np.where(is_positive, pairs, 0.0), axis=-1)
    length = -1.0 + 2.0 * monotone.sum(axis=-1)
    return total, np.maximum(length, 1.0 / np.log10(n_chains * n))


def block_means(draws: np.ndarray, most: int) -> np.ndarray:
    """Means of consecutive batches of equal size of each chain; first draws that fill no batch are discarded.

    `draws` has the shape (..., n_draws), the result (..., n_batches); a chain has at most `most` batches.
    """
    n = draws.shape[-1]
    length = -(-n // most)
    kept = draws[..., n % length :]
    return kept.reshape(*draws.shape[:-1], n // length, length).mean(axis=-1)


def standard_errors(probability: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Standard errors of proportions among effective samples; positive for proportions of 0 and 1, too.

    One success and one failure are added (rule of succession).
    """
    near = (sizes * probability + 1.0) / (sizes + 2.0)
    return np.sqrt(near * (1.0 - near) / np.maximum(sizes, 1.0))
