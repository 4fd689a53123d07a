"""Discretization of a numeric column: cut points, interval labels, and labels back to cut points.

Intervals are open below and closed above, so a value equal to a cut point belongs to the lower interval. Their labels
are ``<=1.5``, ``1.5..2.5`` and ``>2.5``: free of delimiters, quotes and brackets, and convertible back to cut points,
so that other data (a test split) can be coded by the intervals in a file header.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...data_records import MAX_STATES

_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
NUMBER_PATTERN = f"^{_NUMBER}$"
"""A number in a table: decimal digits with optional sign, point and exponent."""

_INTERVAL = re.compile(rf"<=({_NUMBER})|({_NUMBER})\.\.({_NUMBER})|>({_NUMBER})", re.ASCII)

FIRST_DOUBTFUL = 2.0**53
"""From here on, and below its negative, float64 does not hold every whole number."""

FIRST_LEVELS = 20
"""Intervals of equally many rows that ``hartemink:K`` begins with."""


class Discretization(NamedTuple):
    """A method to discretize numeric columns."""

    method: str
    """``quantile``, ``width`` or ``hartemink``."""
    n_intervals: int
    """As requested; ties and empty intervals make them fewer."""
    n_first: int = 0
    """With ``hartemink`` the number of quantile intervals to begin with, otherwise 0."""

    @property
    def n_kept(self) -> int:
        """Numeric columns with at most this many distinct values are not cut."""
        return max(2, self.n_intervals)


class GivenCuts(NamedTuple):
    """Cut points that the user gives, ascending; they apply however few distinct values a column has."""

    points: tuple[float, ...]
    n_kept: int = 0

    def code(self, values: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
        """Labels of the intervals that hold a value, and the index of the label of each value.

        An interval without a value is joined to the one below, so that the labels still cover all numbers. If all
        values are in one interval, it is the only label.
        """
        points = np.array(self.points)
        codes = interval_codes(values, points)
        occupied = np.unique(codes)
        if len(occupied) == 1:
            return (interval_labels(points)[occupied[0]],), np.zeros(len(values), dtype=np.int64)
        points = points[occupied[1:] - 1]
        return interval_labels(points), interval_codes(values, points)


class ColumnRule(NamedTuple):
    """A rule and the columns it applies to: a name or pattern of `selection`, or None for all."""

    columns: str | None
    rule: Discretization | GivenCuts


def parse_column_rule(text: str) -> ColumnRule:
    """Read ``RULE`` for all columns or ``COLUMN=RULE``, with the rules and errors of `parse_discretization`."""
    columns, equals, rule = text.rpartition("=")
    if equals and not columns:
        raise ValueError(f"{text!r}: no column before the '='")
    return ColumnRule(columns or None, parse_discretization(rule))


def parse_discretization(text: str) -> Discretization | GivenCuts:
    """Read ``median``, ``quantile:K``, ``width:K``, ``hartemink:K``, ``hartemink:K,FIRST`` or ``cuts:A,B,...``.

    The median is ``quantile:2``; FIRST is 20 by default, or K + 1 if that is more.

    Raises `ValueError`: another word, K is not a whole number from 2 to 256, FIRST does not exceed K, or cut points
    that do not ascend.
    """
    if text == "median":
        return Discretization("quantile", 2)
    method, _, count = text.partition(":")
    if method == "cuts":
        return _parse_cuts(text, count)
    if method not in ("quantile", "width", "hartemink"):
        rules = "median, quantile:K, width:K, hartemink:K or cuts:A,B"
        raise ValueError(f"unknown discretization {text!r}: use {rules}")
    count, comma, first = count.partition(",") if method == "hartemink" else (count, "", "")
    is_whole = all(number.isascii() and number.isdigit() for number in (count, *([first] if comma else [])))
    if not is_whole or not 2 <= int(count) <= MAX_STATES:
        raise ValueError(f"{text!r}: the number of intervals must be a whole number from 2 to {MAX_STATES}")
    if method != "hartemink":
        return Discretization(method, int(count))
    n_first = int(first) if comma else min(MAX_STATES, max(FIRST_LEVELS, int(count) + 1))
    if not int(count) < n_first <= MAX_STATES:
        raise ValueError(
            f"{text!r}: begin with more intervals than are to remain, {MAX_STATES} at most, as hartemink:3,20"
        )
    return Discretization(method, int(count), n_first)


def _parse_cuts(text: str, listing: str) -> GivenCuts:
    points = listing.split(",")
    if not all(re.fullmatch(NUMBER_PATTERN, point.strip(), re.ASCII) for point in points):
        raise ValueError(f"{text!r}: cut points must be numbers, as in cuts:18,40,65")
    values = tuple(float(point) for point in points)
    if not all(math.isfinite(value) for value in values) or not all(a < b for a, b in pairwise(values)):
        raise ValueError(f"{text!r}: cut points must be finite and ascend")
    lost = [point.strip() for point in points if not is_held(point)]
    if lost:
        raise ValueError(
            f"{text!r}: the cut point {lost[0]} would be taken as {int(float(lost[0]))}: whole numbers from 2^53 on "
            "are not cut exactly; subtract a constant from the column, or divide it, and cut that"
        )
    if len(values) >= MAX_STATES:
        raise ValueError(f"{text!r}: more than {MAX_STATES} intervals")
    return GivenCuts(values)


def cut_points(values: np.ndarray, counts: np.ndarray, rule: Discretization) -> np.ndarray:
    """Cut points of a column such that every interval holds at least one of its values.

    - `values` (float64, shape (n_distinct,)): the distinct values, ascending and finite; at least two.
    - `counts` (int64, shape (n_distinct,)): the number of rows with each value.

    Returns
    -------
    ndarray of float64
        One to K - 1 ascending cut points below the largest value.

    Notes
    -----
    ``quantile:K``: cut k is the smallest value that at least k/K of the rows do not exceed (the inverse of the
    empirical distribution function), so it is a value of the column. Equal cuts count once. A cut at the largest
    value is dropped; if no cut remains, the largest value gets an interval of its own.

    ``hartemink:K`` cuts by quantiles into the intervals that it begins with.

    ``width:K``: K - 1 equally spaced cuts between the smallest and the largest value, rounded to four
    significant digits of the spacing. An interval that holds no value is joined to the one below.
    """
    if rule.method == "width":
        cuts = _width_cuts(values, rule.n_intervals)
    else:
        cuts = _quantile_cuts(values, counts, rule.n_first or rule.n_intervals)
    if len(cuts) == 0:
        cuts = values[-2:-1]
    occupied = np.unique(interval_codes(values, cuts))
    # Cut k is the lower end of interval k + 1: cuts of occupied intervals stay, the lowest interval needs none.
    return cuts[occupied[occupied > 0] - 1]


def _quantile_cuts(values: np.ndarray, counts: np.ndarray, n_intervals: int) -> np.ndarray:
    # In integers: rows up to a value times K reach rows times k exactly where the share reaches k/K.
    cumulative = np.cumsum(counts, dtype=np.int64)
    wanted = cumulative[-1] * np.arange(1, n_intervals, dtype=np.int64)
    positions = np.unique(np.searchsorted(cumulative * n_intervals, wanted, side="left"))
    return values[positions[positions < len(values) - 1]]


def _width_cuts(values: np.ndarray, n_intervals: int) -> np.ndarray:
    low, high = float(values[0]), float(values[-1])
    spacing = high / n_intervals - low / n_intervals  # not (high - low) / K, which may overflow
    if spacing == 0.0:
        return values[:0]
    # Four significant digits of the spacing, whatever the size of the values.
    digits = 3 - math.floor(math.log10(spacing))
    shares = (k / n_intervals for k in range(1, n_intervals))
    cuts = np.unique([round(low * (1 - share) + high * share, digits) for share in shares])
    return cuts[(cuts >= low) & (cuts < high)]


def interval_codes(values: np.ndarray, cuts: np.ndarray) -> np.ndarray:
    """Index of the interval of each value: the number of cut points below it, int64."""
    return np.searchsorted(cuts, values, side="left")


def is_held(number: str) -> bool:
    """Whether float64 tells a finite number from all others for which this holds, and in their order.

    So it is if its float prints as this number. Of numbers below `FIRST_DOUBTFUL` digits behind the point may be
    rounded.
    """
    value = float(number)
    return abs(value) < FIRST_DOUBTFUL or Decimal(number) == Decimal(repr(value))


def format_number(value: float) -> str:
    """Shortest text that reads back as the same float64; whole numbers without a point."""
    return repr(float(value)).removesuffix(".0")


def interval_labels(cuts: np.ndarray) -> tuple[str, ...]:
    """Labels of the ``len(cuts) + 1`` intervals, lowest first."""
    ends = [format_number(cut) for cut in cuts]
    inner = (f"{low}..{high}" for low, high in pairwise(ends))
    return (f"<={ends[0]}", *inner, f">{ends[-1]}")


def interval_bounds(label: str) -> tuple[float, float] | None:
    """Lower (exclusive) and upper (inclusive) end of an interval label; None for other text.

    Ends that float64 does not hold (`is_held`) make no interval.
    """
    match = _INTERVAL.fullmatch(label)
    if match is None:
        return None
    below, low, high, above = match.groups()
    if not all(map(is_held, filter(None, match.groups()))):
        return None
    return float(low or above or -math.inf), float(high or below or math.inf)


def cuts_of_labels(labels: tuple[str, ...]) -> np.ndarray | None:
    """The inverse of `interval_labels`: cut points of interval labels; None if the labels are no complete list."""
    bounds = [bounds for label in labels if (bounds := interval_bounds(label)) is not None]
    if len(bounds) < max(2, len(labels)):
        return None
    is_gapless = all(lower[1] == upper[0] for lower, upper in pairwise(bounds))
    ends = [-math.inf, *(high for _, high in bounds)]
    is_complete = bounds[0][0] == -math.inf and bounds[-1][1] == math.inf
    if not (is_gapless and is_complete and all(low < high for low, high in pairwise(ends))):
        return None
    return np.array(ends[1:-1], dtype=np.float64)
