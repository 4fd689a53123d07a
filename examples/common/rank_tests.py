"""Tests of methods over many cases, as in the papers: Friedman and Holm on average ranks, sign test, classes of score
differences, W-scores. Needs scipy: pip install scipy
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

DELTA_CLASSES = (
    "very positive",
    "strongly positive",
    "positive",
    "neutral",
    "negative",
    "strongly negative",
    "very negative",
)
"""Classes of score differences (Scanagatta et al. 2015, after Raftery 1995), best first."""


def classify_delta(delta: float) -> str:
    """Class of a score difference in nats; the thresholds of its size are 10, 6 and 2."""
    size = abs(delta)
    if size <= 2.0:
        return "neutral"
    sign = "positive" if delta > 0 else "negative"
    if size > 10.0:
        return f"very {sign}"
    return f"strongly {sign}" if size > 6.0 else sign


class SignTest(NamedTuple):
    """Wins, defeats and ties of one method against another, and the two-sided p-value."""

    wins: int
    defeats: int
    ties: int
    p_value: float


def sign_test(first: Sequence[float], second: Sequence[float]) -> SignTest:
    """Exact two-sided sign test without ties and pairs with NaN; higher values win."""
    pairs = list(zip(first, second, strict=True))
    wins, defeats = sum(one > other for one, other in pairs), sum(one < other for one, other in pairs)
    p_value = stats.binomtest(wins, wins + defeats).pvalue if wins + defeats else 1.0
    return SignTest(wins, defeats, len(pairs) - wins - defeats, float(p_value))


def rank_methods(values: np.ndarray, higher_is_better: bool = True) -> np.ndarray:
    """Ranks within each case, 1 the best; equal values share their mean rank, NaN ranks last.

    Values and ranks have the shape (n_cases, n_methods).
    """
    costs = -values if higher_is_better else values
    return stats.rankdata(np.where(np.isnan(costs), np.inf, costs), axis=1)


class MethodRank(NamedTuple):
    """A method's average rank.

    `p_value` is Holm-adjusted, for the hypothesis that the method ranks like the best one (1 for the best itself);
    `not_worse` if the hypothesis is not rejected.
    """

    method: str
    average_rank: float
    p_value: float
    not_worse: bool


class RankComparison(NamedTuple):
    """Friedman's test of equal ranks, and the methods, best first."""

    statistic: float
    p_value: float
    methods: tuple[MethodRank, ...]


def compare_ranks(ranks: np.ndarray, methods: Sequence[str], level: float) -> RankComparison:
    """Average ranks, Friedman's test, and Holm's comparison of all methods with the best.

    If Friedman's test does not reject equal ranks, no method is worse.
    """
    statistic, p_value = friedman_test(ranks)
    average = ranks.mean(axis=0).tolist()
    adjusted = compare_with_best(average, len(ranks))
    places = tuple(
        MethodRank(methods[i], average[i], adjusted[i], adjusted[i] > level or p_value > level)
        for i in sorted(range(len(methods)), key=average.__getitem__)
    )
    return RankComparison(statistic, p_value, places)


def friedman_test(ranks: np.ndarray) -> tuple[float, float]:
    """Friedman's chi-square statistic, corrected for ties, and its tail probability; for two methods, too.

    `ranks` has the shape (n_cases, n_methods). `scipy.stats.friedmanchisquare` wants three methods at least.
    """
    n_cases, n_methods = ranks.shape
    # Conover (1999): divided by the spread of the ranks themselves, the statistic is right with and without ties.
    spread = float(np.sum((ranks - (n_methods + 1) / 2) ** 2))
    if spread == 0.0:
        return 0.0, 1.0
    deviations = ranks.sum(axis=0) - n_cases * (n_methods + 1) / 2
    statistic = (n_methods - 1) * float(np.sum(deviations**2)) / spread
    return statistic, float(stats.chi2.sf(statistic, n_methods - 1))


def compare_with_best(average_ranks: Sequence[float], n_cases: int) -> list[float]:
    """Holm-adjusted two-sided p-values against the method of smallest average rank (1 for itself).

    z = (R_i - R_best) / sqrt(k (k + 1) / (6 N)) for k methods on N cases (Demšar 2006).
    """
    n_methods = len(average_ranks)
    best = min(range(n_methods), key=average_ranks.__getitem__)
    scale = math.sqrt(n_methods * (n_methods + 1) / (6 * n_cases))
    tails = [2 * float(stats.norm.sf((rank - average_ranks[best]) / scale)) for rank in average_ranks]
    adjusted = adjust_holm(tails[:best] + tails[best + 1 :])
    return [*adjusted[:best], 1.0, *adjusted[best:]]


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


def critical_difference(n_methods: int, n_cases: int, level: float) -> float:
    """Difference of average ranks from which two methods differ significantly by Nemenyi's test (Demšar 2006, eq. 6).

    CD = q sqrt(k (k + 1) / (6 N)) for k methods on N cases; q is the quantile of the studentized range of k values
    with infinitely many degrees of freedom, divided by sqrt(2).
    """
    quantile = float(stats.studentized_range.isf(level, n_methods, math.inf))
    return quantile / math.sqrt(2) * math.sqrt(n_methods * (n_methods + 1) / (6 * n_cases))


def w_score(unbounded: float, bounded: float) -> float:
    """Worsening W = (G − T)/|G| of a bounded score T against the score G without the bound.

    At least 0 if G is optimal for the same parent sets; higher is worse.

    Scanagatta et al. (2016), section 4, print (G − T)/G with negative scores, which would make every W negative.
    Their text ("the percentage of worsening", "lower values are better", "the lowest value is zero, no upper bound")
    and the logarithmic axis of their Figure 3 imply (G − T)/|G|.
    """
    if unbounded == 0.0:
        return 0.0 if bounded == 0.0 else math.inf
    return (unbounded - bounded) / abs(unbounded)
