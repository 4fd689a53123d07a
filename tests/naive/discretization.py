"""Cut points from the definitions, in exact fractions over plain lists of rows."""

from __future__ import annotations

from fractions import Fraction


def quantile_cuts(rows: list[float], n_intervals: int) -> list[float]:
    """Cut k: the smallest value that at least k/K of the rows do not exceed; none at the largest value."""
    cuts = set()
    for k in range(1, n_intervals):
        for value in sorted(rows):
            if Fraction(sum(row <= value for row in rows), len(rows)) >= Fraction(k, n_intervals):
                cuts.add(value)
                break
    cuts.discard(max(rows))
    return sorted(cuts) or [max(row for row in rows if row < max(rows))]


def width_edges(rows: list[float], n_intervals: int) -> list[Fraction]:
    """Equally spaced edges between the smallest and the largest value, before rounding and joining."""
    low, high = Fraction(min(rows)), Fraction(max(rows))
    return [low + (high - low) * k / n_intervals for k in range(1, n_intervals)]


def interval_index(value: float, cuts: list[float]) -> int:
    """Number of cuts below a value."""
    return sum(cut < value for cut in cuts)
