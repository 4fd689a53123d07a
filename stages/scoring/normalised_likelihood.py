"""Regrets of the scores fNML and qNML: normalised maximum likelihoods of multinomial counts, in nats.

The regret ``ln C(n, r)`` of n rows and r states is the logarithm of the sum, over all sequences of n rows, of their
maximum likelihood. Sequences agree in their number of cells::

    C(n, r) = sum over k of  n (n - 1) ... (n - k + 1) / n^k  *  (r - 1) r ... (r + k - 2) / k!

(Mononen and Myllymäki 2008). No term is negative, so nothing cancels. C(n, 1) = 1 and C(n, r + 2) = C(n, r + 1) +
(n / r) C(n, r) (Kontkanen and Myllymäki 2007). C(n, 2) - 1 is Ramanujan's function Q(n), which has a known expansion
for large n (Knuth 1997, 1.2.11.3).

What holds of it, with B the power series whose coefficients are n^n / n!: C(n, r) n^n / n! is the coefficient of z^n
in B(z)^r.

- ``ln C(m + n, r) <= ln C(m, r) + ln C(n, r)``: the largest product is at most the product of the largest.
- ``m ln m + ln C(m, r)`` of m + n rows is at least its sum over m and n: it is the logarithm of the sum over all
  sequences of the product of ``k^k`` over their counts k, and ``(a + b)^(a + b) >= a^a b^b``.
- ``ln C(n, r q) - ln C(n, q)`` never falls as q grows: as ``B(z)^r = exp(r ln B(z))`` and ln B has no negative
  coefficient, C(n, r) is a polynomial in r without negative coefficients, so its logarithm is convex in ln r.
"""

# Imported where needed, since loading takes time: numpy
from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the table of scores loads with the command line, numpy with the data
    import numpy as np

EXPANDED = 500
"""Rows from which C(n, 2) is taken from its expansion, off by less than 1e-13 of C(n, 2) there and beyond."""

MOST_STATES = 1e290
"""Numbers of states from which all have the regret of this one, beyond the last digit of the score's difference."""

PART = 1 << 12
"""Terms of C(n, r) made at once."""

LEAST_TERM = 45.0
"""Nats below the largest term at which the rest of a falling sum is left out: each is at most 3e-20 of it."""


def entropy_terms(counts: np.ndarray) -> np.ndarray:
    """``n ln n``, 0 for no rows."""
    import numpy as np

    return counts * np.log(np.maximum(counts, 1.0))


def factorised(counts: np.ndarray, states: int, configurations: float, rows: int) -> np.ndarray:
    """fNML: each configuration has the regret of its own rows (Silander et al. 2008)."""
    return regrets(counts, states)


def quotient(counts: np.ndarray, states: int, configurations: float, rows: int) -> np.ndarray:
    """qNML: each row bears the same share of the family's regret."""
    return counts * (quotient_regret(rows, states, configurations) / rows)


def quotient_regret(rows: int, states: int, configurations: float) -> float:
    """``ln C(n, r q) - ln C(n, q)``: the regret of parents and child as one variable, less the regret of the parents
    as one (Silander, Leppä-aho, Jääsaari and Roos 2018).
    """
    return regret(rows, states * min(configurations, MOST_STATES)) - regret(rows, min(configurations, MOST_STATES))


def regrets(counts: np.ndarray, states: int) -> np.ndarray:
    """``ln C(n, r)`` for many numbers of rows n (float64, any shape) and a few states r; 0 for no rows."""
    import numpy as np

    n = np.maximum(counts, 1.0)
    found = np.zeros_like(n)
    if states == 1:
        return found
    ratio = _two_states(n)
    found += np.log(ratio)
    for r in range(1, states - 1):
        # The ratio of C(n, r + 2) to C(n, r + 1), from the one before.
        ratio = 1.0 + n / r / ratio
        found += np.log(ratio)
    return np.where(counts > 0, found, 0.0)


def _two_states(n: np.ndarray) -> Any:
    """C(n, 2) of float64 numbers of rows, at least 1."""
    import numpy as np

    root = np.sqrt(np.pi / (2.0 * n))
    # Signs and numbers of Ramanujan's Q(n).
    found = 2 / 3 + root * (n + 1 / 12 + 1 / (288 * n)) - 4 / (135 * n) + 8 / (2835 * n**2)
    found -= root * 139 / (51840 * n**2) - 16 / (8505 * n**3)
    few = np.flatnonzero(n.ravel() < EXPANDED)
    if len(few):
        known = np.array([1.0, *(_sum_of_two(rows) for rows in range(1, int(n.ravel()[few].max()) + 1))])
        found.ravel()[few] = known[n.ravel()[few].astype(np.int64)]
    return found


@functools.cache
def _sum_of_two(rows: int) -> float:
    """C(n, 2) by its sum, which falls by more than exp(-k²/2n)."""
    total, term = 1.0, 1.0
    for k in range(rows):
        term *= (rows - k) / rows
        if term < 1e-18 * total:
            break
        total += term
    return total


@functools.lru_cache(maxsize=1 << 16)
def regret(rows: int, states: float) -> float:
    """``ln C(n, r)`` for one number of rows and any number of states, by the sum above, term by term."""
    import numpy as np

    if states <= 1.0 or rows == 0:
        return 0.0
    last, largest, total = 0.0, 0.0, 1.0  # logarithms of the last and the largest term; the sum as a share of it
    for first in range(0, rows, PART):
        k = np.arange(first, min(first + PART, rows), dtype=np.float64)
        terms = last + np.cumsum(np.log((rows - k) / rows) + np.log((states - 1.0 + k) / (k + 1.0)))
        last, before = float(terms[-1]), largest
        largest = max(largest, float(terms.max()))
        total = total * float(np.exp(before - largest)) + float(np.exp(terms - largest).sum())
        # The terms have a single peak: their ratios fall.
        if last < largest - LEAST_TERM:
            break
    return largest + float(np.log(total))
