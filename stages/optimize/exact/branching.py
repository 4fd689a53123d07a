"""Which pair of variables to branch on: reliability branching (Achterberg, Koch and Martin 2005).

A trial measures by how much a branch's bound rises when one variable precedes another. Gains are remembered by pair
and order, so that pairs are tried only until their gain is known. If equivalent networks have both orders of a pair,
neither order gains; after some trials such a pair is not tried again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

RELIABLE = 3
"""Trials after which the mean gain of an order is taken for known."""

LEAST_SHARE = 0.1
"""Trials with smaller forbidden shares do not count: they predict little about the gain from larger shares."""

LEAST_GAIN = 1e-6
"""Least gain in nats credited to a side: so products of gains also compare pairs with a side that gains nothing."""


class Gain(NamedTuple):
    """What a branch gained."""

    order: tuple[int, int]  # in it the first variable precedes the second
    share: float  # share of the arc from the second to the first, which the order forbids
    gain: float  # in nats


class OrderGains:
    """Gains of the orders of pairs, in nats per squared share that the order forbids; gains were nearly proportional
    to it on the lists examined.

    """

    def __init__(self, n_variables: int):
        self._sums = np.zeros((n_variables, n_variables))
        self._counts = np.zeros((n_variables, n_variables), dtype=np.int64)

    def note(self, tried: Gain) -> None:
        """Remember a gain."""
        if tried.share >= LEAST_SHARE:
            self._sums[tried.order] += tried.gain / tried.share**2
            self._counts[tried.order] += 1

    def is_reliable(self, pair: tuple[int, int]) -> bool:
        """Whether the gains of both orders of a pair are known."""
        return min(self._counts[pair], self._counts[pair[::-1]]) >= RELIABLE

    def ranked(self, pairs: dict[tuple[int, int], tuple[float, float]]) -> list[tuple[float, tuple[int, int]]]:
        """The product of the expected gains of every pair, and the pair; the largest first.

        `pairs` has for each pair the share of its arc from the first to the second variable, and the share of the
        opposite arc.
        """
        # One trial with the mean gain of all trials is added to the trials of each order.
        mean = (self._sums.sum() + 1.0) / (self._counts.sum() + 1)
        expected = (self._sums + mean) / (self._counts + 1)
        worths = (
            (worth_of(expected[pair] * back**2, expected[pair[::-1]] * there**2), pair)
            for pair, (there, back) in pairs.items()
        )
        return sorted(worths, key=lambda entry: (-entry[0], entry[1]))


def worth_of(gain: float, other: float) -> float:
    """The product rule (Achterberg 2007): little if one side gains little."""
    return max(LEAST_GAIN, gain) * max(LEAST_GAIN, other)
