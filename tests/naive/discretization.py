"""Cut points from the definitions, in exact fractions over plain lists of rows."""

from __future__ import annotations

import math
from collections import Counter
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


def mutual_information(one: list[int], other: list[int]) -> float:
    """Of two columns, in nats."""
    n = len(one)
    pairs, ones, others = Counter(zip(one, other)), Counter(one), Counter(other)
    return math.fsum(c / n * math.log(c * n / (ones[a] * others[b])) for (a, b), c in pairs.items())


def join_levels(codes: list[list[int]], n_states: list[int], goals: dict) -> dict[int, list[int]]:
    """Hartemink's rounds, with the sum of mutual informations computed anew for every union of neighbours."""
    first = {column: list(range(goal.n_levels)) for column, goal in goals.items()}

    def recoded(column: int, lowest: list[int]) -> list[int]:
        return [sum(level <= code for level in lowest) for code in codes[column]]

    while True:
        open_ones = {c: len(first[c]) for c, goal in goals.items() if len(first[c]) > goal.n_wanted}
        if not open_ones:
            return first
        now = [recoded(c, first[c]) if c in first else codes[c] for c in range(len(codes))]
        chosen = {}
        for column, count in open_ones.items():
            if count < max(open_ones.values()):
                continue
            ways = []
            for pair in range(count - 1):
                lowest = first[column][: pair + 1] + first[column][pair + 2 :]
                joined = recoded(column, lowest)
                kept = math.fsum(mutual_information(joined, now[c]) for c in range(len(codes)) if c != column)
                sizes = [sum(code == level for code in now[column]) for level in (pair + 1, pair + 2)]
                ways.append((-round(kept, 7), sum(sizes), pair))
            chosen[column] = min(ways)[2]
        for column, pair in chosen.items():
            del first[column][pair + 1]
