"""Basins: the neighbourhood of one order, in which search and growth alternate until nothing improves.

Search and growth around one order converge in its basin: sets near the order have been grown, and the lists hold
little else. Then the run moves to another basin, at the order that best moves reach from a random one (`best_moves`),
and returns after some rounds. The sets grown there join the same lists, and the best order is searched again among
them. (Best moves from the best order instead of a random one, tried on win95pts: one nat better from one seed, no
escape from the basin from three others.) It gains where searches converge in seconds: on 60 ternary columns 1,026
nats in 10 s, on andes 12; none on six other tables (examples/measured/ablation.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.kernels.orders.set_lists import GAIN_TOLERANCE

from ..result import Parents

HOME_PATIENCE = 2
"""Rounds in a row around the best order without a better network after which the run leaves it. Other basins
pay on 60 ternary columns, and a little on andes."""

AWAY_PATIENCE = 2
"""Rounds in a row elsewhere without improvement there after which the run returns."""

AWAY_ROUNDS = 10
"""Maximum number of rounds elsewhere."""


class OrderedNetwork(NamedTuple):
    """A network with an order of its variables and its score in nats."""

    # int32, shape (n_variables,): parents come before their children; under a treewidth bound its reverse is an
    # elimination order of the moral graph within the bound.
    order: np.ndarray
    parents: Parents
    score: float  # -inf where the network has not been searched yet


class Basin:
    """Rounds of search and growth around one order."""

    def __init__(self, order: np.ndarray, parents: Parents):
        # The last network found here; its score is the best one reached.
        self.best = OrderedNetwork(order, parents, -np.inf)
        self.rounds = self.idle = 0  # number of rounds so far, and of the last rounds in a row without improvement

    def note(self, found: OrderedNetwork) -> None:
        """End a round with the network that the search found."""
        self.rounds += 1
        self.idle = 0 if found.score > self.best.score + GAIN_TOLERANCE else self.idle + 1
        self.best = found._replace(score=max(found.score, self.best.score))

    @property
    def is_over(self) -> bool:
        """Whether a visit to this basin has lasted long enough."""
        return self.idle >= AWAY_PATIENCE or self.rounds >= AWAY_ROUNDS
