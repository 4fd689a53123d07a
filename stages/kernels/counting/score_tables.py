"""Look-up tables that turn counts into local scores (nats).

Every score is ``sum cell[N_xp] - sum row[N_p] - penalty * |P|``. With ``f(m) = m ln m`` for the likelihood
scores; with log-gamma functions for BDeu (Heckerman et al. 1995) and K2 (Cooper & Herskovits 1992).
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import borrowing

SLICE_ENTRIES = 1 << 20
"""Entries filled in by one call: less than a tenth of a second."""


@borrowing
def fill_log_gamma(offset, first, part):
    """``part[i] = lnGamma(offset + m) - lnGamma(offset)`` with ``m = first + i``, for ``offset > 0``."""
    start = math.lgamma(offset)
    for i in range(len(part)):
        part[i] = math.lgamma(offset + (first + i)) - start


def entropy_table(n_rows: int) -> np.ndarray:
    """``f(m) = m ln m`` for m = 0, ..., n_rows; float64."""
    table = np.empty(n_rows + 1)
    for first in range(0, n_rows + 1, SLICE_ENTRIES):
        part = table[first : first + SLICE_ENTRIES]
        counts = np.arange(first, first + len(part), dtype=np.float64)
        np.log(np.maximum(counts, 1.0), out=part)
        part *= counts
    return table


def log_gamma_table(offset: float, n_rows: int) -> np.ndarray:
    """``lnGamma(offset + m) - lnGamma(offset)`` for m = 0, ..., n_rows; float64."""
    table = np.empty(n_rows + 1)
    for first in range(0, n_rows + 1, SLICE_ENTRIES):
        fill_log_gamma(offset, first, table[first : first + SLICE_ENTRIES])
    return table


@borrowing
def line_of_key(keys, key):
    """Which of a few tables has a key; -1 if none has."""
    for line in range(len(keys)):
        if keys[line] == key:
            return line
    return -1
