"""An upper bound on the score of networks, as searches prove it and as the header of a network states it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

KEYS = ("bound", "gap", "bound_relative_to")
"""Header keys: the value, how far it lies above the network's own score, the networks that it is about."""


class Bound(NamedTuple):
    """An upper bound on the score of every network of some kind."""

    value: float  # nats, rounded outward
    about: str  # those networks, in words; what is known about their sets follows in parentheses

    @property
    def networks(self) -> str:
        """Those networks, without what stands in parentheses."""
        return self.about.partition(" (")[0]

    @classmethod
    def of(cls, value: float, score: float, rounding: float, about: str) -> Bound:
        """The bound that a search proves by `value`, up to a rounding error; `score` is that of one such network."""
        return cls(max(value, score) + rounding, about)

    def entries(self, score: float) -> dict[str, Any]:
        """Header entries beside a network of this score."""
        return dict(zip(KEYS, (self.value, self.value - score, self.about)))


def bound_in(extra: Mapping[str, Any]) -> Bound | None:
    """The bound that the header of a network states; None if it states none."""
    if extra.get("bound") is None:
        return None
    return Bound(extra["bound"], extra.get("bound_relative_to", "networks of an unknown kind"))


def gap_in(extra: Mapping[str, Any]) -> float | None:
    """Bound less score in nats; None if the header lacks either."""
    bound, total = bound_in(extra), extra.get("total")
    return None if bound is None or total is None else bound.value - total
