"""Estimates from sampled networks: probabilities of arcs and other features, standard errors, convergence."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from formats.records import ParentSetTable
from stages.kernels.bits import empty_bit_matrix
from stages.kernels.posterior.relations import count_relations
from stages.runtime.budgets import Budget
from stages.runtime.reporting import Reporter

from .diagnostics import block_means, effective_size, mean_variance, rank_rhat, split_rhat, standard_errors
from .sampling import Samples

RHAT_LIMIT = 1.05
"""Largest R-hat of chains that agree; Vehtari et al. (2021) recommend 1.01 for precise estimates."""

LIKELY_SHARE = 0.05
"""Only arcs with a probability between this and one minus this enter the largest R-hat."""

MOST_BLOCKS = 512
"""Maximum number of batches of a chain whose means give the standard error of a proportion."""

ARCS_AT_ONCE = 32
"""Arcs whose indicators in all networks are held in memory at a time."""


@dataclass(frozen=True)
class Convergence:
    """Convergence diagnostics of the chains."""

    rhat: float  # largest R-hat of the networks' scores (rank-normalised) and of likely arcs; NaN for too few samples
    ess: float  # effective sample size, by the scores
    difference: float  # largest difference between two chains in the probability of an arc

    @property
    def agreed(self) -> bool:
        """Whether the chains agree."""
        return self.rhat <= RHAT_LIMIT


def arc_probabilities(
    table: ParentSetTable, samples: Samples, reporter: Reporter
) -> tuple[np.ndarray, np.ndarray, Convergence]:
    """Proportions of networks with each arc, their standard errors, and convergence diagnostics.

    Probabilities and errors are float64, shape (n_variables, n_variables), entry [parent, child].
    """
    n, n_chains = table.n_variables, len(samples.totals)
    score_size = float(effective_size(samples.totals))
    score_size = samples.n_samples if math.isnan(score_size) else min(score_size, samples.n_samples)
    probability, sizes = np.zeros((n, n)), np.full((n, n), score_size)
    rhats, difference = [rank_rhat(samples.totals)], 0.0
    for child in range(n):
        met, inverse = np.unique(samples.sets[:, :, child], return_inverse=True)
        families = [table.parent_set(s) for s in met.tolist()]
        parents = np.array(sorted(set().union(*families)), dtype=np.int64)
        has_parent = np.array([np.isin(parents, family) for family in families])
        for some in np.array_split(np.arange(len(parents)), -(-len(parents) // ARCS_AT_ONCE) or 1):
            # By arc, chain and draw: whether the set that the child takes there contains the parent.
            has_arc = has_parent.T[some][:, inverse.reshape(samples.totals.shape)]
            of_chains = has_arc.mean(axis=-1)
            share = of_chains.mean(axis=-1)
            probability[parents[some], child] = share
            sizes[parents[some], child] = share_sizes(has_arc, score_size)
            difference = max(difference, float(np.ptp(of_chains, axis=-1).max(initial=0.0)))
            is_likely = (share >= LIKELY_SHARE) & (share <= 1 - LIKELY_SHARE)
            rhats += split_rhat(has_arc[is_likely]).tolist()
        reporter.progress(child + 1, n, "variables counted")
    rhat = float(np.nan) if n_chains < 2 or np.isnan(rhats).any() else max(rhats)
    return probability, standard_errors(probability, sizes), Convergence(rhat, score_size, difference)


def share_sizes(is_there: np.ndarray, otherwise: float) -> np.ndarray:
    """Effective sample sizes for the proportions of networks that have a feature.

    `is_there` is bool, shape (n_features, n_chains, n_draws); `otherwise` is the size for features that all networks
    or none have, and for too few samples. Returns float64, shape (n_features,), at most the number of samples.
    """
    share = is_there.mean(axis=(-2, -1))
    variance = mean_variance(block_means(is_there, MOST_BLOCKS))
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = share * (1.0 - share) / variance
    n_samples = float(np.prod(is_there.shape[-2:]))
    return np.where(np.isfinite(sizes) & (sizes > 0.0), np.minimum(sizes, n_samples), otherwise)


PARTS = 20
"""Batches of each chain whose means give the standard errors of features."""

SLICE_WORK = 50_000_000
"""Words of bits processed between two progress reports; some hundredths of a second."""

WORK_AFTER_STOP = 1e9
"""Limit on pairs of variables times networks after the user asked to stop; to keep it, only every k-th network is
used.
"""


def feature_probabilities(
    table: ParentSetTable, samples: Samples, feature: str, budget: Budget, reporter: Reporter
) -> tuple[np.ndarray, np.ndarray]:
    """Proportions of networks in which variables are related, with standard errors from batch means of the chains.

    `feature` is ``ancestors`` or ``blankets``. Probabilities and errors are float64, shape
    (n_variables, n_variables), entry [ancestor, descendant], or [member, variable].
    """
    n = table.n_variables
    related = empty_bit_matrix(n, n)
    total, squares, n_parts, weight = np.zeros((n, n)), np.zeros((n, n)), 0, 0
    for part in _parts(samples, n, budget):
        counts, place = np.zeros((n, n)), 0
        while place < len(part):
            place = count_relations(
                part, table.parent_offsets, table.parents, feature == "blankets", related, counts, place,
                SLICE_WORK,
            )  # fmt: skip
            reporter.progress(weight + place, samples.n_samples, f"networks searched for {feature}")
        total += counts
        # With p_b and n_b of batch b, this sums n_b p_b^2 for the variance of the batch means.
        squares += counts**2 / len(part)
        weight += len(part)
        n_parts += 1
    probability = total / weight
    spread = np.maximum(squares / weight - probability**2, 0.0)
    plain = standard_errors(probability, np.full((n, n), float(weight)))
    return probability, np.maximum(np.sqrt(spread / max(n_parts - 1, 1)), plain)


def _parts(samples: Samples, n_variables: int, budget: Budget) -> list[np.ndarray]:
    """Consecutive batches of all chains."""
    chains = np.ascontiguousarray(thinned_after_stop(samples, n_variables, budget))
    return [part for chain in chains for part in np.array_split(chain, min(PARTS, len(chain)))]


def thinned_after_stop(samples: Samples, n_variables: int, budget: Budget) -> np.ndarray:
    """The networks of all chains; only every k-th after the user asked to stop."""
    every = 1
    if budget.interrupted:
        every = max(1, min(int(samples.n_samples * n_variables**2 / WORK_AFTER_STOP), samples.sets.shape[1] // PARTS))
    return samples.sets[:, ::every]
