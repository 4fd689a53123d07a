"""Tests of conditional independencies on complete rows: the likelihood ratio G², and its permutation test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from formats.data_records import Dataset


class IndependenceTest(NamedTuple):
    """The test of X and Y given Z."""

    statistic: float  # G²: twice the gain in log-likelihood by Y in a family of X with parents Z
    degrees: int  # of freedom: (states of X - 1) (states of Y - 1) (configurations of Z)
    p_value: float


def independence_test(
    dataset: Dataset,
    first: int,
    second: int,
    given: Sequence[int],
    n_permutations: int | None = None,
    rng: np.random.Generator | None = None,
) -> IndependenceTest:
    """Test whether two variables are independent given others.

    The p-value is that of the chi-square distribution (Bishop, Fienberg and Holland 1975). With `n_permutations`,
    drawn by `rng`, it is the share of tables with a statistic as large, among the observed one and those in which the
    cells of `second` are permuted within each configuration of `given`: valid however few rows there are (Phipson and
    Smyth 2010).
    """
    cells, own, strata, shape = _cells(dataset, first, second, given)
    statistic = likelihood_ratio(_counts(cells, own, shape))
    degrees = (shape[1] - 1) * (shape[2] - 1)
    for variable in given:
        degrees *= int(dataset.n_states[variable])
    if n_permutations is None:
        return IndependenceTest(statistic, degrees, chi_square_tail(statistic, degrees) if degrees else 1.0)
    assert rng is not None
    in_strata = np.argsort(strata, kind="stable")
    cells, own, strata = cells[in_strata], own[in_strata], strata[in_strata]
    as_large = 0
    for _ in range(n_permutations):
        drawn = own[np.lexsort((rng.random(len(own)), strata))]
        # A permutation of the observed table may differ from it by rounding.
        as_large += likelihood_ratio(_counts(cells, drawn, shape)) >= statistic - 1e-9 * max(1.0, statistic)
    return IndependenceTest(statistic, degrees, (1 + as_large) / (1 + n_permutations))


def count_pair(dataset: Dataset, first: int, second: int, given: Sequence[int]) -> np.ndarray:
    """Rows by configuration of the given variables (if it occurs) and states of the two, int64."""
    cells, own, _, shape = _cells(dataset, first, second, given)
    return _counts(cells, own, shape)


def _cells(
    dataset: Dataset, first: int, second: int, given: Sequence[int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int, int]]:
    """For each row the number of its configuration and first state, its second state, and its configuration; and the
    shape of their table.
    """
    strata = dataset.configurations(given)
    states = dataset.n_states
    shape = int(strata.max(initial=-1)) + 1, int(states[first]), int(states[second])
    return strata * shape[1] + dataset.codes[first], dataset.codes[second], strata, shape


def _counts(cells: np.ndarray, own: np.ndarray, shape: tuple[int, int, int]) -> np.ndarray:
    return np.bincount(cells * shape[2] + own, minlength=shape[0] * shape[1] * shape[2]).reshape(shape)


def likelihood_ratio(counts: np.ndarray) -> float:
    """G² of counts by configuration, first and second variable."""
    sums = (counts, counts.sum(axis=(1, 2)), counts.sum(axis=2), counts.sum(axis=1))
    _, totals, firsts, seconds = (each.astype(np.int64) for each in sums)
    if np.array_equal(counts.astype(np.int64) * totals[:, None, None], firsts[:, :, None] * seconds[:, None, :]):
        return 0.0  # exactly independent
    joint, of_given, of_first, of_second = (_sum_of_logs(each) for each in sums)
    return max(0.0, 2.0 * (joint + of_given - of_first - of_second))


def _sum_of_logs(counts: np.ndarray) -> float:
    """The sum of n log n."""
    positive = counts[counts > 0].astype(np.float64)
    return float((positive * np.log(positive)).sum())


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Upper tail probability of the chi-square distribution with integer degrees of freedom."""
    half = statistic / 2
    if half <= 0.0:
        return 1.0
    # Regularised incomplete gamma function: Q(a + 1, x) = Q(a, x) + x^a exp(-x) / Γ(a + 1), starting from
    # Q(1/2, x) = erfc(sqrt(x)) or Q(0, x) = 0.
    shape = 0.5 if degrees % 2 else 0.0
    tail = math.erfc(math.sqrt(half)) if degrees % 2 else 0.0
    while shape < degrees / 2:
        tail += math.exp(shape * math.log(half) - half - math.lgamma(shape + 1))
        shape += 1.0
    return min(1.0, tail)


def adjust_holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment (1979) of p-values, for the family-wise error rate."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        # A later hypothesis cannot be rejected before an earlier one: adjusted values must not decrease.
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
