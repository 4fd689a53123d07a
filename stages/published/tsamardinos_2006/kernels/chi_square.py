"""Logarithm of the upper tail of the chi-square distribution, so that tiny p-values do not underflow to a tie."""

from __future__ import annotations

import math

from stages.kernels.jit import borrowing

PRECISION = 1e-13
"""Relative size of the first neglected term or factor."""


@borrowing
def log_chi_square_tail(statistic, degrees):
    """Natural logarithm of the probability that a chi-square variable exceeds `statistic`.

    It is the regularised incomplete gamma function Q(degrees / 2, statistic / 2). Below about the mean: one minus the
    power series of P. Above: the continued fraction of Q, evaluated by Lentz's (1976) method.
    """
    if statistic <= 0.0:
        return 0.0
    a, x = 0.5 * degrees, 0.5 * statistic
    # x^a e^-x / Gamma(a), a factor of both the series of P and the fraction of Q (Abramowitz and Stegun 1964, 6.5.29
    # and 6.5.31).
    log_front = a * math.log(x) - x - math.lgamma(a)
    if x < a + 1.0:
        # 1/a + x / (a (a + 1)) + x^2 / (a (a + 1) (a + 2)) + ...
        term = 1.0 / a
        total = term
        k = a
        while term > total * PRECISION:
            k += 1.0
            term *= x / k
            total += term
        # Kept below 1 in spite of rounding, for a finite logarithm.
        return math.log1p(-min(1.0 - PRECISION, math.exp(log_front) * total))
    # The even part of the fraction: 1 / (x + 1 - a - (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))). `c` and
    # `d` are quotients of successive numerators and of denominators; `tiny` replaces a zero.
    tiny = 1e-300
    b = x + 1.0 - a
    c = 1.0 / tiny
    d = 1.0 / b
    fraction = d
    i = 0.0
    while True:
        i += 1.0
        numerator = -i * (i - a)
        b += 2.0
        d = numerator * d + b
        d = 1.0 / (d if abs(d) > tiny else tiny)
        c = b + numerator / c
        c = c if abs(c) > tiny else tiny
        change = d * c
        fraction *= change
        if abs(change - 1.0) < PRECISION:
            break
    return log_front + math.log(fraction)


@borrowing
def log_tails(statistics, degrees, out):
    """`log_chi_square_tail` of every pair of `statistics` and `degrees` (float64), into `out`."""
    for i in range(len(out)):
        out[i] = log_chi_square_tail(statistics[i], degrees[i])
