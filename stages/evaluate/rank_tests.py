"""Statistics for comparing methods over many cases: Friedman and Holm tests of average ranks, sign test, classes of
score differences, W-scores.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stages.runtime.errors import StageError

from .runs import MeasureTable

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


def count_delta_classes(first: Sequence[float], second: Sequence[float]) -> dict[str, int]:
    """Number of cases in each class of the score differences first − second; every class is a key."""
    counts = dict.fromkeys(DELTA_CLASSES, 0)
    for one, other in zip(first, second, strict=True):
        counts[classify_delta(one - other)] += 1
    return counts


class SignTest(NamedTuple):
    """Wins, defeats and ties of one method against another, and the two-sided p-value."""

    wins: int
    defeats: int
    ties: int
    p_value: float


def sign_test(first: Sequence[float], second: Sequence[float]) -> SignTest:
    """Exact two-sided sign test without ties and pairs with NaN; higher values win."""
    pairs = list(zip(first, second, strict=True))
    wins = sum(one > other for one, other in pairs)
    defeats = sum(one < other for one, other in pairs)
    trials, extreme = wins + defeats, max(wins, defeats)
    # Under the null hypothesis each trial is won with probability 1/2; with integers the tail is exact until the
    # division.
    tail = sum(math.comb(trials, k) for k in range(extreme, trials + 1))
    return SignTest(wins, defeats, len(pairs) - trials, min(1.0, 2 * tail / 2**trials))


def rank_methods(values: np.ndarray, higher_is_better: bool = True) -> np.ndarray:
    """Ranks within each case, 1 the best; equal values share their mean rank, NaN ranks last.

    Values and ranks have the shape (n_cases, n_methods).
    """
    costs = -values if higher_is_better else values
    costs = np.where(np.isnan(costs), np.inf, costs)
    # With b better ones, m equal values have the ranks b + 1 to b + m, on average b + (m + 1) / 2.
    better = (costs[:, None, :] < costs[:, :, None]).sum(axis=2)
    equal = (costs[:, None, :] == costs[:, :, None]).sum(axis=2)
    return better + (equal + 1) / 2


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


def compare_ranks(table: MeasureTable, higher_is_better: bool = True, level: float = 0.05) -> RankComparison:
    """Average ranks, Friedman's test, and Holm's comparison of all methods with the best.

    If Friedman's test does not reject equal ranks, no method is worse.
    """
    ranks = rank_methods(table.values, higher_is_better)
    n_cases, n_methods = ranks.shape
    if n_cases < 2 or n_methods < 2:
        raise StageError("ranks are compared over at least two methods and two cases")
    statistic, p_value = friedman_test(ranks)
    average = ranks.mean(axis=0).tolist()
    adjusted = compare_with_best(average, n_cases)
    methods = tuple(
        MethodRank(table.methods[i], average[i], adjusted[i], adjusted[i] > level or p_value > level)
        for i in sorted(range(n_methods), key=average.__getitem__)
    )
    return RankComparison(statistic, p_value, methods)


def compare_with_best(average_ranks: Sequence[float], n_cases: int) -> list[float]:
    """Holm-adjusted two-sided p-values against the method of smallest average rank (1 for itself).

    z = (R_i - R_best) / sqrt(k (k + 1) / (6 N)) for k methods on N cases (Demšar 2006).
    """
    n_methods = len(average_ranks)
    best = min(range(n_methods), key=average_ranks.__getitem__)
    scale = math.sqrt(n_methods * (n_methods + 1) / (6 * n_cases))
    tails = [math.erfc((rank - average_ranks[best]) / scale / math.sqrt(2)) for rank in average_ranks]
    adjusted = adjust_holm(tails[:best] + tails[best + 1 :])
    return [*adjusted[:best], 1.0, *adjusted[best:]]


def critical_difference(n_methods: int, n_cases: int, level: float = 0.05) -> float:
    """Difference of average ranks from which two methods differ significantly by Nemenyi's test (Demšar 2006, eq. 6).

    CD = q sqrt(k (k + 1) / (6 N)) for k methods on N cases; q is the quantile of the range of k standard normal
    values, divided by sqrt(2).
    """
    return range_quantile(n_methods, level) / math.sqrt(2) * math.sqrt(n_methods * (n_methods + 1) / (6 * n_cases))


def range_quantile(count: int, level: float) -> float:
    """What the range of `count` independent standard normal values exceeds with probability `level`.

    P(range <= q) is the integral of k phi(z) (Phi(z) - Phi(z - q))^(k - 1), here by the trapezoidal rule.
    """
    places = np.linspace(-9.0, 9.0, 2001)
    density = np.exp(-(places**2) / 2) / math.sqrt(2 * math.pi) * (places[1] - places[0])
    cumulative = _normal_cdf(places)
    low, high = 0.0, 50.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        inside = count * float(np.sum(density * (cumulative - _normal_cdf(places - middle)) ** (count - 1)))
        low, high = (middle, high) if inside < 1 - level else (low, middle)
    return (low + high) / 2


def _normal_cdf(places: np.ndarray) -> np.ndarray:
    return np.array([math.erfc(-place / math.sqrt(2)) / 2 for place in places.tolist()])


def indistinct_groups(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """First and last place of each largest group of methods whose ranks differ by less than `difference`.

    `ranks` ascend; groups of one method are left out.
    """
    groups: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = max(place for place, other in enumerate(ranks) if other - rank < difference)
        if last > first and not (groups and groups[-1][1] >= last):
            groups.append((first, last))
    return groups


def friedman_test(ranks: np.ndarray) -> tuple[float, float]:
    """Friedman's chi-square statistic, corrected for ties, and its tail probability.

    `ranks` has the shape (n_cases, n_methods).
    """
    n_cases, n_methods = ranks.shape
    # Conover (1999): divided by the spread of the ranks themselves, the statistic is right with and without ties.
    spread = float(np.sum((ranks - (n_methods + 1) / 2) ** 2))
    if spread == 0.0:
        return 0.0, 1.0
    deviations = ranks.sum(axis=0) - n_cases * (n_methods + 1) / 2
    statistic = (n_methods - 1) * float(np.sum(deviations**2)) / spread
    return statistic, chi_square_tail(statistic, n_methods - 1)


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
