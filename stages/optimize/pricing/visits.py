"""Visits to other basins: rounds around a fresh order when those around the best one bring nothing.

Search and growth around one order settle in its basin: whatever lies near it has been grown, and the lists hold
little else. So the run leaves it for the order that best moves lead to from a random one (`best_moves`), and goes on
there for some rounds. What is found there joins the same lists, and the best order is searched anew among them when
the run comes back. (Best moves from the best order before those from random ones, tried on win95pts: a nat better
from one seed, and no way out of the basin from three others.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..result import Parents

TOLERANCE = 1e-6
"""Nats; smaller gains do not count as an improvement."""

HOME_PATIENCE = 2
"""Rounds around the best order without a better network after which the run leaves."""

AWAY_PATIENCE = 2
"""Rounds elsewhere without improvement there after which it comes back."""

AWAY_ROUNDS = 10
"""Rounds elsewhere at most."""


class Visit:
    """Rounds around an order other than the best one.

    Parameters
    ----------
    order : ndarray of int32
    parents : tuple of tuple of int
        A network within the order.

    Attributes
    ----------
    score : float
        Best score reached here, in nats.
    """

    def __init__(self, order: np.ndarray, parents: Parents):
        self.order = order
        self.parents = parents
        self.score = -np.inf
        self._rounds = 0
        self._idle = 0

    def note(self, order: np.ndarray, parents: Parents, score: float) -> None:
        """Go on from what a search has found here."""
        self._rounds += 1
        self._idle = 0 if score > self.score + TOLERANCE else self._idle + 1
        self.order, self.parents, self.score = order, parents, score

    @property
    def is_over(self) -> bool:
        """Whether it is time to come back."""
        return self._idle >= AWAY_PATIENCE or self._rounds >= AWAY_ROUNDS
