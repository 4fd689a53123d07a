"""The best network of a search that still runs, kept at intervals, so that a killed process does not lose it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from formats.bounds import bound_in

if TYPE_CHECKING:
    from formats.records import NetworkRecord

FIRST_SECONDS = 10.0
"""Seconds until the first network is kept."""
SECONDS = 30.0
"""Seconds between two networks that are kept."""


class BestSoFar:
    """Passes a network to `keep` at intervals, if it or its bound is better than the last one passed."""

    def __init__(self, keep: Callable[[NetworkRecord], None]):
        self._keep = keep
        self._due = time.monotonic() + FIRST_SECONDS
        self._last = (-math.inf, -math.inf, -math.inf)

    def offer(self, network: Callable[[], NetworkRecord | None]) -> None:
        """Make the best network so far if one is due; `network` gives None where there is none."""
        if time.monotonic() < self._due or (found := network()) is None:
            return
        extra = found.header.extra
        bound = bound_in(extra)
        # With missing cells totals are of tables that differ from round to round: the observed cells tell.
        rank = extra.get("observed_score", -math.inf), extra["total"], -math.inf if bound is None else -bound.value
        if rank > self._last:
            self._last = rank
            self._keep(found)
        self._due = time.monotonic() + SECONDS
