"""What sampled networks tell: shares of arcs and other features, their standard errors, and whether chains agree."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .diagnostics import (
    block_means,
    effective_size,
    mean_variance,
    rank_rhat,
    split_rhat,
    standard_errors,
)

if TYPE_CHECKING:
    from formats.records import ParentSetTable
    from stages.runtime.budgets import Budget
    from stages.runtime.reporting import Reporter

    from .sampling import Samples

RHAT_LIMIT = 1.05
"""Chains with a larger R-hat disagree; 1.01 (Vehtari et al. 2021) is asked of chains that are to give digits."""

LIKELY_SHARE = 0.05
"""Arcs that are less probable than this, or more than 1 less this, do not count in the largest R-hat."""

MOST_BLOCKS = 512
"""Means of so many stretches of a chain tell the error of a share."""

ARCS_AT_ONCE = 32
"""Arcs whose presence in all networks is held at a time."""


@dataclass(frozen=True)
class Verdict:
    """What the chains say of themselves.

    Attributes
    ----------
    rhat : float
        Largest R-hat: of the networks' scores, rank-normalised, and of likely arcs; NaN for too few samples.
    ess : float
        Effective number of samples, by the scores.
    difference : float
        Largest difference between two chains in the probability of an arc.
    """

    rhat: float
    ess: float
    difference: float

    @property
    def agreed(self) -> bool:
        """Whether the chains tell the same."""
        return self.rhat <= RHAT_LIMIT


def arc_probabilities(
    table: ParentSetTable, samples: Samples, reporter: Reporter
) -> tuple[np.ndarray, np.ndarray, Verdict]:
    """Shares of networks that have each arc, their standard errors, and whether chains agree.

    Returns
    -------
    probability, error : ndarray of float64, shape (n_variables, n_variables)
        Entry [parent, child].
    verdict : Verdict
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
            has_arc = has_parent.T[some][:, inverse.reshape(samples.totals.shape)]
            of_chains = has_arc.mean(axis=-1)
            share = of_chains.mean(axis=-1)
            probability[parents[some], child] = share
            sizes[parents[some], child] = share_sizes(has_arc, score_size)
            difference = max(difference, float(np.ptp(of_chains, axis=-1).max(initial=0.0)))
            is_likely = (share >= LIKELY_SHARE) & (share <= 1 - LIKELY_SHARE)
            rhats += split_rhat(has_arc[is_likely]).tolist()
        reporter.progress(child + 1, n, "variables judged")
    rhat = float(np.nan) if n_chains < 2 or np.isnan(rhats).any() else max(rhats)
    return probability, standard_errors(probability, sizes), Verdict(rhat, score_size, difference)


def share_sizes(is_there: np.ndarray, otherwise: float) -> np.ndarray:
    """Effective numbers of samples for the shares of networks that have something.

    Parameters
    ----------
    is_there : ndarray of bool, shape (n_features, n_chains, n_draws)
    otherwise : float
        Where all have it, or none, or there are too few to tell.

    Returns
    -------
    ndarray of float64, shape (n_features,)
        At most as many as there are.
    """
    share = is_there.mean(axis=(-2, -1))
    variance = mean_variance(block_means(is_there, MOST_BLOCKS))
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = share * (1.0 - share) / variance
    n_samples = float(np.prod(is_there.shape[-2:]))
    return np.where(np.isfinite(sizes) & (sizes > 0.0), np.minimum(sizes, n_samples), otherwise)


PARTS = 20
"""Parts of every chain whose counts tell the error of features."""

SLICE_WORK = 50_000_000
"""Words of bits between two words of progress; some hundredths of a second."""

WORK_AFTER_STOP = 1e9
"""Pairs of variables looked at in all networks after the user asked to stop: every k-th network does then."""


def feature_probabilities(
    table: ParentSetTable, samples: Samples, feature: str, budget: Budget, reporter: Reporter
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of networks in which variables are related, with standard errors from means of parts of the chains.

    Parameters
    ----------
    table : ParentSetTable
    samples : Samples
    feature : str
        ``ancestors`` or ``blankets``.
    budget : Budget
    reporter : Reporter

    Returns
    -------
    probability, error : ndarray of float64, shape (n_variables, n_variables)
        Entry [ancestor, descendant], or [member, variable].
    """
    from stages.kernels.bits import empty_bit_matrix
    from stages.kernels.posterior.relations import count_relations

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
        squares += counts**2 / len(part)
        weight += len(part)
        n_parts += 1
    probability = total / weight
    spread = np.maximum(squares / weight - probability**2, 0.0)
    plain = standard_errors(probability, np.full((n, n), float(weight)))
    return probability, np.maximum(np.sqrt(spread / max(n_parts - 1, 1)), plain)


def _parts(samples: Samples, n_variables: int, budget: Budget) -> list[np.ndarray]:
    """Stretches of all chains."""
    chains = np.ascontiguousarray(thinned_after_stop(samples, n_variables, budget))
    return [part for chain in chains for part in np.array_split(chain, min(PARTS, len(chain)))]


def thinned_after_stop(samples: Samples, n_variables: int, budget: Budget) -> np.ndarray:
    """The networks of all chains; every k-th one where the user waits for the end."""
    every = 1
    if budget.interrupted:
        every = max(
            1, min(int(samples.n_samples * n_variables**2 / WORK_AFTER_STOP), samples.sets.shape[1] // PARTS)
        )
    return samples.sets[:, ::every]
