"""What the loop of pricing asks of an engine, which searches on the lists of a run and grows them."""

from __future__ import annotations

from typing import Protocol

from ..result import SearchResult
from .basins import OrderedNetwork


class PricingEngine(Protocol):
    """Searches on the lists of a `PricingRun` and grows them."""

    # A run without a time limit ends after so many rounds in a row without a better network.
    patience: int
    # Whether the last search accepted worse networks on purpose; then finding no better one is no reason to stop.
    is_cooling: bool

    @property
    def best(self) -> OrderedNetwork: ...  # the incumbent; its score is -inf before the first search

    @property
    def bytes(self) -> int: ...  # approximate memory of what the engine keeps beside the lists

    def begin(self, grows: bool) -> None:
        """Find a first network and, with `grows`, first lists; without, lists are given."""

    def search(self) -> bool:
        """One phase of search on the present lists; whether it improved the incumbent."""

    def grow(self) -> None:
        """One round of growth near the networks that searches have found."""

    def adopt(self, found: SearchResult) -> None:
        """Make a network found elsewhere the incumbent if it is better."""
