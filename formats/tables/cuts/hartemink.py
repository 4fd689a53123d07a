"""Information-preserving discretization (Hartemink 2001).

A. J. Hartemink: Principled computational methods for the validation and discovery of genetic regulatory networks.
PhD thesis, MIT 2001, section 5.2: the columns begin with many levels of about equally many rows. In each round every
column joins the two neighbouring levels whose union loses least of the mutual information with all other columns,
summed. Here all columns of a round use the levels from its beginning, so that the result does not depend on the order
of the columns, and columns that are not numeric count, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...sets.listed_sets import offsets_of
from ..cell_storage import Cells

MOST_LEVELS = 12_000
"""Levels of all columns together: counts of all pairs take 4 bytes for each pair of levels, 576 MB."""

TIE = 1e-9
"""Losses are equal, but for rounding, if they differ by less than this share of the greatest possible loss."""


class Goal(NamedTuple):
    """A column to be coarsened: its first `n_levels` states are ordered, `n_wanted` of them are to remain."""

    n_levels: int
    n_wanted: int


def join_levels(codes: Cells, n_states: Sequence[int], goals: Mapping[int, Goal]) -> dict[int, np.ndarray]:
    """Join neighbouring levels of columns until each has the wanted number.

    - `codes`: uint8, shape (n_columns, n_rows).
    - `n_states`: of every column.
    - `goals`: goal of each column to be coarsened, by position.

    Returns
    -------
    dict
        For each of them the lowest of the former levels that make each remaining one, ascending, int64.
    Raises `ValueError`: more than `MOST_LEVELS` levels.
    """
    offsets = offsets_of(n_states)
    if offsets[-1] > MOST_LEVELS:
        raise ValueError(f"{offsets[-1]:,} levels, of {MOST_LEVELS:,} at most")
    counts = _pair_counts(codes, offsets)
    first = {column: np.arange(goal.n_levels) for column, goal in goals.items()}
    while True:
        # Only the columns with most levels take part in a round, so that all shrink evenly.
        unfinished = [c for c, goal in goals.items() if len(first[c]) > goal.n_wanted]
        longest = max((len(first[c]) for c in unfinished), default=0)
        if longest == 0:
            return first
        turns = [c for c in unfinished if len(first[c]) == longest]
        pairs = {column: _cheapest_pair(counts, offsets, column, first[column]) for column in turns}
        for column, pair in pairs.items():
            # The union keeps the place of its lowest level; all choices of the round were made before, from the same
            # counts.
            low, high = offsets[column] + first[column][pair : pair + 2]
            counts[low] += counts[high]
            counts[:, low] += counts[:, high]
            counts[high] = 0
            counts[:, high] = 0
            first[column] = np.delete(first[column], pair + 1)


def _pair_counts(codes: Cells, offsets: np.ndarray) -> np.ndarray:
    """Rows with each pair of levels of two columns, int32, shape (n_levels, n_levels)."""
    counts = np.zeros((offsets[-1], offsets[-1]), dtype=np.int32)
    sizes = np.diff(offsets).tolist()
    for one in range(len(codes)):
        rows = slice(offsets[one], offsets[one + 1])
        for other in range(one, len(codes)):
            columns = slice(offsets[other], offsets[other + 1])
            cells = codes[one].astype(np.int32) * sizes[other] + codes[other]
            table = np.bincount(cells, minlength=sizes[one] * sizes[other]).reshape(sizes[one], sizes[other])
            counts[rows, columns] = table
            counts[columns, rows] = table.T
    return counts


def _cheapest_pair(counts: np.ndarray, offsets: np.ndarray, column: int, first: np.ndarray) -> int:
    """The level to join with the next above it; of equal losses the one with the fewest rows, then the lowest.

    With f(n) = n ln n, n rows and joint counts n_xy, n times the mutual information of two columns is
    sum f(n_xy) - sum f(n_x) - sum f(n_y) + f(n).
    """
    own = slice(offsets[column], offsets[column + 1])
    levels = offsets[column] + first
    # The block of a column with itself is diagonal: its rows by level.
    sizes = np.diagonal(counts)[levels].astype(np.int64)
    joint = counts[levels].astype(np.int64)
    joint[:, own] = 0
    n_others = len(offsets) - 2
    # Of the four sums only those with the joined levels change; f(n_x) does so once for each other column.
    losses = _gain(joint).sum(axis=1) - n_others * _gain(sizes)
    n_rows = max(2, int(sizes.sum()))
    is_least = losses <= losses.min() + TIE * max(1, n_others) * n_rows * np.log(n_rows)
    return int(np.argmin(np.where(is_least, sizes[:-1] + sizes[1:], np.iinfo(np.int64).max)))


def _gain(counts: np.ndarray) -> np.ndarray:
    """f(a) + f(b) - f(a + b) for consecutive rows a and b; at most 0."""
    terms = counts * np.log(np.maximum(counts, 1))
    unions = counts[:-1] + counts[1:]
    return terms[:-1] + terms[1:] - unions * np.log(np.maximum(unions, 1))
