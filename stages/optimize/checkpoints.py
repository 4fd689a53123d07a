"""Networks of a search that still runs, handed over at intervals.

A search reports its best network so far as the fact ``network`` of its progress: a callable without arguments that
returns a `SearchResult`, or None while there is none. The driver calls it when a network is due, assembles and
verifies the network as at the end, and passes it on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from formats.records import Network

from .result import Parents, SearchResult

Offer = Callable[[], SearchResult | None]
"""What a search reports as ``network``."""


def nothing_yet() -> None:
    """The offer of a search without a network."""


@dataclass(eq=False)
class Checkpoints:
    """Passes a network to `keep` every `seconds`, if it or its bound is better than the last one passed."""

    seconds: float
    keep: Callable[[Network], None]
    # Monotonic clock at which the next network is due, and score and upper bound of the last one in nats.
    due: float = field(init=False)
    best: float = field(default=-np.inf, init=False)
    bound: float = field(default=np.inf, init=False)

    def __post_init__(self) -> None:
        self.due = time.monotonic() + self.seconds

    @property
    def is_due(self) -> bool:
        """Whether the interval is over."""
        return time.monotonic() >= self.due

    def take(self, network: Network) -> None:
        """Pass the network on if it is better, or its bound is; the next interval begins."""
        total, bound = network.header.extra["total"], network.header.extra.get("bound", np.inf)
        if total > self.best or (total == self.best and bound < self.bound):
            self.best, self.bound = total, bound
            self.keep(network)
        self.due = time.monotonic() + self.seconds

    def changed(self, change: Callable[[Network], Network]) -> Checkpoints:
        """The same intervals for networks that `change` turns into the ones to keep."""
        return replace(self, keep=lambda network: self.keep(change(network)))


def unscored(parents: Parents, elimination: Sequence[int] | None = None) -> SearchResult:
    """A network of a search on data; the driver scores it, apart from the search, whose counts stay as they are."""
    return SearchResult(parents, np.zeros(len(parents)), 0.0, elimination=elimination)
