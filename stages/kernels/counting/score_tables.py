"""Look-up tables that turn counts into local scores (nats).

Every score is ``sum cell[N_xp] - sum row[N_p] - penalty * |P|``. For likelihood scores ``f(m) = m ln m``; for BDeu
(Heckerman et al. 1995) and K2 (Cooper & Herskovits 1992) differences of log-gamma functions.

A line of a table holds the contributions of the counts from 0 on. *Whole* lines hold all counts up to the number of
rows; *cut* lines hold the smaller counts, followed by the constants from which `beyond` computes all others. Few
cells have larger counts, and a look-up so far into a table is a cache miss, which takes as long as a logarithm. Whole
and cut lines give the same bits.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import borrowing

SLICE_ENTRIES = 1 << 16
"""Entries filled in by one call: milliseconds, and temporary arrays of half a megabyte."""

MOST_ENTROPIES, MOST_LOG_GAMMAS = 1 << 19, 1 << 15
"""Counts that a cut line holds. Likelihood scores have one line, of 4 MB; Dirichlet scores have hundreds."""

OFFSET, START, GRID, MARK = range(-4, 0)
"""Places at the end of a cut line: its Dirichlet parameter (0 for ``m ln m``), lnGamma of this parameter, the quantum
of the entries, and NaN, which marks a cut line.
"""


@borrowing
def held_counts(line):
    """The number of counts, from 0 on, whose entries a line holds."""
    return len(line) + OFFSET if np.isnan(line[len(line) + MARK]) else len(line)


@borrowing
def entropy_term(count):
    """``m ln m`` of a count of at least one."""
    return float(count) * math.log(float(count))


@borrowing
def beyond(line, count):
    """The entry of a count that a cut line does not hold."""
    offset, start, grid = line[len(line) + OFFSET], line[len(line) + START], line[len(line) + GRID]
    value = entropy_term(count) if offset == 0.0 else math.lgamma(offset + float(count)) - start
    return np.rint(value / grid) * grid


@borrowing
def line_entry(line, n_held, count):
    """The entry of a count; `n_held` is what `held_counts` returns, of the type of the count."""
    return line[count] if count < n_held else beyond(line, count)


@borrowing
def look_up(line, counts, out):
    """Write the entry of each count."""
    n_held = held_counts(line)
    for i in range(len(counts)):
        out[i] = line_entry(line, n_held, counts[i])


@borrowing
def fill_entropies(first, part):
    """``part[i] = m ln m`` with ``m = first + i``; `first` is at least 1."""
    for i in range(len(part)):
        part[i] = entropy_term(first + i)


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
        held = part[: max(0, MOST_ENTROPIES - first)]
        counts = np.arange(first, first + len(held), dtype=np.float64)
        np.log(np.maximum(counts, 1.0), out=held)
        held *= counts
        # Computed by the same kernel as in cut lines: numpy's logarithm may differ in the last bit.
        fill_entropies(first + len(held), part[len(held) :])
    return table


def log_gamma_table(offset: float, n_rows: int) -> np.ndarray:
    """``lnGamma(offset + m) - lnGamma(offset)`` for m = 0, ..., n_rows; float64."""
    table = np.empty(n_rows + 1)
    for first in range(0, n_rows + 1, SLICE_ENTRIES):
        fill_log_gamma(offset, first, table[first : first + SLICE_ENTRIES])
    return table


def cut_line(line: np.ndarray, offset: float, grid: float) -> np.ndarray:
    """The cut form of a line whose entries are multiples of `grid`; `offset` is its Dirichlet parameter, 0 for ``m ln
    m``.
    """
    return np.concatenate([line, [offset, math.lgamma(offset) if offset else 0.0, grid, np.nan]])


@borrowing
def line_of_key(keys, key):
    """Index of the table with this key; -1 if there is none."""
    for line in range(len(keys)):
        if keys[line] == key:
            return line
    return -1
