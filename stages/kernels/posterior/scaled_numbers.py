"""Non-negative floating-point numbers with an extended exponent.

Weights of parent sets differ by thousands of nats, so their sums and products exceed the range of
floating-point numbers; logarithms of such size would lose digits that differences of sums need. A number is
``mantissa * 2**exponent`` with ``1 <= mantissa < 2``, or a mantissa of 0 with the exponent `NOTHING`.
"""

import numpy as np

from ..jit import njit

NOTHING = -(2**30)
"""Exponent of zero, below that of every weight."""

LEAST_EXPONENT = -(2**26)
"""Lower bound on the exponents of weights; some ten million nats."""

LARGEST_SHIFT = 1000
"""Largest absolute exponent in the table of powers of two; smaller powers are negligible beside 1."""

POWERS = 2.0 ** np.arange(-LARGEST_SHIFT, LARGEST_SHIFT + 1)


@njit
def power_of_two(exponent):
    """``2.0**exponent``, or 0 below the range of the table; exponents are at most `LARGEST_SHIFT`."""
    return POWERS[exponent + LARGEST_SHIFT] if exponent >= -LARGEST_SHIFT else 0.0


@njit
def add_at(mantissas, exponents, target, source):
    """Add the number at `source` to that at `target`."""
    if mantissas[source] == 0.0:
        return
    if mantissas[target] == 0.0:
        mantissas[target], exponents[target] = mantissas[source], exponents[source]
        return
    shift = exponents[source] - exponents[target]
    if shift <= 0:
        mantissa, exponent = mantissas[target] + mantissas[source] * power_of_two(shift), exponents[target]
    else:
        mantissa, exponent = mantissas[source] + mantissas[target] * power_of_two(-shift), exponents[source]
    # Two mantissas below 2, one of them shifted down, sum to less than 4: one halving suffices.
    if mantissa >= 2.0:
        mantissa, exponent = 0.5 * mantissa, exponent + 1
    mantissas[target], exponents[target] = mantissa, exponent
